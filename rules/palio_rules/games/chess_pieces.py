"""The pieces of a position of chess: what attacks what, what is pinned, and who may castle."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from palio_rules.boards.chess import (
    BETWEEN,
    BITS,
    DIAGONAL,
    DIAGONAL_LINES,
    DIAGONAL_MASK,
    EMPTY,
    KING,
    KNIGHT,
    LINES,
    MOVES,
    PAWN,
    PIECES,
    ROWS,
    STRAIGHT,
    STRAIGHT_LINES,
    STRAIGHT_MASK,
    squares_of,
)
from palio_rules.position import Squares

Sets = tuple[int, int, int, int, int, int, int]
Change = tuple[int, str]  # a square, and what stands on it from now on
HOME_ROWS = (ROWS[7], ROWS[0])  # by seat
_KING_AT_HOME = (60, 4)  # in standard chess, by seat
_LETTERS = ("KQRBNP", "kqrbnp", "Pp", "Nn", "BbQq", "RrQq", "Kk")  # of each of the sets of a position
_MEMBER = {piece: tuple(-1 if piece in letters else 0 for letters in _LETTERS) for piece in PIECES + EMPTY}
_DIGITS = tuple(
    str.maketrans({piece: "1" if piece in letters else "0" for piece in PIECES + EMPTY}) for letters in _LETTERS
)


def changed(board: str, sets: Sequence[int], changes: Sequence[Change]) -> tuple[str, Sets]:
    """Return the board and its sets of squares after `changes`; squares are emptied before others are filled."""
    keep = -1
    for index, piece in changes:
        board = board[:index] + piece + board[index + 1 :]
        keep &= ~BITS[index]
    white, black, pawns, knights, diagonals, straights, kings = [each & keep for each in sets]
    for index, piece in changes:
        bit = BITS[index]
        in_white, in_black, in_pawns, in_knights, in_diagonals, in_straights, in_kings = _MEMBER[piece]
        white |= bit & in_white
        black |= bit & in_black
        pawns |= bit & in_pawns
        knights |= bit & in_knights
        diagonals |= bit & in_diagonals
        straights |= bit & in_straights
        kings |= bit & in_kings
    return board, (white, black, pawns, knights, diagonals, straights, kings)


def sets_of(board: str) -> Sets:
    """Return the sets of squares of a board of 64 letters."""
    backwards = board[::-1]  # the first square is the lowest bit
    white, black, pawns, knights, diagonals, straights, kings = (int(backwards.translate(each), 2) for each in _DIGITS)
    return white, black, pawns, knights, diagonals, straights, kings


@dataclass(frozen=True, slots=True)
class Pieces(Squares):
    """The pieces, the side to move, and its special rights; `Position` says what each means."""

    board: str
    white: int = field(compare=False, repr=False)
    black: int = field(compare=False, repr=False)
    pawns: int = field(compare=False, repr=False)
    knights: int = field(compare=False, repr=False)
    diagonals: int = field(compare=False, repr=False)  # bishops and queens
    straights: int = field(compare=False, repr=False)  # rooks and queens
    kings: int = field(compare=False, repr=False)
    turn: int = 0
    castling: int = 0
    chess960: bool = False
    passant: int = -1
    _checkers: int | None = field(init=False, default=None, compare=False, repr=False)  # computed when asked for

    def rows(self) -> list[str]:
        """Return the rows as text, from the top, a letter for each square."""
        return [self.board[at : at + 8] for at in range(0, 64, 8)]

    @property
    def sets(self) -> Sets:
        """All sets of squares, in the order of `sets_of`."""
        return self.white, self.black, self.pawns, self.knights, self.diagonals, self.straights, self.kings

    @property
    def own(self) -> int:
        """The pieces of the side to move."""
        return self.black if self.turn else self.white

    @property
    def occupied(self) -> int:
        return self.white | self.black

    @property
    def king(self) -> int:
        """The square of the king of the side to move."""
        return (self.kings & (self.black if self.turn else self.white)).bit_length() - 1

    # --- attacks ---

    def attackers(self, index: int, seat: int, occupied: int) -> int:
        """Return the pieces of `seat` that attack a square if `occupied` are the squares that hold a piece."""
        return (
            KNIGHT[index] & self.knights
            | KING[index] & self.kings
            | PAWN[1 - seat][index] & self.pawns
            | STRAIGHT[index][occupied & STRAIGHT_MASK[index]] & self.straights
            | DIAGONAL[index][occupied & DIAGONAL_MASK[index]] & self.diagonals
        ) & (self.black if seat else self.white)

    def checkers(self) -> int:
        """Return the pieces that give check to the side to move."""
        found = self._checkers
        if found is None:
            found = self.attackers(self.king, 1 - self.turn, self.white | self.black)
            object.__setattr__(self, "_checkers", found)
        return found

    def pinned(self) -> int:
        """Return the own pieces that alone stand between the king and a piece that would give check."""
        king, own = self.king, self.own
        snipers = (STRAIGHT_LINES[king] & self.straights | DIAGONAL_LINES[king] & self.diagonals) & ~own
        occupied, pinned = self.occupied, 0
        for sniper in squares_of(snipers):
            between = BETWEEN[king][sniper] & occupied
            if between & (between - 1) == 0:
                pinned |= between
        return pinned & own

    def reach(self, src: int, occupied: int) -> int:
        """Return what the piece on `src`, no pawn, attacks."""
        match self.board[src]:
            case "N" | "n":
                return KNIGHT[src]
            case "B" | "b":
                return DIAGONAL[src][occupied & DIAGONAL_MASK[src]]
            case "R" | "r":
                return STRAIGHT[src][occupied & STRAIGHT_MASK[src]]
            case "Q" | "q":
                return STRAIGHT[src][occupied & STRAIGHT_MASK[src]] | DIAGONAL[src][occupied & DIAGONAL_MASK[src]]
        return KING[src]

    def attackers_after(self, src: int, dst: int) -> int:
        """Return who attacks the own king after the piece on `src`, allowed to or not, goes to `dst`, no castling."""
        king = self.king
        taken = BITS[dst]
        if src == king:
            return self.attackers(dst, 1 - self.turn, self.occupied & ~BITS[src]) & ~taken
        if dst == self.passant and self.pawns & BITS[src]:
            taken |= BITS[self.passed]
        occupied = self.occupied & ~BITS[src] & ~taken | BITS[dst]
        return self.attackers(king, 1 - self.turn, occupied) & ~taken

    def is_safe(self, src: int, dst: int) -> bool:
        """Return whether the own king is not attacked after the piece on `src` goes to `dst`; not for castling."""
        if dst != self.passant and not self.checkers() and not (LINES[self.king] | self.kings) & BITS[src]:
            return True  # most often: a piece that stands on no line with its king
        return not self.attackers_after(src, dst)

    # --- en passant ---

    @property
    def passed(self) -> int:
        """The square of the pawn that is captured on `passant`."""
        return self.passant - 8 if self.turn else self.passant + 8

    def captures_passant(self) -> bool:
        """Return whether a pawn can legally capture on `passant`."""
        pawns = PAWN[1 - self.turn][self.passant] & self.pawns & self.own
        return any(self.is_safe(src, self.passant) for src in squares_of(pawns))

    # --- castling ---

    def castling_rook(self, src: int, dst: int) -> int | None:
        """Return the rook's square if a move from `src` to `dst` is written like castling, else None.

        The right to castle may be lost, or its squares occupied.
        """
        if self.board[src] not in "Kk" or src >> 3 != dst >> 3:
            return None
        if self.chess960:
            return dst if self.board[dst] == "Rr"[self.turn] else None
        if src != _KING_AT_HOME[self.turn] or abs(src - dst) != 2:
            return None
        return src + 3 if dst > src else src - 4

    def castlings(self) -> list[str]:
        """Return the legal moves that castle, with the rook on White's right first."""
        rooks = self.castling & HOME_ROWS[self.turn]
        if not rooks or self.checkers():
            return []
        king = self.king
        return [
            MOVES[king][rook] if self.chess960 else MOVES[king][king + 2 if rook > king else king - 2]
            for rook in reversed(squares_of(rooks))
            if self.may_castle(rook)
        ]

    def may_castle(self, rook: int) -> bool:
        """Return whether the king may castle with the rook on this square."""
        right = self.castling & BITS[rook]
        return bool(right) and not self.castling_obstacles(rook) and not self.attackers_of_castling(rook)

    def castling_obstacles(self, rook: int) -> int:
        """Return the occupied squares that must be empty."""
        king = self.king
        king_to, rook_to = castled(king, rook)
        path = BETWEEN[king][king_to] | BITS[king_to] | BETWEEN[rook][rook_to] | BITS[rook_to]
        return path & self.occupied & ~BITS[king] & ~BITS[rook]

    def attackers_of_castling(self, rook: int) -> tuple[int, int] | None:
        """Return the first square on the king's way that is attacked, and by whom; None if he can castle safely."""
        king, other = self.king, 1 - self.turn
        king_to, rook_to = castled(king, rook)
        if checkers := self.checkers():
            return king, checkers
        rest = self.occupied ^ BITS[king]
        way = squares_of(BETWEEN[king][king_to])
        for index in way if king_to > king else reversed(way):
            if found := self.attackers(index, other, rest):
                return index, found
        found = self.attackers(king_to, other, rest & ~BITS[rook] | BITS[rook_to])
        return (king_to, found) if found else None


def castled(king: int, rook: int) -> tuple[int, int]:
    """Return the squares to which king and rook go by castling."""
    row = king & 56
    return (row + 6, row + 5) if rook > king else (row + 2, row + 3)
