"""Chess: what a position is worth, which moves a search must not stop before, and the history that it depends on.

The value is material and the squares of the pieces, then pawns that are passed, isolated or doubled, open columns and
the pair of bishops. There are two sets of numbers, for a full board and for the endgame; a position's value lies
between them. The tables are computed here from a few rules of thumb, which their functions state. Each is its own
mirror image, left and right, so that positions of chess960 are judged alike.

For each piece and square there is one number that packs three: the values in hundredths of a pawn in both sets, and
the piece's share of a full board. So one sum over the board finds all three, and the compiled search can keep it up to
date. Values are whole hundredths, so that the compiled evaluation is the same.
"""

from collections import Counter
from collections.abc import Hashable, Iterator
from functools import lru_cache
from itertools import count
from operator import getitem, ne

from palio_clients.search.game_tree import Noisy
from palio_rules.boards.chess import BITS, DARK, EMPTY, MOVES, PAWN, PIECES, ROWS, THROUGH, squares_of
from palio_rules.games.chess_position import Position

MIDDLE = {"K": 0, "Q": 990, "R": 480, "B": 340, "N": 330, "P": 85}  # hundredths, on a full board
END = {"K": 0, "Q": 980, "R": 530, "B": 325, "N": 300, "P": 110}  # and when few pieces are left
SHARE = {"K": 0, "Q": 4, "R": 2, "B": 1, "N": 1, "P": 0}  # of a full board
FULL_BOARD = 24  # all shares at the start
DRIVEN, NEAR = 12, 5  # for a bare king: each step that he is from the middle, and that the other king is nearer
CYCLE = 4  # plies after which a position can recur
QUIET = 2  # plies below the depth that may be no captures, see `noisy_moves`
FIELD = 20  # bits of each packed number
_HALF, _ALL = 1 << FIELD - 1, (1 << FIELD) - 1

# The worth of squares. `row` counts from a side's own edge, 0 to 7; `wing` is the distance from the two middle columns,
# 0 to 3. Each function returns hundredths on a full board, and in the endgame.


def _on_square(piece: str, row: int, wing: int) -> tuple[int, int]:
    middle = max(3 - row, row - 4) + wing  # steps from the four squares in the middle, 0 to 6
    match piece:
        case "P":
            # Pawns gain by advancing, most in the endgame; those in the middle first, those before the king last.
            come = (0, 0, 4, 10, 22, 45, 80, 0)[row]
            stand = (14, 10, 2, -4)[wing] * (row in {3, 4}) + (-16 if row == 1 and wing == 0 else 0)
            shield = 8 if row == 1 and wing >= 2 else 0
            return come + stand + shield, (0, 0, 8, 20, 42, 80, 130, 0)[row]
        case "N":
            # A knight on the rim is dim: it needs the middle more than any other piece, and the far half of the board.
            return 24 - 11 * middle + 4 * (row in {4, 5}), 14 - 7 * middle
        case "B":
            # A bishop needs diagonals, which are longest in the middle, and must leave its home row.
            return 12 - 5 * middle - 8 * (row == 0), 8 - 4 * middle
        case "R":
            # A rook wants the columns in the middle, and the row of the enemy's pawns.
            return (8, 4, 0, -4)[wing] + 14 * (row == 6), 10 * (row == 6) + 3 * (row > 2)
        case "Q":
            # A queen is strong everywhere; on a full board she should not come out first.
            return -2 * middle - 4 * (row in {2, 3, 4}), 14 - 7 * middle
    # A king hides in a corner behind his pawns while there are many pieces, and is a strong piece when few are left.
    hidden = (-8, -2, 26, 18)[wing] if row == 0 else (-20, -20, -6, -6)[wing] if row == 1 else -30 - 12 * row
    return hidden, 24 - 12 * middle


def _packed(piece: str, index: int) -> int:
    """Return the three numbers of a piece on a square, from White's view."""
    kind, sign = piece.upper(), 1 if piece.isupper() else -1
    row, col = divmod(index, 8)
    middle, end = _on_square(kind, 7 - row if sign > 0 else row, max(3 - col, col - 4))
    return sign * (MIDDLE[kind] + middle + (END[kind] + end << FIELD)) + (SHARE[kind] << 2 * FIELD)


