"""The proof that one side has the last move: depth-first, with the best bounds, a table, and the most promising first.

Its speed comes from this: positions are compared without their settled parts (`bounds.settle`), in the least of their
four mirror images; every move is judged by `bounds` and looked up in the table before any is tried (enhanced
transposition cutoffs: Plaat, Schaeffer, Pijls and de Bruin, AAAI 1996); then those that leave the opponent least come
first, at the edges before the centre. Safe moves are kept for the end, and those in settled stretches are all
equivalent.

A node is a position whose moves are listed. Positions decided by a bound or by the table are never visited.
"""

from typing import Any, NamedTuple

import numpy as np

from palio_clients.games.dominoes.evaluation import evaluate
from palio_clients.games.dominoes.kernels.workspace import (
    FIRST,
    SECOND,
    before,
    coverable,
    free_in,
    guarantees,
    most,
    places,
    plan,
    played,
    settle,
    surplus,
    ways,
    workspace,
)
from palio_clients.kernels.bits import ZERO, raised
from palio_clients.kernels.jit import Array, Flag, Int, Record, Word, kernel, stop_flag
from palio_clients.kernels.table import AGES, bucket_of, new_table, recall
from palio_clients.kernels.wide_words import (
    PARTS,
    first,
    kind_of,
    loaded,
    lowest_of,
    mirrored,
    nothing_like,
    part_of,
    parts_in,
    size,
    stored,
    wide128,
)
from palio_clients.search.game_tree import Stop, never
from palio_rules.games.dominoes import VERTICAL, Board, Move, Position, board_of

WON, OPEN, LOST = 1, 0, -1  # for the side to move
ROOM = 32  # balances from -ROOM to ROOM - 1 fit into a key of the table
KEPT = 2  # parts of a word that fit into a key; wider boards are not looked up
NEAR = 3  # moves that a plan may lack at most for another plan to be searched
MANY = 20  # free squares, at least, for a position to be canonicalised and looked up before it is tried
SETTLED = -1  # the move in a settled stretch
MOVE_MERIT, SAFE_LAST, SETTLED_LAST = 1000, 10**7, 10**8
BALANCE_AT = np.uint64(57)  # the bits of a key's second word above the squares
TRUE, WORK_AT = np.uint64(1), np.uint64(8)
AGE_MASK = np.uint64(0x3F)


@kernel
def prove(spaces: Array, table: Array, flag: Flag, free: Word, turn: Int) -> Int:
    """Return whether the side to move, which can move, wins; OPEN if stopped, or at its limit of nodes.

    `chosen` is then the winning move, or the one that was hardest to refute; SETTLED if the bounds refute all of them.
    """
    space = spaces[0]
    ply, balance, hardest = np.int64(0), np.int64(0), np.int64(-1)
    space.begin[0], space.chosen = 0, SETTLED
    down, along = ways(space, free)
    found = visit(space, table, free, balance, turn, ply, down, along)
    while True:
        if found == OPEN and space.begin[ply] == space.end[ply]:
            found = LOST
        if found == OPEN:
            at = pick(space, ply)
            child, balance = loaded(free, space.child[at]), space.child_balance[at]
            found = known(table, child, balance, 1 - turn)
            if found == OPEN:
                if raised(flag) or (space.limit and space.nodes >= space.limit):
                    return OPEN
                ply += 1
                turn = 1 - turn
                space.begin[ply] = space.end[ply - 1]
                found = visit(space, table, child, balance, turn, ply, down, along)
                continue
        else:
            work = space.nodes - space.since[ply]
            if ply == 0:
                return found
            remember(table, loaded(free, space.free[ply]), space.balance[ply], turn, found, work, space.age)
            ply -= 1
            turn = 1 - turn
            if ply == 0 and work > hardest:
                hardest, space.chosen = work, space.move[space.begin[0] - 1]
        if found == LOST:
            found = WON
            if ply == 0:
                space.chosen = space.move[space.begin[0] - 1]
        else:
            found = OPEN


