"""How fast the compiled solvers of the races are, on one core.

    python benchmarks/bench_puzzles.py [--tsplib DIRECTORY] [--runs N] [--peer PYTHON] [--json]

Times are CPU time of the thread that searches, medians of several runs, after everything has been compiled; tours are
the medians of as many seeds. `--tsplib` names a directory with `pr1002.tsp` and others of TSPLIB, whose optima are
known. `--peer` names the Python of an environment with `pip install fast-tsp ortools`, whose tours are then measured as
well, by the time on the wall. Never install these beside this project: they bring versions of their own.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from palio_clients.kernels import chexers_solo, rush_hour, tsp
from palio_rules.games.chexers_board import read_rows
from palio_rules.games.rush_hour_board import read_board
from palio_rules.games.tsp import random_cities
from palio_rules.games.tsp_instance import Instance
from palio_rules.instances import chexers_solver, rush_hour_solver
from palio_rules.instances.source import Source
from palio_rules.instances.tsplib import read_tsp

OPTIMA = {"kroA100": 21282, "a280": 2579, "pcb442": 50778, "pr1002": 259045}  # TSPLIB's own list
SECONDS = (0.1, 1.0)
FIFTY = "bcdde./bcf.eg/b.faag/hhhi.g/..jikk/lljmm."
LARGEST = "bb.c../.d.cee/.daafg/h.iifg/h.jkk./llj..."
CHEXERS = {
    18: "r.../...../....../r....../....../...../r..r",
    44: "#..#/#..##/r###../r##.##./r#####/##r.#/..#.",
    50: "#rr#/.r###/.####./r###..#/.#.###/#.##./#.#.",
}

PEER = """
import json, sys, time
import numpy as np
which, seconds = sys.argv[1], float(sys.argv[2])
matrix = np.array(json.load(sys.stdin))
if which == "fast-tsp":
    import fast_tsp
    tour = fast_tsp.find_tour(matrix.tolist(), duration_seconds=seconds)
else:
    from ortools.constraint_solver import pywrapcp, routing_enums_pb2
    manager = pywrapcp.RoutingIndexManager(len(matrix), 1, 0)
    model = pywrapcp.RoutingModel(manager)
    rows = matrix.tolist()
    way = model.RegisterTransitMatrix(rows)
    model.SetArcCostEvaluatorOfAllVehicles(way)
    asked = pywrapcp.DefaultRoutingSearchParameters()
    asked.local_search_metaheuristic = routing_enums_pb2.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    asked.time_limit.FromMilliseconds(round(1000 * seconds))
    found = model.SolveWithParameters(asked)
    tour, at = [], model.Start(0)
    while found and not model.IsEnd(at):
        tour.append(manager.IndexToNode(at))
        at = found.Value(model.NextVar(at))
