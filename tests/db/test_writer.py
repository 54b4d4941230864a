"""Group commit: what waits makes the next group, a cancelled caller waits for its own, and closing loses nothing."""

import asyncio
import sqlite3
from contextlib import closing

from palio_db.store import Store
from palio_db.values import JournalEntry
from palio_rules.records.record import Ply


async def test_what_comes_while_a_group_is_written_is_the_next_one(store, make, monkeypatch):
    groups, begun = [], asyncio.Event()
    run = store._database._writing.run

    def counted(work):
        groups.append(len(work.args[0]))
        begun.set()
        return run(work)

    for n in range(6):
        await store.schedule(make.setup(f"a{n}", f"b{n}"))
    monkeypatch.setattr(store._database._writing, "run", counted)
    first = asyncio.create_task(store.claim("w", 30))
    await begun.wait()
    rest = await asyncio.gather(*(store.claim("w", 30) for _ in range(5)))
    assert groups == [1, 5]
    assert len({claim.match for claim in [await first, *rest]}) == 6


async def test_a_caller_that_is_cancelled_ends_only_when_its_work_is_done(store, make):
    await store.schedule(make.setup())
    claim = await store.claim("w", 30)
    finishing = asyncio.create_task(store.finish(claim, make.record(claim)))
    await asyncio.sleep(0)
    finishing.cancel()
    [outcome] = await asyncio.gather(finishing, return_exceptions=True)
    assert isinstance(outcome, asyncio.CancelledError)
    assert (await store.match(claim.match)).status == "finished"


async def test_a_store_that_is_closed_has_written_what_was_asked_of_it(tmp_path, make):
    file = tmp_path / "palio.db"
    store = await Store.open(f"sqlite:///{file}")
    await store.schedule(make.setup())
    claim = await store.claim("w", 30)
    journaling = asyncio.create_task(store.journal([JournalEntry(claim.match, 1, 1, Ply(0, 1, 1))]))
    await asyncio.sleep(0)
    await store.close()
    await journaling
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT count(*) FROM journal").fetchone() == (1,)