@kernel
def visit(space: Record, table: Array, free: Word, balance: Int, turn: Int, ply: Int, down: Any, along: Any) -> Int:
    """List the untried moves of a position on the stack. Returns WON if one of them wins at once."""
    space.since[ply] = space.nodes
    space.nodes += 1
    stored(free, space.free[ply])
    space.balance[ply] = balance
    own, other = (down, along) if turn == 0 else (along, down)
    sign = 1 - 2 * turn
    begin = space.begin[ply]
    at = begin
    space.end[ply] = at
    none = nothing_like(free)
    rest, open_ = places(free, own), ~coverable(free, other)
    safe = open_ & before(open_, own)
    while rest != none:
        place = lowest_of(rest)
        rest = rest ^ place
        child, more = settle(played(free, place, own), down, along)
        found, value = judged(space, child, sign * (balance + more), own, other)
        if found == OPEN and size(child) >= MANY:
            child = canonical(space, child)
            found = known(table, child, balance + more, 1 - turn)
        if found == LOST:
            if ply == 0:
                space.chosen = first(place)
            return WON
        if found == OPEN:
            merit = value * MOVE_MERIT + space.edge[turn, first(place)]
            if (place & safe) != none:
                merit -= SAFE_LAST
            push(space, at, child, balance + more, value, merit, first(place))
            at += 1
    if sign * balance > 0:
        found, value = judged(space, free, sign * balance - 1, own, other)
        if found == LOST:
            return WON
        if found == OPEN:
            push(space, at, free, balance - sign, value, np.int64(-SETTLED_LAST), np.int64(SETTLED))
            at += 1
    space.end[ply] = at
    return OPEN


@kernel
def judged(space: Record, free: Word, lead: Int, own: Any, other: Any) -> tuple[Int, Int]:
    """Return the bounds' verdict on a position for its side to move, whose way is `other`; and its merit for `own`.

    `lead` is the balance of the settled parts, from the view of `own`.
    """
    hope, fear = most(free, own), most(free, other)
    ours, theirs = plan(free, own, other), plan(free, other, own)
    we, they = surplus(space, ours, SECOND, fear) + lead, surplus(space, theirs, FIRST, hope) - lead
    if we >= 0:
        return LOST, 0
    if they > 0:
        return WON, 0
    turned = mirrored(free) >> space.unused  # other dominoes fit if one begins at the other end
    if we >= -NEAR and surplus(space, plan(turned, own, other), SECOND, fear) + lead >= 0:
        return LOST, 0
    if they > -NEAR and surplus(space, plan(turned, other, own), FIRST, hope) - lead > 0:
        return WON, 0
    return OPEN, hope + ours[0] - fear - theirs[0] + 2 * lead


