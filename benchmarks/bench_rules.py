"""The speed of the rules in plain Python, on one core: `python benchmarks/bench_rules.py [--seconds N] [--json]`.

Two numbers a game, each the median of five runs: leaves a second of a perft from the first position, and plies a second
of random games with all work of a referee for a ply: list the legal moves as wire values, write the position, read and
check the move as it comes from the wire, play it, compute the outcome. Seconds are of this process's CPU time.

For chess and Go a third number: the microseconds in which a move is read, checked and played, and it is known whether
the game is over, at the median of the plies of a game that Stockfish or GNU Go played against itself. No list of moves
is made for it.
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
    "chess": (3, 8902),
    "chess:variant=chess960,start=0": (3, 9006),
    "dominoes": (3, 146580),
    "end_of_the_track": (3, 6264),
    "go": (2, 6643),
    "go:size=19": (2, 130683),
}

GAMES = {  # 160 plies with castling, promotion and mate
    "chess": (
        "d2d4 g8f6 g1f3 d7d5 c2c4 e7e6 c1g5 d5c4 e2e4 b7b5 a2a4 c7c6 a4b5 c6b5 e4e5 h7h6 g5h4 g7g5 f3g5 f6d5 g5f3 "
        "f8b4 b1d2 d8d7 f1e2 c8b7 e1g1 d5f4 f1e1 h8g8 e2f1 f4h3 g1h1 b4e7 g2h3 e7h4 d2e4 h4e7 b2b3 c4b3 d1b3 a7a6 "
        "b3e3 d7d5 f1g2 d5e4 e3e4 b7e4 e1e4 b8c6 f3d2 c6b4 e4f4 a8c8 d2e4 c8c4 e4d2 c4c7 f4f3 e8f8 d2e4 f8e8 f3b3 "
        "c7c4 a1d1 e8d8 b3f3 g8g7 f3g3 g7g3 h2g3 d8c7 h3h4 b4d5 g2f1 c4b4 f1e2 a6a5 e2h5 f7f5 e5f6 d5f6 e4f6 e7f6 "
        "d4d5 e6d5 d1d5 a5a4 d5d3 b4b1 h1g2 b5b4 d3f3 a4a3 h5f7 f6c3 g3g4 b1b2 h4h5 c3d2 f3f6 d2e3 f7c4 e3d4 f6f4 "
        "b2d2 g4g5 h6g5 f4g4 d2f2 g2g3 f2d2 h5h6 d4e5 g3f3 c7d6 g4g5 a3a2 c4a2 d2a2 f3e4 e5c3 e4d3 a2h2 h6h7 h2h7 "
        "d3c4 h7h4 c4b3 c3e5 b3a4 d6e6 g5g1 e6d5 g1g8 h4e4 g8e8 e5d6 e8c8 e4e3 c8h8 d5c6 h8c8 c6b6 c8c3 b4c3 a4b3 "
        "b6b5 b3c2 b5c4 c2c1 c4d3 c1b1 c3c2 b1b2 d3d2 b2a1 e3a3 a1b2 c2c1q"
    ),
    "go:size=19": (  # GNU Go 3.8 against itself
        "Q16 C4 Q4 D17 E4 E3 F3 D3 F4 C6 K4 C15 K17 R6 R8 P6 O4 N6 M4 Q14 O16 R16 R17 R15 S17 R10 R5 S7 Q9 O9 G17 Q5 "
        "R4 C10 O14 F14 F8 Q12 F10 E12 T14 S12 L6 O13 L8 M11 E18 D8 E6 D18 K11 F18 G18 E17 F2 E2 M13 H14 G11 S5 S4 T4 "
        "T3 T5 S2 G19 H19 F19 K15 N13 N14 P14 H17 S14 F16 E16 P5 Q6 O6 O7 O5 T15 N7 N8 M7 M8 L9 P15 P16 F1 G1 E1 H2 "
        "M12 L13 F17 P7 S8 O8 N10 Q10 R9 P9 F15 O11 N11 R7 Q11 Q7 S6 P10 S16 T17 E11 G16 E9 F9 G12 H12 H13 F12 G13 "
        "H11 F11 D7 C7 E8 E10 D5 J13 C5 B5 D4 B4 T16 T13 D6 J15 K14 J16 K16 J18 J17 H18 K18 J19 K19 H19 O15 P11 O10 "
        "N9 O12 N12 L12 J12 J11 P12 L10 G15 J14 H15 C8 D9 Q15 P13 L11 K13 K12 H16 M10 M9 pass pass"
    ),
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


def ply_time(spec: str) -> float:
    """Return the microseconds of a ply of a played game, at its median."""
    rules, options = game_from_spec(spec)
    state, spent = rules.start(options), []
    for move in GAMES[spec].split():
        began = time.perf_counter_ns()  # the clock of CPU time is too coarse for one ply
        state = state.play(rules.read_move(state, move))
        over = state.outcome()
        spent.append(time.perf_counter_ns() - began)
    if over is None:
        raise AssertionError(f"{spec}: the game that is played here comes to its end")
    return statistics.median(spent) / 1000


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
            "ply_us": round(median(partial(ply_time, spec)), 1) if spec in GAMES else None,
        }
        for spec in PERFT
    ]
    python = f"{platform.python_implementation()} {platform.python_version()}"
    if asked.json:
        print(json.dumps({"python": python, "runs": RUNS, "rules": rows}))
        return
    print(f"{python}, one core, CPU time, medians of {RUNS}\n")
    print(f"{'game':<32}{'perft leaves/s':>18}{'referee plies/s':>18}{'us a ply':>10}")
    for row in rows:
        speeds = f"{row['perft_leaves_per_s']:>18,}{row['referee_plies_per_s']:>18,}"
        print(f"{row['game']:<32}{speeds}{row['ply_us'] or '':>10}")


if __name__ == "__main__":
    main()
