"""Forks a hundred workers that finish matches in one SQLite file, and kills each of them with SIGKILL.

hundred_kills.py FILE SEED    prints each match that a worker had announced before it was killed
"""

import asyncio
import os
import random
import signal
import sys
import time
from datetime import UTC, datetime

from palio_db.store import Store
from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record


async def work(file: str, out: int) -> None:
    async with await Store.open(f"sqlite:///{file}") as store:
        for claim in await store.reclaim("doomed", 30):
            await finish(store, claim, out)
        while claim := await store.claim("doomed", 30):
            await finish(store, claim, out)


async def finish(store, claim, out: int) -> None:
    moment = datetime.now(UTC)
    record = Record(claim.match, claim.setup, (Ply(0, [1], 1),), Result("rule", "x", [0.5, 0.5]), moment, moment)
    await store.finish(claim, record)
    os.write(out, f"{claim.match}\n".encode())


pick = random.Random(int(sys.argv[2]))
for _ in range(100):
    ours, theirs = os.pipe()
    if (child := os.fork()) == 0:
        asyncio.run(work(sys.argv[1], theirs))
        os._exit(0)
    os.close(theirs)
    announced = os.read(ours, 17)  # it works: from here on it may die at any moment
    time.sleep(pick.random() * 0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while part := os.read(ours, 65536):
        announced += part
    os.close(ours)
    sys.stdout.write(announced.decode())
