"""How fast Dominoes and Chexers are compiled, on one core: `python benchmarks/bench_dominoes.py [--json] [--large]`.

Each figure is the median of several runs, in seconds of CPU time, after everything has been compiled; each
proof begins with an empty table. `--large` proves boards that take minutes, too, once each.

Obsequi, Bullock's solver in C++, takes 2.02 million nodes and 1.03 s for 8x8 on the same machine: the target.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from palio_clients.kernels import chexers, dominoes
from palio_rules.games import chexers as chexers_rules
from palio_rules.games.dominoes import Position, board_of

RUNS = 5
BOARDS = ((5, 5), (6, 6), (7, 7), (6, 9), (7, 8), (8, 7), (8, 8))
LARGE = ((6, 10), (8, 9), (9, 8))
OBSEQUI = {(8, 8): (2_020_000, 1.03)}
LATE = 20  # deadlines that are tried


class Row(NamedTuple):
    what: str
    figure: float
    unit: str
    target: float | None = None

    def verdict(self) -> str:
        if self.target is None:
            return ""
        return f"{self.target:,.4g}{'' if self.figure <= self.target else '  missed'}"


def took(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    done = work()
    return time.process_time() - began, done


def rate(search: Callable[[], Any]) -> float:
    """Nodes a second."""
    return statistics.median(best.nodes / seconds for seconds, best in (took(search) for _ in range(RUNS)))


def proof_rows(boards: tuple[tuple[int, int], ...], runs: int, bits: int) -> Iterator[Row]:
    for rows, cols in boards:
        times, nodes, verdict = [], 0, 0
        for _ in range(runs):
            solver = dominoes.Solver(bits)
            seconds, (verdict, _, nodes) = took(partial(solver.move, Position(board_of(rows, cols), 0)))
            times.append(seconds)
        most, slowest = OBSEQUI.get((rows, cols), (None, None))
        what = f"dominoes {rows}x{cols}: proof, {'first' if verdict > 0 else 'second'} player wins"
        yield Row(what, nodes, "nodes", most)
        yield Row(what, statistics.median(times), "s", slowest)


def search_rows() -> Iterator[Row]:
    for side, depth in ((8, 7), (10, 6), (16, 5)):
        state = Position(board_of(side, side), 0)
        nodes = rate(partial(dominoes.alpha_beta, state, depth))
        yield Row(f"dominoes {side}x{side}: alpha-beta, depth {depth}", nodes, "nodes/s")
    start = chexers_rules.Position.of()
    yield Row("chexers: paranoid, depth 8", rate(partial(chexers.paranoid, start, 8)), "nodes/s")
    yield Row("chexers: max^n, depth 6", rate(partial(chexers.max_n, start, 6)), "nodes/s")
    engines = [took(lambda: chexers.ChexersEngine().best(start, max_depth=11)) for _ in range(RUNS)]
    strong = statistics.median(best.nodes / seconds for seconds, best in engines)
    yield Row("chexers: engine, to depth 11", strong, "nodes/s")
    yield Row("chexers: engine, to depth 11", statistics.median(seconds for seconds, _ in engines), "s")


def deadline_row() -> Row:
    """By how many seconds a proof that is to end after 50 ms is late."""
    solver, state, late = dominoes.Solver(), Position(board_of(9, 9), 0), []
    for _ in range(LATE):
        due = time.monotonic() + 0.05
        solver.move(state, lambda due=due: time.monotonic() >= due)
        late.append(time.monotonic() - due)
    return Row("dominoes 9x9: proof with a deadline of 50 ms: late, median", statistics.median(late), "s", 0.005)


def warm_rows() -> Iterator[Row]:
    """What `warm_up` takes in a fresh process: with nothing kept, and with everything."""
    story = (
        "import sys, time; began = time.process_time(); import importlib; "
        "importlib.import_module(f'palio_clients.kernels.{sys.argv[1]}').warm_up(); print(time.process_time() - began)"
    )
    for game in ("dominoes", "chexers"):
        with tempfile.TemporaryDirectory() as cache:
            for name, target in (("cold", 20.0), ("cached", 1.0)):
                command = [sys.executable, "-c", story, game]
                environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
                told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
                yield Row(f"{game}: import and warm_up, {name}", float(told.stdout), "s", target)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    parser.add_argument("--large", action="store_true", help="prove boards that take minutes, too")
    asked = parser.parse_args()
    dominoes.warm_up()
    dominoes.warm_up(board_of(9, 9))
    dominoes.warm_up(board_of(16, 16))
    chexers.warm_up()
    rows = [*proof_rows(BOARDS, RUNS, 18), *search_rows(), deadline_row(), *warm_rows()]
    if asked.large:
        rows += proof_rows(LARGE, 1, 22)
    python = f"{platform.python_implementation()} {platform.python_version()}"
    if asked.json:
        print(json.dumps({"python": python, "runs": RUNS, "dominoes": [row._asdict() for row in rows]}))
        return
    print(f"{python}, one core, CPU time, medians of {RUNS}\n")
    print(f"{'search':<62}{'measured':>16} {'unit':<10}{'target':>18}")
    for row in rows:
        figure = f"{row.figure:,.0f}" if row.figure > 100 else f"{row.figure:.4f}"
        print(f"{row.what:<62}{figure:>16} {row.unit:<10}{row.verdict():>18}")


if __name__ == "__main__":
    main()
