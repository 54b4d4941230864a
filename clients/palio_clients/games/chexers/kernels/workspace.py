"""The board of Chexers for kernels: three words of hexes, moves as small numbers, and their functions.

Hex (q, r) is bit `8 * (r + 3) + q + 3`: rows of eight, so that every direction is one shift, and a shift off the board
sets bits that are none of its 37. They are in the order of the rules' `HEXES`.

A move is `16 * bit + 2 * direction` for a step, one more for a jump, `16 * bit + EXIT`, or PASS.
"""

from functools import cache
from itertools import product, takewhile
from typing import Any

import numpy as np

from palio_clients.games.chexers.evaluation import EXITED, EXPOSED, PIECE, ROWS_LEFT, SPARE, STEP
from palio_clients.kernels.bits import ONE, ZERO, lowest, scrambled
from palio_clients.kernels.jit import Array, Int, Record, Truth, Word, kernel
from palio_rules.boards.chexers import DIRECTIONS, EMPTY, EXITS, HEXES, LETTERS, PASS, RADIUS, Action
from palio_rules.games.chexers import OUT, SEATS, Position, word_of

DEEPEST = 64  # plies from the root that fit
WIDEST = 96  # moves of one side: twelve pieces, six directions each and perhaps an exit
PASSED = 16 * 64
EXIT = 12
THREE = 3  # seats
FOUR = 4  # exits to win, and occurrences of a position that draw
GONE = -1  # exits of a seat that has forfeited
NO_MOVE = -1
SEVEN, EIGHT, TOP_SIX = np.uint64(7), np.uint64(8), np.uint64(58)
TURN_AT, RED_AT, GREEN_AT, BLUE_AT = np.uint64(56), np.uint64(58), np.uint64(61), np.uint64(56)  # above the hexes
OLD = 1 << 10  # past positions that fit

WORKSPACE = np.dtype(
    [
        ("board", np.uint64),
        ("exit", np.uint64, (THREE,)),  # the edge where each seat exits
        ("row", np.uint64, (THREE, 8)),  # hexes that are so many rows away from it
        ("weight", np.float64, (5,)),  # of the readable evaluation: exited, piece, spare, step, exposed
        ("last_ply", np.int64),  # of the game
        ("playing", np.int64),  # seats still in the game
        ("root", np.int64),  # the seat from whose view the search evaluates
        ("nodes", np.int64),
        ("limit", np.int64),  # nodes at most, 0 for no limit
        ("age", np.int64),  # of table entries of this search
        # of the position at each ply
        ("pieces", np.uint64, (DEEPEST + 1, THREE)),
        ("exits", np.int64, (DEEPEST + 1, THREE)),
        ("turn", np.int64, (DEEPEST + 1,)),
        ("game_ply", np.int64, (DEEPEST + 1,)),
        ("key", np.uint64, (DEEPEST + 1, 2)),
        ("since", np.int64, (DEEPEST + 1,)),  # the ply after the last exit; -1 if that was before the root
        ("moves", np.int64, (DEEPEST + 1, WIDEST)),
        ("line", np.int16, (DEEPEST + 1, DEEPEST + 1)),  # principal variations by ply, each ending in NO_MOVE
        ("scores", np.float64, (DEEPEST + 1, THREE)),  # the scores found by max^n
        ("exact", np.int64),  # 1: the table answers for the exact depth only
        ("killers", np.int64, (DEEPEST + 1, 2)),
        ("history", np.int64, (THREE, PASSED + 1)),
        ("olds", np.int64),  # positions before the root, since the last exit
        ("old", np.uint64, (OLD, 2)),
        ("seen", np.uint64),  # a bit for each of them, as a quick test for new positions
    ],
    align=True,
)


def bit_of(hex_: tuple[int, int]) -> int:
    q, r = hex_
    return 8 * (r + RADIUS) + q + RADIUS


BITS = tuple(bit_of(hex_) for hex_ in HEXES)


