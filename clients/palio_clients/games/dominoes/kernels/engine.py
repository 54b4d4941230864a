"""The engine of Dominoes: it proves the winner if it can, and searches to a depth if it cannot."""

from typing import Any

from palio_clients.games.dominoes.kernels.proof import OPEN, WON, Solver, edges
from palio_clients.games.dominoes.kernels.strong import search
from palio_clients.games.dominoes.kernels.workspace import free_in, guarantees, workspace
from palio_clients.kernels.bits import ZERO
from palio_clients.kernels.engine import DEEPEST, FADING, TABLE_BITS, KernelEngine
from palio_clients.kernels.jit import Array, Flag, Int, kernel
from palio_clients.kernels.table import WIN
from palio_clients.kernels.wide_words import kind_of, loaded, wide128, wide256
from palio_clients.search.game_tree import Best, Stop, never
from palio_rules.games.dominoes import Board, Move, Position

SOLVABLE = 64  # free squares below which a proof is likely
BUDGET, GROWTH = 2000, 4  # nodes of the first proof attempt, and the factor for each further depth


class DominoesEngine(KernelEngine):
    """An engine for one size of board. With a given depth it searches to it and proves nothing."""

    def __init__(self, board: Board, *, bits: int = TABLE_BITS) -> None:
        super().__init__(bits)
        self.workspace = workspace(board)
        self.workspace[0]["guaranteed"] = guarantees()
        self.workspace[0]["edge"] = edges(board)
        self._solver = Solver(bits)
        self._no_proofs = self._solver.table[:1] * ZERO  # the search's board is not the solver's, which may be smaller
        self._proves = False
        self._nodes = self._limit = 0

    def deepen(self, state: Position, stop: Stop = never, *, max_depth: int = DEEPEST, max_nodes: int = 0) -> Any:
        self._proves, self._nodes, self._limit = max_depth >= DEEPEST, 0, max_nodes
        return super().deepen(state, stop, max_depth=max_depth, max_nodes=max_nodes)

    def search(self, state: Position, depth: int, *, stop: Stop = never) -> Best:
        self._proves = False
        return super().search(state, depth, stop=stop)

    def _ready_workspace(self, state: Position) -> Any:
        self.workspace[0]["history"] >>= FADING
        return self.workspace

    def _search(self, state: Position, depth: int, flag: Flag) -> Best:
        space, spent = self.workspace[0], 0
        if self._proves:
            verdict, move, spent = self._solver.move_until(state, flag, self._budget(state, depth))
            if verdict != OPEN:
                score = WIN - depth if verdict == WON else depth - WIN
                return Best(move, float(score), depth, spent, (move,))
            if space["limit"]:
                space["limit"] = max(1, space["limit"] - spent)
        run = {64: _search64, 128: _search128, 256: _search256}[kind_of(state.board.rows * state.board.cols)]
        score = run(self.workspace, self._no_proofs, self.table, flag, free_in(state), state.turn, depth)
        if space["chosen"] >= 0:
            move = Move(*divmod(int(space["chosen"]), state.board.cols))
        else:
            move = next(state.legal_moves())  # all moves lose
        nodes = int(space["nodes"]) + spent
        self._nodes += nodes
        return Best(move, float(score), depth, nodes, (move,))

    def _budget(self, state: Position, depth: int) -> int:
        """Return the nodes of a proof attempt; the next one continues with the entries of the table."""
        free = state.board.rows * state.board.cols - state.filled.bit_count()
        if self._limit:
            share = max(min(BUDGET, self._limit // 8), self._nodes // 2)
            return max(1, min(share, (self._limit - self._nodes) // 2))
        return BUDGET * GROWTH ** (depth - 1) if free <= SOLVABLE else max(BUDGET, self._nodes)


@kernel
def _search64(spaces: Array, proofs: Array, table: Array, flag: Flag, free: Array, turn: Int, depth: Int) -> Int:
    return search(spaces, proofs, table, flag, loaded(ZERO, free), turn, depth)


@kernel
def _search128(spaces: Array, proofs: Array, table: Array, flag: Flag, free: Array, turn: Int, depth: Int) -> Int:
    return search(spaces, proofs, table, flag, loaded(wide128(), free), turn, depth)


@kernel
def _search256(spaces: Array, proofs: Array, table: Array, flag: Flag, free: Array, turn: Int, depth: Int) -> Int:
    return search(spaces, proofs, table, flag, loaded(wide256(), free), turn, depth)
