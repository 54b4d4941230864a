"""Students' Rush Hour: files with a `Solver`, and C++ programs that are used as people use them, race as they are."""

import asyncio
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from palio_clients.sdk.events import MoveRejected
from palio_clients.sdk.failures import BadBot, PlayerFailed, Resign
from palio_clients.sdk.loader import load
from palio_clients.sdk.player import settled
from palio_rules.contract.messages import Rejected
from palio_rules.errors import Rejection

COURSE = "...b../...b../aa.b.d/..cccd/....../......"
HOPELESS = "...b../...bee/aa.b.d/.....d/...c../...c.."
NINE = "....../bbc..d/e.cffd/eggghh/ii.j.k/aa.j.k"

SOLVER = """
    from collections import deque

    print("loading")

    class Board:
        def __init__(self, stream):
            self.grid = [list(line.strip()) for line in stream.readlines()]

        def where(self, vid):
            return [(r, c) for r, row in enumerate(self.grid) for c, cell in enumerate(row) if cell == vid]

        def solved(self):
            (row, _), *_, (_, right) = self.where("a")
            return set(self.grid[row][right + 1:]) <= {"."}

        def after(self, vid, step):
            new = Board.__new__(Board)
            new.grid = [[cell if cell != vid else "." for cell in row] for row in self.grid]
            cells = self.where(vid)
            lies = cells[0][0] == cells[-1][0] and len(cells) > 1
            for r, c in cells:
                r, c = (r, c + step) if lies else (r + step, c)
                if not (0 <= r < len(self.grid) and 0 <= c < len(self.grid)) or new.grid[r][c] != ".":
                    return None
                new.grid[r][c] = vid
            return new

        def key(self):
            return "".join(map("".join, self.grid))

    class BFSHeuristic: pass
    class DirectHeuristic: pass
    class IndirectHeuristic: pass

    class Solver:
        def __init__(self, board, heuristic):
            self.board, self.heuristic = board, heuristic
            self.moves = []

        def run(self):
            print("searching with", type(self.heuristic).__name__)
            queue, seen = deque([(self.board, [])]), {self.board.key()}
            while queue:
                board, moves = queue.popleft()
                if board.solved():
                    self.moves = moves
                    return True
                for vid in sorted(set(board.key()) - {"."}):
                    for sign in (-1, 1):
                        after, amount = board.after(vid, sign), sign
                        while after:
                            if after.key() not in seen:
                                seen.add(after.key())
                                queue.append((after, moves + [[vid, amount]]))
                            after, amount = after.after(vid, sign), amount + sign
            return False

        def solution(self):
            return self.moves
"""


async def rejected_twice(game, spec, reason):
    """A player whose move is rejected is asked again, and no wiser."""
    player = await game.sit(spec)
    for strikes in (2, 1):
        with pytest.raises(Rejection, match=reason) as caught:
            await game.ask(player)
        rejected = Rejected("m1", len(game.moves) + 1, caught.value.code, str(caught.value), strikes, [None])
        await settled(player.hear(MoveRejected("m1", rejected)))


async def failure(game, spec):
    """How a file fails, on being loaded or asked."""
    with pytest.raises(PlayerFailed) as caught:
        await game.ask(await game.sit(spec))
    return str(caught.value)


# --- Python -----------------------------------------------------------------------------------------------------------


@pytest.mark.first(1)
@pytest.mark.parametrize(("settings", "expansions"), [("", 19), (":heur=0", 72), (":heur=1", 30), (":heur=2", 19)])
async def test_our_own_program_is_a_file_like_any_other(table, handout_folder, settings, expansions):
    game = table("rush_hour", board=COURSE)
    assert await game.play(f"handout:rush_hour:{handout_folder('rush_hour')}/rh.py{settings}") == (1.0,)
    assert len(game.moves) == 3
    assert game.infos[0].nodes == expansions
    assert not game.reports


async def test_a_students_own_classes_solve_with_the_heuristic_that_is_named(write, table, capfd):
    write("rh.py", SOLVER)
    game = table("rush_hour", board=COURSE)
    assert await game.play("handout:rush_hour:rh.py:heur=1") == (1.0,)
    assert len(game.moves) == 3
    assert not game.reports
    assert capfd.readouterr().err == "loading\nsearching with DirectHeuristic\n"  # once, for all the moves


