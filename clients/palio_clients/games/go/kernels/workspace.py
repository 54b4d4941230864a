"""Go's board for kernels: stones, groups and their liberties, as arrays of one record.

A point is a number, `(row + 1) * STRIDE + col + 1` with row 0 at the top, for a board of any size: a border surrounds
it. Colours are 0 for an empty point, 1 Black, 2 White, 3 the border. Point 0 is
no point: as a move it is a pass.

A group is known by one of its stones, its head. Its liberties are counted once for each stone beside them; the sums of
their points and of the squares of these tell whether there is only one such point.
"""

from typing import Any

import numpy as np

from palio_clients.kernels.jit import Array, Int, Record, Truth, kernel
from palio_rules.boards.go import LARGEST, Board
from palio_rules.games.go_position import Position

STRIDE = LARGEST + 2
POINTS = STRIDE * STRIDE
MOST = LARGEST * LARGEST  # empty points
PASS = 0
EMPTY, BORDER = 0, 3
AROUND = (-STRIDE, -1, 1, STRIDE)
CORNERS = (-STRIDE - 1, -STRIDE + 1, STRIDE - 1, STRIDE + 1)

BOARD = np.dtype(
    [
        ("colour", np.int8, (POINTS,)),
        ("head", np.int16, (POINTS,)),  # of the group of a stone
        ("next", np.int16, (POINTS,)),  # stone of its group, in a circle
        ("stones", np.int16, (POINTS,)),  # by head
        ("liberties", np.int16, (POINTS,)),  # by head: pairs of a stone and an empty point beside it
        ("sum", np.int32, (POINTS,)),  # of the empty points of these pairs
        ("squares", np.int32, (POINTS,)),  # the sum of the points' squares
        ("empties", np.int16, (MOST,)),
        ("where", np.int16, (POINTS,)),  # the place of an empty point in `empties`
        ("empty", np.int64),  # how many there are
        ("ko", np.int64),  # the point where a stone would take back a single stone at once; 0 if there is none
        ("suicide", np.int64),  # 1 if it is allowed
        ("longest", np.int64),  # plies of a game
        ("mark", np.int8, (POINTS,)),  # for counting areas
        ("stack", np.int16, (POINTS,)),
    ],
    align=True,
)


def workspace() -> Any:
    """Return an array of two boards: the position that is searched, and the one in which games are played."""
    return np.zeros(2, BOARD)


def point_of(board: Board, move: str) -> int:
    bit = board.bits.get(move)
    if bit is None:
        return PASS
    row, col = board.cell(bit)
    return (row + 1) * STRIDE + col + 1


def move_of(board: Board, point: int, passing: str = "pass") -> str:
    if point == PASS:
        return passing
    row, col = divmod(point, STRIDE)
    return board.names[board.bit(row - 1, col - 1)]


def lay_out(boards: Any, state: Position) -> None:
    """Set the first board to a position."""
    colours = np.full((STRIDE, STRIDE), BORDER, np.int8)
    size = state.board.size
    colours[1 : size + 1, 1 : size + 1] = [[".XO".index(cell) for cell in row] for row in state.rows()]
    ko = 0 if not state.ko else point_of(state.board, state.board.names[state.ko])
    set_up(boards, colours.ravel(), ko, int(state.suicide), state.board.longest)


@kernel
def set_up(boards: Array, colours: Array, ko: Int, suicide: Int, longest: Int) -> None:
    board = boards[0]
    board.empty = 0
    for point in range(POINTS):
        board.colour[point] = BORDER if colours[point] == BORDER else EMPTY
        if colours[point] == EMPTY or 0 < colours[point] < BORDER:
            board.where[point] = board.empty
            board.empties[board.empty] = point
            board.empty += 1
    for point in range(POINTS):
        if 0 < colours[point] < BORDER:
            put(board, point, np.int64(colours[point]))
    board.ko, board.suicide, board.longest = ko, suicide, longest


@kernel
def copy(source: Record, target: Record) -> None:
    """Make `target` equal to `source`, except for what counting uses."""
    for point in range(POINTS):
        target.colour[point] = source.colour[point]
        target.head[point] = source.head[point]
        target.next[point] = source.next[point]
        target.stones[point] = source.stones[point]
        target.liberties[point] = source.liberties[point]
        target.sum[point] = source.sum[point]
        target.squares[point] = source.squares[point]
        target.where[point] = source.where[point]
    for at in range(source.empty):
        target.empties[at] = source.empties[at]
    target.empty, target.ko = source.empty, source.ko
    target.suicide, target.longest = source.suicide, source.longest


@kernel
def in_atari(board: Record, head: Int) -> Truth:
    """Return whether a group that has liberties has just one."""
    total = np.int64(board.sum[head])
    return np.int64(board.liberties[head]) * np.int64(board.squares[head]) == total * total


@kernel
def last_liberty(board: Record, head: Int) -> Int:
    """Return the liberty of a group in atari."""
    return np.int64(board.sum[head]) // np.int64(board.liberties[head])


