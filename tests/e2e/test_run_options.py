"""Engines' options are checked before the first game of `palio run`, all at once, also in a sandbox and by --resume."""

import signal
import sys
from pathlib import Path

import pytest
from command import Palio

ENGINE = (Path(__file__).parents[1] / "clients" / "engines" / "engine.py").read_text()
UNLOGGED = ENGINE.replace(
    'open(sys.argv[3], "w", buffering=1)', '__import__("io").StringIO()'
)  # a sandbox has no file for it

pytestmark = pytest.mark.slow


def engine(palio: Palio, name: str, *options: str, how: str = "well") -> str:
    (palio.folder / "engine.py").write_text(UNLOGGED)
    return f"{name}=uci:" + ",".join([f"{sys.executable} engine.py chess {how} - uci", *options])


@pytest.mark.parametrize("sandbox", ["off", "require"])
def test_all_faults_of_all_engines_are_told_and_nothing_is_played(palio: Palio, sandbox: str):
    bots = [
        engine(palio, "a", "option.Hsh=64", "option.Style=sold"),
        engine(palio, "b"),
        engine(palio, "c", how="960"),
        "random",
    ]
    refused = palio("run", "chess:variant=chess960", *bots, "--sandbox", sandbox, code=2)
    assert "2 of 4 bots cannot play:" in refused.stderr
    assert "has no option 'Hsh'; did you mean 'Hash'?" in refused.stderr
    assert "option Style='sold': did you mean 'solid'?" in refused.stderr
    assert refused.stderr.count("plays no chess960: it has no option UCI_Chess960") == 2
    assert "Started game" not in refused.stdout
    assert palio.json("tournament", "list") == []


def test_who_says_so_plays_without_them(palio: Palio):
    bots = engine(palio, "a", "option.Hsh=64"), engine(palio, "b"), "random"
    done = palio.json("run", "chess", *bots, "--broken", "leave-out", "--max-plies", "4", "--sandbox", "off")
    assert done["games"]["finished"] == 2


def test_a_test_that_is_resumed_checks_again(palio: Palio):
    bots = engine(palio, "a", "option.Hash=64"), engine(palio, "b", "option.Hash=64")
    short = ("--max-plies", "6", "--sandbox", "off", "--openings", "2")
    running = palio.start("run", "chess", *bots, "--sprt", "elo0=0 elo1=1", *short)
    running.line_with("Finished game 1 ")
    assert running.end(signal.SIGKILL) == -signal.SIGKILL
    (palio.folder / "engine.py").write_text(UNLOGGED.replace("option name Hash", "option name Table"))
    refused = palio("run", "--resume", "1", code=2)
    assert "2 of 2 bots cannot play:" in refused.stderr
    assert refused.stderr.count("has no option 'Hash'; ") == 2
