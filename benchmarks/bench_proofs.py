"""The speed of proofs of Breakthrough and End of the Track, on one core: `python benchmarks/bench_proofs.py [--large]`.

By proof-number search alone, without the deepening with which `palio solve` begins, each with an empty table; seconds
of CPU time, after compilation. `--large` also proves boards that take minutes, once each.
"""

import argparse
import statistics
import time
from collections.abc import Iterator

from figures import Figure, report

from palio_clients.games.breakthrough.kernels import prover as breakthrough
from palio_clients.games.end_of_the_track.kernels import prover as end_of_the_track
from palio_rules.games import end_of_track
from palio_rules.games.breakthrough import Position, board_of

RUNS = 3
BOARDS = ((5, 3), (5, 4))
LARGE = ((5, 5), (6, 4))
FAR = {  # pieces, the side to move, the winner: from games of the engine against itself
    "36,30,3,34,55,36,24,38,39,11,26,39": (1, 1),
    "31,45,3,15,48,3,11,36,52,29,8,8": (0, 1),
}


def board_rows(boards: tuple[tuple[int, int], ...], runs: int) -> Iterator[Figure]:
    for rows, cols in boards:
        board, times = board_of(rows, cols), []
        for _ in range(runs):
            prover = breakthrough.Prover(board)
            began = time.process_time()
            found = prover.prove(Position(board, *board.home))
            times.append(time.process_time() - began)
        what = f"breakthrough {rows}x{cols}: proof, {'first' if found.verdict > 0 else 'second'} player wins"
        yield Figure(what, found.nodes, "nodes", note=f"within {found.plies} plies")
        yield Figure(what, statistics.median(times), "s")


def far_rows() -> Iterator[Figure]:
    for pieces, (turn, winner) in FAR.items():
        state, times = end_of_track.Position.of(tuple(map(int, pieces.split(","))), turn), []
        for _ in range(RUNS):
            prover = end_of_the_track.Prover()
            began = time.process_time()
            found = prover.prove(state, winner)
            times.append(time.process_time() - began)
        what = f"end_of_the_track: proof of a win within {found.plies} plies"
        yield Figure(what, found.nodes, "nodes")
        yield Figure(what, statistics.median(times), "s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    parser.add_argument("--large", action="store_true", help="prove boards that take minutes, too")
    asked = parser.parse_args()
    breakthrough.warm_up()
    end_of_the_track.warm_up()
    rows = [*board_rows(BOARDS, RUNS), *far_rows()]
    if asked.large:
        rows += board_rows(LARGE, 1)
    report(rows, RUNS, as_json=asked.json)


if __name__ == "__main__":
    main()
