"""A whole server in this process: what it loads, and when."""

import asyncio
import subprocess
import sys

import httpx
from websockets.asyncio.client import connect

from palio_server.server import running
from palio_server.settings import Settings

RUN = ["run", "dominoes:rows=4,cols=4", "random", "greedy", "--rounds", "1"]
VISITED = (
    "api",
    "courses",
    "live.live_hub",
    "arena.ladder",
    "arena.practice",
    "addons.mcp",
    "addons.shared",
    "addons.cluster",
)


async def test_a_server_that_nobody_watches_answers_whoever_asks(tmp_path):
    async with running(Settings(port=0, db=f"sqlite:///{tmp_path}/palio.db"), watched=False) as server:
        async with httpx.AsyncClient(base_url=server.url, timeout=60) as client:
            answers = await asyncio.gather(*(client.get(path) for path in ("/", "/api/matches", "/metrics", "/none")))
            assert [answer.status_code for answer in answers] == [200, 200, 200, 404]
        async with connect(f"{server.url.replace('http', 'ws')}/ws/live") as viewer:
            assert '"type":"lobby"' in await viewer.recv()


def test_a_run_of_two_bots_enters_no_room_that_only_visitors_and_courses_need(tmp_path):
    said = "import sys; from palio_server.cli.palio import call; code = call(sys.argv[1:]); "
    said += "print(*(name for name in sys.modules if name.startswith('palio_')), sep='\\n'); sys.exit(code)"
    command = [sys.executable, "-c", said, *RUN, "--db", f"sqlite:///{tmp_path}/palio.db"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=True)
    entered = {line for line in done.stdout.splitlines() if line.startswith("palio_server.")}
    assert "palio_server.match.referee" in entered
    rooms = tuple(f"palio_server.{room}" for room in VISITED)
    assert sorted(name for name in entered if name.startswith(rooms)) == []
