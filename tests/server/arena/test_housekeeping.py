"""Once a minute: addresses are forgotten in time, and a rename that was interrupted is ended."""

from datetime import UTC, datetime, timedelta

import pytest

from palio_db import renaming
from palio_db.store import Store
from palio_db.values import Actor
from palio_db.voiding import Suspects
from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record, Setup
from palio_server.arena.housekeeping import Housekeeping

NIM = Setup("nim", ("ann", "bob"))
OLD = datetime.now(UTC) - timedelta(days=91)


async def played(store, ended, address):
    await store.schedule(NIM)
    claim = await store.claim("worker", 30)
    record = Record(claim.match, NIM, (Ply(0, [1, 1], 5),), Result("rule", "x", [1.0, 0.0]), ended, ended)
    await store.finish(claim, record, (address, ""))


async def test_addresses_are_cleared_when_they_are_as_old_as_the_setting_says():
    async with await Store.open("sqlite://") as store:
        await store.add_bot("ann", by=Actor("staff", None, "198.51.100.1"))
        await played(store, OLD, "203.0.113.7")
        await played(store, datetime.now(UTC), "203.0.113.8")
        await Housekeeping(store, 90).look()
        assert await store.count_suspects(Suspects(address="203.0.113.0/24")) == 1
        assert [line.address for line in await store.audit()] == ["198.51.100.1"]
        await Housekeeping(store, 0).look()
        assert await store.count_suspects(Suspects(address="203.0.113.0/24")) == 0
        assert [line.address for line in await store.audit()] == [""]


@pytest.mark.parametrize("steps", [0, 1, 2])
async def test_a_rename_that_a_crash_has_interrupted_is_right_at_each_step_and_ended_by_the_beat(monkeypatch, steps):
    monkeypatch.setattr(renaming, "BATCH", 1)
    async with await Store.open("sqlite://") as store:
        for _ in range(3):
            await played(store, OLD, "")
        await store.rename_bot("ann", "zoe")
        for _ in range(steps):
            assert (await store.move_names()).matches == 1
        assert await store.recount() == []
        assert {line.bot: line.games for line in (await store.leaderboard("nim")).leaders}.get("zoe", 0) == steps
        await Housekeeping(store, 90).look()
        assert {line.bot: line.games for line in (await store.leaderboard("nim")).leaders} == {"bob": 3, "zoe": 3}
        assert await store.recount() == []
