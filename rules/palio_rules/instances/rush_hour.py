"""Rush Hour boards: from a seed, with the fewest moves proven, and from the course's `.in` files."""

import random
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from palio_rules.boards.rush_hour import EMPTY, ESCAPING, LETTERS, MAX_SIDE, MIN_SIDE, At, BadBoard, Garage, read_board
from palio_rules.errors import BadOption
from palio_rules.instances.effort import spend
from palio_rules.instances.source import Source

# Rush Hour solved exhaustively: every reachable position, and how far each is from the exit.
#
# Breadth-first search, Moore, "The shortest path through a maze" (1959). Slides can be taken back, so the reachable
# positions form one undirected graph: a second search, from all of its solved positions at once, gives the fewest moves
# from each of them. That is how a generator finds a hard board where a random one is easy.
#
# Internally a position is one integer, four bits a vehicle; a test proves that it moves as the rules do.

BITS = 4  # bits of a vehicle: no board has more than ten rows


class TooManyPositions(Exception):
    """The error when more positions are reachable than the limit."""


class Reach(NamedTuple):
    """The reachable positions: their number, and the positions by the fewest moves that each needs, solved ones first.

    `levels` is empty if the board cannot be solved.
    """

    positions: int
    levels: list[list[At]]


def reach(garage: Garage, start: At, most: int) -> Reach:
    """Search every position that is reachable from `start`. Raises TooManyPositions if there are more than `most`."""
    graph, taken = _explore(garage, start, most)
    shift, road = BITS * garage.escaping, garage.road
    level = [code for code in graph if not taken[code] & road[code >> shift & 15]]
    known, levels = set(level), []
    while level:
        levels.append([_unpacked(code, len(start)) for code in level])
        level = list(dict.fromkeys(there for code in level for there in graph[code] if there not in known))
        known.update(level)
    return Reach(len(graph), levels)


def _explore(garage: Garage, start: At, most: int) -> tuple[dict[int, list[int]], dict[int, int]]:
    """Return for each reachable position: the positions one slide away, and the occupied cells."""
    side = garage.side
    cars = [
        (BITS * index, car.length, garage.cells[index], garage.stands[index])
        for index, car in enumerate(garage.vehicles)
    ]
    first = sum(k << BITS * index for index, k in enumerate(start))
    graph: dict[int, list[int]] = {}
    known, waiting = {first: garage.occupied(start)}, [first]
    for code in waiting:  # grows during the loop
        taken, near = known[code], []
        for shift, length, cells, stands in cars:
            k = code >> shift & 15
            lifted, to, there = taken ^ stands[k], k, code
            while to and not taken & cells[to - 1]:
                to, there = to - 1, there - (1 << shift)
                near.append((there, lifted | stands[to]))
            to, there = k, code
            while to + length < side and not taken & cells[to + length]:
                to, there = to + 1, there + (1 << shift)
                near.append((there, lifted | stands[to]))
        graph[code] = [there for there, _ in near]
        fresh = [(there, cells) for there, cells in near if there not in known]
        known.update(fresh)
        waiting += [there for there, _ in fresh]
        if len(known) > most:
            raise TooManyPositions
    return graph, known


def _unpacked(code: int, vehicles: int) -> At:
    return tuple(code >> BITS * index & 15 for index in range(vehicles))


def solve(garage: Garage, start: At) -> list[tuple[int, int]] | None:
    """Return a shortest solution as (vehicle, amount), or None if there is none."""
    came: dict[At, tuple[At, tuple[int, int]] | None] = {start: None}
    waiting = [start]
    for at in waiting:
        if garage.solved(at):
            return _way(at, came)
        for index, amount in garage.slides(at):
            there = (*at[:index], at[index] + amount, *at[index + 1 :])
            if there not in came:
                came[there] = (at, (index, amount))
                waiting.append(there)
    return None


def _way(at: At, came: dict[At, tuple[At, tuple[int, int]] | None]) -> list[tuple[int, int]]:
    way = []
    while (before := came[at]) is not None:
        at, slide = before
        way.append(slide)
    return way[::-1]


SEEDS = 4  # derived from the given seed, if that one leads to no board
CLIMBS = 12  # random car parks to start from, for each seed
STEPS = 60  # changes of each, kept if the hardest position does not get easier
MOST = 4_000  # reachable positions searched for one car park: a park with more is loose, and easy
DENSITY = (0.5, 0.75)  # share of the cells under vehicles
LENGTHS = (2, 2, 3)  # of vehicles, equally likely
MAX_MOVES = 30  # that can be asked for: harder boards are too rare to be found
CORE = 6  # side of the puzzle within a larger board: a larger core would have too many positions

Board = list[list[str]]


@lru_cache(maxsize=256)
def generate(seed: int, side: int, moves: int | None) -> tuple[str, ...]:
    """Return the rows of a random board that needs exactly `moves`, or that has no solution if `moves` is None.

    A random car park is changed, vehicle by vehicle, until the hardest of all positions that its vehicles can reach
    needs `moves` or more; then a position is taken that needs exactly so many. A larger board is such a core in a
    frame. If the seed leads to none, the next one that is derived from it is tried. The same arguments give the same
    board everywhere.

    Raises BadOption if none was found; `effort` can limit the search.
    """
    if not MIN_SIDE <= side <= MAX_SIDE or not (moves is None or 1 <= moves <= MAX_MOVES):
        raise BadOption(
            f"rush_hour: a random board has {MIN_SIDE} to {MAX_SIDE} rows and needs 1 to {MAX_MOVES} moves; "
            f"got {side} and {moves}"
        )
    hardest = 0
    for attempt in range(SEEDS):
        choose = random.Random(f"rush_hour {seed} {side} {moves}{f' {attempt}' if attempt else ''}")  # noqa: S311  # no secret
        found, best = _climb(choose, side, moves)
        if found is not None:
            garage, at = found
            return _renamed(_framed(choose, garage.rows(at), side))
        hardest = max(hardest, best)
    wanted = "has no solution" if moves is None else f"needs {moves} moves"
    raise BadOption(
        f"rush_hour: no {side}x{side} board was found that {wanted}, the hardest one needs {hardest}; "
        "try another seed, ask for fewer, or give the board"
    )


