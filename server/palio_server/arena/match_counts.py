"""What the matches of an arena have come to, for operators. In the midst of a ply one integer is added to, no more."""

from collections import Counter
from collections.abc import Callable
from typing import get_args

from palio_rules.contract.messages import Termination
from palio_server.metrics.histogram import COMMIT_S, TURN_S, Histogram

TIMED = 17  # of so many plies one is timed: a prime, so that every seat has its turn
CODES = 200  # different codes of rejections; games may be anybody's, and each code is a time series
OTHERS = "other"


class MatchCounts:
    """Since the server started."""

    def __init__(self) -> None:
        self.plies = 0
        self.next_timed = TIMED  # the ply after which a turn is timed again
        self.turns = Histogram(TURN_S)  # from a move's arrival until all that follows from it has been written
        self.results = Histogram(COMMIT_S)  # from a match's end until its result is committed
        self.finished: dict[str, int] = dict.fromkeys(get_args(Termination), 0)
        self.rejections: Counter[str] = Counter()
        self.aborted = 0
        self.lost = 0  # to another server
        # Whoever traces matches: told of some turns, of commits, and that a match is no longer played here.
        self.on_turn: Callable[[str, float], None] = lambda _match, _seconds: None
        self.on_commit: Callable[[str, float], None] = lambda _match, _seconds: None
        self.on_end: Callable[[str], None] = lambda _match: None

    def time_turn(self, match: str, seconds: float) -> None:
        """A turn of `match` took so long from its move's arrival."""
        self.next_timed = self.plies + TIMED
        self.turns.observe(seconds)
        self.on_turn(match, seconds)

    def finish(self, match: str, termination: str, seconds: float) -> None:
        """The result of `match` is committed, so long after its end."""
        self.finished[termination] += 1
        self.results.observe(seconds)
        self.on_commit(match, seconds)

    def reject(self, code: str) -> None:
        """A move was rejected with `code`."""
        known = code in self.rejections or len(self.rejections) < CODES
        self.rejections[code if known else OTHERS] += 1
