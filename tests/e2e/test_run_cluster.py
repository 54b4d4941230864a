"""`palio run --cluster`: real schedulers, real workers, and what becomes of games when they die."""

import asyncio
import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from command import Palio, Started
from websockets.asyncio.client import connect

from palio_rules.records import record_from_text
from palio_server import live

pytestmark = pytest.mark.timeout(180)

AHEAD = """
import json
from pathlib import Path
from palio_clients import Bot
from helper import AHEAD

WEIGHTS = json.loads((Path(__file__).parent / "weights.json").read_text())

class Ahead(Bot):
    games = ("breakthrough",)

    def choose(self, state, clock):
        return max(state.legal_moves(), key=lambda move: (WEIGHTS[0] * AHEAD[self.seat] * move.dst[0], move.dst[1]))
"""
ENGINE = """#!/usr/bin/env -S python3 -u
import json, sys

which = int(sys.argv[1])
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "game":
        print(json.dumps({"type": "ready", "match": message["match"]}), flush=True)
    elif message["type"] == "turn":
        moves = sorted(message["moves"], key=str)
        move = moves[which * len(moves) // 10]
        print(json.dumps({"type": "move", "match": message["match"], "id": message["id"], "move": move}), flush=True)
"""
SLOW = """
import time
from palio_clients import Bot

class Slow(Bot):
    games = ("breakthrough",)

    def choose(self, state, clock):
        time.sleep(0.15)
        return next(state.legal_moves())
"""
LONG = ("breakthrough:rows=8,cols=8", "one=./slow.py", "two=./slow.py")


def bots_in(folder: Path) -> None:
    """A bot with a module and a file beside it, and a program: both play the same whenever they are asked the same."""
    (folder / "bot").mkdir()
    (folder / "bot" / "ahead.py").write_text(AHEAD)
    (folder / "bot" / "helper.py").write_text("AHEAD = {0: 1, 1: -1}\n")
    (folder / "bot" / "weights.json").write_text("[1]")
    (folder / "engine").mkdir()
    (folder / "engine" / "engine").write_text(ENGINE)
    (folder / "engine" / "engine").chmod(0o755)


@pytest.fixture
def slow(palio: Palio) -> None:
    (palio.folder / "slow.py").write_text(SLOW)


def games(palio: Palio, tournament: int) -> list[tuple[Any, ...]]:
    """The records of a tournament, in the order of its games, without what time makes different."""
    found = []
    for match in sorted(palio.json("match", "list", "--limit", "500"), key=lambda match: str(match["id"])):
        if match["tournament"] == tournament:
            record = record_from_text(palio("match", "export", match["id"]).stdout)
            plies = [(ply.seat, ply.move) for ply in record.plies]
            found.append((record.setup, record.result, record.confined, plies))
    return found


@pytest.mark.slow
def test_a_cluster_plays_the_very_games_that_are_played_at_home(palio: Palio):
    bots_in(palio.folder)
    bots = ("bot/ahead.py", "eng=exec:engine/engine 3", "alpha_beta:depth=1")
    run = ("run", "breakthrough", *bots, "--rounds", "2", "--openings", "3")
    here, there = palio.json(*run), palio.json(*run, "--cluster", "local:2")
    assert here["games"] == there["games"] == {"scheduled": 0, "finished": 12, "aborted": 0}
    assert here["crosstable"] == there["crosstable"]
    assert games(palio, 1) == games(palio, 2)
    assert "24 matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify").stdout


@pytest.mark.slow
@pytest.mark.parametrize("size", [9, 13])
def test_programs_of_go_play_on_a_cluster(palio: Palio, gnugo: str, size: int):
    engine = f"engine=gtp:{gnugo} --mode gtp --level 0 --chinese-rules --positional-superko"
    done = palio.json("run", f"go:size={size}", engine, "random", "--games", "2", "--cluster", "local:2")
    assert done["games"] == {"scheduled": 0, "finished": 2, "aborted": 0}
    assert {record[1].termination for record in games(palio, 1)} == {"rule"}
    assert "2 matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify").stdout


