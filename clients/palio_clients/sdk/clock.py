"""The time that a bot has for one answer."""

import math
import threading
import time
from dataclasses import dataclass, field

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

        An even share of the clock plus the increment, within the limit of this move.
        """
        due = math.inf if self.remaining_ms is None else self.remaining_ms / moves + self.increment_ms
        due = min(due, math.inf if self.limit_ms is None else self.limit_ms)
        return SHARE * due / 1000

    def expired(self) -> bool:
        """Return whether to stop thinking: the deadline has passed, or the turn or match has ended meanwhile."""
        return self._cancelled.is_set() or time.monotonic() >= self.deadline

    def wait(self, seconds: float) -> None:
        """Wait until an answer is no longer needed, but no longer than so many seconds."""
        self._cancelled.wait(seconds)

    def cancel(self) -> None:
        """Make `expired` true: the answer is no longer needed."""
        self._cancelled.set()
