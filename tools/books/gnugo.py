"""The openings of Go on 9x9: random stones away from the edge, level by our own search and by GNU Go's estimate.

Searches end after a number of simulations, and GNU Go has a seed, so the same version gives the same book.
"""

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from palio_clients.games.go.kernels import mcts
from palio_rules.games.go import Go, GoOptions
from palio_rules.games.go_position import Position

PROGRAMS = ("gnugo", "/usr/games/gnugo")  # Debian keeps it where PATH may not lead
EDGE = 2  # rows and columns that are left empty
_ESTIMATE = re.compile(r"= ([BW])\+([0-9.]+)|= 0")


@dataclass(frozen=True)
class GoRecipe:
    """`most`: how far the mean result of games may be from a half, as the search finds with `nodes`.

    A `glance` of fewer comes first. `points`: what GNU Go may estimate a side to be ahead by, without the komi: that is
    the price of the right to move, which Black has after an even number of plies.
    """

    plies: int
    size: int
    nodes: int
    most: float
    glance: int
    points: float


class GnuGo:
    """A running GNU Go. Raises FileNotFoundError if it is not installed."""

    def __init__(self) -> None:
        found = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
        if found is None:
            raise FileNotFoundError("GNU Go is not installed; on Debian, apt install gnugo")
        self._process = subprocess.Popen(  # noqa: S603 - the program of this name that the maker has installed
            [found, "--mode", "gtp", "--chinese-rules", "--level", "10", "--seed", "1"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.name = f"GNU Go {self._said('version').removeprefix('= ')}"

    def lead(self, state: Position) -> float:
        """Return by how many points Black is ahead."""
        size = state.board.size
        for line in (f"boardsize {size}", "clear_board", f"komi {state.komi:g}"):
            self._said(line)
        for ply, move in enumerate(state.moves):
            self._said(f"play {'bw'[ply % 2]} {move}")
        found = _ESTIMATE.match(self._said("estimate_score"))
        if found is None:
            raise ValueError("GNU Go's estimate cannot be read; is it another version?")
        return 0.0 if found[1] is None else float(found[2]) * (1 if found[1] == "B" else -1)

    def close(self) -> None:
        self._process.communicate("quit\n")

    def _said(self, command: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{command}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().strip()
        if not answer.startswith("="):
            raise ValueError(f"GNU Go refuses {command!r}: {answer or 'it has ended'}")
        self._process.stdout.readline()
        return answer


def lines(recipe: GoRecipe, seed: int) -> Iterator[str]:
    """Yield the openings in notation, no two the same but for a turned or mirrored board."""
    rules, random = Go(), Random(seed)  # noqa: S311 - a draw for games, no secret
    start, gnugo, seen = rules.start(GoOptions()), GnuGo(), set[Any]()
    inner = [name for name, bit in start.board.bits.items() if _is_inner(start, bit)]
    try:
        while len(seen) < recipe.size:
            state = start
            for move in random.sample(inner, recipe.plies):
                state = state.play(move)
            if (found := _turned(state)) not in seen and _is_level(state, recipe, gnugo):
                seen.add(found)
                yield " ".join(state.moves)
    finally:
        gnugo.close()


def _is_inner(state: Position, bit: int) -> bool:
    return all(EDGE <= at < state.board.size - EDGE for at in state.board.cell(bit))


def _is_level(state: Position, recipe: GoRecipe, gnugo: GnuGo) -> bool:
    if abs(mcts(state, nodes=recipe.glance).score - 0.5) > 2 * recipe.most:
        return False
    return abs(gnugo.lead(state) + state.komi) <= recipe.points and (
        abs(mcts(state, nodes=recipe.nodes).score - 0.5) <= recipe.most
    )


def _turned(state: Position) -> tuple[str, ...]:
    """Return the rows of the first of the eight boards that are this one turned or mirrored."""
    rows, found = tuple(state.rows()), []
    for _ in range(4):
        rows = tuple("".join(col) for col in zip(*rows[::-1], strict=True))
        found += [rows, rows[::-1]]
    return min(found)