WORTH = tuple({EMPTY: 0, **{piece: _packed(piece, index) for piece in PIECES}} for index in range(64))  # by square
FROM_MIDDLE = tuple(max(3 - row, row - 4) + max(3 - col, col - 4) for row in range(8) for col in range(8))
VALUE = {piece: (0, 9, 5, 3, 3, 1)["KQRBNP".index(piece.upper())] for piece in PIECES}  # for exchanges; pawns
_DEARER = 16  # a dearer victim counts before a cheaper attacker
_BEFORE_LAST = (ROWS[1], ROWS[6])  # by seat: the row from which a pawn promotes


# What pawns, rooks and bishops are worth beyond their squares, packed as well.


def _both(middle: int, end: int) -> int:
    return middle + (end << FIELD)


ISOLATED, DOUBLED = _both(-10, -12), _both(-6, -14)  # a pawn without others beside it; behind another one
OPEN, HALF_OPEN = _both(18, 8), _both(8, 4)  # a rook's column without pawns; without own pawns
PAIR = _both(25, 45)  # bishops on squares of both colours
_RUN = tuple(map(_both, (0, 0, 4, 8, 16, 30, 50, 0), (0, 6, 10, 20, 38, 64, 95, 0)))  # a passed pawn, by its row
COLUMN = tuple(0x0101010101010101 << (square & 7) for square in range(64))  # by square
BESIDE = tuple(sum(COLUMN[col] for col in ((square & 7) - 1, (square & 7) + 1) if 0 <= col < 8) for square in range(64))
AHEAD = (  # by seat and square: where an enemy's pawn could stop or capture a pawn on its way
    tuple((COLUMN[square] | BESIDE[square]) & (1 << (square & 56)) - 1 for square in range(64)),
    tuple((COLUMN[square] | BESIDE[square]) & ~((1 << (square & 56) + 8) - 1) for square in range(64)),
)
PASSED = tuple(tuple(_RUN[7 - (square >> 3) if seat == 0 else square >> 3] for square in range(64)) for seat in (0, 1))


def evaluate(state: Position, seat: int) -> float:
    """Return the value in pawns: material, squares, pawns and open columns, ours less theirs."""
    value = hundredths(state) / 100
    return -value if seat else value


def hundredths(state: Position) -> int:
    """Return White's value in hundredths of a pawn."""
    white, black = state.pawns & state.white, state.pawns & state.black
    total = sum(map(getitem, WORTH, state.board)) + _of_pawns(white, black)
    total += _of_pieces(state, state.white, white, black) - _of_pieces(state, state.black, black, white)
    middle = (total + _HALF & _ALL) - _HALF
    total = total - middle >> FIELD
    end = (total + _HALF & _ALL) - _HALF
    share = min(total - end >> FIELD, FULL_BOARD)
    value = int((middle * share + end * (FULL_BOARD - share)) / FULL_BOARD)
    if not state.pawns and not (state.white & state.white - 1 and state.black & state.black - 1):
        value += _driving(state)
    return value


@lru_cache(maxsize=1 << 14)
def _of_pawns(white: int, black: int) -> int:
    """Return the packed worth of White's pawns beyond their squares, less Black's. Few moves change it."""
    total = 0
    for seat, (own, other) in enumerate(((white, black), (black, white))):
        value = 0
        for square in squares_of(own):
            ahead = AHEAD[seat][square]
            if not own & BESIDE[square]:
                value += ISOLATED
            if own & ahead & COLUMN[square]:
                value += DOUBLED
            elif not other & ahead:
                value += PASSED[seat][square]
        total += -value if seat else value
    return total


def _of_pieces(state: Position, own: int, pawns: int, other_pawns: int) -> int:
    """Return the packed worth of the open columns of the rooks `own`, and of a pair of bishops."""
    queens = state.diagonals & state.straights
    rooks, bishops, value = state.straights & own & ~queens, state.diagonals & own & ~queens, 0
    for square in squares_of(rooks):
        if not pawns & COLUMN[square]:
            value += HALF_OPEN if other_pawns & COLUMN[square] else OPEN
    return value + PAIR if bishops & DARK and bishops & ~DARK else value


