"""`palio ugi` as a GUI starts it: a process, with only UGI on its standard output."""

import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

from palio_clients.engines.cli import ugi

COMMAND = [sys.executable, "-m", "palio_clients", "ugi"]


def talk(arguments, *lines, **kwargs):
    """Return the lines that it says to `lines`, and the finished process."""
    told = "".join(f"{line}\n" for line in lines)
    done = subprocess.run(
        [*COMMAND, *arguments], input=told, capture_output=True, text=True, timeout=60, check=False, **kwargs
    )
    return done.stdout.splitlines(), done


def test_a_conversation_on_pipes():
    said, done = talk(
        ["alpha_beta:depth=2", "--game", "breakthrough:rows=8,cols=8,first=white"],
        *("ugi", "isready", "uginewgame", "position startpos moves a2a3", "query p1turn", "go", "isready", "quit"),
    )
    assert said[0].startswith("id name alpha_beta-depth2 (Palio ")
    assert "ugiok" in said
    assert "response false" in said
    assert sum(line.startswith("bestmove ") for line in said) == 1
    assert (done.returncode, done.stderr) == (0, "")


def test_the_end_of_its_input_ends_a_search_that_has_none():
    said, done = talk(["alpha_beta", "--game", "dominoes"], "go infinite")
    assert said[-1].startswith("bestmove ")
    assert done.returncode == 0


def test_what_a_bot_prints_is_not_on_standard_output(tmp_path):
    (tmp_path / "talks.py").write_text(
        "import os\nfrom palio_clients import Bot\nprint('loaded')\n\n\nclass Talks(Bot):\n"
        "    def choose(self, state, clock):\n        print('thinking')\n        os.system('echo aloud')\n"
        "        return next(state.legal_moves())\n"
    )
    said, done = talk([str(tmp_path / "talks.py"), "--game", "dominoes"], "go")
    assert said[1:] == ["bestmove a8v"]
    assert re.fullmatch(r"info time \d+ pv a8v", said[0])  # a GUI wants a line of each move
    assert done.stderr.splitlines() == ["loaded", "thinking", "aloud"]


@pytest.mark.slow
def test_a_bot_that_never_stops_does_not_keep_it_from_ending(tmp_path):
    (tmp_path / "stuck.py").write_text(
        "from palio_clients import Bot\n\n\nclass Stuck(Bot):\n"
        "    def choose(self, state, clock):\n        while True: pass\n"
    )
    said, done = talk([str(tmp_path / "stuck.py"), "--game", "dominoes"], "go", "quit")
    assert (said, done.returncode) == ([], 0)


def test_a_program_of_ours_is_an_engine_too(tmp_path):
    (tmp_path / "first.py").write_text(
        "import json, sys\nfor line in sys.stdin:\n    said = json.loads(line)\n    match said['type']:\n"
        "        case 'game':\n            print(json.dumps({'type': 'ready', 'match': said['match']}), flush=True)\n"
        "        case 'turn':\n            print(json.dumps({'type': 'move', 'match': said['match'], 'id': said['id'],"
        " 'move': said['moves'][0]}), flush=True)\n"
    )
    command = f"exec:{sys.executable} {tmp_path}/first.py"
    process = subprocess.Popen(
        [*COMMAND, command, "--game", "dominoes"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        process.stdin.write("ugi\nposition startpos moves a8v\ngo\n")
        process.stdin.flush()
        said = []
        while not said or not said[-1].startswith("bestmove"):
            said.append(process.stdout.readline().strip())
        process.stdin.write("quit\n")
        process.stdin.flush()
    assert [line for line in said if line.startswith("option")] == []
    assert said[-1] == "bestmove b8h"
    assert process.returncode == 0


def test_a_bot_that_fails_ends_it_with_its_traceback(tmp_path):
    (tmp_path / "fails.py").write_text(
        "from palio_clients import Bot\n\n\nclass Fails(Bot):\n"
        "    def choose(self, state, clock):\n        return 1 / 0\n"
    )
    process = subprocess.Popen(
        [*COMMAND, str(tmp_path / "fails.py"), "--game", "dominoes"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with process:
        process.stdin.write("go\n")
        process.stdin.flush()
        assert process.stdout.readline().strip().endswith("ZeroDivisionError: division by zero")
        process.stdin.write("isready\n")
        process.stdin.close()
        assert "line 6, in choose" in process.stderr.read()
    assert process.returncode == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["champion", "--game", "chexers"], "UGI is for games of two players; chexers is a table, see palio run"),
        (["random"], "games; choose one: --game breakthrough"),
        (["random", "--game", "breakthruogh"], "did you mean 'breakthrough'?"),
        (["randm", "--game", "breakthrough"], "did you mean 'random'?"),
        (["minimax:dept=3", "--game", "breakthrough"], "did you mean 'depth'?"),
        (["or_opt", "--game", "breakthrough"], "or_opt does not play 'breakthrough'"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(arguments, sentence):
    said, done = talk(arguments)
    assert (said, done.returncode) == ([], 2)
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_help_says_what_it_is_for():
    assert "as an engine in any program that speaks UGI" in CliRunner().invoke(ugi, ["--help"]).output
