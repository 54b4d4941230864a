"""Dominoes solved: who wins, and how."""

from typing import Any, NamedTuple

import numpy as np

from palio_clients.games.dominoes.evaluation import evaluate
from palio_clients.games.dominoes.kernels.bounds import guarantees
from palio_clients.games.dominoes.kernels.proof import OPEN, WON, prove
from palio_clients.games.dominoes.kernels.workspace import free_in, workspace
from palio_clients.kernels.alarm import watched
from palio_clients.kernels.bits import ZERO
from palio_clients.kernels.jit import Array, Flag, Int, kernel
from palio_clients.kernels.table import AGES, new_table
from palio_clients.kernels.words import kind_of, loaded, wide128
from palio_clients.search.game_tree import Stop, never
from palio_rules.games.dominoes import VERTICAL, Board, Move, Position, board_of

MOST_SQUARES = 121  # that a key of the table has room for: up to 11x11, or whatever is left of a larger board
TABLE_BITS = 18  # 2**18 buckets of two positions and 64 bytes: 16 MiB
EDGE_ACROSS, EDGE_ALONG = 2, 1  # what it merits to be that far from the middle: beside a long edge, at a short one
NODES = np.dtype([("nodes", np.int64)])  # a workspace that has counted nothing yet


class Solved(NamedTuple):
    winner: int | None  # the seat that has the last move; None if there was no time to find out
    line: tuple[Move, ...]  # the winner's moves are winning ones, the loser's those that are hardest to refute
    nodes: int


class Solver:
    """Proves who wins, and remembers what it has proven on boards of one size."""

    def __init__(self, bits: int = TABLE_BITS) -> None:
        self.table = new_table(bits)
        self._spaces: dict[Board, Any] = {}
        self._board: Board | None = None
        self._age = 0
        self._spent, self._now = 0, np.zeros(1, NODES)

    @property
    def nodes(self) -> int:
        """Of the proof that is under way, or was the last, with those of its line."""
        return self._spent + int(self._now[0]["nodes"])

    def solve(self, state: Position, stop: Stop = never, *, max_nodes: int = 0) -> Solved:
        """Who wins, and a line of play to the end. `max_nodes` 0 is no limit; it counts without the line."""
        self._spent, self._now = 0, np.zeros(1, NODES)
        with watched(stop) as flag:
            verdict, move, _ = self.move_until(state, flag, max_nodes)
            if verdict == OPEN:
                return Solved(None, (), self.nodes)
            winner, line = state.turn if verdict == WON else 1 - state.turn, []
            while move is not None:
                line.append(move)
                state = state.play(move)
                self._spent, self._now = self.nodes, np.zeros(1, NODES)
                _, move, _ = self.move_until(state, flag, 0)
        return Solved(winner, tuple(line), self.nodes)

    def move(self, state: Position, stop: Stop = never, *, max_nodes: int = 0) -> tuple[int, Move | None, int]:
        """WON, LOST or OPEN for the side to move, a move that fits (None if there is none), and the nodes it took."""
        with watched(stop) as flag:
            return self.move_until(state, flag, max_nodes)

    def move_until(self, state: Position, flag: Flag, max_nodes: int) -> tuple[int, Move | None, int]:
        if state.to_move is None:
            return -WON, None, 0
        part, down, right = cropped(state)
        board = part.board
        if board.rows * board.cols > MOST_SQUARES:
            return OPEN, None, 0
        spaces = self._space(board)
        space = spaces[0]
        space["nodes"], space["limit"], space["age"] = 0, max_nodes, self._age
        self._now = spaces
        prover = _prove64 if kind_of(board.rows * board.cols) == 64 else _prove128
        verdict = int(prover(spaces, self.table, flag, free_in(part), part.turn))
        if verdict == OPEN:
            return OPEN, None, int(space["nodes"])
        if space["chosen"] < 0:
            return verdict, stubborn(state), int(space["nodes"])
        row, col = divmod(int(space["chosen"]), board.cols)
        return verdict, Move(row + down, col + right), int(space["nodes"])

    def _space(self, board: Board) -> Any:
        """The workspace of a board. What the table knows of another board means something else on this one."""
        if board is not self._board:
            self._board = board
            self.table[:] = 0
        self._age = (self._age + 1) % int(AGES)
        if board not in self._spaces:
            self._spaces[board] = made = workspace(board)
            made[0]["guaranteed"] = guarantees()
            made[0]["edge"] = edges(board)
        return self._spaces[board]


def stubborn(state: Position) -> Move:
    """Where all moves are lost, the first of those that leave the mover the most places, and the winner the fewest."""
    return max(state.legal_moves(), key=lambda move: evaluate(state.play(move), state.turn))


def edges(board: Board) -> Any:
    """For each side and place, how near it is to the edges."""
    merits = np.zeros((2, 256), np.int64)
    for turn in (0, 1):
        rows, cols = board.rows - (turn == VERTICAL), board.cols - (turn != VERTICAL)
        weights = (EDGE_ALONG, EDGE_ACROSS) if turn == VERTICAL else (EDGE_ACROSS, EDGE_ALONG)
        for row in range(rows):
            for col in range(cols):
                merit = weights[0] * abs(2 * row - rows + 1) + weights[1] * abs(2 * col - cols + 1)
                merits[turn, row * board.cols + col] = merit
    return merits


def cropped(state: Position) -> tuple[Position, int, int]:
    """The position on the smallest board that has all free squares; by how much its rows and columns are shifted."""
    board = state.board
    free = board.full & ~state.filled
    taken = [free >> row * board.cols & (1 << board.cols) - 1 for row in range(board.rows)]
    down = next(row for row, cells in enumerate(taken) if cells)
    rows = max(row for row, cells in enumerate(taken) if cells) + 1 - down
    union = 0
    for cells in taken:
        union |= cells
    right = (union & -union).bit_length() - 1
    cols = union.bit_length() - right
    small = board_of(rows, cols)
    left = sum((taken[down + row] >> right) << row * cols for row in range(rows))
    return Position(small, small.full & ~left, state.turn), down, right


@kernel
def _prove64(spaces: Array, table: Array, flag: Flag, free: Array, turn: Int) -> Int:
    return prove(spaces, table, flag, loaded(ZERO, free), turn)


@kernel
def _prove128(spaces: Array, table: Array, flag: Flag, free: Array, turn: Int) -> Int:
    return prove(spaces, table, flag, loaded(wide128(), free), turn)
