"""`python -m palio_simulation --seeds 1..1000` plays a thousand schedules; `--seed 7 --verbose` tells one of them."""

import argparse
import os
import random
import sys
import time
from contextlib import nullcontext

from palio_rules.errors import nearest
from palio_simulation.bugs import BUGS
from palio_simulation.many import outcomes
from palio_simulation.planted import planted
from palio_simulation.report import report
from palio_simulation.run import simulate
from palio_simulation.schedule import Schedule, parse_faults
from palio_simulation.shrink import shrink

LEAST_BOTS = 4  # as in the smallest world of a seed
MANY = 1_000  # schedules, unless it is said how many


def main(arguments: list[str] | None = None) -> int:
    """0: all was well."""
    asked = _options().parse_args(arguments)
    if asked.bots is not None and (asked.seed is None or asked.bots < LEAST_BOTS):
        sys.exit(f"--bots {asked.bots}: say --seed, too, and {LEAST_BOTS} bots or more")
    if asked.planted and asked.planted not in BUGS:
        sys.exit(f"unknown bug {asked.planted!r}; {nearest(asked.planted, BUGS)}")
    with planted(BUGS[asked.planted]) if asked.planted else nullcontext():
        if asked.seed is not None:
            return _one(asked)
        return _many(asked)


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="python -m palio_simulation", description=__doc__)
    options.add_argument("--seeds", metavar="A..B", help="play these; without, a thousand from a random one on")
    options.add_argument("--seed", type=int, help="play this one")
    options.add_argument(
        "--faults", metavar="FAULTS", help='with --seed: instead of its own, as in "crash@100:server-1"'
    )
    options.add_argument("--bots", type=int, metavar="N", help="with --seed: among so many bots, say 10000 (a minute)")
    options.add_argument("--verbose", action="store_true", help="with --seed: tell all that happens")
    options.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options.add_argument("--planted", metavar="BUG", help=f"with a bug in the product: {', '.join(BUGS)}")
    options.add_argument("--first", action="store_true", help="end at the first that fails")
    return options


def _one(asked: argparse.Namespace) -> int:
    schedule = Schedule.of(asked.seed)
    if asked.bots:
        schedule = schedule.crowded(asked.bots)
    if asked.faults:
        schedule = schedule.only(parse_faults(asked.faults))
    print(schedule)
    outcome = simulate(schedule, verbose=asked.verbose)
    print(*outcome.complaints or ("all is well",), f"digest {outcome.digest}", sep="\n")
    return int(bool(outcome.complaints))


def _many(asked: argparse.Namespace) -> int:
    if asked.seeds:
        first, last = map(int, asked.seeds.split(".."))
    else:
        first = random.SystemRandom().randrange(1, 10**9)
        last = first + MANY - 1
    print(f"seeds {first}..{last}", flush=True)
    began = time.monotonic()
    played, failed, virtual = 0, 0, 0.0
    for outcome in outcomes(range(first, last + 1), 1 if asked.planted else asked.processes):
        played += 1
        virtual += outcome.seconds
        if outcome.complaints:
            failed += 1
            least = shrink(outcome.schedule, lambda schedule: bool(simulate(schedule).complaints))
            print(report(simulate(least), asked.planted), flush=True)
            if asked.first:
                break
    took = time.monotonic() - began
    hours = f"{virtual / 3600:.1f} virtual hours"
    print(f"{played} schedules, {hours} in {took:.0f} s, {played / took:.1f}/s; {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
