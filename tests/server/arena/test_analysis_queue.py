"""The server's analyses: one at a time, in order, within limits; what fails is told, and nothing is left behind."""

import asyncio
import os
import sys
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import msgspec
import pytest

from palio_db.store import Store
from palio_rules.contract.messages import Result
from palio_rules.contract.topics import match_event
from palio_rules.records.record import JudgedPly, Ply, Record, Setup
from palio_server import live
from palio_server.arena.analysis_queue import AnalysisQueue, AnalysisState, QueueFull
from palio_server.bus.local import LocalBus

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SETUP = Setup("dominoes", ("ann", "bob"), options={"rows": 2, "cols": 2})
LINE = msgspec.json.encode(JudgedPly(0, 0, "", (None, None), ("win", "loss"))) + b"\n"
FOREVER = f"import sys, time, os; sys.stdout.buffer.write({LINE!r}); sys.stdout.flush(); time.sleep(600)"


class World:
    """A store with finished matches, a queue at work, and what viewers are told."""

    def __init__(self, store, **limits):
        self.store, self.bus = store, LocalBus()
        self.queue = AnalysisQueue(store, self.bus, **limits)
        self.told = asyncio.Queue()

    async def match(self):
        match = await self.store.schedule(SETUP)
        claim = await self.store.claim("w", 30)
        result = Result("rule", "no-moves", [1.0, 0.0])
        record = Record(match, SETUP, (Ply(0, [0, 0], 5),), result, NOW, NOW)
        await self.store.finish(claim, record)
        self.bus.subscribe(match_event(match), lambda _topic, message: self.told.put_nowait(message.data))
        return record

    async def until(self, match, *states):
        async with asyncio.timeout(60):
            # it has no event
            while (found := self.queue.state(match, kept=False)).state not in states:  # noqa: ASYNC110
                await asyncio.sleep(0)
        return found

    @asynccontextmanager
    async def at_work(self):
        task = asyncio.create_task(self.queue.run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
async def store():
    async with await Store.open("sqlite://") as opened:
        yield opened


@pytest.fixture
def judge(tmp_path, monkeypatch):
    """Lets a program of the test's own stand in for the one that judges."""

    def set_program(source):
        path = tmp_path / "judge.py"
        path.write_text(source)
        monkeypatch.setattr("palio_server.processes.hint_process.tethered", lambda *_: [sys.executable, str(path)])

    return set_program


async def test_a_real_process_analyses_a_match_and_its_viewers_hear_of_it(store):
    world = World(store)
    record = await world.match()
    async with world.at_work(), asyncio.timeout(120):
        assert world.queue.ask(record) == AnalysisState(record.match, "queued", positions=2)
        assert msgspec.json.decode(await world.told.get(), type=live.Analysed).match == record.match
    found = await store.analysis(record.match)
    assert (found.complete, [ply.ply for ply in found.plies]) == (True, [0, 1])
    assert found.plies[1].verdicts == ("win", "loss")  # nothing is left for horizontal


async def test_matches_come_in_turn_and_each_once(store, judge):
    judge(FOREVER)
    world = World(store)
    first, second, third = [await world.match() for _ in range(3)]
    async with world.at_work():
        for record in (first, second, third, second, first):
            world.queue.ask(record)
        assert (await world.until(first.match, "running")).positions == 2
        assert world.queue.ask(first).state == "running"
        assert [world.queue.state(each.match, kept=False).ahead for each in (second, third)] == [1, 2]
    assert world.queue.state("other", kept=False).state == "none"
    assert world.queue.state("other", kept=True).state == "done"


async def test_a_full_queue_refuses_and_says_so(store):
    world = World(store, longest=1)
    first, second = await world.match(), await world.match()
    world.queue.ask(first)
    with pytest.raises(QueueFull, match="1 matches wait to be analysed already; ask again in a few minutes"):
        world.queue.ask(second)
    assert world.queue.ask(first).state == "queued"  # it is there already


async def test_a_crash_is_told_with_its_last_line_and_the_next_match_follows(store, judge):
    judge("import sys; sys.exit('Traceback\\nMemoryError: no more')")
    world = World(store)
    first, second = await world.match(), await world.match()
    async with world.at_work():
        world.queue.ask(first)
        world.queue.ask(second)
        assert (await world.until(second.match, "failed")).note == "MemoryError: no more"
        assert world.queue.state(first.match, kept=False).state == "failed"
        assert world.queue.ask(first).state == "queued"  # a second request gets another try
    assert await store.analysis(first.match) is None


@pytest.mark.slow
async def test_what_takes_too_long_is_ended_and_kept_as_far_as_it_came(store, judge, monkeypatch):
    judge(FOREVER)
    monkeypatch.setattr("palio_server.arena.analysis_queue.GRACE_S", 1.0)
    world = World(store, limit_s=0.1)
    record = await world.match()
    async with world.at_work(), asyncio.timeout(60):
        world.queue.ask(record)
        await world.told.get()
    found = await store.analysis(record.match)
    assert (found.complete, len(found.plies)) == (False, 1)


async def test_no_process_is_left_when_the_server_ends(store, judge, tmp_path):
    note = tmp_path / "pid"
    judge(f"import os; open({str(note)!r}, 'w').write(str(os.getpid()))\n" + FOREVER)
    world = World(store)
    record = await world.match()
    async with world.at_work():
        world.queue.ask(record)
        async with asyncio.timeout(60):
            while (await world.until(record.match, "running")).judged == 0:  # noqa: ASYNC110  # it has no event
                await asyncio.sleep(0)
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), 0)
