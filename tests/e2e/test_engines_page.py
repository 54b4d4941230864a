"""The commands of docs/how-to/engines.md are typed from the page, and do what it says."""

import os
import re
import shlex
from pathlib import Path

import pytest
from command import Palio

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "engines.md").read_text("utf-8")
BLOCKS = re.findall(r"^```\w*\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
COMMANDS = [line for block in BLOCKS for line in block.splitlines() if line.startswith("palio ")]
ELSEWHERE = {  # the test that types them
    "run dominoes": "test_ugi.py",
    "run breakthrough": "test_ugi.py",
    "serve": "test_go.py",
    "compile": "test_go.py",
    "join http": "test_go.py",
    "join SERVER": "the last test of this file",
    "analyse": "test_analyse.py",
}
TYPED = [line for line in COMMANDS if not line.removeprefix("palio ").startswith(tuple(ELSEWHERE))]


@pytest.fixture
def typed(palio: Palio, stockfish: str, gnuchess: str, gnugo: str):
    """Types a line of the page, with the programs where a shell finds them."""
    folders = {str(Path(program).parent) for program in (stockfish, gnuchess, gnugo)}
    palio.env["PATH"] = os.pathsep.join([palio.env["PATH"], *folders])

    def command(line: str, *more: str):
        _, *words = shlex.split(line, comments=True)
        return palio(*words, *more, seconds=300)

    return command


def test_each_command_of_the_page_is_typed_by_a_test():
    assert len(TYPED) == 7, TYPED
    assert all(any(line.startswith(f"palio {first}") for line in COMMANDS) for first in ELSEWHERE)


@pytest.mark.parametrize("line", [line for line in TYPED if line.startswith("palio run")])
def test_a_game_of_the_page_is_played_without_a_fault(palio: Palio, typed, line):
    shorter = ("--max-plies", "12") if "--tc" not in line else ("--tc", "10+0.5")  # the last one counts
    typed(line, "--rounds", "1", *shorter)
    matches = palio.json("match", "list", "--status", "finished")
    assert len(matches) == 2
    assert {match["termination"] for match in matches} <= {"rule", "adjudicated", "resigned"}
    assert "2 matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify").stdout


@pytest.mark.parametrize("line", [line for line in TYPED if line.startswith("palio check-bot")])
def test_an_engine_of_the_page_is_checked_without_a_fault(typed, line):
    assert re.search(r"^\d+ ok, 0 failed$", typed(line).stdout, re.MULTILINE)


def test_matches_of_go_are_written_as_the_page_says_and_read_again(palio: Palio, typed):
    (line,) = (line for line in TYPED if line.startswith("palio export"))
    palio("run", "go:size=5", "random:seed=1", "one=random:seed=2", "--rounds", "1")
    typed(line)
    written = sorted((palio.folder / "games").iterdir())
    assert [each.suffix for each in written] == [".sgf", ".sgf"]
    assert "2" in palio("import", *map(str, written), "--db", "other.db").stdout


def test_an_engine_of_the_page_joins_a_server(palio: Palio, typed):
    (line,) = (line for line in COMMANDS if line.startswith("palio join SERVER"))
    served = palio.start("serve", "--port", "0", "--bot", "random").line_with("serves on")
    there = re.search(r"http://[\w.:]+", served)
    assert there is not None
    _, *words = shlex.split(line.replace("SERVER", there[0]), comments=True)
    palio.start(*words).line_with("as stockfish")
