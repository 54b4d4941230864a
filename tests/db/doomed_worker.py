"""Plays matches as fast as it can and prints each one's identity once its result is committed, until it is killed."""

import asyncio
import sys
from datetime import UTC, datetime

from palio_db.store import Store
from palio_db.values import JournalEntry
from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record


async def main(url: str, at_once: int) -> None:
    store = await Store.open(url)
    await asyncio.gather(*(play(store) for _ in range(at_once)))
    await store.close()


async def play(store: Store) -> None:
    while claim := await store.claim("doomed", 30):
        moment = datetime.now(UTC)
        plies = tuple(Ply(number % 2, [number], number) for number in range(1, 4))
        for number, ply in enumerate(plies, 1):
            await store.journal([JournalEntry(claim.match, claim.epoch, number, ply)])
        result = Result("rule", "last-stone", [0.5, 0.5])
        await store.finish(claim, Record(claim.match, claim.setup, plies, result, moment, moment))
        print(claim.match, flush=True)  # noqa: T201  the announcement


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
