"""How much time a bot has for one answer."""

import math
import threading
import time
from dataclasses import dataclass, field

SHARE = 0.9  # of the time that is due, the rest pays for the way to the server and back


class Flag:
    """As `threading.Event`, of which one is made only if somebody waits: a clock is made for every turn."""

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
        if not self._is_set:  # after the event is there for `set` to see
            event.wait(seconds)


@dataclass(frozen=True, slots=True)
class Clock:
    """The time on the clocks when a turn arrived; milliseconds on the referee's clock, None where there is no limit.

    `deadline` is in `time.monotonic()` seconds on this machine, infinity where nothing limits the move: a search
    polls `clock.expired()`, which also turns true when nobody waits for its answer any more.
    """

    remaining_ms: int | None = None  # on this bot's clock
    increment_ms: int = 0  # added after each of its moves
    limit_ms: int | None = None  # for this move: what is left, or the limit a move, whichever is less
    opponents_ms: tuple[int | None, ...] = ()  # the other seats, in order of play after this one
    deadline: float = math.inf
    _cancelled: Flag = field(default_factory=Flag, repr=False, compare=False)

    @classmethod
    def of(cls, seconds: float) -> "Clock":
        """A clock with so many seconds for one move, from now on: for tests and experiments without a server."""
        ms = round(seconds * 1000)
        return cls(remaining_ms=None, limit_ms=ms, deadline=time.monotonic() + seconds)

    def seconds(self) -> float:
        """How many seconds are left until the deadline, from now; never negative, infinity without a limit."""
        return max(0.0, self.deadline - time.monotonic())

    def share(self, moves: int = 30) -> float:
        """A reasonable number of seconds to spend on this move, if `moves` more of them are to come; may be infinity.

        An even share of the clock with the increment on top, within the limit of this move.
        """
        due = math.inf if self.remaining_ms is None else self.remaining_ms / moves + self.increment_ms
        due = min(due, math.inf if self.limit_ms is None else self.limit_ms)
        return SHARE * due / 1000

    def expired(self) -> bool:
        """Whether to stop thinking: the deadline has passed, or the turn or match has ended meanwhile."""
        return self._cancelled.is_set() or time.monotonic() >= self.deadline

    def wait(self, seconds: float) -> None:
        """Do nothing until nobody waits for an answer any more, but no longer than so many seconds."""
        self._cancelled.wait(seconds)

    def cancel(self) -> None:
        """Make `expired` true: nobody waits for the answer any more."""
        self._cancelled.set()
