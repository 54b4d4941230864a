"""The board of End of the Track: its squares and lines, their names, and the text of a position.

The rules are in `end_of_track`.

A square is one integer, `row * 7 + col` from the lower left corner; a position is twelve of them.
"""

import re
from string import ascii_lowercase, ascii_uppercase

from palio_rules.boards.grid import square
from palio_rules.errors import BadPosition, quoted

WHITE, BLACK = 0, 1
ROWS, COLS = 8, 7
SQUARES = ROWS * COLS
BLOCKS = 5  # a side
BALL = BLOCKS  # its index within a side
SIDE = BLOCKS + 1


def _knight(a: int) -> tuple[int, ...]:
    """Return the squares that a block on `a` could reach on an empty board, ascending."""
    return tuple(b for b in range(SQUARES) if {abs(a // COLS - b // COLS), abs(a % COLS - b % COLS)} == {1, 2})


def _between(a: int, b: int) -> int:
    """Return the squares strictly between `a` and `b` as bits; all bits (-1) if no queen's line joins `a` and `b`."""
    rows, cols = b // COLS - a // COLS, b % COLS - a % COLS
    steps = max(abs(rows), abs(cols))
    if steps == 0 or not (rows == 0 or cols == 0 or abs(rows) == abs(cols)):
        return -1
    return sum(1 << a + (b - a) // steps * step for step in range(1, steps))


KNIGHT = tuple(_knight(a) for a in range(SQUARES))
BETWEEN = tuple(tuple(_between(a, b) for b in range(SQUARES)) for a in range(SQUARES))
LETTERS = f"{ascii_uppercase}{ascii_lowercase}0123"  # a letter for each of the 56 squares
_TO_LETTERS = bytes.maketrans(bytes(range(SQUARES)), LETTERS.encode())


def name_of(position: int) -> str:
    """Return a square's name as in chess: 0 is "a1", 55 is "g8"."""
    return square(position // COLS + 1, position % COLS)


def cell_of(position: int) -> tuple[int, int]:
    """Return the (row, col) of a square in the scene, from the top left corner."""
    return ROWS - 1 - position // COLS, position % COLS


def at_cell(cell: tuple[int, int]) -> int:
    """Return the square in a cell (row, col) of the scene."""
    return (ROWS - 1 - cell[0]) * COLS + cell[1]


def word_of(pieces: tuple[int, ...], turn: int) -> str:
    """Return a position in 13 letters, for the history: w or b to move, then a letter for each piece (A-Z, a-z, 0-3).

    Blocks of one side look alike, so they are sorted: exchanging two of them does not make a new position.
    """
    white, black = sorted(pieces[:BALL]), sorted(pieces[SIDE : SIDE + BLOCKS])
    ordered = bytes((*white, pieces[BALL], *black, pieces[SIDE + BALL]))
    return f"{'wb'[turn]}{ordered.translate(_TO_LETTERS).decode()}"


# A position as text, in three fields and a history; ints are written in one way only.
_PIECES = r"(?:(?:0|[1-9][0-9]?),){11}(?:0|[1-9][0-9]?)"
_TURN = "white|black"
_PLY = r"(?P<ply>0|[1-9][0-9]{0,3})/(?P<max>[1-9][0-9]{0,3})"
_WORD = "[wb][A-Za-z0-3]{12}"
TEXT = re.compile(rf"(?P<pieces>{_PIECES}) (?P<turn>{_TURN}) {_PLY}(?P<history>(?: {_WORD})*)")


def fault_of(text: str) -> str:
    """Return what is wrong with a text that `TEXT` does not match."""
    pieces, turn, ply, *words = [*text.split(" "), "", ""][: max(3, len(text.split(" ")))]
    if not re.fullmatch(_PIECES, pieces):
        return f"a position begins with twelve squares as in 1,2,3,4,5,3,50,51,52,53,54,52, got {quoted(pieces)}"
    if not re.fullmatch(_TURN, turn):
        return f"after the pieces stands whose turn it is, white or black, got {quoted(turn)}"
    if not re.fullmatch(_PLY, ply):
        return f"after the turn stands ply/max_plies as in 0/300, got {quoted(ply)}"
    number = next(number for number, word in enumerate(words) if not re.fullmatch(_WORD, word))
    return f"word {number} of the history is no position, got {quoted(words[number])}"


def check_pieces(pieces: tuple[int, ...]) -> None:
    """Raise BadPosition unless the twelve pieces can stand like this."""
    for index, at in enumerate(pieces):
        if at >= SQUARES:
            raise BadPosition(f"piece {index} is on square {at}, but the last square of the board is 55")
    blocks = pieces[:BALL] + pieces[SIDE : SIDE + BLOCKS]
    for at in blocks:
        if blocks.count(at) > 1:
            raise BadPosition(f"two blocks are on square {at}, {name_of(at)}")
    for side, first in (("white", 0), ("black", SIDE)):
        if pieces[first + BALL] not in pieces[first : first + BLOCKS]:
            raise BadPosition(f"the ball of {side} is on square {pieces[first + BALL]}, where {side} has no block")
    if pieces[BALL] >= SQUARES - COLS and pieces[SIDE + BALL] < COLS:
        raise BadPosition("both sides have won: each ball is on its far row")