async def test_what_a_file_does_not_have_is_the_handouts(write, table):
    write(
        "solver.py",
        """
        class Solver:
            def __init__(self, board, heuristic):
                assert heuristic.compute(board) == 3
            def run(self): pass
            def solution(self): return [("c", -2), ("b", 3), ("d", 1)]
            def num_expansions(self): return "many"
        """,
    )
    game = table("rush_hour", board=COURSE)
    assert await game.play("handout:rush_hour:solver.py") == (1.0,)
    assert not game.infos[0].nodes


def solver(solution):
    return (
        "class Solver:\n    def __init__(self, board, heuristic): pass\n    def run(self): pass\n"
        f"    def solution(self): return {solution}\n"
    )


async def test_a_file_without_a_solution_resigns(table, handout_folder):
    game = table("rush_hour", board=HOPELESS)
    with pytest.raises(Resign):
        await game.ask(await game.sit(f"handout:rush_hour:{handout_folder('rush_hour')}/rh.py"))


@pytest.mark.first(1)
@pytest.mark.parametrize("move", ["('c', 1)", "('c', '2')", "['z', 1]", "('c',)", "None", "'c -2'"])
async def test_a_move_that_is_none_is_the_referees_to_reject_each_time(write, table, move):
    write("rh.py", solver(f"[{move}]"))
    await rejected_twice(table("rush_hour", board=COURSE), "handout:rush_hour:rh.py", "in the way|a move is|no vehicle")


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (solver("1 / 0"), r'^Traceback.*\n  File ".*rh\.py", line 4, in solution(.|\n)*ZeroDivisionError'),
        (solver("7"), "TypeError: 'int' object is not iterable"),
        (solver("[object()]"), "^the file returned <object object at .*> for a move, which is none in any game$"),
        (solver("[('c', -2)]"), r"^rh\.py found a solution of 1 moves, after which a cannot escape yet$"),
    ],
)
async def test_a_file_that_fails_loses_with_the_reason(write, table, text, message):
    write("rh.py", text)
    with pytest.raises(PlayerFailed) as caught:
        await table("rush_hour", board=COURSE).play("handout:rush_hour:rh.py")
    assert re.search(message, str(caught.value)), caught.value


async def test_a_heuristic_may_be_written_with_a_zero_before_it(write, table, capfd):
    write("rh.py", SOLVER)
    game = table("rush_hour", board=COURSE)
    await game.ask(await game.sit("handout:rush_hour:rh.py:heur=01"))
    assert "DirectHeuristic" in capfd.readouterr().err


async def test_a_program_that_prints_a_move_of_0_is_told_that_each_time(write, table):
    write("rh", "#!/bin/sh\necho 'Solution found with expansions: 7'\necho 'c 0'\necho 'd 1'\n").chmod(0o755)
    await rejected_twice(table("rush_hour", board=COURSE), "handout:rush_hour:rh:heur=02", "c does not move at all")


# --- Programs ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def binary(cxx, tmp_path_factory):
    program = tmp_path_factory.mktemp("cxx") / "rh"
    source = Path(__file__).with_name("rh.cpp")
    subprocess.run([cxx, "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-o", program, source], check=True)
    return program


@pytest.fixture
def program(binary, tmp_path, monkeypatch):
    """Puts the program where a student has it; its name says how it misbehaves."""
    monkeypatch.chdir(tmp_path)

    def program(name="rh"):
        shutil.copy(binary, tmp_path / name)
        return f"handout:rush_hour:./{name}"

    return program


@pytest.mark.slow
@pytest.mark.parametrize(("board", "moves"), [(COURSE, 3), (NINE, 9)])
async def test_a_program_solves_a_board_and_its_moves_are_played_one_by_one(program, table, capfd, board, moves):
    game = table("rush_hour", board=board)
    assert await game.play(f"{program()}:heur=0") == (1.0,)
    assert len(game.moves) == moves
    assert game.infos[0].nodes > moves
    assert not game.reports
    assert capfd.readouterr() == ("", "asked for a cheat\n")  # once; what it prints is not shown


TOLD = "rh printed 'No Solution exists!', and so it resigns\n"


async def test_a_program_is_given_a_file_with_the_board_and_the_heuristic(write, table, capfd):
    write("rh", '#!/bin/sh\ncat "$1" - >&2\necho "HEUR is $2" >&2\necho "No Solution exists!"\n').chmod(0o755)
    game = table("rush_hour", board=COURSE)
    with pytest.raises(Resign):
        await game.ask(await game.sit("handout:rush_hour:rh:heur=1"))
    assert capfd.readouterr().err == COURSE.replace("/", "\n") + "\n?\nQ\nHEUR is 1\n" + TOLD