def pieces_in(cells: str) -> list[np.uint64]:
    return [
        np.uint64(sum(1 << bit for bit, cell in zip(BITS, cells, strict=True) if cell == letter)) for letter in LETTERS
    ]


@cache
def _triples() -> dict[str, str]:
    """Return the meaning of each letter of a history's words."""
    rest = EMPTY * (len(HEXES) - 3)
    return {word_of(cells + rest, 0)[1]: cells for cells in map("".join, product(EMPTY + LETTERS, repeat=3))}


def cells_in(word: str) -> tuple[str, int]:
    """Return the cells and the turn of a word of a history."""
    return "".join(_triples()[letter] for letter in word[1:])[: len(HEXES)], LETTERS.index(word[0])


def workspace() -> Any:
    """Return an array of one record, with the masks of the board."""
    made = np.zeros(1, WORKSPACE)
    space = made[0]
    space["board"] = sum(1 << bit for bit in BITS)
    space["exit"] = [sum(1 << BITS[at] for at in edge) for edge in EXITS]
    for seat in range(SEATS):
        for bit, row in zip(BITS, ROWS_LEFT[seat], strict=True):
            space["row"][seat][row] |= np.uint64(1 << bit)
    space["weight"] = EXITED, PIECE, SPARE, STEP, EXPOSED
    return made


def set_up(spaces: Any, state: Position) -> None:
    """Put a position that is not over at the root, and its history before it."""
    space = spaces[0]
    space["root"], space["last_ply"] = state.turn, SEATS * state.max_turns
    space["playing"] = sum(count != OUT for count in state.exits)
    past = [cells_in(word) for word in state.history.split()]
    space["olds"], space["seen"] = len(past), 0
    for at, (cells, turn) in enumerate(past):
        _place(space, cells, state.exits, turn)
        _add_to_past(spaces, at)
    _place(space, state.cells, state.exits, state.turn)
    space["game_ply"][0], space["since"][0] = state.ply, -1
    _begin(spaces)


def _place(space: Any, cells: str, exits: tuple[int, ...], turn: int) -> None:
    space["pieces"][0], space["exits"][0], space["turn"][0] = pieces_in(cells), exits, turn


