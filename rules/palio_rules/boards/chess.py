"""The board of chess as tables: what each piece reaches from each square, the lines between squares, and all steps.

A square is a number from 0 (a8) to 63 (h1), row by row from the top, as in a FEN; row 0 is rank 8. A set of squares is
an integer whose bit `square` is set. A piece is its letter in a FEN, White's large and Black's small; "." is empty.
"""

from itertools import product
from typing import NamedTuple

from palio_rules.boards.grid import square

BLACK, WHITE = 1, 0  # seats, in the order of play
EMPTY = "."
PIECES = "KQRBNPkqrbnp"
NAMES = {"k": "king", "q": "queen", "r": "rook", "b": "bishop", "n": "knight", "p": "pawn"}
PROMOTIONS = "qrbn"
SQUARES = tuple(square(8 - row, col) for row in range(8) for col in range(8))  # names, by number
FULL = (1 << 64) - 1
BITS = tuple(1 << index for index in range(64))
ROWS = tuple(0xFF << 8 * row for row in range(8))
DARK = sum(1 << 8 * row + col for row, col in product(range(8), range(8)) if row + col & 1)
STRAIGHT_WAYS = ((0, 1), (1, 0), (0, -1), (-1, 0))
DIAGONAL_WAYS = ((1, 1), (1, -1), (-1, -1), (-1, 1))


class Step(NamedTuple):
    """A move as numbers: the square left, the square entered, and the letter of the piece promoted to, or ""."""

    src: int
    dst: int
    promotion: str


def _targets(index: int, steps: tuple[tuple[int, int], ...]) -> int:
    row, col = divmod(index, 8)
    found = 0
    for down, right in steps:
        if 0 <= row + down < 8 and 0 <= col + right < 8:
            found |= 1 << (row + down) * 8 + col + right
    return found


def _ray(index: int, way: tuple[int, int]) -> tuple[int, ...]:
    """Return the squares from `index` to the edge, the nearest first."""
    row, col = divmod(index, 8)
    found = []
    while 0 <= (row := row + way[0]) < 8 and 0 <= (col := col + way[1]) < 8:
        found.append(row * 8 + col)
    return tuple(found)


class Reach(dict[int, int]):
    """The squares that a piece which slides along `ways` attacks from one square, by the occupied squares of `mask`.

    An answer is computed when it is first asked for, and kept: most of the 4,096 sets of occupied squares around a
    rook never occur. The last square of a ray is not in `mask`, because what stands there hides nothing.
    """

    def __init__(self, index: int, ways: tuple[tuple[int, int], ...]) -> None:
        super().__init__()
        self.rays = tuple(_ray(index, way) for way in ways)
        self.mask = sum(1 << each for ray in self.rays for each in ray[:-1])
        self.lines = sum(1 << each for ray in self.rays for each in ray)

    def __missing__(self, occupied: int) -> int:
        found = 0
        for ray in self.rays:
            for each in ray:
                found |= 1 << each
                if occupied >> each & 1:
                    break
        self[occupied] = found
        return found


KNIGHT = tuple(_targets(index, tuple((a, b) for a, b in product((-2, -1, 1, 2), repeat=2) if a * a != b * b))
               for index in range(64))  # fmt: skip
KING = tuple(_targets(index, (*STRAIGHT_WAYS, *DIAGONAL_WAYS)) for index in range(64))
PAWN = (  # the squares that a pawn of the seat attacks
    tuple(_targets(index, ((-1, -1), (-1, 1))) for index in range(64)),
    tuple(_targets(index, ((1, -1), (1, 1))) for index in range(64)),
)
STRAIGHT = tuple(Reach(index, STRAIGHT_WAYS) for index in range(64))
DIAGONAL = tuple(Reach(index, DIAGONAL_WAYS) for index in range(64))
STRAIGHT_MASK = tuple(reach.mask for reach in STRAIGHT)
DIAGONAL_MASK = tuple(reach.mask for reach in DIAGONAL)
STRAIGHT_LINES = tuple(reach.lines for reach in STRAIGHT)  # all that a rook could ever attack
DIAGONAL_LINES = tuple(reach.lines for reach in DIAGONAL)
LINES = tuple(straight | diagonal for straight, diagonal in zip(STRAIGHT_LINES, DIAGONAL_LINES, strict=True))


def _lines() -> tuple[list[list[int]], list[list[int]]]:
    """Return, by two squares, the squares between them, and the whole line through both without the first one."""
    between = [[0] * 64 for _ in range(64)]
    through = [[0] * 64 for _ in range(64)]
    for index, way in product(range(64), STRAIGHT_WAYS + DIAGONAL_WAYS):
        ray = _ray(index, way)
        line = sum(1 << each for each in (*ray, *_ray(index, (-way[0], -way[1]))))
        passed = 0
        for each in ray:
            between[index][each] = passed
            through[index][each] = line
            passed |= 1 << each
    return between, through


BETWEEN, THROUGH = _lines()
MOVES = tuple(tuple(src + dst for dst in SQUARES) for src in SQUARES)  # as on the wire, by both squares
STEPS: dict[str, Step] = {  # everything that could ever be a move, as it is written on the wire
    src + dst + promotion: Step(start, end, promotion)
    for (start, src), (end, dst) in product(enumerate(SQUARES), repeat=2)
    if start != end
    for promotion in (("", *PROMOTIONS) if (start >> 3, end >> 3) in {(1, 0), (6, 7)} else ("",))
    if not promotion or abs((start & 7) - (end & 7)) <= 1
}


def squares_of(bits: int) -> list[int]:
    """Return the squares of a set, the lowest number first."""
    found = []
    while bits:
        low = bits & -bits
        found.append(low.bit_length() - 1)
        bits ^= low
    return found


def arrangement(number: int) -> str:
    """Return the pieces of White's home row in chess960, by their number from 0 to 959; 518 is the usual row.

    The numbers are Scharnagl's: bishops on the light squares, bishops on the dark ones, queen, knights; what is left
    is rook, king, rook.
    """
    row = [""] * 8
    number, light = divmod(number, 4)
    number, dark = divmod(number, 4)
    knights, queen = divmod(number, 6)
    row[2 * light + 1] = row[2 * dark] = "B"
    row[[col for col in range(8) if not row[col]][queen]] = "Q"
    pairs = [(one, other) for one in range(5) for other in range(one + 1, 5)]
    free = [col for col in range(8) if not row[col]]
    for place in pairs[knights]:
        row[free[place]] = "N"
    for piece in "RKR":
        row[row.index("")] = piece
    return "".join(row)
