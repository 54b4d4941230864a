"""`palio solve`: what it prints, its exit codes, what it refuses, and Ctrl-C."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
from contextlib import suppress

import pytest
from click.testing import CliRunner

from palio_clients import kernels
from palio_clients.cli.solve import SolveTask, solve
from palio_clients.kernels import MISSING
from palio_rules.registry import game

pytestmark = pytest.mark.usefixtures("solvers")

FORCED = "44,37,46,34,40,34,1,2,52,4,5,52 white 0/300"
BOARD = "gbb.l.\nghi.lm\nghiaam\nccck.m\n..jkdd\neejff.\n"


def run(*words, code=0, stdin=None):
    done = CliRunner().invoke(solve, words, input=stdin)
    assert done.exit_code == code, (done.output, done.exception)
    return done.output if code else done.stdout  # where searches are new here, stderr tells that they are compiled


def test_it_tells_the_value_a_line_and_the_work():
    value, line, work = run("end_of_the_track", FORCED).splitlines()
    assert value == "white wins in 3 plies"
    assert line.startswith("line: ")
    assert len(line.split()) == 4
    assert " nodes, " in work
    assert " nodes/s; " in work


def test_without_numba_the_readable_search_solves_and_says_so(monkeypatch):
    monkeypatch.setattr(kernels, "find_spec", lambda _name: None)
    done = CliRunner().invoke(solve, ["dominoes:rows=3,cols=3"])
    assert done.exit_code == 0
    assert done.stdout.startswith("vertical wins\n")
    assert done.stderr == f"palio: {MISSING}\n"


def test_the_first_position_with_settings_is_what_is_solved_by_default():
    assert run("dominoes:rows=4,cols=4").startswith("vertical wins\n")
    assert run("dominoes", "start", "-o", "rows=5", "-o", "cols=5").startswith("horizontal wins\n")


def test_a_position_comes_from_stdin_too():
    assert run("dominoes", "-", stdin="..../#.## vertical\n").startswith("horizontal wins\nline of 2 plies: b2v c2h\n")


def test_json_is_one_value_with_all_that_is_known():
    answer = json.loads(run("end_of_the_track", FORCED, "--json"))
    assert (answer["told"], answer["verdict"], answer["distance"], answer["shortest"]) == (
        "white wins in 3 plies",
        "win",
        3,
        True,
    )
    assert (answer["game"], answer["to_move"], answer["position"]) == ("end_of_the_track", "white", FORCED)
    rules = game("end_of_the_track")
    state = rules.parse_state(answer["position"])
    for text in answer["line"]:
        move = rules.parse_notation(state, text)
        state.check(move)
        state = state.play(move)
    assert state.outcome().scores == (1.0, 0.0)


@pytest.mark.parametrize("words", [("{file}",), ("rush_hour", "{file}")])
def test_a_file_with_an_instance_is_a_position(tmp_path, words):
    file = tmp_path / "board.in"
    file.write_text(BOARD)
    assert run(*(word.format(file=file) for word in words)).startswith("solved in 50 moves\n")


def test_a_random_instance_is_the_same_for_the_same_seed():
    first, again = (json.loads(run("rush_hour", "--seed", "3", "--json"))["position"] for _ in range(2))
    assert first == again != json.loads(run("rush_hour", "--seed", "4", "--json"))["position"]


def test_turns_to_another_board_are_planned(solvers):
    goal = "1,22,3,4,5,22,50,51,52,53,54,50 white 0/300"
    assert run("end_of_the_track", "start", "--to", goal).startswith("5 turns lead there, and no fewer\nline: ")
    nearer = "14,2,3,4,5,3,50,51,52,53,54,52 white 0/300"
    nodes = {"readable": 2, "compiled": 1}[solvers]
    told = run("end_of_the_track", "start", "--to", nearer)
    assert told.startswith(f"1 turn leads there\nline: b1-a3\n{nodes} nodes, ")


def test_a_game_that_is_over_says_why():
    assert run("dominoes", "## vertical").startswith("over: no-moves")


def test_what_is_not_proven_in_time_is_reported_with_exit_code_3():
    output = run("breakthrough:rows=8,cols=8", "--nodes", "2000", code=3)
    assert output.startswith("not proven: ")
    assert "best line so far: " in output


@pytest.mark.parametrize(("words", "code", "sentence"), [
    (("tsp",), 2, "tsp cannot be solved here: no search proves a tour to be the best"),
    (("tsp", "berlin52.tsp"), 1, "berlin52.tsp"),
    (("ludo",), 2, "unknown game 'ludo'"),
    (("dominoes", "....."), 1, "dominoes: a position ends in ' vertical' or ' horizontal'"),
    (("dominoes:rows=3", "... vertical"), 2, "a position holds its settings; leave those of dominoes out"),
    (("dominoes", "start", "--to", "x"), 2, "nobody has written that for dominoes; leave it out"),
    (("dominoes", "board.in"), 1, "board.in"),
])  # fmt: skip
def test_what_cannot_be_solved_is_refused_with_the_reason(words, code, sentence):
    assert sentence in run(*words, code=code)


def test_an_instance_of_another_game_is_refused(tmp_path):
    file = tmp_path / "board.in"
    file.write_text(BOARD)
    assert f"{file} is an instance of rush_hour, not of dominoes" in run("dominoes", str(file), code=2)


@pytest.mark.slow
def test_a_screen_sees_progress_and_ctrl_c_ends_it_with_what_is_known():
    screen, theirs = pty.openpty()
    command = [sys.executable, "-m", "palio_clients", "solve", "chexers", "--seconds", "100"]
    env = os.environ | {"TERM": "xterm", "COLUMNS": "120"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, text=True, env=env)
    os.close(theirs)
    try:
        shown = b""
        while not re.search(rb"[1-9][0-9,]* nodes", shown):  # it is at work, and has our signal's handler
            shown += os.read(screen, 1000)
        assert b"/s" in shown
        process.send_signal(signal.SIGINT)
        reader = threading.Thread(target=_drain, args=(screen,))
        reader.start()
        out, _ = process.communicate(timeout=30)
        reader.join()
    finally:
        process.kill()
        process.wait()
        os.close(screen)
    assert process.returncode == 130, out
    assert out.startswith("not proven: ")


def test_ctrl_c_before_the_search_has_begun_tells_what_is_known_at_once(monkeypatch):
    def interrupted(*words):
        os.kill(os.getpid(), signal.SIGINT)
        return SolveTask(*words)

    monkeypatch.setattr("palio_clients.cli.solve.SolveTask", interrupted)
    assert run("chexers", "--seconds", "100", code=130).startswith("not proven: ")


def _drain(screen):
    """A program that ends waits for its terminal to take what it has written."""
    with suppress(OSError):  # EIO: nobody has the other end any more
        while os.read(screen, 1000):
            pass
