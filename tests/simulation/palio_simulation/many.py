"""Many schedules, in as many processes as there are cores."""

import gc
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from palio_simulation.run import Outcome, simulate
from palio_simulation.schedule import Schedule

PORTION = 50  # schedules that a process plays in a row; then it looks for garbage


def outcomes(seeds: range, processes: int) -> Iterator[Outcome]:
    """Yield the outcome of each seed, in order."""
    portions = [seeds[at : at + PORTION] for at in range(0, len(seeds), PORTION)]
    if processes < 2:
        for portion in portions:
            yield from play(portion)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for found in pool.map(play, portions):
            yield from found


def play(seeds: range) -> list[Outcome]:
    """One after the other, in this process. What most worlds leave behind is not looked at until the end."""
    gc.disable()
    try:
        return [simulate(Schedule.of(seed)) for seed in seeds]
    finally:
        gc.enable()
        gc.collect()
