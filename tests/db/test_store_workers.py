"""Workers that are killed at every step, paused past their lease, many at once, or with another clock."""

import asyncio
import signal
import sys
import time
from pathlib import Path

import pytest
from made_event import made_event

from palio_db.store import Store

HERE = Path(__file__).parent
STEPS = [f"{sign}{step}" for step in range(1, 6) for sign in "-+"]  # claim, three plies, the result

pytestmark = pytest.mark.timeout(180)


async def start(program: str, *words: str) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(sys.executable, str(HERE / program), *words, stdin=pipe, stdout=pipe)


@pytest.mark.slow
async def test_killed_before_or_after_any_step_each_match_is_recorded_exactly_once(url, make):
    async with await Store.open(url) as store:
        await made_event(store, "steps", "nim", {}, [(0, make.setup("anna", "ben")) for _ in STEPS])
        workers = await start("doomed_steps.py", url, "30", *STEPS)
        said, _ = await workers.communicate()
        assert said == b""  # each dies before it can say that a result is there
        for step in STEPS:
            done = int(step[1]) - (step[0] == "-")
            claims = await store.reclaim(f"doomed{step}", 30)  # as the same worker does when it is started again
            assert [len(claim.journal) for claim in claims] == ([min(3, done - 1)] if 0 < done < 5 else [])
            for claim in claims:
                await store.finish(claim, make.record(claim))
        while claim := await store.claim("other", 30):
            await store.finish(claim, make.record(claim))
        assert {row.status for row in await store.matches(limit=50)} == {"finished"}
        assert sum(leader.games for leader in (await store.leaderboard("nim")).leaders) == 2 * len(STEPS)
        assert await store.recount() == []


@pytest.mark.slow
async def test_a_worker_that_was_paused_past_its_lease_changes_nothing_any_more(url, make):
    async with await Store.open(url) as store:
        match = await store.schedule(make.setup())
        worker = await start("doomed_steps.py", url, "1")
        assert await worker.stdout.readline() == b"played\n"
        worker.send_signal(signal.SIGSTOP)
        assert await store.reclaim("other", 30, own=False) == []
        await asyncio.sleep(1.1)
        [claim] = await store.reclaim("other", 30, own=False)
        assert len(claim.journal) == 3
        await store.finish(claim, make.record(claim, (0.0, 1.0)))
        worker.send_signal(signal.SIGCONT)
        said, _ = await worker.communicate(b"\n")
        assert said == b"refused\n"
        assert (await store.match(match)).scores == (0.0, 1.0)
        assert await store.recount() == []


@pytest.mark.slow
async def test_sixteen_workers_get_two_thousand_matches_once_each(url, make):
    stores = [await Store.open(url) for _ in range(16)]
    setups = [(0, make.setup(f"a{number}", f"b{number}")) for number in range(2000)]
    await made_event(stores[0], "rush", "nim", {}, setups)

    async def worker(number: int) -> list[str]:
        mine = []
        while claim := await stores[number].claim(f"w{number}", 60):
            mine.append(claim.match)
        return mine

    claimed = await asyncio.gather(*map(worker, range(16)))
    for store in stores:
        await store.close()
    assert len({match for mine in claimed for match in mine}) == sum(map(len, claimed)) == 2000
    assert sum(bool(mine) for mine in claimed) > 1


async def test_a_worker_whose_clock_is_an_hour_ahead_takes_nothing_early(url, make, monkeypatch):
    async with await Store.open(url) as store, await Store.open(url) as ahead:
        await store.schedule(make.setup())
        assert await store.claim("first", 30) is not None
        now, now_ns = time.time, time.time_ns
        monkeypatch.setattr(time, "time", lambda: now() + 3600)
        monkeypatch.setattr(time, "time_ns", lambda: now_ns() + 3600 * 10**9)
        assert await ahead.reclaim("ahead", 30, own=False) == []


@pytest.mark.slow
async def test_after_a_hundred_kills_all_that_was_announced_is_there_once(tmp_path, make):
    file = tmp_path / "palio.db"
    async with await Store.open(f"sqlite:///{file}") as store:
        await made_event(store, "doomed", "nim", {}, [(0, make.setup("anna", "ben")) for _ in range(3000)])
    worker = await start("hundred_kills.py", str(file), "7")
    said, _ = await worker.communicate()
    assert worker.returncode == 0
    announced = said.decode().split()
    assert len(announced) == len(set(announced)) >= 100
    async with await Store.open(f"sqlite:///{file}") as store:
        await store.check_file()
        records = [record.match async for record in store.records()]
        assert set(announced) <= set(records)
        assert len(records) == len(set(records))
        assert await store.recount() == []