def workers_of(running: Started) -> list[int]:
    """The processes of the workers that a command has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            forked_by = Path(f"/proc/{parent(path.parent)}")
            if b"forkserver" in (forked_by / "cmdline").read_bytes() and parent(forked_by) == running.process.pid:
                found.append(int(path.parent.name))
    return found


def parent(process: Path) -> int:
    return int((process / "stat").read_bytes().rsplit(b")", 1)[1].split()[1])


@pytest.mark.slow
def test_a_coordinator_that_is_killed_goes_on_and_leaves_nobody_behind(palio: Palio):
    running = palio.start("run", "breakthrough", "random", "other=random", "--rounds", "200", "--cluster", "local:2")
    running.line_with("Finished game 40 ")
    workers = workers_of(running)
    assert len(workers) == 2
    assert running.end(signal.SIGKILL) == -signal.SIGKILL
    done = palio.json("run", "--resume", "1", "--cluster", "local:2")
    assert done["games"] == {"scheduled": 0, "finished": 400, "aborted": 0}
    assert "400 matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify").stdout
    deadline = time.monotonic() + 30
    while left := [worker for worker in workers if Path(f"/proc/{worker}").exists()]:
        assert time.monotonic() < deadline, left
        time.sleep(0.1)


@pytest.mark.slow
def test_workers_that_are_killed_cost_no_game_and_none_counts_twice(palio: Palio):
    running = palio.start("run", "breakthrough", "random", "other=random", "--rounds", "300", "--cluster", "local:2")
    for number in (30, 200):
        running.line_with(f"Finished game {number} ")
        os.kill(workers_of(running)[0], signal.SIGKILL)
    assert running.wait() == 0, running.errors
    assert "600 matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify").stdout
    assert len([line for line in running.lines if line.startswith("Finished game ")]) == 600
    assert not [line for line in running.errors if "Traceback" in line or "never retrieved" in line]


@pytest.mark.slow
def test_whoever_looks_at_a_game_of_the_cluster_sees_its_position_and_every_move(palio: Palio, slow):
    running = palio.start("run", *LONG, "--cluster", "local:1", "--concurrency", "1")
    url = running.line_with("on http://").split("on ")[1].split(",")[0].replace("http", "ws", 1)
    running.line_with("Started game 1 ")

    async def look() -> None:
        match = min(match["id"] for match in palio.json("match", "list"))
        await asyncio.sleep(1.5)  # some moves have been made without viewers
        async with connect(f"{url}/ws/live/{match}") as socket:
            lines, plies, seq = None, [], None
            async with asyncio.timeout(30):
                while len(plies) < 4:
                    message = msgspec.json.decode(await socket.recv(), type=live.LiveMessage)
                    if isinstance(message, live.MatchSnapshot):
                        lines, plies, seq = len(message.lines), [], message.seq
                    elif isinstance(message, live.Played):
                        assert message.seq == seq + 1
                        seq = message.seq
                        plies.append(message.line.ply)
        assert lines, "the moves before came with the snapshot"
        assert plies == list(range(lines + 1, lines + 5))

    asyncio.run(look())
    assert running.end(signal.SIGINT) == 130
    assert any("go on with: palio run --resume 1" in line for line in running.errors)


@pytest.mark.slow
def test_a_game_of_the_cluster_can_be_watched_in_a_terminal(palio: Palio, slow):
    running = palio.start("run", *LONG, "--cluster", "local:1", "--concurrency", "1")
    url = running.line_with("on http://").split("on ")[1].split(",")[0]
    running.line_with("Started game 1 ")
    watching = palio.start("watch", "--url", url)
    assert "breakthrough" in watching.line_with("one")
    for ply in (1, 2, 3):
        assert watching.line_with(f"{ply}. ")
    assert watching.end(signal.SIGINT) in (0, 130)
    assert running.end(signal.SIGINT) == 130
