"""Engines that a server starts itself: its own process talks to them, as confined and as certainly ended as any bot."""

import json
import signal
import sys
import time
from pathlib import Path

import pytest
from command import Palio

ENGINE = Path(__file__).parents[1] / "clients" / "engines" / "engine.py"
GAME = "breakthrough:rows=5,cols=5"
# It notes the command lines of its parents, up to the server, and ends when it is killed only.
WATCHED = f"""
import json, os, runpy, signal, sys
from pathlib import Path

parents, process = [], os.getppid()
while process > 1:
    parents.append(Path(f"/proc/{{process}}/cmdline").read_text().split("\\0"))
    process = int(Path(f"/proc/{{process}}/stat").read_text().rpartition(")")[2].split()[1])
Path(sys.argv[1]).write_text(json.dumps([os.getpid(), parents]))
signal.signal(signal.SIGTERM, signal.SIG_IGN)
sys.argv = [sys.argv[0], {GAME!r}, *sys.argv[2:]]
runpy.run_path({str(ENGINE)!r}, run_name="__main__")
signal.pause()
"""
EATER = """
import sys

held = []
for line in sys.stdin:
    if line.startswith(("ugi\\n", "isready")):
        print("ugiok" if line.startswith("ugi") else "readyok", flush=True)
    while line.startswith("go"):
        held.append(bytearray(b"x" * 10_000_000))
"""


def spec(palio, how):
    (palio.folder / "watched.py").write_text(WATCHED)
    return f"ugi:{sys.executable} {palio.folder / 'watched.py'} {palio.folder / 'note'} {how} {palio.folder / 'log'}"


def noted(palio):
    """Return the engine's process, and its parents' command lines."""
    return json.loads((palio.folder / "note").read_text())


def is_gone(process):
    """Return True if the process has ended; a zombie has."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_no_process_of_a_bot_is_between_the_server_and_an_engine(palio: Palio):
    words = ("--sandbox", "off", "--games-per-encounter", "2", "--concurrency", "1")
    done = palio.json("run", GAME, f"mine={spec(palio, 'well')}", "greedy", *words)
    assert done["games"]["finished"] == 2
    engine, parents = noted(palio)
    assert not [words for words in parents if "palio_clients" in words]
    assert any(word.endswith("tether.py") for word in parents[0])  # and the next one is the server
    assert is_gone(engine)
    told = (palio.folder / "log").read_text().split("\n")
    assert (told.count("ugi"), told.count("uginewgame")) == (1, 2)  # one process for both games


def test_an_engine_ends_with_its_server_even_if_that_is_killed(palio: Palio):
    words = ("--sandbox", "off", "--games-per-encounter", "1", "--tc", "600+0")
    server = palio.start("run", GAME, f"mine={spec(palio, 'deaf')}", "greedy", *words)
    deadline = time.monotonic() + 60
    while "go " not in _text(palio.folder / "log"):
        assert time.monotonic() < deadline, "the engine was never asked"
        time.sleep(0.02)
    server.end(signal.SIGKILL)
    engine, _ = noted(palio)
    while not is_gone(engine):
        assert time.monotonic() < deadline, "the engine outlives its server"
        time.sleep(0.02)


@pytest.mark.parametrize("how", ["floods", "deaf"])
@pytest.mark.first(1)
def test_an_engine_that_never_answers_loses_by_time_alone(palio: Palio, how):
    bots = (f"bad={spec(palio, how)}", "alpha_beta:depth=2", "greedy")
    words = ("--sandbox", "off", "--games-per-encounter", "1", "--tc", "1.5+0", "--concurrency", "3")
    done = palio("run", GAME, *bots, *words, "--json")
    rows = json.loads(done.stdout)
    assert rows["games"]["finished"] == 3
    exported = palio("match", "export").stdout
    assert exported.count("flag-fell") == 2


def test_a_limit_that_an_engine_uses_up_is_named_as_of_any_bot(palio: Palio, bubblewrap: str):
    (palio.folder / "eater.py").write_text(EATER)
    words = ("--sandbox", "require", "--memory", "200M", "--games-per-encounter", "1")
    done = palio("run", GAME, "eater=ugi:python3 eater.py", "greedy", *words)
    assert "{crashed: limit-used-up}" in done.stdout
    assert "eater: memory 200M used up" in done.stdout
    assert "was ended: memory 200M used up and is started again" in done.stderr


def _text(path):
    return path.read_text() if path.exists() else ""
