"""The time that a bot has for one answer."""

import math
import threading
import time
from dataclasses import dataclass, field

from palio_rules.byoyomi import Byoyomi, Stage

SHARE = 0.9  # of the remaining time; the rest pays for the network


class Flag:
    """A flag like `threading.Event`, which creates an event only for a waiter, because every turn makes a clock."""

    __slots__ = ("_event", "_is_set")

    def __init__(self) -> None:
        self._is_set = False
        self._event: threading.Event | None = None

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        self._is_set = True
        if self._event is not None:
            self._event.set()

    def wait(self, seconds: float) -> None:
        self._event = event = threading.Event()
        if not self._is_set:  # checked again after the event exists, which `set` sees
            event.wait(seconds)


@dataclass(frozen=True, slots=True)
class Clock:
    """The time on the clocks when a turn arrived; milliseconds on the referee's clock, None without a limit.

    `deadline` is in `time.monotonic()` seconds on this machine, infinity if nothing limits the move: a search polls
    `clock.expired()`, which is also true when its answer is no longer needed.
    """

    remaining_ms: int | None = None  # on this bot's clock
    increment_ms: int = 0  # added after each of its moves
    limit_ms: int | None = None  # for this move: the rest of the clock, or the limit a move, the smaller of both
    opponents_ms: tuple[int | None, ...] = ()  # the other seats, in order of play after this one
    deadline: float = math.inf
    moves_to_go: int | None = None  # of this bot until its clock gains its time again, this one included; None: never
    byoyomi: Byoyomi | None = None  # what follows main time; `remaining_ms` is the time until the flag, with all of it
    _cancelled: Flag = field(default_factory=Flag, repr=False, compare=False)

    @classmethod
    def of(cls, seconds: float) -> "Clock":
        """Return a clock with so many seconds for one move, from now on: for tests and experiments without a server."""
        ms = round(seconds * 1000)
        return cls(remaining_ms=None, limit_ms=ms, deadline=time.monotonic() + seconds)

    def seconds(self) -> float:
        """Return the seconds until the deadline, from now; never negative, infinity without a limit."""
        return max(0.0, self.deadline - time.monotonic())

    def share(self, moves: int = 30) -> float:
        """Return a reasonable number of seconds for this move, if `moves` more of them follow; may be infinity.

        Where the clock gains its time again sooner, only the moves until then count. In byo-yomi no period is lost.

        An even share of the clock plus the increment, within the limit of this move.
        """
        moves = moves if self.moves_to_go is None else min(moves, self.moves_to_go)
        due = math.inf if self.remaining_ms is None else self.even_ms(moves)
        due = min(due, math.inf if self.limit_ms is None else self.limit_ms)
        return SHARE * due / 1000

    def stage(self) -> Stage | None:
        """Return main time, the time left of the period, and the count of periods or moves; None without byo-yomi."""
        if self.byoyomi is None or self.remaining_ms is None:
            return None
        return self.byoyomi.stage(self.remaining_ms, self.moves_to_go or 0)

    def even_ms(self, moves: int) -> float:
        """Return the milliseconds for this move if `moves` take the same each; infinity without a clock."""
        if self.remaining_ms is None:
            return math.inf
        if self.byoyomi is not None:
            return self.byoyomi.even_ms(self.remaining_ms, self.moves_to_go or 0, moves)
        return self.remaining_ms / moves + self.increment_ms

    def expired(self) -> bool:
        """Return whether to stop thinking: the deadline has passed, or the turn or match has ended meanwhile."""
        return self._cancelled.is_set() or time.monotonic() >= self.deadline

    def wait(self, seconds: float) -> None:
        """Wait until an answer is no longer needed, but no longer than so many seconds."""
        self._cancelled.wait(seconds)

    def cancel(self) -> None:
        """Make `expired` true: the answer is no longer needed."""
        self._cancelled.set()