def action_of(number: int) -> Action:
    if number == PASSED:
        return PASS
    bit, way = divmod(number, 16)
    src = HEXES[BITS.index(bit)]
    if way == EXIT:
        return Action("EXIT", src)
    reach = 1 + way % 2
    dq, dr = DIRECTIONS[way // 2]
    return Action("JUMP" if way % 2 else "MOVE", (src, (src[0] + reach * dq, src[1] + reach * dr)))


def line_of(numbers: Any) -> tuple[Action, ...]:
    """Return a line of moves, up to the first NO_MOVE."""
    return tuple(map(action_of, takewhile(lambda number: number != NO_MOVE, map(int, numbers))))


@kernel
def shifted(word: Word, direction: Int) -> Word:
    """Return the hexes next to those of `word`, on the board or not."""
    if direction == 0:
        return word << ONE
    if direction == 1:
        return word << EIGHT
    if direction == 2:
        return word << SEVEN
    if direction == 3:
        return word >> ONE
    return word >> EIGHT if direction == 4 else word >> SEVEN


@kernel
def opposite(direction: Int) -> Int:
    return (direction + 3) % 6


@kernel
def keyed(space: Record, ply: Int) -> tuple[Word, Word]:
    """Return two words with the pieces, the turn and the exits: unique to the position."""
    red, green, blue = space.pieces[ply, 0], space.pieces[ply, 1], space.pieces[ply, 2]
    a = red | green | np.uint64(space.turn[ply]) << TURN_AT
    a |= np.uint64(space.exits[ply, 0] + 1) << RED_AT | np.uint64(space.exits[ply, 1] + 1) << GREEN_AT
    return a, red | blue | np.uint64(space.exits[ply, 2] + 1) << BLUE_AT


@kernel
def _begin(spaces: Array) -> None:
    space = spaces[0]
    space.key[0, 0], space.key[0, 1] = keyed(space, np.int64(0))


@kernel
def _add_to_past(spaces: Array, at: Int) -> None:
    """Add the position at the root to the past."""
    space = spaces[0]
    a, b = keyed(space, np.int64(0))
    space.old[at, 0], space.old[at, 1] = a, b
    space.seen |= mark(a, b)


@kernel
def mark(a: Word, b: Word) -> Word:
    """Return one of 64 bits, as a hash."""
    return ONE << (scrambled(a ^ scrambled(b)) >> TOP_SIX)


@kernel
def collect(space: Record, ply: Int) -> Int:
    """List the moves of the side to move in the order of the rules; return their number."""
    turn, moves, count = space.turn[ply], space.moves[ply], 0
    taken = space.pieces[ply, 0] | space.pieces[ply, 1] | space.pieces[ply, 2]
    free, rest = space.board & ~taken, space.pieces[ply, turn]
    while rest != ZERO:
        at = lowest(rest)
        piece = rest & (~rest + ONE)
        rest ^= piece
        for direction in range(6):
            near = shifted(piece, direction)
            if near & free:
                moves[count] = 16 * at + 2 * direction
                count += 1
            elif near & taken and shifted(near, direction) & free:
                moves[count] = 16 * at + 2 * direction + 1
                count += 1
        if piece & space.exit[turn]:
            moves[count] = 16 * at + EXIT
            count += 1
    if count == 0:
        moves[0] = PASSED
        return 1
    return count


@kernel
def play(space: Record, ply: Int, move: Int) -> None:
    """Store the position after a move one ply deeper."""
    turn, child = space.turn[ply], ply + 1
    for seat in range(THREE):
        space.pieces[child, seat] = space.pieces[ply, seat]
        space.exits[child, seat] = space.exits[ply, seat]
    space.since[child] = space.since[ply]
    if move != PASSED:
        piece, way = ONE << np.uint64(move >> 4), move & 15
        space.pieces[child, turn] ^= piece
        if way == EXIT:
            space.exits[child, turn] += 1
            space.since[child] = child
        else:
            near = shifted(piece, way >> 1)
            if way & 1:
                for seat in range(THREE):
                    space.pieces[child, seat] &= ~near
                space.pieces[child, turn] |= near | shifted(near, way >> 1)
            else:
                space.pieces[child, turn] |= near
    game_ply = space.game_ply[ply] + 1
    while space.exits[child, game_ply % THREE] == GONE and game_ply < space.last_ply:
        game_ply += 1
    space.game_ply[child], space.turn[child] = game_ply, game_ply % THREE
    space.key[child, 0], space.key[child, 1] = keyed(space, child)


@kernel
def winner_of(space: Record, ply: Int) -> Int:
    """Return the seat that has won; -1 for none."""
    for seat in range(THREE):
        if space.exits[ply, seat] == FOUR:
            return seat
    return -1


@kernel
def drawn(space: Record, ply: Int) -> Truth:
    """Return whether a position without a winner is drawn: by its fourth occurrence, or by the length of the game."""
    return space.game_ply[ply] >= space.last_ply or occurrences(space, ply) >= FOUR


@kernel
def occurrences(space: Record, ply: Int) -> Int:
    """Return how often a position has occurred since the last exit, this time included."""
    a, b, count = space.key[ply, 0], space.key[ply, 1], 1
    for at in range(max(space.since[ply], 0), ply):
        count += space.key[at, 0] == a and space.key[at, 1] == b
    if space.since[ply] < 0 and space.seen & mark(a, b):
        for at in range(space.olds):
            count += space.old[at, 0] == a and space.old[at, 1] == b
    return count


@kernel
def adopt(space: Record, ply: Int, move: Int) -> None:
    """Set the principal variation from here: this move, then that of the child."""
    space.line[ply, 0] = move
    for at in range(DEEPEST - ply):
        space.line[ply, at + 1] = space.line[ply + 1, at]
        if space.line[ply, at + 1] == NO_MOVE:
            break
