"""One turn, from when it is posted until it is answered, and the legal moves that it lists."""

from dataclasses import dataclass
from itertools import islice
from typing import Any

from msgspec import msgpack
from msgspec.structs import replace

from palio_rules.contract.messages import Rejected, Turn
from palio_rules.game import Game

MAX_LISTED = 1000  # where there are more, bots know the rules themselves


class LegalMoves:
    """Lists the moves of one match. Whether they need to be translated for the wire is found out at the first turn."""

    def __init__(self, rules: Game[Any, Any]) -> None:
        self._rules = rules
        self._as_is: bool | None = None  # a move is written as it is

    def listed(self, state: Any) -> list[Any] | None:
        """The legal moves as the wire shows them; None if there are too many."""
        moves = list(islice(state.legal_moves(), MAX_LISTED + 1))
        if len(moves) > MAX_LISTED:
            return None
        if self._as_is is None:
            written = [self._rules.move_to_wire(move) for move in moves]
            self._as_is = all(isinstance(move, tuple) for move in moves) and _alike(moves, written)
        return moves if self._as_is else [self._rules.move_to_wire(move) for move in moves]


def _alike(moves: list[Any], written: list[Any]) -> bool:
    """Whether moves become the same bytes as what the game's `move_to_wire` makes of them."""
    try:
        return msgpack.encode(moves) == msgpack.encode(written)
    except TypeError:  # a tuple that holds what msgspec cannot write
        return False


@dataclass(slots=True)
class OpenTurn:
    """A turn that waits for its answer. Times are the event loop's seconds.

    A turn may be sent again while its answer is on the way. If that answer is rejected, the bot, which cannot know
    better, may answer the second copy with the same move: that echo is no second mistake, once a turn.
    """

    message: Turn
    seat: int
    posted_at: float
    deadline: float  # for an answer; an absent bot may lose earlier
    resend_at: float
    rejected: tuple[str, Rejected] | None = None  # the last rejected move, as quoted, and the answer to it
    _copied: bool = False  # sent again after a rejection
    _echoed: bool = False

    def again(self, at: float, clocks_ms: list[int | None], moves: list[Any] | None) -> Turn:
        """The turn as it is sent again at `at`, with what is left of its time, perhaps to another program."""
        self._copied = self._copied or self.rejected is not None
        limit = self.message.limit_ms
        if limit is not None:
            limit = max(0, limit - max(0, round((at - self.posted_at) * 1000)))
        return replace(self.message, limit_ms=limit, clocks_ms=clocks_ms, moves=moves)

    def echo(self, quote: str) -> Rejected | None:
        """The answer that the move has had already, if it may be an echo; it may be so only once."""
        if self.rejected is None or self.rejected[0] != quote or not self._copied or self._echoed:
            return None
        self._echoed = True
        return self.rejected[1]
