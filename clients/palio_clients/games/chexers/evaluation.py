"""Chexers: four pieces have to cross the board, and a piece that can be jumped may change sides."""

from functools import lru_cache

from palio_rules.boards.chexers import EMPTY, HEXES, LETTERS, RADIUS, WAYS
from palio_rules.games.chexers import OUT, SEATS, TO_WIN, Position

EXITED = 5.0  # a piece that is off can no longer be converted
PIECE = 3.0  # for each piece that is still needed
SPARE = 1.0  # for each piece more than needed: another side lacks it
STEP = 0.5  # for each row that a needed piece still has to go
EXPOSED = 1.0  # for each piece that another side could jump at once

# For each colour and hex: the rows between the hex and the colour's exit edge.
ROWS_LEFT = (
    tuple(RADIUS - q for q, r in HEXES),
    tuple(RADIUS - r for q, r in HEXES),
    tuple(RADIUS + q + r for q, r in HEXES),
)


def evaluate(state: Position, seat: int) -> float:
    """Return a seat's progress, less the mean of the other active seats: zero-sum, and 0 for a seat that is out."""
    return _leads(state.cells, state.exits)[seat]


@lru_cache(maxsize=1 << 12)
def _leads(cells: str, exits: tuple[int, ...]) -> tuple[float, ...]:
    playing = [seat for seat in range(SEATS) if exits[seat] != OUT]
    if len(playing) == 1:
        return (0.0,) * SEATS
    exposed = _exposed(cells, playing)
    came = {seat: _progress(cells, exits[seat], seat, exposed) for seat in playing}
    mean = sum(came.values()) / len(playing)
    stretch = len(playing) / (len(playing) - 1)  # converts the mean of all to the mean of the others
    return tuple((came[seat] - mean) * stretch if seat in came else 0.0 for seat in range(SEATS))


def _progress(cells: str, exits: int, seat: int, exposed: set[int]) -> float:
    needed = TO_WIN - exits
    pieces = [at for at, cell in enumerate(cells) if cell == LETTERS[seat]]
    rows = sorted(ROWS_LEFT[seat][at] for at in pieces)[:needed]
    value = EXITED * exits + PIECE * len(rows) - STEP * sum(rows) + SPARE * (len(pieces) - len(rows))
    return value - EXPOSED * len(exposed.intersection(pieces))


def _exposed(cells: str, playing: list[int]) -> set[int]:
    """Return the hexes whose piece another side could jump, if it were its turn."""
    found = set()
    jumpers = {LETTERS[seat] for seat in playing}
    for at, cell in enumerate(cells):
        if cell in jumpers:
            for near, _, far, jump in WAYS[at]:
                if jump is not None and cells[far] == EMPTY and cells[near] not in (EMPTY, cell):
                    found.add(near)
    return found
