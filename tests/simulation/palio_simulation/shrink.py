"""Makes a failing schedule as small as it gets: with the fewest faults, and what else can be left out of its world.

Delta debugging (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002), on a list that is
so short that to leave out one after the other is as good.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from palio_simulation.schedule import Schedule

Fails = Callable[[Schedule], bool]


def shrink(schedule: Schedule, fails: Fails) -> Schedule:
    """The least schedule found that still fails."""
    while True:
        smaller = next((each for each in _smaller(schedule) if fails(each)), None)
        if smaller is None:
            return schedule
        schedule = smaller


def _smaller(schedule: Schedule) -> Iterator[Schedule]:
    """Schedules that ask less, those first that leave out most."""
    faults = schedule.faults
    for size in sorted({len(faults), len(faults) // 2, 1} - {0}, reverse=True):
        for at in range(0, len(faults), size):
            yield schedule.only(faults[:at] + faults[at + size :])
    for number, fault in enumerate(faults):
        if fault.ms > 1:
            yield schedule.only((*faults[:number], replace(fault, ms=fault.ms // 2), *faults[number + 1 :]))
