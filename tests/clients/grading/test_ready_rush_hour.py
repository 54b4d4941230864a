"""The ready assignment on Rush Hour: right files get all points, wrong ones lose those of what they break."""

import os
import shutil
import sys

import pytest
from ready_grading import changed, graded, promised

from palio_clients.handouts.courses import COURSES

FILE = "rh.py"
RIGHT = """
    from collections import namedtuple
    import heapq

    Vehicle = namedtuple("Vehicle", "letter row col lies length")

    class Board:
        def __init__(self, stream):
            self.grid = [list(line.strip()) for line in stream if line.strip()]

        def vehicles(self):
            found = {}
            for r, row in enumerate(self.grid):
                for c, cell in enumerate(row):
                    if cell != ".":
                        found.setdefault(cell, []).append((r, c))
            return {v: (*at[0], at[0][0] == at[-1][0], len(at)) for v, at in found.items()}

        def solved(self):
            row, col, _, length = self.vehicles()["a"]
            return all(cell == "." for cell in self.grid[row][col + length:])

        def potential_moves(self):
            for letter, (row, col, lies, length) in self.vehicles().items():
                for sign in (1, -1):
                    amount = sign
                    while True:
                        at = (length - 1 if sign > 0 else 0) + amount
                        r, c = (row, col + at) if lies else (row + at, col)
                        if not (0 <= r < len(self.grid) and 0 <= c < len(self.grid)) or self.grid[r][c] != ".":
                            break
                        yield letter, amount
                        amount += sign

        def after(self, letter, amount):
            row, col, lies, length = self.vehicles()[letter]
            board = Board([])
            board.grid = [[cell if cell != letter else "." for cell in line] for line in self.grid]
            for n in range(length):
                r, c = (row, col + n + amount) if lies else (row + n + amount, col)
                board.grid[r][c] = letter
            return board

        def key(self):
            return "".join(map("".join, self.grid))

    class BFSHeuristic:
        def compute(self, b):
            return 0

    class DirectHeuristic:
        def compute(self, b):
            row, col, _, length = b.vehicles()["a"]
            return len(set(b.grid[row][col + length:]) - {"."})

    class IndirectHeuristic:
        def compute(self, b):
            cars = b.vehicles()
            escape, col, _, length = cars["a"]
            direct = set(b.grid[escape][col + length:]) - {"."}
            counted = set(direct)
            for letter in direct:
                row, col, lies, length = cars[letter]
                up, down = length <= escape, length < len(b.grid) - escape
                if lies or up == down:
                    continue
                rows = range(escape - length, row) if up else range(row + length, escape + length + 1)
                counted |= {b.grid[r][col] for r in rows} - {"."}
            return len(counted)

    class Solver:
        def __init__(self, b, heur):
            self.board, self.heur, self.moves, self.expansions = b, heur, [], 0

        def run(self):
            start = self.board
            heap = [(self.heur.compute(start), self.heur.compute(start), start.key(), start, [])]
            closed = {start.key()}
            while heap:
                _, _, _, board, path = heapq.heappop(heap)
                if board.solved():
                    self.moves = path
                    return True
                for letter, amount in board.potential_moves():
                    after = board.after(letter, amount)
                    if after.key() not in closed:
                        closed.add(after.key())
                        self.expansions += 1
                        h = self.heur.compute(after)
                        heapq.heappush(heap, (len(path) + 1 + h, h, after.key(), after, path + [(letter, amount)]))
            return False

        def solution(self):
            return self.moves
"""
VARIANTS = {
    "as it is": [],
    "a list of moves": [
        ("for letter, amount in board.potential_moves():", "for letter, amount in list(board.potential_moves()):")
    ],
    "keeps the shortest": [("closed = {start.key()}", "closed, best = {start.key()}, {}")],
    "moves as lists": [("return self.moves", "return [[letter, amount] for letter, amount in self.moves]")],
}
DIRECT, INDIRECT, ESTIMATES = (
    "test_examples::test_direct",
    "test_examples::test_indirect",
    "test_hidden::test_estimates",
)
FOUND, NONE, DRAWN = (
    "test_examples::test_solution_found",
    "test_examples::test_no_solution_exists",
    "test_hidden::test_solution",
)
WRONG = {
    "the first two only": (
        [
            (
                'return len(set(b.grid[row][col + length:]) - {"."})',
                'return len(set(b.grid[row][col + length:][:2]) - {"."})',
            )
        ],
        {DIRECT, ESTIMATES},
    ),
    "counts the indirect twice": (
        [("return len(counted)", "return len(counted) + len(counted - direct)")],
        {INDIRECT, ESTIMATES},
    ),
    "blocked on both sides, too": ([("if lies or up == down:", "if lies:")], {INDIRECT}),
    "the direct ones only": ([("return len(counted)", "return len(direct)")], {INDIRECT, ESTIMATES}),
    "one step at a time": ([("amount += sign", "break")], {FOUND, DRAWN}),
    "never back": ([("for sign in (1, -1):", "for sign in (1,):")], {FOUND, DRAWN}),
    "depth first": ([("(len(path) + 1 + h, h, after.key()", "(-len(path), h, after.key()")], {FOUND, DRAWN}),
    "through other cars": ([(' or self.grid[r][c] != "."', ' or self.grid[r][c] == "a"')], {FOUND, DRAWN, NONE}),
    "solved at once": (
        [('return all(cell == "." for cell in self.grid[row][col + length:])', "return self.grid[row][-1] == '.'")],
        {FOUND, NONE, DRAWN},
    ),
    "no solution is true": (
        [("return False\n\n        def solution", "return True\n\n        def solution")],
        {NONE, DRAWN},
    ),
    "the moves reversed": ([("return self.moves", "return self.moves[::-1]")], {FOUND, DRAWN}),
    "up for down": ([("path + [(letter, amount)]", "path + [(letter, -amount)]")], {FOUND, DRAWN}),
}


@pytest.mark.parametrize("name", ["ours", "a program", *VARIANTS])
def test_right_files_get_all_points(right, name):
    assert (right[name].points, right[name].extra) == promised("rush_hour") == (100, 0), right[name].said


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_wrong_files_lose_what_they_break(wrong, name):
    assert wrong[name].lost == WRONG[name][1], wrong[name].said


@pytest.fixture(scope="module")
def right(tmp_path_factory):
    program = tmp_path_factory.mktemp("program") / "hw3"
    shutil.copytree(COURSES["rush_hour"].path, program, ignore=shutil.ignore_patterns("__pycache__"))
    ours = program / "rh"
    ours.write_text(f"#!{sys.executable}\n{(program / FILE).read_text()}")
    ours.chmod(0o755)
    (program / FILE).unlink()
    assert os.access(ours, os.X_OK)
    files = {name: {FILE: changed(RIGHT, *changes)} for name, changes in VARIANTS.items()}
    return graded("rush_hour", {"ours": COURSES["rush_hour"].path, "a program": program, **files})


@pytest.fixture(scope="module")
def wrong():
    return graded(
        "rush_hour", {name: {FILE: changed(RIGHT, *changes)} for name, (changes, _) in WRONG.items()}, most=10
    )
