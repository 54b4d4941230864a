"""kill -9: what has been announced is there afterwards, once."""

import asyncio
import random
import sys
from pathlib import Path

import pytest
from made_event import made_event

from palio_db.store import Store

WORKER = Path(__file__).with_name("doomed_worker.py")


# Few results in a transaction, and many.
@pytest.mark.parametrize("at_once", [3, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
async def test_no_announced_result_is_missing_or_doubled_after_kill_9(url, make, seed, at_once):
    pick = random.Random(seed)
    announced: list[str] = []
    async with await Store.open(url) as store:
        pairs = [("anna", "ben"), ("ben", "cleo"), ("cleo", "anna")] * 200
        await made_event(store, "doomed", "nim", {}, [(0, make.setup(*pair)) for pair in pairs])
    for _ in range(3):
        announced += await announced_until_killed(url, at_once, after=pick.randint(1, 40))
    async with await Store.open(url) as store:
        records = [record async for record in store.records()]
        games = sum(leader.games for leader in (await store.leaderboard("nim")).leaders)
        assert set(announced) <= {record.match for record in records}
        assert len(announced) == len(set(announced))
        assert games == 2 * len(records)
        assert await store.recount() == []
        for claim in await store.reclaim("doomed", 30):  # what was in progress goes on, and ends as it should
            assert [ply.ms for ply in claim.journal] == list(range(1, len(claim.journal) + 1))
            await store.finish(claim, make.record(claim))
        assert await store.matches(status="running") == []
        assert await store.recount() == []


async def announced_until_killed(url: str, at_once: int, after: int) -> list[str]:
    """Let a worker finish matches; kill it at once after it has announced so many."""
    command = [sys.executable, str(WORKER), url, str(at_once)]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        lines = [await process.stdout.readline() for _ in range(after)]
    finally:
        process.kill()
    rest, _ = await process.communicate()
    return b"".join([*lines, rest]).decode().split("\n")[:-1]
