"""A server whose clock is two hours ahead shares the work: every match ends by the rules, and is counted once."""

import asyncio
import sys
from pathlib import Path

import httpx
import pytest
from command import Started, program
from sharing import SmallBot, playing

from palio_db.store import Store
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl

pytestmark = [pytest.mark.slow, pytest.mark.mosquitto, pytest.mark.postgres]

MATCHES = 8
FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)


@pytest.mark.skipif(FAKETIME is None, reason="faketime is not installed: on Debian, apt install faketime")
async def test_no_match_is_lost_or_played_twice(shared_database, mosquitto, tmp_path: Path):
    palio = str(Path(sys.executable).with_name("palio"))
    words = ["--db", shared_database, "--mqtt", mosquitto.url, "--port", "0", "--house-bots", "0", "--concurrency", "2"]
    env = {"PATH": "/usr/bin:/bin", "PALIO_LEASE_S": "3", "PYTHONUNBUFFERED": "1", "HOME": str(tmp_path)}
    ahead = {"LD_PRELOAD": str(FAKETIME), "FAKETIME": "+2h"}
    servers = [
        Started(program([palio, "serve", *words, "--worker", worker], tmp_path), env | clock)
        for worker, clock in (("right", {}), ("wrong", ahead))
    ]
    try:
        urls = [each.line_with("serves on").split("serves on ")[1].partition(",")[0] for each in servers]
        bots = [SmallBot(f"b{n}", urls[n % 2], think_s=0.05) for n in range(4)]
        async with await Store.open(shared_database) as store, playing(*bots), httpx.AsyncClient() as client:
            async with asyncio.timeout(30):
                while len((await client.get(f"{urls[0]}/api/bots?connected=true")).json()) < 4:  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
            pairs = [("b0", "b2"), ("b1", "b3"), ("b0", "b1"), ("b2", "b3")]
            time, options = TimeControl.parse("60+1"), {"rows": 5, "cols": 3}
            await store.schedule_many(
                [Setup("breakthrough", pairs[n % 4], options, n, time=time) for n in range(MATCHES)]
            )
            async with asyncio.timeout(30):
                while len(rows := await store.matches(status="finished")) < MATCHES:  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
            assert {row.termination for row in rows} == {"rule"}
            assert "wrong" in {row.worker for row in rows}
            assert await store.recount() == []
    finally:
        for each in servers:
            each.close()
