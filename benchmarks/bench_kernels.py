"""How fast the compiled searches are, on one core: `python benchmarks/bench_kernels.py [--json] [--peer PYTHON]`.

Each figure is the median of several runs, in seconds of this process's CPU time, after everything has been compiled.
`--peer` names the Python of an environment where `pip install open_spiel` was done; its searches are then measured in
turn with ours, on the same boards: the tree search in C++ (MCTSBot, one random rollout a simulation) and alpha-beta in
Python (leaf evaluations). Never install it beside this project: it brings versions of its own.
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
from random import Random
from typing import Any, NamedTuple

from palio_clients.kernels import breakthrough
from palio_clients.kernels import end_of_the_track as track
from palio_rules.games import end_of_track
from palio_rules.games.breakthrough import BLACK, Position, board_of

RUNS = 7
SIMULATIONS = 100_000
PLAN_WALKS = 40  # random walks of 2 to 7 moves that plans are found for
DEADLINES = 20

PEER = """
import random, sys, time
import pyspiel
from open_spiel.python.algorithms import minimax
what, side = sys.argv[1], int(sys.argv[2])
game = pyspiel.load_game(f"breakthrough(rows={side},columns={side})")
state = game.new_initial_state()
if what == "mcts":
    n = 20_000
    bot = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, 1), 2.0, n, 1000, False, 1, False)
    began = time.process_time()
    bot.mcts_search(state)
    print(n / (time.process_time() - began))
else:
    leaves = 0
    def value(state):
        global leaves
        leaves += 1
        return random.random()
    began = time.process_time()
    minimax.alpha_beta_search(game, state, value_function=value, maximum_depth=4, maximizing_player_id=0)
    print(leaves / (time.process_time() - began))