async def test_a_program_finds_what_lies_beside_it_and_leaves_what_it_writes_there(
    write, table, tmp_path, monkeypatch, capfd
):
    script = '#!/bin/sh\ncat tables.txt hw3/tables.txt >&2\necho 1 >written\necho "No Solution exists!"\n'
    write("hw3/rh", script).chmod(0o755)
    write("hw3/tables.txt", "7\n")
    monkeypatch.chdir("/")
    game = table("rush_hour", board=COURSE)
    with pytest.raises(Resign):
        await game.ask(await game.sit(f"handout:rush_hour:{tmp_path}/hw3"))
    assert capfd.readouterr().err.replace(TOLD, "") == "7\n7\n"
    assert (tmp_path / "hw3/written").read_text() == "1\n"


async def test_a_program_without_a_solution_resigns(program, table):
    game = table("rush_hour", board=HOPELESS)
    with pytest.raises(Resign):
        await game.ask(await game.sit(program()))


async def test_an_illegal_move_of_a_program_is_the_referees_to_reject_each_time(program, table):
    await rejected_twice(table("rush_hour", board=COURSE), program("illegal"), "off the 6x6 board")


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("crashing", r"^crashing was killed by SIGSEGV; its last lines:\n(.*\n)*asked for a cheat$"),
        ("exiting", r"^exiting exited with status 3; its last lines:\n(.*\n)*asked for a cheat$"),
        (
            "garbling",
            r"^garbling printed neither 'Solution found .* nor .*; its last lines:\nlorem ipsum\n(.*\n){6}Enter",
        ),
        ("flooding", r"^flooding printed more than 1000000 bytes; its last lines:\n(.*\n)*Enter a vehicle"),
        ("short", r"^short found a solution of 2 moves, after which a cannot escape yet$"),
    ],
)
async def test_a_program_that_fails_loses_with_its_last_lines(program, table, name, message):
    with pytest.raises(PlayerFailed) as caught:
        await table("rush_hour", board=COURSE).play(program(name))
    reason = str(caught.value)
    assert re.search(message, reason), reason
    assert len(reason) < 2000


async def test_of_a_program_that_dies_without_a_word_one_line_tells_how(write, table):
    write("rh", "#!/bin/sh\nexit 7\n").chmod(0o755)
    with pytest.raises(PlayerFailed) as caught:
        await table("rush_hour", board=COURSE).play("handout:rush_hour:./rh")
    assert str(caught.value) == "rh exited with status 7; it printed nothing"


async def test_a_program_that_thinks_on_is_ended_when_nobody_waits_any_more(write, table, capfd):
    write("rh", "#!/bin/sh\necho $$ >&2\nwhile :; do :; done\n").chmod(0o755)
    game = table("rush_hour", board=COURSE)
    thought = asyncio.ensure_future(game.ask(await game.sit("handout:rush_hour:rh")))
    while not (said := capfd.readouterr().err):  # noqa: ASYNC110  # a program sets no event
        await asyncio.sleep(0.01)
    os.kill(int(said), 0)
    thought.cancel()
    with pytest.raises(asyncio.CancelledError):
        await thought
    with pytest.raises(ProcessLookupError):
        os.kill(int(said), 0)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("handout:rush_hour:rh.cpp", r"rh\.cpp is no program that can be started; compile it, or make it executable"),
        ("handout:rush_hour:rh", "there is no file 'rh'; check the path"),
        ("handout:rush_hour:run:heur=3", "has no setting heur='3'; known: 0, 1, 2"),
        ("handout:rush_hour:run:depth=3", "has no setting 'depth'; known: heur"),
        ("handout:rush_hour:broken.py", r"broken\.py cannot be loaded: SyntaxError"),
        ("handout:dominoes:run", "run cannot be loaded: SyntaxError"),
    ],
)
def test_a_spec_that_cannot_be_meant_is_reported_with_the_remedy(write, spec, message):
    write("rh.cpp", "int main() {}")
    write("run", "#!/bin/sh\necho hello\n").chmod(0o755)
    write("broken.py", "def f(:\n")
    with pytest.raises(BadBot, match=message):
        load(spec)


async def test_a_program_of_another_machine_cannot_be_started(write, table):
    write("rh", "\x7fELF of another machine").chmod(0o755)
    assert await failure(table("rush_hour", board=COURSE), "handout:rush_hour:rh") == (
        "rh cannot be started: Exec format error"
    )


def test_a_program_is_called_by_its_folder_and_its_settings(write):
    write("alice/rh", "").chmod(0o755)
    assert load("handout:rush_hour:alice/rh").name == "alice-rh"
    assert load("handout:rush_hour:alice/rh:heur=1").name == "alice-rh-heur1"
