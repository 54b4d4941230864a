"""Breakthrough solved: the winner, the number of plies, and the moves."""

from collections.abc import Iterator
from typing import NamedTuple

from palio_clients.games.breakthrough.kernels import evaluation
from palio_clients.games.breakthrough.kernels.proof import LOST, OPEN, WON, proof_space, prove
from palio_clients.games.breakthrough.kernels.workspace import move_of, words_of, workspace
from palio_clients.kernels.jit import Flag, stop_flag
from palio_clients.kernels.table import chosen, new_table
from palio_clients.search.game_tree import Stop, never
from palio_rules.games.breakthrough import BLACK, Board, Move, Position, board_of

TABLE_BITS = 21  # 2**21 buckets of two positions and 64 bytes: 128 MiB


class Proved(NamedTuple):
    verdict: int  # WON, LOST or OPEN, for the side to move
    plies: int  # an upper bound for the winner against any defence; 0 if it is open
    move: Move | None  # one that wins within these plies, or resists as long as any; None if it is open
    nodes: int


class Prover:
    """A prover of the winner on one size of board, with a memory."""

    def __init__(self, board: Board, bits: int = TABLE_BITS) -> None:
        self._spaces, self.stacks = workspace(board), proof_space(board)
        evaluation.lay_out_race(self._spaces[0], board)
        evaluation.lay_out(self._spaces[0], board)
        self._table = new_table(bits)

    @property
    def nodes(self) -> int:
        """Return the nodes of the current or last search."""
        return int(self.stacks[0]["nodes"])

    def prove(self, state: Position, stop: Stop = never, *, max_nodes: int = 0) -> Proved:
        """Return the winner of `state`, which is not over; OPEN if `stop` says so, or after `max_nodes` unless 0."""
        with stop_flag(stop) as flag:
            return self._proved(state, flag, max_nodes)

    def line(self, state: Position, stop: Stop = never) -> Iterator[tuple[Move, int]]:
        """Play a proven position to the end, as in `Proved.move`; yield each move, and its nodes.

        Entries that the table has lost are proven again. The line ends early when `stop` says so.
        """
        with stop_flag(stop) as flag:
            while state.to_move is not None:
                found = self._proved(state, flag, 0)
                if found.move is None:
                    return
                yield found.move, found.nodes
                state = state.play(found.move)

    def _proved(self, state: Position, flag: Flag, max_nodes: int) -> Proved:
        stack = self.stacks[0]
        stack["nodes"], stack["limit"] = 0, max_nodes
        verdict = int(prove(self._spaces, self.stacks, self._table, flag, *words_of(state), state.turn))
        if verdict == OPEN:
            return Proved(OPEN, 0, None, self.nodes)
        return Proved(verdict, int(stack["plies"]), self._chosen(state, verdict), self.nodes)

    def _chosen(self, state: Position, verdict: int) -> Move:
        """Return the winner's quickest move, or the move with the longest known resistance."""
        assert verdict in (WON, LOST)
        stack = self.stacks[0]
        return move_of(state.board, int(stack["move"][chosen(stack, wins=verdict == WON)]), state.turn)


def warm_up() -> None:
    """Compile it, or read it from the cache. Engines do not use it, so the package's `warm_up` leaves it out."""
    board = board_of(4, 3)
    Prover(board, bits=4).prove(Position(board, *board.home, BLACK), max_nodes=2)
