"""The speed of the compiled searches, on one core: `python benchmarks/bench_kernels.py [--json] [--peer PYTHON]`.

Each figure is the median of several runs, in seconds of this process's CPU time, after compilation. `--peer` names the
Python of an environment with `pip install open_spiel`; its searches are then measured in turn with ours, on the same
boards: the tree search in C++ (MCTSBot, one random rollout a simulation) and alpha-beta in Python (leaf evaluations).
Never install it in this project's environment: it brings other versions of libraries.
"""

import argparse
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any

from cold import cold_rows
from figures import Figure, quantity, report

from palio_clients.games.breakthrough import kernels as breakthrough
from palio_clients.games.chess import kernels as chess
from palio_clients.games.end_of_the_track import kernels as track
from palio_rules.games import end_of_track
from palio_rules.games.breakthrough import BLACK, Position, board_of
from palio_rules.games.chess import Chess

RUNS = 7
SIMULATIONS = 100_000
PLAN_WALKS = 40  # random walks of 2 to 7 moves, for which plans are searched
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
elif what == "perft":
    def perft(state, depth):
        if depth == 1 or state.is_terminal():
            return len(state.legal_actions())
        return sum(perft(state.child(action), depth - 1) for action in state.legal_actions())
    began = time.process_time()
    leaves = perft(state, 4)
    print(leaves / (time.process_time() - began))
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


def took(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    done = work()
    return time.process_time() - began, done


def rate(work: Callable[[], int]) -> float:
    """Return units of work a second; `work` returns how many it did."""
    seconds, done = zip(*(took(work) for _ in range(RUNS)), strict=True)
    return statistics.median(count / each for count, each in zip(done, seconds, strict=True))


def repeated(work: Callable[[], int], times: int) -> Callable[[], int]:
    """Return work repeated several times, because once is too short for the clock."""
    return lambda: sum(work() for _ in range(times))


def first(side: int) -> Position:
    board = board_of(side, side)
    return Position(board, *board.home, BLACK)


def nodes_of(search: Callable[[], Any]) -> int:
    return int(search().nodes)


def breakthrough_rows(python: str | None) -> Iterator[Figure]:
    """Yield our figures, each followed by its peer's of the same run; without a peer by its older figures."""
    for side, depth, times in ((6, 6, 5), (8, 5, 20)):
        peer = open_spiel(python, "perft", side, "leaves/s") or "OpenSpiel from Python, quoted: 15 to 18 M leaves/s"
        leaves = rate(repeated(partial(breakthrough.perft, first(side), depth), times))
        yield Figure(f"breakthrough {side}x{side}: perft {depth}, bulk", leaves, "leaves/s", 5e8, peer=peer)
    for side, depth, goal in ((6, 8, 5e7), (8, 7, None)):
        peer = open_spiel(python, "alpha_beta", side, "leaves/s") or "OpenSpiel in Python, quoted: 0.23 M leaves/s"
        search = partial(breakthrough.alpha_beta, first(side), depth)
        nodes = rate(repeated(partial(nodes_of, search), 3))
        yield Figure(f"breakthrough {side}x{side}: alpha-beta, depth {depth}", nodes, "nodes/s", goal, peer=peer)
    yield from deepening_rows(6, 9, "table and order", clever=False, nodes=1.5e7)
    yield from deepening_rows(6, 10, "clever", clever=True, seconds=0.1)
    yield from deepening_rows(8, 9, "table and order", clever=False)
    yield from deepening_rows(8, 9, "clever", clever=True)
    for side, quoted in ((6, 7.4e4), (8, 2.6e4)):
        found = peer_rate(python, "mcts", side) if python else None
        peer = f"OpenSpiel in C++{'' if found else ', quoted'}: {quantity(found or quoted)}, the goal is 5 times it"
        games = rate(partial(nodes_of, partial(breakthrough.mcts, first(side), nodes=SIMULATIONS)))
        yield Figure(f"breakthrough {side}x{side}: MCTS", games, "simulations/s", 5 * (found or quoted), peer=peer)


def deepening_rows(
    side: int, depth: int, name: str, *, clever: bool, nodes: float | None = None, seconds: float | None = None
) -> Iterator[Figure]:
    """Yield the times from nothing to a depth, each with an empty table."""
    speeds, times = [], []
    for _ in range(RUNS):
        engine = breakthrough.BreakthroughEngine(first(side).board, clever=clever)
        each, best = took(partial(engine.best, first(side), max_depth=depth))
        speeds.append(best.nodes / each)
        times.append(each)
    what = f"breakthrough {side}x{side}: {name}, to depth {depth}"
    yield Figure(what, statistics.median(speeds), "nodes/s", nodes)
    yield Figure(what, statistics.median(times), "s", seconds, less_is_better=True)


def track_rows() -> Iterator[Figure]:
    start = end_of_track.Position.of()
    yield Figure("end of the track: perft 5, bulk", rate(lambda: track.perft(start, 5)), "leaves/s")
    plain = rate(lambda: nodes_of(lambda: track.alpha_beta(start, 7)))
    yield Figure("end of the track: alpha-beta, depth 7", plain, "nodes/s")
    clever = rate(lambda: nodes_of(lambda: track.EndOfTheTrackEngine().best(start, max_depth=9)))
    yield Figure("end of the track: clever, to depth 9", clever, "nodes/s")
    median, worst = plan_times()
    yield Figure("end of the track: plan of 2 to 7 moves, median", median, "s", 0.02, less_is_better=True)
    peer = "the course allows 40 minutes for its set"
    yield Figure("end of the track: plan of 2 to 7 moves, longest", worst, "s", 0.02, less_is_better=True, peer=peer)


def chess_rows() -> Iterator[Figure]:
    rules = Chess()
    start = rules.start(rules.options_type())
    yield Figure("chess: perft 5, bulk", rate(lambda: chess.perft(start, 5)), "leaves/s")
    middle = rules.parse_state("r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 2 9")
    for name, state in (("the first position", start), ("a middle game", middle)):
        nodes = rate(lambda state=state: nodes_of(lambda: chess.ChessEngine().best(state, max_depth=11)))
        yield Figure(f"chess: clever, {name} to depth 11", nodes, "nodes/s")


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


def deadline_row() -> Figure:
    """Measure by how many seconds a search with a deadline of 50 ms is late, at worst."""
    engine, late = breakthrough.BreakthroughEngine(first(8).board), []
    for _ in range(DEADLINES):
        due = time.monotonic() + 0.05
        engine.best(first(8), lambda due=due: time.monotonic() >= due)
        late.append(time.monotonic() - due)
    return Figure("deadline of 50 ms: late, median", statistics.median(late), "s", 0.005, less_is_better=True)


def peer_rate(python: str, what: str, side: int) -> float:
    command = [python, "-c", PEER, what, str(side)]
    rates = [float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(3)]
    return statistics.median(rates)


def open_spiel(python: str | None, what: str, side: int, unit: str) -> str:
    return f"OpenSpiel from Python: {quantity(peer_rate(python, what, side))} {unit}" if python else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    parser.add_argument("--peer", metavar="PYTHON", help="a Python that has open_spiel, to be measured beside ours")
    asked = parser.parse_args()
    breakthrough.warm_up()
    track.warm_up()
    chess.warm_up()
    report(
        [
            *breakthrough_rows(asked.peer),
            *track_rows(),
            *chess_rows(),
            deadline_row(),
            *cold_rows("breakthrough", "end_of_the_track", "chess"),
        ],
        RUNS,
        as_json=asked.json,
    )


if __name__ == "__main__":
    main()