"""


class Row(NamedTuple):
    what: str
    figure: float
    unit: str
    target: float | None = None
    less_is_better: bool = False

    def verdict(self) -> str:
        if self.target is None:
            return ""
        met = self.figure <= self.target if self.less_is_better else self.figure >= self.target
        return f"{self.target:,.4g}{'' if met else '  missed'}"


def took(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    done = work()
    return time.process_time() - began, done


def rate(work: Callable[[], int]) -> float:
    """Units of work a second, of which `work` tells how many it did."""
    seconds, done = zip(*(took(work) for _ in range(RUNS)), strict=True)
    return statistics.median(count / each for count, each in zip(done, seconds, strict=True))


def repeated(work: Callable[[], int], times: int) -> Callable[[], int]:
    """For work that is over before the clock can tell."""
    return lambda: sum(work() for _ in range(times))


def first(side: int) -> Position:
    board = board_of(side, side)
    return Position(board, *board.home, BLACK)


def nodes_of(search: Callable[[], Any]) -> int:
    return int(search().nodes)


def breakthrough_rows() -> Iterator[Row]:
    for side, depth, times in ((6, 6, 5), (8, 5, 20)):
        leaves = rate(repeated(partial(breakthrough.perft, first(side), depth), times))
        yield Row(f"breakthrough {side}x{side}: perft {depth}, bulk", leaves, "leaves/s", 5e8)
    for side, depth, target in ((6, 8, 5e7), (8, 7, None)):
        search = partial(breakthrough.alpha_beta, first(side), depth)
        nodes = rate(repeated(partial(nodes_of, search), 3))
        yield Row(f"breakthrough {side}x{side}: alpha-beta, depth {depth}", nodes, "nodes/s", target)
    yield from deepening_rows(6, 9, "table and order", clever=False, nodes=1.5e7)
    yield from deepening_rows(6, 10, "clever", clever=True, seconds=0.1)
    yield from deepening_rows(8, 9, "table and order", clever=False)
    yield from deepening_rows(8, 9, "clever", clever=True)
    for side, target in ((6, 3.7e5), (8, 1.3e5)):
        games = rate(partial(nodes_of, partial(breakthrough.mcts, first(side), nodes=SIMULATIONS)))
        yield Row(f"breakthrough {side}x{side}: MCTS", games, "simulations/s", target)


def deepening_rows(
    side: int, depth: int, name: str, *, clever: bool, nodes: float | None = None, seconds: float | None = None
) -> Iterator[Row]:
    """From nothing to a depth, each time with an empty table."""
    speeds, times = [], []
    for _ in range(RUNS):
        engine = breakthrough.BreakthroughEngine(first(side).board, clever=clever)
        each, best = took(partial(engine.best, first(side), max_depth=depth))
        speeds.append(best.nodes / each)
        times.append(each)
    what = f"breakthrough {side}x{side}: {name}, to depth {depth}"
    yield Row(what, statistics.median(speeds), "nodes/s", nodes)
    yield Row(what, statistics.median(times), "s", seconds, less_is_better=True)


def track_rows() -> Iterator[Row]:
    start = end_of_track.Position.of()
    yield Row("end of the track: perft 5, bulk", rate(lambda: track.perft(start, 5)), "leaves/s")
    plain = rate(lambda: nodes_of(lambda: track.alpha_beta(start, 7)))
    yield Row("end of the track: alpha-beta, depth 7", plain, "nodes/s")
    clever = rate(lambda: nodes_of(lambda: track.EndOfTheTrackEngine().best(start, max_depth=9)))
    yield Row("end of the track: clever, to depth 9", clever, "nodes/s")
    median, worst = plan_times()
    yield Row("end of the track: plan of 2 to 7 moves, median", median, "s", 0.02, less_is_better=True)
    yield Row("end of the track: plan of 2 to 7 moves, longest", worst, "s", 0.02, less_is_better=True)


def plan_times() -> tuple[float, float]:
    goals = []
    for changes in (((0, 14),), ((0, 23),), ((1, 22), (5, 22), (11, 50)), ((4, 20), (5, 20), (6, 22), (11, 22))):
        pieces = list(end_of_track.START)
        for piece, square in changes:
            pieces[piece] = square
        goals.append(tuple(pieces))
    random = Random(1)
    for number in range(PLAN_WALKS):
        state = end_of_track.Position(end_of_track.START, 0)
        for _ in range(2 + number % 6):
            after = state.play(random.choice(list(state.legal_moves())))
            state = end_of_track.Position(after.pieces, after.turn)
        goals.append(state.pieces)
    times = [
        statistics.median(took(partial(track.plan, end_of_track.START, goal, 0))[0] for _ in range(RUNS))
        for goal in goals
    ]
    return statistics.median(times), max(times)


def deadline_row() -> Row:
    """By how many seconds a search that is to end after 50 ms is late, at worst."""
    engine, late = breakthrough.BreakthroughEngine(first(8).board), []
    for _ in range(DEADLINES):
        due = time.monotonic() + 0.05
        engine.best(first(8), lambda due=due: time.monotonic() >= due)
        late.append(time.monotonic() - due)
    return Row("deadline of 50 ms: late, median", statistics.median(late), "s", 0.005, less_is_better=True)


def cold_rows() -> Iterator[Row]:
    """What `warm_up` takes in a fresh process: with nothing kept, and with everything."""
    story = (
        "import sys, time; began = time.process_time(); import importlib; "
        "importlib.import_module(f'palio_clients.kernels.{sys.argv[1]}').warm_up(); print(time.process_time() - began)"
    )
    for game in ("breakthrough", "end_of_the_track"):
        with tempfile.TemporaryDirectory() as cache:
            for name, target in (("cold", 20.0), ("cached", 1.0)):
                told = subprocess.run(
                    [sys.executable, "-c", story, game],
                    env={**os.environ, "NUMBA_CACHE_DIR": cache},
                    capture_output=True,
                    text=True,
                    check=True,
                )
                yield Row(f"{game}: import and warm_up, {name}", float(told.stdout), "s", target, less_is_better=True)


def peer_rows(python: str) -> Iterator[Row]:
    for what, side, unit in (("mcts", 6, "simulations/s"), ("mcts", 8, "simulations/s"), ("alpha_beta", 6, "leaves/s")):
        command = [python, "-c", PEER, what, str(side)]
        told = [float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(3)]
        name = "MCTSBot (C++)" if what == "mcts" else "alpha-beta (Python), depth 4"
        yield Row(f"OpenSpiel, breakthrough {side}x{side}: {name}", statistics.median(told), unit)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    parser.add_argument("--peer", metavar="PYTHON", help="a Python that has open_spiel, to be measured beside ours")
    asked = parser.parse_args()
    breakthrough.warm_up()
    track.warm_up()
    peers = peer_rows(asked.peer) if asked.peer else ()
    rows = [*breakthrough_rows(), *peers, *track_rows(), deadline_row(), *cold_rows()]
    python = f"{platform.python_implementation()} {platform.python_version()}"
    if asked.json:
        print(json.dumps({"python": python, "runs": RUNS, "kernels": [row._asdict() for row in rows]}))
        return
    print(f"{python}, one core, CPU time, medians of {RUNS}\n")
    print(f"{'search':<62}{'measured':>16} {'unit':<14}{'target':>16}")
    for row in rows:
        figure = f"{row.figure:,.0f}" if row.figure > 100 else f"{row.figure:.4f}"
        print(f"{row.what:<62}{figure:>16} {row.unit:<14}{row.verdict():>16}")


if __name__ == "__main__":
    main()
