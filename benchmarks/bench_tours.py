"""The quality of tours after a given time: `python benchmarks/bench_tours.py [--runs N] [--peer PYTHON] [--json]`.

The compiled improver, on instances of TSPLIB with known optima, and on random cities; medians over several seeds, with
all preparations in the time. Ours is the CPU time of the searching thread. `--peer` names the Python of an environment
with `pip install fast-tsp ortools`, whose tours are measured in turn with ours, by wall-clock time: on a busy machine
they get less than ours. Never install these in this project's environment: they bring other versions of libraries.
"""

import argparse
import json
import statistics
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from cold import cold_rows
from figures import Figure, quantity, report

from palio_clients.games.tsp import kernels as tsp
from palio_rules.boards.cities import Instance
from palio_rules.games.tsp import random_cities
from palio_rules.instances.source import Source
from palio_rules.instances.tsp import read_tsp

TSPLIB = Path(__file__).parent / "tsplib"
OPTIMA = {"kroA100": 21282, "a280": 2579, "pcb442": 50778, "pr1002": 259045}  # TSPLIB's own list
RANDOM = "1,000 random cities"
SECONDS = (0.1, 1.0)
GOALS = {("pr1002", 1.0): 0.1}  # per cent over the optimum
QUOTED = {("pr1002", 1.0): "quoted: fast-tsp 0.0 %, OR-tools 15.7 %, nearest neighbour and 2-opt 9.5 %"}
PEERS = ("fast-tsp", "ortools")
PEER_RUNS = 3

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


def instances() -> Iterator[tuple[str, Instance, int | None]]:
    """Yield instances with their optimum, if it is known."""
    yield RANDOM, Instance.of_points(random_cities(1000, 1)), None
    for name, optimum in OPTIMA.items():
        cities = read_tsp(Source.read(TSPLIB / f"{name}.tsp"))["cities"]
        yield name, Instance.of_points(cities), optimum


def tour_within(instance: Instance, seconds: float, seed: int) -> float:
    """Return the length after so much CPU time, with all preparations."""
    clock = time.pthread_getcpuclockid(threading.get_ident())
    until = time.clock_gettime(clock) + seconds
    return tsp.Improver(instance, seed=seed).improve(stop=lambda _cost: time.clock_gettime(clock) >= until).cost


def peer_length(python: str, which: str, instance: Instance, seconds: float) -> float:
    matrix = [[instance.distance(a, b) for b in range(instance.size)] for a in range(instance.size)]
    done = subprocess.run(
        [python, "-c", PEER, which, str(seconds)], input=json.dumps(matrix), capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def measure(lengths: Sequence[float], optimum: int | None) -> float:
    """Return the median: in per cent over the optimum, or the length itself."""
    return statistics.median(lengths if optimum is None else [100 * (length / optimum - 1) for length in lengths])


def peers(python: str, instance: Instance, optimum: int | None, seconds: float) -> str:
    parts = []
    for which in PEERS:
        if which == "ortools" and seconds < 1:
            continue  # it has no first tour by then
        lengths = [peer_length(python, which, instance, seconds) for _ in range(PEER_RUNS)]
        parts.append(f"{which} {quantity(measure(lengths, optimum))}{'' if optimum is None else ' %'}")
    return ", ".join(parts)


def tour_rows(runs: int, python: str | None) -> Iterator[Figure]:
    for name, instance, optimum in instances():
        for seconds in SECONDS:
            lengths = [tour_within(instance, seconds, seed) for seed in range(1, runs + 1)]
            at = (name, seconds)
            peer = peers(python, instance, optimum, seconds) if python else QUOTED.get(at, "")
            unit, note = ("", "the length") if optimum is None else ("%", "over the optimum")
            median = measure(lengths, optimum)
            yield Figure(
                f"tsp: {name}, {seconds:g} s", median, unit, GOALS.get(at), less_is_better=True, peer=peer, note=note
            )
    yield from cold_rows("tsp")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="of each measurement (default 5)")
    parser.add_argument("--peer", metavar="PYTHON", help="a Python that has fast-tsp and ortools")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    asked = parser.parse_args()
    tsp.warm_up()
    report(tour_rows(asked.runs, asked.peer), asked.runs, as_json=asked.json)


if __name__ == "__main__":
    main()
