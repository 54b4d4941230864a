"""`palio run --log-file`: what is said, and each line to and from engines, from a sandbox too."""

import re
import sys
from pathlib import Path

import pytest
from command import Palio

ENGINE = (Path(__file__).parents[1] / "clients" / "engines" / "engine.py").read_text()
UNLOGGED = ENGINE.replace(
    'open(sys.argv[3], "w", buffering=1)', '__import__("io").StringIO()'
)  # a sandbox has no file for it


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", ["off", "require"])
def test_lines_of_engines_are_logged_with_time_name_and_match(palio: Palio, sandbox: str):
    (palio.folder / "engine.py").write_text(UNLOGGED)
    engine = f"uci:{sys.executable} engine.py chess noise - uci"
    short = ("--max-plies", "6", "--sandbox", sandbox)
    palio("run", "chess", f"a={engine}", "random", "--log-file", "log,level=trace", *short)
    log = (palio.folder / "log").read_text()
    match = re.search(r"TRACE a (\w+) > ucinewgame", log)
    assert match is not None
    lines = ["- > uci", "- < Engine 1.0, compiled yesterday", "- < uciok"]  # before its first match
    lines += [f"{match[1]} {line}" for line in ("> isready", "< readyok", "> go movetime 1000")]
    begins = r"^\d{4}-\d\d-\d\dT[\d:.]{12} TRACE a "
    for line in lines:
        assert re.search(begins + re.escape(line), log, re.MULTILINE), line
    assert len(re.findall(r" < bestmove \w+", log)) == len(re.findall(r" > go ", log)) == 6
    assert re.search(r"^\S+ INFO  Finished game 1 ", log, re.MULTILINE)


def test_without_it_only_what_is_said_is_logged(palio: Palio):
    done = palio("run", "breakthrough", "random", "greedy", "--log-file", "log")
    log = (palio.folder / "log").read_text()
    assert "TRACE" not in log
    finished = [line for line in done.stdout.splitlines() if line.startswith("Finished game")]
    assert [line.partition(" INFO  ")[2] for line in log.splitlines() if "Finished game" in line] == finished
    palio("run", "breakthrough", "random", "greedy", "--log-file", "log,level=trac", code=2)