print(sum(int(matrix[a, b]) for a, b in zip(tour, tour[1:] + tour[:1])))
"""


class Row(NamedTuple):
    what: str
    figure: float
    unit: str
    note: str = ""


def took(work: Callable[[], Any], runs: int) -> float:
    """Milliseconds, the median."""
    times = []
    for _ in range(runs):
        began = time.thread_time()
        work()
        times.append(1000 * (time.thread_time() - began))
    return statistics.median(times)


def puzzle_rows(runs: int) -> Iterator[Row]:
    for name, text in (("the 50-move board", FIFTY), ("a board with 541,934 positions", LARGEST)):
        garage, at = read_board(text.split("/"))
        plan = rush_hour.solve(garage, at)
        if plan.moves != tuple(rush_hour_solver.solve(garage, at) or ()):
            raise AssertionError(f"{text}: another solution than that of the rules")
        note = f"{len(plan.moves)} moves, {plan.expanded:,} positions looked at"
        yield Row(f"rush_hour: {name}, solved", took(lambda: rush_hour.solve(garage, at), runs), "ms", note)  # noqa: B023
        survey = rush_hour.Survey(garage, at)
        note = f"{survey.count:,} positions, the distance of each"
        yield Row(f"rush_hour: {name}, surveyed", took(lambda: rush_hour.Survey(garage, at), runs), "ms", note)  # noqa: B023
        positions = rush_hour.Positions(garage, at)
        positions.explore()
        assert positions.count == survey.count
        yield Row(
            f"rush_hour: {name}, explored",
            took(lambda: rush_hour.Positions(garage, at).explore(), runs),  # noqa: B023
            "ms",
            f"{survey.count:,} positions",
        )
    for length, text in CHEXERS.items():
        cells = read_rows(text, "rgb#.")
        plan = chexers_solo.solve(cells, 0)
        if not len(plan.moves) == length == len(chexers_solver.solve(cells, 0) or ()):
            raise AssertionError(f"{text}: {length} actions, found {len(plan.moves)}")
        note = f"{plan.expanded:,} positions explored"
        yield Row(
            f"chexers_solo: a position of {length} actions",
            took(lambda: chexers_solo.solve(cells, 0), runs),  # noqa: B023
            "ms",
            note,
        )


def tour_within(instance: Instance, seconds: float, seed: int) -> tuple[float, int]:
    """Its length after so much CPU time, with all preparations; and the kicks."""
    clock = time.pthread_getcpuclockid(threading.get_ident())
    until = time.clock_gettime(clock) + seconds
    found = tsp.Improver(instance, seed=seed).improve(stop=lambda _cost: time.clock_gettime(clock) >= until)
    return found.cost, found.steps


def tour_rows(runs: int, tsplib: Path | None, peer: str | None) -> Iterator[Row]:
    instances = {"1,000 cities at random": (Instance.of_points(random_cities(1000, 1)), None)}
    for name, optimum in OPTIMA.items() if tsplib else ():
        cities = read_tsp(Source.read(tsplib / f"{name}.tsp"))["cities"]  # type: ignore[operator]
        instances[name] = (Instance.of_points(cities), optimum)
    for name, (instance, optimum) in instances.items():
        for seconds in SECONDS:
            found = [tour_within(instance, seconds, seed) for seed in range(1, runs + 1)]
            costs, kicks = zip(*found, strict=True)
            yield tour_row(f"tsp: {name}, {seconds:g} s", costs, optimum, f"{statistics.median(kicks):,.0f} kicks")
            for which in ("fast-tsp", "ortools") if peer else ():
                if which == "ortools" and seconds < 1:
                    continue  # it has no first tour by then
                costs = [peer_length(str(peer), which, instance, seconds) for _ in range(min(runs, 3))]
                yield tour_row(f"  {which}, {seconds:g} s", costs, optimum)


def tour_row(what: str, costs: Any, optimum: int | None, note: str = "") -> Row:
    if optimum is None:
        return Row(what, statistics.median(costs), "", note)
    gaps = [100 * (cost / optimum - 1) for cost in costs]
    return Row(what, statistics.median(gaps), "%", f"{min(gaps):.2f} to {max(gaps):.2f} over the optimum; {note}")


def peer_length(python: str, which: str, instance: Instance, seconds: float) -> float:
    matrix = [[instance.distance(a, b) for b in range(instance.size)] for a in range(instance.size)]
    done = subprocess.run(
        [python, "-c", PEER, which, str(seconds)], input=json.dumps(matrix), capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def cold_rows() -> Iterator[Row]:
    """Seconds until a package is warm: with nothing kept, and then with what that has kept."""
    for game in ("tsp", "rush_hour", "chexers_solo"):
        story = (
            "import importlib, time; began = time.process_time(); "
            f"importlib.import_module('palio_clients.kernels.{game}').warm_up(); print(time.process_time() - began)"
        )
        with tempfile.TemporaryDirectory() as kept:
            for when in ("the first time", "afterwards"):
                done = subprocess.run(
                    [sys.executable, "-c", story],
                    env={**os.environ, "NUMBA_CACHE_DIR": kept},
                    capture_output=True,
                    text=True,
                    check=True,
                )
                yield Row(f"{game}: warm_up, {when}", float(done.stdout), "s", "with all imports")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tsplib", type=Path, help="directory with TSPLIB's files")
    parser.add_argument("--runs", type=int, default=7, help="of each measurement (default 7)")
    parser.add_argument("--peer", help="Python of an environment with fast-tsp and ortools")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    asked = parser.parse_args()
    for package in (chexers_solo, rush_hour, tsp):
        package.warm_up()
    rows = [*puzzle_rows(asked.runs), *tour_rows(asked.runs, asked.tsplib, asked.peer), *cold_rows()]
    python = f"{platform.python_implementation()} {platform.python_version()}"
    if asked.json:
        print(json.dumps({"python": python, "runs": asked.runs, "puzzles": [row._asdict() for row in rows]}))
        return
    print(f"{python}, one core, CPU time, medians of {asked.runs}\n")
    for row in rows:
        figure = f"{row.figure:,.2f}" if row.unit else f"{row.figure:,.0f}"
        print(f"{row.what:<58}{figure:>12} {row.unit:<4}{row.note}")


if __name__ == "__main__":
    main()
