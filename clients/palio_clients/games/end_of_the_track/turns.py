"""How many turns lie between two positions of End of the Track at least: what guides and prunes searches for a plan.

Both sides' pieces are moved, in turn. A block needs at least the knight's moves of an empty board, each move of a
knight changes the colour of its square, and a pass always ends on another square than it began. So the number of turns
that a side can spend on its way is known nearly exactly, and whose turn it is decides how turns are shared.
"""

from itertools import count

from palio_rules.boards.end_of_track import BALL, BLOCKS, KNIGHT, SIDE, SQUARES

State = tuple[tuple[int, ...], int]  # the twelve pieces, and the seat (0 White, 1 Black) whose turn it is


def _knight_distances(start: int) -> tuple[int, ...]:
    distance, wave = {start: 0}, [start]
    for square in wave:  # grows while we walk along it
        for beyond in KNIGHT[square]:
            if beyond not in distance:
                distance[beyond] = distance[square] + 1
                wave.append(beyond)
    return tuple(distance[square] for square in range(SQUARES))


DISTANCE = tuple(_knight_distances(square) for square in range(SQUARES))


def may_take(there: tuple[int, ...], back: tuple[int, ...], seat: int, turns: int) -> bool:
    """Whether `seat` might bring its pieces from `there` to `back` in exactly `turns` turns. False is certain."""
    first = SIDE * seat
    spare = turns
    for block in range(first, first + BLOCKS):
        spare -= DISTANCE[there[block]][back[block]]
    if spare < 2:
        ball, home = there[first + BALL], back[first + BALL]
        if spare < 0 or ball != home:
            return spare == 1
        if spare == 1:
            return False  # neither a lone pass, which would move the ball, nor a lone knight's move, by its colour
        holder = there.index(ball, first, first + BLOCKS)
        return back[holder] == ball  # or else the ball would have to go and to come back
    return True


def may_lead(state: State, goal: tuple[int, ...], turns: int) -> bool:
    """Whether the pieces `goal` might stand exactly `turns` turns after `state`. False is certain."""
    pieces, seat = state
    return may_take(pieces, goal, seat, (turns + 1) // 2) and may_take(pieces, goal, 1 - seat, turns // 2)


def turns_between(state: State, goal: tuple[int, ...]) -> int:
    """At least so many turns lie between `state` and the pieces `goal`: admissible, and 0 exactly at the goal."""
    return next(turns for turns in count() if may_lead(state, goal, turns))
