"""`python -m palio_simulation --seeds 1..1000`, or one of them: `--seed 7 --verbose`."""

import argparse
import gc
import sys
import time

from palio_simulation.run import simulate
from palio_simulation.schedule import Schedule, parse_faults


def main() -> int:
    options = argparse.ArgumentParser(prog="palio_simulation", description=__doc__)
    options.add_argument("--seeds", default="1..200")
    options.add_argument("--seed", type=int)
    options.add_argument("--faults")
    options.add_argument("--verbose", action="store_true")
    options.add_argument("--planted")
    options.add_argument("--first", action="store_true")
    asked = options.parse_args()
    first, last = (asked.seed, asked.seed) if asked.seed is not None else map(int, asked.seeds.split(".."))
    if asked.planted:
        from palio_simulation.planted import BUGS, planted
        stack = planted(BUGS[asked.planted])
        stack.__enter__()
    gc.disable()
    began = time.perf_counter()
    failed = 0
    for seed in range(first, last + 1):
        schedule = Schedule.of(seed)
        if asked.faults:
            schedule = schedule.only(parse_faults(asked.faults))
        outcome = simulate(schedule, verbose=asked.verbose)
        if seed % 50 == 0:
            gc.collect()
        if outcome.complaints:
            failed += 1
            print(seed, schedule.text(), *outcome.complaints[:6], sep="\n    ")
            if asked.first:
                break
    took = time.perf_counter() - began
    print(f"{last - first + 1} schedules, {failed} failed, {took:.1f} s, {(last - first + 1) / took:.0f}/s; {outcome.digest} {outcome.steps} steps {outcome.seconds - 1000:.1f} s")
    return int(failed > 0)


sys.exit(main())
