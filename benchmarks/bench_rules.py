"""The speed of the rules in plain Python, on one core: `python benchmarks/bench_rules.py [--seconds N] [--json]`.

Two numbers a game, each the median of five runs: leaves a second of a perft from the first position, and plies a second
of random games with all work of a referee for a ply: list the legal moves as wire values, write the position, read and
check the move as it comes from the wire, play it, compute the outcome. Seconds are of this process's CPU time.
"""

import argparse
import json
import platform
import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from palio_rules.registry import game_from_spec

RUNS = 5
PERFT = {
    "breakthrough": (4, 71478),
    "breakthrough:rows=8,cols=8": (3, 11132),
    "dominoes": (3, 146580),
    "end_of_the_track": (3, 6264),
}


def perft(state: Any, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(perft(state.play(move), depth - 1) for move in state.legal_moves())


def perft_speed(spec: str) -> float:
    """Return leaves a second; every leaf is played, none only counted."""
    depth, expected = PERFT[spec]
    rules, options = game_from_spec(spec)
    state = rules.start(options)
    began = time.process_time()
    found = perft(state, depth)
    took = time.process_time() - began
    if found != expected:
        raise AssertionError(f"{spec}: perft({depth}) is {expected}, counted {found}")
    return found / took


def referee_speed(spec: str, seconds: float) -> float:
    """Return plies a second of random games, with a referee's work."""
    rules, options = game_from_spec(spec)
    choose = random.Random(1)
    plies, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        state = rules.start(options)
        over = state.outcome()
        while over is None:
            moves = [rules.move_to_wire(move) for move in state.legal_moves()]
            rules.format_state(state)
            state = state.play(rules.read_move(state, moves[int(choose.random() * len(moves))]))
            over = state.outcome()
            plies += 1
    return plies / (time.process_time() - began)


def median(measure: Callable[[], float]) -> float:
    measure()  # tables are built, caches are warm
    return statistics.median(measure() for _ in range(RUNS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0, help="length of each run of random games (default 1)")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    asked = parser.parse_args()
    rows = [
        {
            "game": spec,
            "perft_leaves_per_s": round(median(partial(perft_speed, spec))),
            "referee_plies_per_s": round(median(partial(referee_speed, spec, asked.seconds))),
        }
        for spec in PERFT
    ]
    python = f"{platform.python_implementation()} {platform.python_version()}"
    if asked.json:
        print(json.dumps({"python": python, "runs": RUNS, "rules": rows}))
        return
    print(f"{python}, one core, CPU time, medians of {RUNS}\n")
    print(f"{'game':<30}{'perft leaves/s':>18}{'referee plies/s':>18}")
    for row in rows:
        print(f"{row['game']:<30}{row['perft_leaves_per_s']:>18,}{row['referee_plies_per_s']:>18,}")


if __name__ == "__main__":
    main()
