"""Plans compiled: the fewest turns from one board to another, both sides' pieces moving in turn.

Iterative deepening A* (Korf, "Depth-first iterative-deepening: an optimal admissible tree search", Artificial
Intelligence 27, 1985), pruned by the twins of `games.end_of_the_track.turns`, which tell nearly exactly whether so many
turns can be enough; with a memory of failures (Reinefeld and Marsland, "Enhanced iterative-deepening search", IEEE PAMI
16, 1994). As in the course, a game that is won goes on.
"""

from typing import Any

import numpy as np

from palio_clients.games.end_of_the_track.evaluation import DISTANCE
from palio_clients.games.end_of_the_track.kernels.workspace import (
    BALL,
    BLOCKS,
    DEEPEST,
    SIDE,
    collect,
    line_of,
    moved,
    put_back,
    set_up,
    standing,
    workspace,
)
from palio_clients.kernels.bits import raised, scrambled
from palio_clients.kernels.jit import Array, Flag, Int, Record, Truth, Word, kernel, stoppable
from palio_clients.search.game_tree import Stop, never
from palio_rules.games.end_of_track import Move

MEMORY_BITS = 16  # 2**16 failures are stored, 24 bytes each
SQUARE_BITS = np.uint64(6)


def plan(
    pieces: tuple[int, ...],
    goal: tuple[int, ...],
    turn: int,
    *,
    longest: int = DEEPEST,
    stop: Stop = never,
    spaces: Any = None,
) -> tuple[Move, ...] | None:
    """Return a shortest plan from `pieces` to `goal`, `turn` moving first; None if there is none of `longest` turns.

    Pieces keep their identity: two blocks that have changed places are another goal. Raises Stopped. A caller that
    passes the `workspace` can read in it how many nodes there were so far.
    """
    spaces = workspace() if spaces is None else spaces
    memory = np.zeros((1 << MEMORY_BITS, 3), np.uint64)
    spaces["distance"] = DISTANCE
    own, enemy = set_up(spaces[0], pieces, turn)
    target = np.array(goal, np.int64)
    with stoppable(stop) as flag:
        turns = _shortest(spaces, memory, target, flag, own, enemy, turn, longest)
    return None if turns < 0 else line_of([*spaces[0]["line"][0][:turns], 0])


@kernel
def _shortest(
    spaces: Array, memory: Array, goal: Array, flag: Flag, own: Word, enemy: Word, turn: Int, longest: Int
) -> Int:
    """Return the number of turns of a shortest plan, -1 if there is none; it is in the workspace's first line."""
    space = spaces[0]
    for turns in range(longest + 1):
        if may_lead(space, goal, turn, turns) and _finds(
            space, memory, goal, flag, own, enemy, turn, turns, np.int64(0)
        ):
            return turns
        if raised(flag):
            break
    return -1


@kernel
def _finds(
    space: Record, memory: Array, goal: Array, flag: Flag, own: Word, enemy: Word, turn: Int, left: Int, ply: Int
) -> Truth:
    """Return whether exactly `left` more turns lead to the goal; the bounds allow it."""
    if left == 0:
        return True  # with no turns left, the bounds are exact
    space.nodes += 1
    white, black = packed(space, np.int64(0)), packed(space, np.int64(SIDE)) | np.uint64(left) << np.uint64(40)
    entry = memory[scrambled(white ^ scrambled(black)) & np.uint64(len(memory) - 1)]
    if entry[0] == white and entry[1] == black and entry[2] == np.uint64(turn + 1):
        return False
    moves = space.stack[ply]
    for number in range(collect(space, own, enemy, turn, moves)):
        move = moves[number]
        at = standing(space, turn, move)
        mine = moved(space, own, turn, move)
        if may_take(space, goal, turn, (left - 1) // 2) and _finds(
            space, memory, goal, flag, enemy, mine, 1 - turn, left - 1, ply + 1
        ):
            space.line[0, ply] = move
            return True
        put_back(space, turn, move, at)
        if raised(flag):
            return False
    entry[0], entry[1], entry[2] = white, black, np.uint64(turn + 1)
    return False


@kernel
def packed(space: Record, first: Int) -> Word:
    """Return the six pieces of one side in 36 bits."""
    word = np.uint64(0)
    for index in range(first, first + SIDE):
        word = word << SQUARE_BITS | np.uint64(space.pieces[index])
    return word


@kernel
def may_lead(space: Record, goal: Array, turn: Int, turns: Int) -> Truth:
    """Return whether the goal might be reached in exactly `turns` turns, `turn` moving first. False is certain."""
    return may_take(space, goal, turn, (turns + 1) // 2) and may_take(space, goal, 1 - turn, turns // 2)


@kernel
def may_take(space: Record, goal: Array, turn: Int, turns: Int) -> Truth:
    """Return whether `turn` might bring its pieces to the goal in `turns` turns of its own. False is certain."""
    first, spare = SIDE * turn, turns
    for block in range(first, first + BLOCKS):
        spare -= space.distance[space.pieces[block], goal[block]]
    if spare >= 2:
        return True
    ball = space.pieces[first + BALL]
    if spare < 0 or ball != goal[first + BALL]:
        return spare == 1
    if spare == 1:
        return False
    holder = first
    while space.pieces[holder] != ball:
        holder += 1
    return goal[holder] == ball
