"""End of the Track solved: whether a side wins, within how many plies, and how."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from palio_clients.games.end_of_the_track.kernels.past import remember
from palio_clients.games.end_of_the_track.kernels.proof import PROOF, PROVEN, prove
from palio_clients.games.end_of_the_track.kernels.workspace import DEEPEST, line_of, set_up, workspace
from palio_clients.kernels.jit import Flag, watched
from palio_clients.kernels.table import chosen, new_table
from palio_clients.search.game_tree import Stop, never
from palio_rules.games.end_of_track import Move, Position

TABLE_BITS = 20  # 2**20 buckets of two positions and 64 bytes: 64 MiB


class Proved(NamedTuple):
    wins: bool  # the attacker, for certain; else nobody knows
    plies: int  # it needs no more, whatever the other does; 0 if it is not proven
    move: Move | None  # one that wins within these plies, or holds out as long as any; None if it is not proven
    nodes: int


class Prover:
    """Proves wins, and remembers them: they hold wherever the position occurs, see `proof`."""

    def __init__(self, bits: int = TABLE_BITS) -> None:
        self._spaces, self.stacks = workspace(), np.zeros(1, PROOF)
        self._table = new_table(bits)
        self._for: tuple[frozenset[str], int] | None = None  # what the table's failures depend on

    @property
    def nodes(self) -> int:
        """Of the search that is under way, or was the last."""
        return int(self.stacks[0]["nodes"])

    def prove(self, state: Position, attacker: int, stop: Stop = never, *, max_nodes: int = 0) -> Proved:
        """Whether the attacker wins `state`, which is not over. Gives up when `stop` says so, or after `max_nodes`."""
        with watched(stop) as flag:
            return self._proved(state, attacker, flag, max_nodes)

    def line(self, state: Position, attacker: int, stop: Stop = never) -> Iterator[tuple[Move, int]]:
        """Play on from a position that was proven, as `Proved.move` has it: each move, and its nodes.

        What the table has lost is proven once more. The line ends early when `stop` says so.
        """
        with watched(stop) as flag:
            while state.to_move is not None:
                found = self._proved(state, attacker, flag, 0)
                if found.move is None:
                    return
                yield found.move, found.nodes
                state = state.play(found.move)

    def _proved(self, state: Position, attacker: int, flag: Flag, max_nodes: int) -> Proved:
        space, stack = self._spaces[0], self.stacks[0]
        remember(space, state)
        deepest = min(int(space["left"]), DEEPEST - 1)
        twice = frozenset(word for word, times in Counter(state.history.split()).items() if times > 1)
        if self._for != (twice, deepest):
            self._for = (twice, deepest)
            self._table[:] = 0
        stack["nodes"], stack["limit"], stack["attacker"], stack["deepest"] = 0, max_nodes, attacker, deepest
        own, enemy = set_up(space, state.pieces, state.turn)
        verdict = int(prove(self._spaces, self.stacks, self._table, flag, own, enemy, state.turn))
        plies = int(stack["plies"])
        if verdict != PROVEN or plies > space["left"]:  # what the table knows may take longer than the game may last
            return Proved(wins=False, plies=0, move=None, nodes=self.nodes)
        return Proved(wins=True, plies=plies, move=self._chosen(state.turn == attacker), nodes=self.nodes)

    def _chosen(self, attacks: bool) -> Move:
        """The attacker's quickest move, or the one against which it is known to need longest."""
        stack = self.stacks[0]
        return line_of([stack["move"][chosen(stack, wins=attacks)], 0])[0]


def warm_up() -> None:
    """Have it compiled, or read from the cache. Engines do without it, so that the package's `warm_up` does, too."""
    Prover(bits=4).prove(Position.of(), 0, max_nodes=2)
