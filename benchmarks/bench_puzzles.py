"""The speed of compiled Rush Hour and Chexers Solo: `python benchmarks/bench_puzzles.py [--runs N] [--json]`.

Times are CPU time of the searching thread, medians of several runs, after compilation. Every solution is compared with
that of the rules' own solver. The peers' times are quoted: fogleman/rush (C++ and Go) and the course's handout, on a
machine with 2 cores.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from cold import cold_rows
from figures import Figure, report

from palio_clients.games.chexers_solo import kernels as chexers_solo
from palio_clients.games.rush_hour import kernels as rush_hour
from palio_rules.boards.chexers import read_rows
from palio_rules.boards.rush_hour import read_board
from palio_rules.instances import chexers_solo as boards
from palio_rules.instances import rush_hour as garages


class Yard(NamedTuple):
    name: str
    board: str
    solved_ms: float | None = None
    explored_ms: float | None = None
    peer: str = ""


class Hexes(NamedTuple):
    actions: int
    board: str
    ms: float | None = None
    explored: int | None = None
    peer: str = ""


YARDS = (
    Yard(
        "a board of 50 moves",
        "bcdde./bcf.eg/b.faag/hhhi.g/..jikk/lljmm.",
        1.0,
        None,
        "rush, quoted: C++ 8.1, Go 13.4 ms",
    ),
    Yard(
        "a space of 541,934", "bb.c../.d.cee/.daafg/h.iifg/h.jkk./llj...", None, 500.0, "rush in Go, quoted: 2,200 ms"
    ),
)
HEXES = (
    Hexes(18, "r.../...../....../r....../....../...../r..r", 10.0, 1962, "handout, quoted: 240 ms, 1,962 explored"),
    Hexes(44, "#..#/#..##/r###../r##.##./r#####/##r.#/..#.", 1000.0),
    Hexes(50, "#rr#/.r###/.####./r###..#/.#.###/#.##./#.#."),
)


def took(work: Callable[[], Any], runs: int) -> float:
    """Return milliseconds, the median."""
    times = []
    for _ in range(runs):
        began = time.thread_time()
        work()
        times.append(1000 * (time.thread_time() - began))
    return statistics.median(times)


def yard_rows(yard: Yard, runs: int) -> Iterator[Figure]:
    garage, at = read_board(yard.board.split("/"))
    plan = rush_hour.solve(garage, at)
    if plan.moves != tuple(garages.solve(garage, at) or ()):
        raise AssertionError(f"{yard.board}: another solution than that of the rules")
    positions, survey = rush_hour.Positions(garage, at), rush_hour.Survey(garage, at)
    positions.explore()
    if positions.count != survey.count:
        raise AssertionError(f"{yard.board}: {positions.count} positions, or {survey.count}")

    def explore() -> None:
        rush_hour.Positions(garage, at).explore()

    figure = partial(Figure, unit="ms", less_is_better=True)
    note = f"{len(plan.moves)} moves, {plan.expanded:,} positions looked at"
    solved, explored = took(partial(rush_hour.solve, garage, at), runs), took(explore, runs)
    surveyed = took(partial(rush_hour.Survey, garage, at), runs)
    peer = {"solved": yard.peer if yard.solved_ms else "", "explored": yard.peer if yard.explored_ms else ""}
    name, space = f"rush_hour: {yard.name}", f"{survey.count:,} positions"
    yield figure(f"{name}, solved", solved, goal=yard.solved_ms, note=note, peer=peer["solved"])
    yield figure(f"{name}, explored", explored, goal=yard.explored_ms, note=space, peer=peer["explored"])
    yield figure(f"{name}, surveyed", surveyed, note=f"{space}, the distance of each")


def hexes_rows(hexes: Hexes, runs: int) -> Iterator[Figure]:
    cells = read_rows(hexes.board, "rgb#.")
    plan = chexers_solo.solve(cells, 0)
    if not len(plan.moves) == hexes.actions == len(boards.solve(cells, 0) or ()):
        raise AssertionError(f"{hexes.board}: {hexes.actions} actions, found {len(plan.moves)}")
    name = f"chexers_solo: {hexes.actions} actions"
    spent = took(partial(chexers_solo.solve, cells, 0), runs)
    yield Figure(name, spent, "ms", hexes.ms, less_is_better=True, peer=hexes.peer)
    yield Figure(name, plan.expanded, "explored", hexes.explored, less_is_better=True, peer=hexes.peer)


def rows(runs: int) -> Iterator[Figure]:
    for yard in YARDS:
        yield from yard_rows(yard, runs)
    for hexes in HEXES:
        yield from hexes_rows(hexes, runs)
    yield from cold_rows("rush_hour", "chexers_solo")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7, help="of each measurement (default 7)")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    asked = parser.parse_args()
    for package in (chexers_solo, rush_hour):
        package.warm_up()
    report(rows(asked.runs), asked.runs, as_json=asked.json)


if __name__ == "__main__":
    main()
