"""End of the Track solved: whether a side wins, the number of plies, and the moves."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from palio_clients.games.end_of_the_track.kernels.history import remember
from palio_clients.games.end_of_the_track.kernels.proof import PROOF, PROVEN, prove
from palio_clients.games.end_of_the_track.kernels.workspace import DEEPEST, line_of, set_up, workspace
from palio_clients.kernels.jit import Flag, stop_flag
from palio_clients.kernels.table import chosen, new_table
from palio_clients.search.game_tree import Stop, never
from palio_rules.games.end_of_track import Move, Position

TABLE_BITS = 20  # 2**20 buckets of two positions and 64 bytes: 64 MiB


class Proved(NamedTuple):
    wins: bool  # the attacker, for certain; False: unknown
    plies: int  # an upper bound against any defence; 0 if it is not proven
    move: Move | None  # one that wins within these plies, or resists as long as any; None if it is not proven
    nodes: int


class Prover:
    """A prover of wins, with a memory: wins are valid for every occurrence of a position, see `proof`."""

    def __init__(self, bits: int = TABLE_BITS) -> None:
        self._spaces, self.stacks = workspace(), np.zeros(1, PROOF)
        self._table = new_table(bits)
        self._for: tuple[frozenset[str], int] | None = None  # the conditions on which the table's failures depend

    @property
    def nodes(self) -> int:
        """Return the nodes of the current or last search."""
        return int(self.stacks[0]["nodes"])

    def prove(self, state: Position, attacker: int, stop: Stop = never, *, max_nodes: int = 0) -> Proved:
        """Return whether the attacker wins `state`, which is not over.

        Gives up when `stop` says so, or after `max_nodes`.
        """
        with stop_flag(stop) as flag:
            return self._proved(state, attacker, flag, max_nodes)

    def line(self, state: Position, attacker: int, stop: Stop = never) -> Iterator[tuple[Move, int]]:
        """Play a proven position to the end, as in `Proved.move`; yield each move, and its nodes.

        Entries that the table has lost are proven again. The line ends early when `stop` says so.
        """
        with stop_flag(stop) as flag:
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
        if verdict != PROVEN or plies > space["left"]:  # a stored win may take longer than the game may last
            return Proved(wins=False, plies=0, move=None, nodes=self.nodes)
        return Proved(wins=True, plies=plies, move=self._chosen(state.turn == attacker), nodes=self.nodes)

    def _chosen(self, attacks: bool) -> Move:
        """Return the attacker's quickest move, or the move with the longest known resistance."""
        stack = self.stacks[0]
        return line_of([stack["move"][chosen(stack, wins=attacks)], 0])[0]


def warm_up() -> None:
    """Compile it, or read it from the cache. Engines do not use it, so the package's `warm_up` leaves it out."""
    Prover(bits=4).prove(Position.of(), 0, max_nodes=2)
