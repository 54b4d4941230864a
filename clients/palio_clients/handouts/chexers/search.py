"""COMP30024, project part A: `python search.py board.json` takes all pieces off in as few actions as possible.

One action a line; every other line begins with #. Exit codes: 0 solved, 1 there is no solution, 2 the command line or
the file is wrong.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from palio_rules.errors import BadInstance

if TYPE_CHECKING:
    from palio_clients.handouts.chexers.node import Node
    from palio_clients.handouts.chexers.travel import Travel, a_star, rbfs
    from palio_clients.handouts.chexers.utils import written
else:  # as in the course: the files beside this one
    from node import Node
    from travel import Travel, a_star, rbfs
    from utils import written

ALGORITHMS = {"astar": ("A*", a_star), "rbfs": ("RBFS", rbfs)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Solve the board of the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="search.py", description="Solve Chexers for one, in as few actions as possible."
    )
    parser.add_argument("board", help='a file with {"colour": "red", "pieces": [[q, r], ...], "blocks": [[q, r], ...]}')
    parser.add_argument(
        "--algorithm", choices=ALGORITHMS, default="astar", help="A* (default), or RBFS in little memory"
    )
    options = parser.parse_args(arguments)
    name, search = ALGORITHMS[options.algorithm]
    begun = time.perf_counter()
    try:
        node = Node.read(options.board)
    except BadInstance as error:
        print(error, file=sys.stderr)  # noqa: T201  # the program's output
        return 2
    travel = search(node)
    print(report(name, travel, time.perf_counter() - begun))  # noqa: T201
    return 1 if travel.actions is None else 0


def report(algorithm: str, travel: Travel, seconds: float) -> str:
    """Return the program's output about a search."""
    if travel.actions is None:
        told = ["# there is no solution: not every piece can leave the board"]
    else:
        told = [*map(written, travel.actions), f"# {len(travel.actions)} actions, none shorter"]
    return "\n".join(
        [
            f"# algorithm: {algorithm}",
            *told,
            f"# explored nodes: {travel.explored}",
            f"# nodes in frontier: {travel.frontier}",
            f"# time: {seconds:.3f} s",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
