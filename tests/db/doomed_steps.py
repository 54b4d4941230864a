"""Workers for tests that kill or pause them. Each takes a match through its steps: claim, three plies, the result.

doomed_steps.py URL LEASE_S               one worker, that waits for a line before it writes the result
doomed_steps.py URL LEASE_S -1 +1 -2 ...  a worker for each, that kills itself before (-) or after (+) that step
"""

import asyncio
import os
import signal
import sys
from datetime import UTC, datetime

from palio_db.errors import LeaseLost
from palio_db.store import Store
from palio_db.values import JournalEntry
from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record

PLIES = tuple(Ply(number % 2, [number], number) for number in range(1, 4))


async def work(url: str, lease_s: float, doom: str) -> None:
    def at(step: str) -> None:
        if doom == step:
            os.kill(os.getpid(), signal.SIGKILL)

    async with await Store.open(url) as store:
        at("-1")
        claim = await store.claim(f"doomed{doom}", lease_s)
        at("+1")
        assert claim is not None
        for number, ply in enumerate(PLIES, 1):
            at(f"-{number + 1}")
            await store.journal([JournalEntry(claim.match, claim.epoch, number, ply)])
            at(f"+{number + 1}")
        if not doom:
            print("played", flush=True)  # noqa: T201
            await asyncio.to_thread(sys.stdin.readline)  # paused here
        moment = datetime.now(UTC)
        record = Record(claim.match, claim.setup, PLIES, Result("rule", "last-stone", [1.0, 0.0]), moment, moment)
        at("-5")
        try:
            await store.finish(claim, record)
        except LeaseLost:
            print("refused", flush=True)  # noqa: T201
            return
        at("+5")
        print("announced", flush=True)  # noqa: T201


url, lease_s, *dooms = sys.argv[1:]
for doom in dooms:  # forked, because to import all that takes longer
    if (child := os.fork()) == 0:
        asyncio.run(work(url, float(lease_s), doom))
        os._exit(0)
    os.waitpid(child, 0)
if not dooms:
    asyncio.run(work(url, float(lease_s), ""))