@kernel
def _count_beside(board: Record, point: Int, sign: Int) -> None:
    """Add `point` to the liberties of the groups beside it, or take it from them."""
    for step in AROUND:
        other = point + step
        if 0 < board.colour[other] < BORDER:
            head = board.head[other]
            board.liberties[head] += sign
            board.sum[head] += sign * point
            board.squares[head] += sign * point * point


@kernel
def _join(board: Record, kept: Int, other: Int) -> None:
    """Make one group of two, by their heads."""
    stone = other
    while True:
        board.head[stone] = kept
        stone = np.int64(board.next[stone])
        if stone == other:
            break
    board.next[kept], board.next[other] = board.next[other], board.next[kept]
    board.stones[kept] += board.stones[other]
    board.liberties[kept] += board.liberties[other]
    board.sum[kept] += board.sum[other]
    board.squares[kept] += board.squares[other]


@kernel
def put(board: Record, point: Int, colour: Int) -> None:
    """Place a stone; take nothing."""
    board.empty -= 1
    moved = board.empties[board.empty]
    board.empties[board.where[point]] = moved
    board.where[moved] = board.where[point]
    board.colour[point] = colour
    _count_beside(board, point, np.int64(-1))
    board.head[point], board.next[point], board.stones[point] = point, point, 1
    board.liberties[point], board.sum[point], board.squares[point] = 0, 0, 0
    for step in AROUND:
        other = point + step
        if board.colour[other] == EMPTY:
            board.liberties[point] += 1
            board.sum[point] += other
            board.squares[point] += other * other
    for step in AROUND:
        other = point + step
        mine, theirs = np.int64(board.head[point]), np.int64(board.head[other])
        if board.colour[other] == colour and mine != theirs:
            if board.stones[mine] < board.stones[theirs]:
                mine, theirs = theirs, mine
            _join(board, mine, theirs)


@kernel
def _take(board: Record, head: Int) -> Int:
    """Take a group from the board; return how many stones it had."""
    taken, stone = np.int64(0), head
    while True:
        after = np.int64(board.next[stone])
        board.colour[stone] = EMPTY
        board.where[stone] = board.empty
        board.empties[board.empty] = stone
        board.empty += 1
        _count_beside(board, stone, np.int64(1))
        taken += 1
        stone = after
        if stone == head:
            return taken


@kernel
def play(board: Record, point: Int, colour: Int) -> Int:
    """Play a legal move; return how many stones of the enemy it takes."""
    board.ko = 0
    if point == PASS:
        return 0
    put(board, point, colour)
    taken, last = np.int64(0), np.int64(0)
    for step in AROUND:
        other = point + step
        if board.colour[other] == BORDER - colour and board.liberties[board.head[other]] == 0:
            taken += _take(board, np.int64(board.head[other]))
            last = other
    head = np.int64(board.head[point])
    if board.liberties[head] == 0:
        _take(board, head)
    elif taken == 1 and board.stones[head] == 1 and board.liberties[head] == 1:
        board.ko = last
    return taken


@kernel
def is_legal(board: Record, point: Int, colour: Int) -> Truth:
    """Return whether a stone on an empty point is legal, but for the rule about longer cycles than a ko.

    A suicide of one stone would leave the board unchanged and is never legal; a larger one needs the option.
    """
    if point == board.ko:
        return False
    own = False
    for step in AROUND:
        other = point + step
        there = np.int64(board.colour[other])
        if there == EMPTY:
            return True
        if there != BORDER:
            alone = in_atari(board, np.int64(board.head[other]))
            own = own or there == colour
            if (there == colour) != alone:
                return True
    return board.suicide != 0 and own


@kernel
def is_eye(board: Record, point: Int, colour: Int) -> Truth:
    """Return whether a point is an eye of `colour`, as far as the eight points around it tell."""
    for step in AROUND:
        there = board.colour[point + step]
        if there not in (colour, BORDER):
            return False
    enemies, edge = 0, 0
    for step in CORNERS:
        there = board.colour[point + step]
        enemies += there == BORDER - colour
        edge += there == BORDER
    return enemies < (1 if edge else 2)


@kernel
def difference(board: Record) -> Int:
    """Return Black's points less White's by area, if the game ended here."""
    total = np.int64(0)
    for point in range(POINTS):
        board.mark[point] = 0
    for at in range(board.empty):
        first = np.int64(board.empties[at])
        if board.mark[first]:
            continue
        board.mark[first] = 1
        board.stack[0] = first
        size: Int = np.int64(1)
        reached: Int = np.int64(0)
        region: Int = np.int64(0)
        while size:
            size -= 1
            here = np.int64(board.stack[size])
            region += 1
            for step in AROUND:
                other = here + step
                there = np.int64(board.colour[other])
                if there == EMPTY:
                    if not board.mark[other]:
                        board.mark[other] = 1
                        board.stack[size] = other
                        size += 1
                elif there != BORDER:
                    reached |= there
        total += region if reached == 1 else -region if reached == 2 else 0
    for point in range(POINTS):
        there = board.colour[point]
        total += (there == 1) - np.int64(there == 2)
    return total
