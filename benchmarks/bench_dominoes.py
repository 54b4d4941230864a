"""The speed of compiled Dominoes and Chexers, on one core: `python benchmarks/bench_dominoes.py [--json] [--large]`.

Each figure is the median of several runs, in seconds of CPU time, after compilation; each proof begins with an empty
table. `--large` also proves boards that take minutes, once each.

Obsequi, Bullock's solver in C++, takes 2.02 million nodes and 1.03 s for 8x8 on the same machine: the target.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from cold import cold_rows
from figures import Figure, report

from palio_clients.games.chexers import kernels as chexers
from palio_clients.games.dominoes import kernels as dominoes
from palio_rules.games import chexers as chexers_rules
from palio_rules.games.dominoes import Position, board_of

RUNS = 5
BOARDS = ((5, 5), (6, 6), (7, 7), (6, 9), (7, 8), (8, 7), (8, 8))
LARGE = ((6, 10), (8, 9), (9, 8))
OBSEQUI = {(8, 8): (2_020_000, 1.03)}
LATE = 20  # deadlines that are tried


def took(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    done = work()
    return time.process_time() - began, done


def rate(search: Callable[[], Any]) -> float:
    """Return nodes a second."""
    return statistics.median(best.nodes / seconds for seconds, best in (took(search) for _ in range(RUNS)))


def proof_rows(boards: tuple[tuple[int, int], ...], runs: int, bits: int) -> Iterator[Figure]:
    for rows, cols in boards:
        times, nodes, verdict = [], 0, 0
        for _ in range(runs):
            solver = dominoes.Solver(bits)
            seconds, (verdict, _, nodes) = took(partial(solver.move, Position(board_of(rows, cols), 0)))
            times.append(seconds)
        most, slowest = OBSEQUI.get((rows, cols), (None, None))
        what = f"dominoes {rows}x{cols}: proof, {'first' if verdict > 0 else 'second'} player wins"
        peer = f"Obsequi in C++, quoted: {most:,} nodes, {slowest} s" if most else ""
        yield Figure(what, nodes, "nodes", most, less_is_better=True, peer=peer)
        yield Figure(what, statistics.median(times), "s", slowest, less_is_better=True, peer=peer)


def search_rows() -> Iterator[Figure]:
    for side, depth in ((8, 7), (10, 6), (16, 5)):
        state = Position(board_of(side, side), 0)
        nodes = rate(partial(dominoes.alpha_beta, state, depth))
        yield Figure(f"dominoes {side}x{side}: alpha-beta, depth {depth}", nodes, "nodes/s")
    start = chexers_rules.Position.of()
    yield Figure("chexers: paranoid, depth 8", rate(partial(chexers.paranoid, start, 8)), "nodes/s")
    yield Figure("chexers: max^n, depth 6", rate(partial(chexers.max_n, start, 6)), "nodes/s")
    engines = [took(lambda: chexers.ChexersEngine().best(start, max_depth=11)) for _ in range(RUNS)]
    strong = statistics.median(best.nodes / seconds for seconds, best in engines)
    yield Figure("chexers: engine, to depth 11", strong, "nodes/s")
    yield Figure("chexers: engine, to depth 11", statistics.median(seconds for seconds, _ in engines), "s")


def deadline_row() -> Figure:
    """Measure by how many seconds a proof with a deadline of 50 ms is late."""
    solver, state, late = dominoes.Solver(), Position(board_of(9, 9), 0), []
    for _ in range(LATE):
        due = time.monotonic() + 0.05
        solver.move(state, lambda due=due: time.monotonic() >= due)
        late.append(time.monotonic() - due)
    return Figure(
        "dominoes 9x9: proof with a deadline of 50 ms: late, median",
        statistics.median(late),
        "s",
        0.005,
        less_is_better=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    parser.add_argument("--large", action="store_true", help="prove boards that take minutes, too")
    asked = parser.parse_args()
    dominoes.warm_up()
    dominoes.warm_up(board_of(9, 9))
    dominoes.warm_up(board_of(16, 16))
    chexers.warm_up()
    rows = [*proof_rows(BOARDS, RUNS, 18), *search_rows(), deadline_row(), *cold_rows("dominoes", "chexers")]
    if asked.large:
        rows += proof_rows(LARGE, 1, 22)
    report(rows, RUNS, as_json=asked.json)


if __name__ == "__main__":
    main()
