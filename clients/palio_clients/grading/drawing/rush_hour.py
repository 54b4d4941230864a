"""Hidden cases of Rush Hour: boards that need a proven number of moves, or have no solution, and their estimates."""

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

from palio_clients.handouts.courses import COURSES
from palio_clients.handouts.entering import Entry
from palio_clients.handouts.loading import load
from palio_rules.boards.rush_hour import EMPTY, ESCAPING, LETTERS, read_board
from palio_rules.errors import BadOption
from palio_rules.instances.rush_hour import generate, solve

HEURISTICS = ("none", "direct", "indirect")  # by their numbers on the program's command line
BOARDS = ((5, 3), (6, 6), (7, 9), (5, None))  # rows, fewest moves (None: no solution), for each heuristic
ESTIMATES = 4


def draw(seed: int) -> dict[str, Any]:
    """Return `boards` and `estimates`."""
    choose = random.Random(f"rush_hour {seed}")  # noqa: S311  # an assignment, no secret
    return {
        "boards": [
            {"board": _board(choose, side, moves), "heur": heur, "moves": moves}
            for heur in range(len(HEURISTICS))
            for side, moves in BOARDS
        ],
        "estimates": list(_estimates(choose)),
    }


def _board(choose: random.Random, side: int, moves: int | None) -> list[str]:
    """Return a board on which the handout's own search finds a shortest solution, with any rule for its ties.

    With the handout's closed list and heuristics it misses one on some boards.
    """
    while True:
        try:
            rows = list(generate(choose.randrange(10**9), side, moves))
        except BadOption:
            continue
        found = solve(*read_board(rows))
        assert (None if found is None else len(found)) == moves
        lengths = {len(_solved(variant, heur)) for variant in _variants(rows) for heur in range(len(HEURISTICS))}
        if lengths == {moves or 0}:
            return rows


def _variants(rows: list[str]) -> Iterator[list[str]]:
    """Yield the board and others of equal solutions, whose positions come in other orders."""
    letters = sorted({cell for row in rows for cell in row} - {EMPTY, ESCAPING})
    others = (letters, letters[::-1], letters[1:] + letters[:1])
    for renamed in (str.maketrans(dict(zip(letters, each, strict=True))) for each in others):
        changed = [row.translate(renamed) for row in rows]
        yield changed
        yield changed[::-1]


def _estimates(choose: random.Random) -> Iterator[dict[str, Any]]:
    """Yield boards of which both estimates differ, and are not 0."""
    told = 0
    while told < ESTIMATES:
        rows = _crowded(choose)
        direct, indirect = (_heuristic(heur).compute(_read(rows)) for heur in (1, 2))
        if 0 < direct < indirect:
            told += 1
            yield {"board": rows, "direct": direct, "indirect": indirect}


def _crowded(choose: random.Random, side: int = 6) -> list[str]:
    """Return a random board; `a` stands at its left edge, and only upright vehicles share its row."""
    board = [[EMPTY] * side for _ in range(side)]
    escape = choose.randrange(side)
    board[escape][0] = board[escape][1] = ESCAPING
    letters = iter(LETTERS.replace(ESCAPING, ""))
    for _ in range(30):
        lies, length, line = choose.random() < 0.4, choose.choice((2, 2, 3)), choose.randrange(side)
        first = choose.randrange(side - length + 1)
        cells = [(line, first + n) if lies else (first + n, line) for n in range(length)]
        if (lies and line == escape) or any(board[row][col] != EMPTY for row, col in cells):
            continue
        letter = next(letters)
        for row, col in cells:
            board[row][col] = letter
    return ["".join(row) for row in board]


def _solved(rows: list[str], heur: int) -> list[Any]:
    """Return the solution that the handout's search finds, word for word; [] without one."""
    solver = _handout("solver").Solver(_read(rows), _heuristic(heur), strict=True)
    solver.run()
    return list(solver.solution())


def _heuristic(heur: int) -> Any:
    return _handout("heur").HEURISTICS[heur]()


def _read(rows: list[str]) -> Any:
    return _handout("board").Board(rows)


@cache
def _handout(name: str) -> Any:
    """Return a module of the handout, which imports those beside it by their bare names."""
    folder = COURSES["rush_hour"].path
    return load(Entry(folder, folder / f"{name}.py"), folder)
