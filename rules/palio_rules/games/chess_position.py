"""A position of chess: its legal moves, the check of one move, and the end of the game.

FIDE, Laws of Chess (2023), articles 1 to 5 and 9, and its guidelines II for chess960.

A referee needs no list of moves: `check` looks at one move, `outcome` looks for one legal move and stops at the first.

Two positions are equal if they have the same pieces, side to move, castling rights, en passant capture and clock of
the fifty moves, and have occurred equally often. So equal positions have the same moves and the same outcome, and
different orders of moves that lead to the same position give the same key. Which other positions occurred before is
not compared: almost all positions would be different by that, and their hashes slow.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

from palio_rules.boards.chess import (
    BETWEEN,
    BITS,
    DARK,
    EMPTY,
    FULL,
    KING,
    LINES,
    MOVES,
    PAWN,
    PROMOTIONS,
    ROWS,
    STEPS,
    THROUGH,
    squares_of,
)
from palio_rules.boards.grid import text_board
from palio_rules.errors import IllegalMove
from palio_rules.game import Outcome, only_moves
from palio_rules.games.chess_pieces import HOME_ROWS, Change, Pieces, castled, changed, sets_of
from palio_rules.games.chess_refusals import SIDES, refusal
from palio_rules.position import Moves

FIFTY, SEVENTY_FIVE = 100, 150  # plies without a capture or a pawn's move
_BEFORE_LAST = (ROWS[1], ROWS[6])  # by seat: the row from which a pawn promotes


@dataclass(frozen=True, slots=True)
class Position(Pieces):
    """A position: `board` has a letter for each square, row by row from the top, as in a FEN with "." for empty ones.

    `state[row, col]` is such a letter; row 0 is rank 8. The sets of squares beside it say the same. `turn` is the seat,
    0 White, 1 Black. `castling` has the rooks that may still castle. If `chess960`, castling is written as king takes
    rook; when no right is left, nothing depends on it, and it is False. `passant` is the square that a pawn may enter
    by capturing en passant, or -1; it is set only if such a capture is legal.
    """

    clock: int = 0  # plies since the last capture or pawn's move
    seen: int = 0  # how often the position has occurred before
    number: int = field(default=1, compare=False)  # of the full move, as in a FEN
    earlier: tuple[str, ...] = field(default=(), compare=False)  # boards that could be repeated, the oldest first
    trail: tuple[str, ...] = field(default=(), compare=False)  # the moves from earlier[0] to here
    last: str | None = field(default=None, compare=False)  # for viewers; the rules do not use it
    _open: bool | None = field(init=False, default=None, compare=False, repr=False)  # computed when asked for

    @property
    def to_move(self) -> int | None:
        return self.turn if self._goes_on() else None

    def __str__(self) -> str:
        if (ended := self.outcome()) is not None:
            return text_board(self.rows(), ended.reason)
        return text_board(self.rows(), f"{SIDES[self.turn].lower()} to move{', in check' if self.checkers() else ''}")

    # --- the end ---

    def outcome(self) -> Outcome | None:
        """Return the end: "checkmate", or a draw with its reason; None while the game goes on."""
        if self._goes_on():
            return None
        if not self.has_move():
            if not self.checkers():
                return Outcome("stalemate", (0.5, 0.5))
            return Outcome("checkmate", (1.0, 0.0) if self.turn else (0.0, 1.0))
        if self._dead():
            return Outcome("dead-position", (0.5, 0.5))
        if self.seen >= 2:
            return Outcome("threefold-repetition", (0.5, 0.5))
        if self.clock >= SEVENTY_FIVE:  # only of a position that was given: play ends at fifty
            return Outcome("seventy-five-moves", (0.5, 0.5))
        return Outcome("fifty-moves", (0.5, 0.5))

    def _goes_on(self) -> bool:
        if self._open is None:
            drawn = self.clock >= FIFTY or self.seen >= 2 or self._dead()
            object.__setattr__(self, "_open", not drawn and self.has_move())
        return bool(self._open)

    def _dead(self) -> bool:
        """Return whether no moves can lead to mate: bare kings, one minor piece, or bishops of one colour."""
        if self.pawns or self.straights:
            return False
        if self.knights:
            return not self.diagonals and self.knights & (self.knights - 1) == 0
        return not self.diagonals & DARK or not self.diagonals & ~DARK

    def has_move(self) -> bool:
        """Return whether a move leaves the king safe; without one it is checkmate or stalemate."""
        if not self.checkers():  # most often a pawn that stands on no line with its king can step ahead
            loose = self.pawns & self.own & ~LINES[self.king]
            if (loose << 8 if self.turn else loose >> 8) & ~self.occupied:
                return True
        return next(self._found(), None) is not None

    # --- legal moves ---

    def legal_moves(self) -> Moves[str]:
        """Return moves by the square left, then by the one entered: a8, b8 … h1; promotions to q, r, b, n.

        Castling comes after the king's other moves, with the rook on White's right first.
        """
        return Moves(self._listed)

    def _listed(self) -> Iterator[str]:
        return self._found() if self._goes_on() else iter(())

    def _found(self) -> Iterator[str]:
        """Yield the moves that leave the king safe, even if the game is drawn here."""
        own, occupied, king, checkers = self.own, self.occupied, self.king, self.checkers()
        movers, target, pinned, pawns = own, FULL ^ own, self.pinned(), self.pawns
        if checkers & (checkers - 1):
            movers = BITS[king]  # in check from two pieces
        elif checkers:
            target = checkers | BETWEEN[king][checkers.bit_length() - 1]
        promoting = pawns & _BEFORE_LAST[self.turn]
        for src in squares_of(movers):
            bit, names = BITS[src], MOVES[src]
            if src == king:
                yield from self._of_king()
                continue
            reach = (self._of_pawn(src) if pawns & bit else self.reach(src, occupied)) & target
            if pinned & bit:
                reach &= THROUGH[king][src]
            if self.passant >= 0 and pawns & bit and self._takes_passant(src):
                reach |= BITS[self.passant]
            for dst in squares_of(reach):
                if promoting & bit:
                    yield from [names[dst] + promotion for promotion in PROMOTIONS]
                else:
                    yield names[dst]

    def _of_king(self) -> Iterator[str]:
        king, other = self.king, 1 - self.turn
        rest = self.occupied ^ BITS[king]
        for dst in squares_of(KING[king] & ~self.own):
            if not self.attackers(dst, other, rest):
                yield MOVES[king][dst]
        yield from self.castlings()

    def _of_pawn(self, src: int) -> int:
        """Return where the pawn on `src` can go, en passant left out, if the king's safety does not matter."""
        free = ~self.occupied
        if self.turn:
            step = BITS[src] << 8 & free
            steps = step | ((step & ROWS[2]) << 8 & free)
            return steps | PAWN[1][src] & self.white
        step = BITS[src] >> 8 & free
        steps = step | ((step & ROWS[5]) >> 8 & free)
        return steps | PAWN[0][src] & self.black

    def _takes_passant(self, src: int) -> bool:
        return bool(PAWN[self.turn][src] & BITS[self.passant]) and self.is_safe(src, self.passant)

    @only_moves
    def check(self, move: str) -> None:
        """Raise IllegalMove, with the reason, unless `move` can be played here."""
        step = STEPS.get(move)
        if not self._goes_on():
            raise IllegalMove("game-over", "the game is over")
        if step is None or not self._may(*step):
            raise refusal(self, move)

    def _may(self, src: int, dst: int, promotion: str) -> bool:
        own, bit = self.own, BITS[src]
        if not own & bit:
            return False
        rook = self.castling_rook(src, dst)
        if rook is not None:
            return not promotion and self.may_castle(rook)
        if self.pawns & bit:
            if (promotion != "") != (bit & _BEFORE_LAST[self.turn] != 0):
                return False
            if dst == self.passant and PAWN[self.turn][src] & BITS[dst]:
                return self.is_safe(src, dst)
            reach = self._of_pawn(src)
        else:
            reach = 0 if promotion else self.reach(src, self.occupied) & ~own
        return bool(reach & BITS[dst]) and self.is_safe(src, dst)

    # --- a move is played ---

    def play(self, move: str) -> Self:
        step = STEPS.get(move)
        if step is None or self.board[step.src] == EMPTY:
            raise refusal(self, move)
        src, dst, promotion = step
        turn, piece = self.turn, self.board[src]
        castling, passant = self.castling & ~BITS[src] & ~BITS[dst], -1
        rook = self.castling_rook(src, dst)
        if piece in "Kk":
            castling &= ~HOME_ROWS[turn]
        if rook is not None:
            king_to, rook_to = castled(src, rook)
            changes: list[Change] = [(src, EMPTY), (rook, EMPTY), (king_to, piece), (rook_to, "Rr"[turn])]
        elif promotion:
            changes = [(src, EMPTY), (dst, promotion if turn else promotion.upper())]
        else:
            changes = [(src, EMPTY), (dst, piece)]
        if piece in "Pp":
            clock = 0
            if dst == self.passant:
                changes.append((self.passed, EMPTY))
            elif dst - src in {16, -16}:
                passant = (src + dst) >> 1
        else:
            clock = self.clock + 1 if rook is not None or self.board[dst] == EMPTY else 0
        board, sets = changed(self.board, self.sets, changes)
        earlier: tuple[str, ...] = ()
        trail: tuple[str, ...] = ()
        if clock and castling == self.castling and self.passant < 0:
            earlier, trail = (*self.earlier, self.board), (*self.trail, move)
        after = type(self)(
            board,
            *sets,
            1 - turn,
            castling,
            self.chess960 and castling != 0,
            passant,
            clock,
            earlier[-4::-2].count(board) if len(earlier) > 3 else 0,
            self.number + turn,
            earlier,
            trail,
            move,
        )
        if passant >= 0 and not after.captures_passant():
            object.__setattr__(after, "passant", -1)  # nothing else has a reference to it yet
        return after


def placed(
    board: str,
    turn: int = 0,
    castling: int = 0,
    passant: int = -1,
    clock: int = 0,
    number: int = 1,
    *,
    chess960: bool = False,
) -> Position:
    """Return the position with these pieces; `board` has 64 letters. Nothing is checked."""
    chess960 = chess960 and castling != 0
    return Position(board, *sets_of(board), turn, castling, chess960, passant, clock, number=number)