@kernel
def canonical(space: Record, free: Word) -> Word:
    """Return the least of the four mirror images."""
    step, row = space.step[0], nothing_like(free)
    upside, rest = row, free
    line = ~((~row) << step)
    for _ in range(space.squares // np.int64(step)):
        upside = (upside << step) | (rest & line)
        rest = rest >> step
    turned, sideways = mirrored(free) >> space.unused, mirrored(upside) >> space.unused
    return lesser(lesser(free, upside), lesser(turned, sideways))


@kernel
def lesser(one: Word, other: Word) -> Word:
    return one if one < other else other  # noqa: FURB136 - numba's min cannot compare wide words


@kernel
def push(space: Record, at: Int, child: Word, balance: Int, value: Int, merit: Int, move: Int) -> None:
    stored(child, space.child[at])
    space.child_balance[at], space.value[at], space.merit[at], space.move[at] = balance, value, merit, move


@kernel
def pick(space: Record, ply: Int) -> Int:
    """Take the best move of a position from the stack; return its place."""
    at = space.begin[ply]
    best = at
    for other in range(at + 1, space.end[ply]):
        if space.merit[other] > space.merit[best]:
            best = other
    for part in range(PARTS):
        space.child[best, part], space.child[at, part] = space.child[at, part], space.child[best, part]
    for column in (space.child_balance, space.value, space.merit, space.move):
        column[best], column[at] = column[at], column[best]
    space.begin[ply] = at + 1
    return at


@kernel
def key(free: Word, balance: Int, turn: Int) -> tuple[Word, Word]:
    """Return two words; at most 121 squares."""
    above = np.uint64(turn + 2 * (balance + ROOM)) << BALANCE_AT
    return part_of(free, np.int64(0)), part_of(free, np.int64(1)) | above


@kernel
def known(table: Array, free: Word, balance: Int, turn: Int) -> Int:
    if parts_in(free) > KEPT or balance < -ROOM or balance >= ROOM:
        return OPEN
    a, b = key(free, balance, turn)
    entry = recall(table, a, b)
    if entry == ZERO:
        return OPEN
    return WON if entry & TRUE else LOST


@kernel
def remember(table: Array, free: Word, balance: Int, turn: Int, found: Int, work: Int, age: Int) -> None:
    """Store an entry like `table.keep`, but the entry that has cost more nodes stays."""
    if parts_in(free) > KEPT or balance < -ROOM or balance >= ROOM:
        return
    a, b = key(free, balance, turn)
    entry = np.uint64(work) << WORK_AT | np.uint64(age) << TRUE | np.uint64(found == WON)
    bucket = bucket_of(table, a, b)
    dear = bucket[2]
    stale = (dear >> TRUE) & AGE_MASK != np.uint64(age)
    at = 0 if stale or dear == ZERO or (dear >> WORK_AT) <= np.uint64(work) else 3
    if at == 0:
        bucket[3], bucket[4], bucket[5] = bucket[0], bucket[1], bucket[2]
    bucket[at], bucket[at + 1], bucket[at + 2] = a, b, entry


# Dominoes solved: the winner and the moves.

MOST_SQUARES = 121  # that fit into a key of the table: up to 11x11, or the rest of a larger board
TABLE_BITS = 18  # 2**18 buckets of two positions and 64 bytes: 16 MiB
EDGE_ACROSS, EDGE_ALONG = 2, 1  # merit of a distance from the middle: beside a long edge, at a short one
NODES = np.dtype([("nodes", np.int64)])  # a workspace that has counted nothing yet


class Solved(NamedTuple):
    winner: int | None  # the seat that has the last move; None if not found in time
    line: tuple[Move, ...]  # the winner's moves keep the win, the loser's are hardest to refute
    nodes: int


class Solver:
    """A prover of the winner, with a memory of proofs on boards of one size."""

    def __init__(self, bits: int = TABLE_BITS) -> None:
        self.table = new_table(bits)
        self._spaces: dict[Board, Any] = {}
        self._board: Board | None = None
        self._age = 0
        self._spent, self._now = 0, np.zeros(1, NODES)

    @property
    def nodes(self) -> int:
        """Return the nodes of the current or last proof, with those of its line."""
        return self._spent + int(self._now[0]["nodes"])

    def solve(self, state: Position, stop: Stop = never, *, max_nodes: int = 0) -> Solved:
        """Return the winner, and a line of play to the end. `max_nodes` 0 is no limit; it does not count the line."""
        self._spent, self._now = 0, np.zeros(1, NODES)
        with stop_flag(stop) as flag:
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
        """Return WON, LOST or OPEN for the side to move, a matching move (None without one), and the nodes."""
        with stop_flag(stop) as flag:
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
        """Return the workspace of a board.

        The table is cleared for another board, because its keys depend on the board.
        """
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
    """Return a losing move that leaves the mover the most places, and the winner the fewest; the first of equals."""
    return max(state.legal_moves(), key=lambda move: evaluate(state.play(move), state.turn))


def edges(board: Board) -> Any:
    """Return for each side and place how near it is to the edges."""
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
    """Return the position on the smallest board with all free squares, and the shift of its rows and columns."""
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
