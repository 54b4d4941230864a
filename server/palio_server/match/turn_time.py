"""The time that an open turn has used: by the clock on the wall, or the processor time of the bot's program.

With `Setup.clock` "processor" a move costs the processor time of its program, of all its processes and threads. So
other work on the machine costs no bot a game. Behind it stands a generous limit by the wall, from which the time is
left out in which the program waited for a processor: a program that sleeps loses by it, one that is kept waiting does
not. A program that ran all the time has not waited, even if its threads have waited for each other.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

WALL_TIMES, WALL_S = 10, 2.0  # the limit by the wall: so many times the limit of a turn, and so many seconds
STARVED_TIMES = 3  # of that limit: a machine that gives a program so little cannot play this game
MACHINE_BUSY = "machine-busy"  # the reason of the result then: the match is stopped, as by an operator
LOOK_S = (0.02, 0.25)  # seconds until the next look at a turn whose time may be over, at least and at most

# Seconds of the program in a seat, since it began: on a processor, and waiting for one. None: it is not known.
Measure = Callable[[int], tuple[float, float] | None]


class WallTime:
    """The time of one turn by the wall."""

    def __init__(self, posted_at: float) -> None:
        self._posted_at = posted_at

    def spent(self, at: float) -> float:
        """Return the seconds that the turn has used at `at`."""
        return at - self._posted_at

    def verdict(self, _limit_s: float, _at: float) -> Literal["over"]:
        """Return that the time is over: the caller asks at the deadline."""
        return "over"


class ProcessorTime:
    """The time of one turn by the processor time of the program in its seat."""

    def __init__(self, measure: Measure, seat: int, posted_at: float) -> None:
        self._measure, self._seat, self._posted_at = measure, seat, posted_at
        self._first = self._read()

    def _read(self) -> tuple[float, float]:
        return self._measure(self._seat) or (0.0, 0.0)

    def _since(self) -> tuple[float, float]:
        (ran, waited), first = self._read(), self._first
        if ran < first[0]:  # another program has taken its place
            return ran, waited
        return ran - first[0], waited - first[1]

    def spent(self, _at: float) -> float:
        """Return the seconds that the turn has used by now."""
        return self._since()[0]

    def verdict(self, limit_s: float, at: float) -> "Verdict":
        """Return if the time of a turn with this limit is over at `at`, or when to look again."""
        return verdict(limit_s, at - self._posted_at, *self._since())


class Again(NamedTuple):
    """The turn is not over: look again after so many seconds."""

    after_s: float


Verdict = Literal["over", "starved"] | Again


def verdict(limit_s: float, wall_s: float, ran_s: float, waited_s: float) -> Verdict:
    """Return if a turn is over that took `wall_s` so far, in which its program ran and waited for a processor.

    "starved": the machine gave the program so little time that nothing can be said of it.
    """
    most_s = WALL_TIMES * limit_s + WALL_S
    if ran_s > limit_s or own_s(wall_s, ran_s, waited_s) >= most_s:
        return "over"
    if wall_s >= STARVED_TIMES * most_s:
        return "starved"
    return Again(min(max(limit_s - ran_s, LOOK_S[0]), LOOK_S[1]))


def own_s(wall_s: float, ran_s: float, waited_s: float) -> float:
    """Return the time of a program without that in which others kept it from running: it ran itself, or slept.

    A program of many threads, which wait for each other's processors, gains nothing by that.
    """
    return wall_s - min(waited_s, max(0.0, wall_s - ran_s))