def _driving(state: Position) -> int:
    """Return what it is worth that a bare king is far from the middle, and the other king is near him."""
    white, black = squares_of(state.kings & state.white)[0], squares_of(state.kings & state.black)[0]
    bare, sign = (black, 1) if state.white & state.white - 1 else (white, -1)
    apart = abs((white >> 3) - (black >> 3)) + abs((white & 7) - (black & 7))
    return sign * (DRIVEN * FROM_MIDDLE[bare] + NEAR * (14 - apart))


# Moves that change the value at once.


def noisy_moves(state: Position, beyond: int) -> Noisy[str]:
    """Return captures and promotions, the most promising first; in check all moves, one of which must be played.

    A piece that takes a lesser one which is defended is left out, and so is every promotion but to a queen. In a check
    `QUIET` plies or more below the depth, quiet moves count only just after a capture or a pawn's move: so a search
    ends, and repeats no earlier position that `lookback` has left out.
    """
    checked = bool(state.checkers())
    if checked and (beyond < QUIET or state.clock == 0):
        return Noisy(state.legal_moves(), forced=True)
    return Noisy(_promising(state, checked=checked), forced=False)


def _promising(state: Position, *, checked: bool) -> Iterator[str]:
    for _, src, dst, promotion in sorted(_captures(state, checked=checked), reverse=True):
        yield MOVES[-src][-dst] + promotion


def _captures(state: Position, *, checked: bool) -> Iterator[tuple[int, int, int, str]]:
    """Yield the merit of each capture and promotion, its squares as negative numbers, and the new piece."""
    own, occupied, turn, board, pawns = state.own, state.occupied, state.turn, state.board, state.pawns
    enemy, pinned, king, passant = occupied ^ own, state.pinned(), state.king, state.passant
    for src in squares_of(own):
        bit, cost, promotion = BITS[src], VALUE[board[src]], ""
        if pawns & bit:
            reach = PAWN[turn][src] & (enemy | BITS[passant] if passant >= 0 else enemy)
            if bit & _BEFORE_LAST[turn]:
                reach |= (bit << 8 if turn else bit >> 8) & ~occupied
                promotion = "q"
        else:
            reach = state.reach(src, occupied) & enemy
        if pinned & bit:
            reach &= THROUGH[king][src]
        for dst in squares_of(reach):
            gain = VALUE[board[dst]] if board[dst] != EMPTY else VALUE["P"] * (not promotion)
            if cost > gain and not promotion and state.attackers(dst, 1 - turn, occupied ^ bit):
                continue
            if (checked or src == king or dst == passant) and not state.is_safe(src, dst):
                continue
            yield _DEARER * gain - cost + (VALUE["Q"] * _DEARER if promotion else 0), -src, -dst, promotion


# What a search's result depends on.


def lookback(state: Position, depth: int) -> Hashable:
    """Return the part of the history on which a search of `depth` plies depends: the draws within its reach.

    These are the earlier positions that can be reached: a third time now if twice before, a second and a third time,
    a cycle apart, if once. The clock of the fifty moves is a part of the position itself. Below its depth a search may
    play `QUIET` plies more that can repeat a position.
    """
    depth += QUIET
    earlier, last = state.earlier, len(state.earlier)
    near = set()
    for parity in (0, 1):  # of the plies from an earlier position to this one
        for board, times in Counter(earlier[last - 1 - (1 - parity) :: -2] if last > 1 - parity else ()).items():
            plies = depth if times > 1 else depth - CYCLE
            if plies > 0 and sum(map(ne, board, state.board)) <= 2 * plies and _plies_to(state, board, parity) <= plies:
                near.add((board, parity, times > 1))
    return frozenset(near)


def _plies_to(state: Position, board: str, parity: int) -> int:
    """Return a lower bound of the plies, even or odd by `parity`, after which the pieces stand as in `board`.

    Each piece that stands elsewhere needs a move. A side whose pieces all stand as in `board` cannot move just once.
    """
    moved = [0, 0]
    for letter, other in zip(board, state.board, strict=True):
        if letter not in (other, EMPTY):
            moved[letter.islower()] += 1
    own, others = moved[state.turn], moved[1 - state.turn]
    return next(
        plies
        for plies in count(2 - parity, 2)
        if own <= (mine := (plies + 1) // 2)
        and others <= (theirs := plies // 2)
        and (own or mine != 1)
        and (others or theirs != 1)
    )