def _climb(choose: random.Random, side: int, moves: int | None) -> tuple[tuple[Garage, At] | None, int]:
    """Find the core of a board that needs so many moves, or is unsolvable, by changes that never make it easier.

    Returns the core, or None if none was found, and the moves that the hardest board needs.
    """
    hardest = 0
    for _ in range(CLIMBS):
        park, best = _park(choose, min(side, CORE), jammed=moves is None), -1
        changed = park
        for _ in range(STEPS):
            garage, start, found = _look(changed)
            if moves is None and not found.levels and found.positions > 1:
                return (garage, start), hardest
            if moves is not None and len(found.levels) > moves:
                return (garage, choose.choice(sorted(found.levels[moves]))), hardest
            if len(found.levels) - 1 >= best:
                park, best = changed, len(found.levels) - 1
            changed = _changed(choose, park, fewer=choose.choice((1, 1, 2)) if found.positions else 0)
        hardest = max(hardest, best)
    return None, hardest


def _look(park: Board) -> tuple[Garage, At, Reach]:
    garage, start = read_board(["".join(row) for row in park])
    try:
        found = reach(garage, start, MOST)
    except TooManyPositions:
        found = Reach(0, [])
    spend(found.positions or MOST)
    return garage, start, found


def _park(choose: random.Random, side: int, *, jammed: bool) -> Board:
    """Return a random board. Unless it may be `jammed`, no other lying vehicle shares the row of `a`."""
    board = [[EMPTY] * side for _ in range(side)]
    row, col = choose.randrange(side), choose.randrange(side - 2)
    board[row][col] = board[row][col + 1] = ESCAPING
    left = round(side * side * choose.uniform(*DENSITY)) - 2  # cells for the others
    for _ in range(40 * side):
        if left > 0:
            left -= _add(choose, board, jammed=jammed)
    return board


def _changed(choose: random.Random, park: Board, fewer: int) -> Board:
    """Return the board with `fewer` of its vehicles removed and others added; a loose board only gets more vehicles."""
    board = [row.copy() for row in park]
    others = sorted({cell for row in board for cell in row} - {EMPTY, ESCAPING})
    gone = set(choose.sample(others, min(fewer, len(others))))
    for row in board:
        row[:] = [EMPTY if cell in gone else cell for cell in row]
    more = fewer or 2
    for _ in range(20):
        if more > 0 and _add(choose, board, jammed=False):
            more -= choose.choice((0, 1, 1))
    return board


def _add(choose: random.Random, board: Board, *, jammed: bool) -> int:
    """Add one more vehicle at random; return how many cells it covers, 0 if there is no room."""
    side = len(board)
    lies, length = choose.random() < 0.5, choose.choice(LENGTHS)
    line, k = choose.randrange(side), choose.randrange(side - length + 1)
    cells = [(line, k + n) if lies else (k + n, line) for n in range(length)]
    if any(board[row][col] != EMPTY for row, col in cells) or (lies and not jammed and ESCAPING in board[line]):
        return 0
    used = {cell for row in board for cell in row}
    letter = next((letter for letter in LETTERS if letter not in used and letter != ESCAPING), None)
    if letter is None:
        return 0
    for row, col in cells:
        board[row][col] = letter
    return length


def _framed(choose: random.Random, core: list[str], side: int) -> list[str]:
    """Return the core at the right edge of a larger board, surrounded by vehicles that cannot move."""
    letters = iter(letter for letter in LETTERS if letter not in "".join(core))
    margin = side - len(core)
    above = choose.randint(0, margin)
    fences = ["".join(_packed(choose, letters, len(core))) for _ in range(margin)]  # upright, to the left of the core
    rows = ["".join(fence[row] for fence in fences) + cells for row, cells in enumerate(core)]
    packed = ["".join(_packed(choose, letters, side)) for _ in range(margin)]
    return [*packed[:above], *rows, *packed[above:]]


def _packed(choose: random.Random, letters: Iterator[str], length: int) -> Iterator[str]:
    """Yield the cells of a line without a gap: vehicles of length 2 to 4."""
    while length:
        size = choose.choice([size for size in (2, 3, 4) if length - size not in (-2, -1, 1)])
        yield next(letters) * size
        length -= size


def _renamed(rows: list[str]) -> tuple[str, ...]:
    """Return the rows, with letters renamed in reading order, except for `a`."""
    text = "\n".join(rows)
    found = dict.fromkeys(cell for cell in text if cell in LETTERS and cell != ESCAPING)
    names = dict(zip(found, LETTERS.replace(ESCAPING, ""), strict=False))
    return tuple("".join(names.get(cell, cell) for cell in text).split("\n"))


def read_in(source: Source, *, any_size: bool = False) -> dict[str, Any]:
    """Read the options of a board in the course's form: a line for each row. White space at the ends is ignored.

    With `any_size` it may have fewer or more rows than the game allows. Raises BadInstance with file, line and reason.
    """
    lines = source.lines
    first = next((number for number, line in enumerate(lines) if line), 0)
    rows = lines[first:]
    while rows and not rows[-1]:
        rows.pop()
    try:
        read_board(rows, any_size=any_size)
    except BadBoard as error:
        raise source.fault(first + 1 + (error.row or 0), str(error)) from None
    return {"board": "/".join(rows)}
