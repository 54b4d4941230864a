"""`palio hint`: a line for each line, whatever comes in."""

import json
import subprocess
import sys

from click.testing import CliRunner

from palio_clients import games
from palio_clients.cli.hint import hint
from palio_rules.registry import game

BREAKTHROUGH = "BBBBBB/BBBBBB/....../....../WWWWWW/WWWWWW black"
PUZZLE = "...b../...b../aa.b.d/..cccd/....../...... 0/500"


def run(*lines):
    """The answers, from a process as a server starts it."""
    words = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    command = [sys.executable, "-m", "palio_clients", "hint"]
    done = subprocess.run(command, input=words, capture_output=True, text=True, check=True, timeout=60)
    ready, *answers = map(json.loads, done.stdout.splitlines())
    assert ready == {"ready": True}
    return answers


def test_each_question_has_its_answer_and_each_bad_line_a_sentence():
    found, planned, late, over, unreadable, unknown, bad, deep = run(
        {"id": 1, "game": "breakthrough", "state": BREAKTHROUGH, "depth": 1},
        {"id": 2, "game": "rush_hour", "state": PUZZLE},
        {"id": 3, "game": "breakthrough", "state": BREAKTHROUGH, "depth": 9, "seconds": 0},
        {"id": 4, "game": "dominoes", "state": "## vertical"},
        "{",
        {"id": 6, "game": "rushhour", "state": PUZZLE},
        {"id": 7, "game": "dominoes", "state": "?"},
        {"id": 8, "game": "dominoes", "state": "?", "depth": 10},
    )
    rules = game("breakthrough")
    state = rules.parse_state(BREAKTHROUGH)
    assert rules.notation(state, rules.read_move(state, found["move"])) == found["notation"]
    assert (found["id"], found["complete"]) == (1, True)
    assert found["text"].startswith("1 ply deep ")
    assert planned["text"].endswith("moves to go by a shortest solution")
    assert (late["complete"], late["text"].endswith("; time was up")) == (False, True)
    assert over == {"id": 4, "error": "the game is over"}
    assert unreadable["id"] == 0
    assert unreadable["error"].startswith("the line is no question: ")
    assert unknown["error"] == "unknown game 'rushhour'; did you mean 'rush_hour'?"
    assert bad["error"].startswith("a position ends in ' vertical' or ' horizontal'")
    assert "depth" in deep["error"]


def test_a_tour_is_a_hint_too():
    (found,) = run({"id": 1, "game": "tsp", "state": "euc 0,0;9,9;0,9;9,0;4,4 - 0 open", "seconds": 5})
    assert sorted(found["move"]) == [0, 1, 2, 3, 4]
    assert found["text"].startswith("a tour of ")


def test_what_a_search_prints_and_raises_spoils_no_answer(monkeypatch):
    class Loud(games.Companion):
        def adviser(self, rules):
            sys.stdout.write("thinking\n")
            raise ZeroDivisionError("by zero")

    monkeypatch.setattr("os.nice", lambda _steps: 0)
    monkeypatch.setattr(games, "companion_of", lambda _game: Loud())
    line = json.dumps({"id": 5, "game": "breakthrough", "state": BREAKTHROUGH})
    done = CliRunner().invoke(hint, input=line)
    assert done.stdout.splitlines()[1:] == [
        '{"id":5,"error":"the search of breakthrough failed: ZeroDivisionError: by zero"}'
    ]
    assert done.stderr == "thinking\n"
