"""Programs on stdin and stdout in `palio run`: connected to the server itself, through its Unix socket."""

import asyncio
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from command import Palio
from made_event import made_round_robin

from palio_db.store import Store
from palio_rules.records import record_from_text
from palio_rules.time_control import TimeControl
from palio_server.tournament.openings.choice import OpeningsChoice

INSTANT = Path(__file__).parents[2] / "benchmarks" / "engines" / "instant.c"
ENGINE = """
import json, random, sys, time

how = sys.argv[1]
plies = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "game":
        print(json.dumps({"type": "ready", "match": message["match"], "again": "stays" in how}), flush=True)
    elif message["type"] == "turn":
        plies += 1
        if "talks" in how:
            print("thinking about", message["ply"], flush=True)
        if "dies" in how and plies == 3:
            sys.exit("out of ideas")
        if "floods" in how:
            while True:
                print("x" * 1000)
        if "slowly" in how:
            time.sleep(0.005)
        move = random.choice(message["moves"])
        print(json.dumps({"type": "move", "match": message["match"], "id": message["id"], "move": move}), flush=True)
    elif message["type"] == "over" and "leaves" in how:
        break
"""


@pytest.fixture
def engine(palio: Palio) -> str:
    """A spec, but for how it behaves."""
    (palio.folder / "engine.py").write_text(ENGINE)
    return f"exec:{sys.executable} engine.py"


@pytest.fixture(scope="session")
def instant(cxx: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A compiled program that answers at once, and stays."""
    compiler = shutil.which("cc") or cxx  # a C++ compiler never comes without one for C
    program = tmp_path_factory.mktemp("instant") / "instant"
    subprocess.run([compiler, "-O2", "-x", "c", "-o", program, INSTANT], check=True)
    return f"exec:{program}"


def of(program: str) -> list[int]:
    """The processes that run a compiled program."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if path.read_bytes().split(b"\0")[0] == program.encode():
                found.append(int(path.parent.name))
    return found


def test_compiled_programs_play_a_tournament_that_can_be_replayed(palio: Palio, instant: str):
    done = palio.json("run", "breakthrough", instant, f"other={instant}", "--rounds", "10", "--concurrency", "2")
    assert done["games"] == {"scheduled": 0, "finished": 20, "aborted": 0}
    assert "20 matches replayed, 0 do not reproduce" in palio("verify").stdout
    matches = palio.json("match", "list", "--limit", "100")
    assert {match["termination"] for match in matches} == {"rule"}


@pytest.mark.slow
@pytest.mark.parametrize("how", ["stays", "ends", "leaves", "stays-leaves"])
def test_a_program_may_stay_end_with_its_input_or_leave_by_itself(palio: Palio, engine: str, how: str):
    done = palio.json("run", "breakthrough:rows=5,cols=4", f"a={engine} {how}", "random", "--rounds", "4")
    assert done["games"]["finished"] == 8
    assert {match["termination"] for match in palio.json("match", "list")} == {"rule"}


@pytest.mark.slow
@pytest.mark.parametrize("stays", ["", "-stays"])
def test_when_a_program_dies_the_user_reads_how_and_what_it_said_last(palio: Palio, engine: str, stays: str):
    shown = palio("run", "breakthrough", f"a={engine} dies{stays}", "random", "--concurrency", "1")
    assert shown.stdout.count("{crashed: bot-crashed}") == 2
    assert "\n  a: out of ideas; see palio match show " in shown.stdout
    match = palio.json("match", "list")[0]["id"]
    record = record_from_text(palio("match", "export", match).stdout)
    assert record.result.detail == (
        f"{sys.executable} exited with status 1 in mid-match; its last lines on stderr:\nout of ideas"
    )


@pytest.mark.slow
def test_what_a_program_prints_among_its_messages_does_no_harm_and_is_told(palio: Palio, engine: str):
    shown = palio("run", "breakthrough", f"a={engine} talks", "random")
    assert "crashed" not in shown.stdout
    told = [line for line in shown.stderr.splitlines() if line.startswith("a wrote 'thinking about ")]
    assert 0 < len(told) <= 5
    assert told[0].endswith("log to stderr instead")


@pytest.mark.slow
def test_a_program_that_floods_loses_on_time_and_nobody_else_does(palio: Palio, engine: str):
    bots = (f"a={engine} floods", "random", "other=random")
    palio("run", "breakthrough:rows=5,cols=4", *bots, "--tc", "2", "--concurrency", "2")
    ended = {(match["termination"], "a" in match["bots"]) for match in palio.json("match", "list")}
    assert ended == {("time", True), ("rule", False)}


@pytest.mark.slow
def test_kill_9_leaves_no_program_behind_and_the_tournament_goes_on(palio: Palio, instant: str):
    game, program = "breakthrough:rows=5,cols=4", instant.removeprefix("exec:")
    running = palio.start("run", game, instant, f"other={instant}", "--rounds", "400")
    running.line_with("Finished game 20 ")
    assert of(program)
    assert running.end(signal.SIGKILL) == -signal.SIGKILL
    deadline = time.monotonic() + 20
    while left := of(program):
        assert time.monotonic() < deadline, left
        time.sleep(0.02)
    done = palio.json("run", "--resume", "1")
    assert done["games"] == {"scheduled": 0, "finished": 800, "aborted": 0}
    assert "800 matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify").stdout


def schedule(url: str, names: list[str], rounds: int) -> None:
    """Put a tournament into the database."""

    async def put() -> None:
        terms = {"game": "breakthrough", "openings": OpeningsChoice(random=2), "time": TimeControl.parse(tc="60+1")}
        async with await Store.open(url) as store:
            await made_round_robin(store, "the event", names, rounds, **terms)

    asyncio.run(put())


@pytest.mark.slow
@pytest.mark.parametrize("how", ["slowly-stays", "slowly-ends"])
def test_when_a_killed_server_is_back_programs_take_their_matches_up_again(palio: Palio, engine: str, how: str):
    games, names = 96, ["one", "two"]  # some are left when it is killed, however late that is seen
    schedule(f"sqlite:///{palio.folder}/palio.db", names, games // 2)
    serve = ("serve", "--port", "0", "--socket", "s", "--concurrency", "2")
    server = palio.start(*serve)
    server.line_with("serves on")
    for name in names:
        words = ("--name", name, "--slots", "2", "--quiet")
        palio.start("join", f"ws+unix://{palio.folder}/s", f"{engine} {how}", *words)
    for wanted in (games // 4, games // 2, games):
        deadline = time.monotonic() + 60
        while (found := how_they_ended(palio)).total() < wanted:
            assert time.monotonic() < deadline, found
            assert server.process.poll() is None, server.errors
        if wanted < games:
            assert server.end(signal.SIGKILL) == -signal.SIGKILL
            assert how_they_ended(palio).total() < games, "it is killed in mid-event"
            server = palio.start(*serve)
            server.line_with("serves on")
    assert found.keys() == {"rule"}
    assert f"{games} matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify").stdout


def how_they_ended(palio: Palio) -> Counter[str]:
    """The terminations of finished matches."""
    matches = palio.json("match", "list", "--limit", "500")
    return Counter(match["termination"] for match in matches if match["status"] == "finished")
