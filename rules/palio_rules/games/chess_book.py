"""Opening books of chess in Polyglot's format: positions, and for each the moves with their weights.

M. Van den Bergh, "Polyglot book format", http://hgm.nubati.net/book_format.html. A file is a list of entries of 16
bytes, sorted by the position's key: key (8), move (2), weight (2), learning data (4), big-endian. Castling is written
as the king taking his rook.
"""

import struct
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Self

from palio_rules.boards.chess import EMPTY, SQUARES, STEPS, squares_of
from palio_rules.boards.polyglot import CASTLING, NUMBERS, PASSANT, PIECES, TURN
from palio_rules.errors import BadOption, quoted
from palio_rules.games.chess_pieces import HOME_ROWS
from palio_rules.games.chess_position import Position

ENTRY = struct.Struct(">QHHI")
LARGEST = 512 * 2**20  # bytes of a book; it is read into memory
_KINDS = "pPnNbBrRqQkK"  # in the order of their numbers
_PROMOTIONS = ("", "n", "b", "r", "q")
_CASTLED = {1: 6, -1: 2}  # the king's file after castling to the right, to the left


def key(state: Position, last: str = "") -> int:
    """Return the key of a position. `last` is the move before, if it is known, as in `e2e4`.

    Polyglot counts an en passant square whenever a pawn stands beside the one that moved two squares; `state` has it
    only if such a capture is legal. The last move tells the rest.
    """
    found = NUMBERS[TURN] if state.turn == 0 else 0
    for square, piece in enumerate(state.board):
        if piece != EMPTY:
            found ^= NUMBERS[PIECES + 64 * _KINDS.index(piece) + (square ^ 56)]
    for seat in (0, 1):
        king = state.board.find("Kk"[seat])
        for rook in squares_of(state.castling & HOME_ROWS[seat]):
            found ^= NUMBERS[CASTLING + 2 * seat + (rook < king)]
    file = _passant_file(state, last)
    return found if file is None else found ^ NUMBERS[PASSANT + file]


def _passant_file(state: Position, last: str) -> int | None:
    """Return the file of a pawn that has just moved two squares past a pawn of the side to move; None without one."""
    if state.passant >= 0:
        return state.passant & 7
    step = STEPS.get(last)
    if step is None or abs(step.src - step.dst) != 16 or state.board[step.dst] != "pP"[state.turn]:
        return None
    beside = [step.dst + side for side in (-1, 1) if (step.dst + side) >> 3 == step.dst >> 3]
    return step.dst & 7 if any(state.board[each] == "Pp"[state.turn] for each in beside) else None


@dataclass(frozen=True, slots=True)
class Choice:
    """The moves of a book in one position: those that are legal, with their weights, and the texts of the others."""

    moves: tuple[tuple[str, int], ...]
    illegal: tuple[str, ...] = ()

    def drawn(self, random: Random) -> str | None:
        """Return a move, drawn by weight; None if no move has a weight."""
        weights = [weight for _, weight in self.moves]
        return random.choices(self.moves, weights)[0][0] if sum(weights) else None


@dataclass(frozen=True, slots=True)
class Book:
    """A book: its entries as bytes, sorted by key."""

    entries: bytes

    @classmethod
    def read(cls, file: str) -> Self:
        """Return the book in a file. Raises BadOption for a file that is none."""
        try:
            if (size := Path(file).stat().st_size) > LARGEST:
                raise BadOption(f"the book {quoted(file)} has {size:,} bytes; at most {LARGEST:,} can be read")
            entries = Path(file).read_bytes()
        except OSError as error:
            raise BadOption(f"the book {quoted(file)} cannot be read: {error.strerror}; check the path") from None
        if not entries or len(entries) % ENTRY.size:
            raise BadOption(
                f"{quoted(file)} is no Polyglot book: it has {len(entries):,} bytes, and an entry has {ENTRY.size}; "
                "other books begin the games of all, --openings file=BOOK"
            )
        return cls(entries)

    def __len__(self) -> int:
        return len(self.entries) // ENTRY.size

    def choice(self, state: Position, last: str = "") -> Choice:
        """Return the moves in a position; see `key` for `last`."""
        legal, moves, illegal = set(state.legal_moves()), [], []
        for raw, weight in self._found(key(state, last)):
            move = _read_move(state, raw)
            if move in legal:
                moves.append((move, weight))
            else:
                illegal.append(move)
        return Choice(tuple(moves), tuple(illegal))

    def _found(self, wanted: int) -> Iterator[tuple[int, int]]:
        """Yield move and weight of each entry of the key."""
        for at in range(bisect_left(range(len(self)), wanted, key=self._key), len(self)):
            found, move, weight, _ = ENTRY.unpack_from(self.entries, at * ENTRY.size)
            if found != wanted:
                return
            yield move, weight

    def _key(self, at: int) -> int:
        return int.from_bytes(self.entries[at * ENTRY.size : at * ENTRY.size + 8])


def _read_move(state: Position, raw: int) -> str:
    """Return the text of an entry's move, legal or not; castling as it is written in `state`'s kind of chess."""
    dst, src = (raw & 63) ^ 56, (raw >> 6 & 63) ^ 56
    promotion = raw >> 12 & 7
    king, rook = "Kk"[state.turn], "Rr"[state.turn]
    if not state.chess960 and state.board[src] == king and state.board[dst] == rook:
        dst = (src & 56) + _CASTLED[1 if dst > src else -1]
    return SQUARES[src] + SQUARES[dst] + (_PROMOTIONS[promotion] if promotion < len(_PROMOTIONS) else "?")
