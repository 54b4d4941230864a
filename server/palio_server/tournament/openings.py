"""Where games begin: a few random legal plies, the same for every pair of bots, so that no two games need be alike."""

from collections.abc import Callable
from random import Random
from typing import Any

from palio_rules.errors import BadOption
from palio_rules.instances.effort import spend

Opening = tuple[Any, ...]  # moves, as on the wire

TRIES = 50  # walks for each opening that is wanted, before the game counts as having too few


def openings(game: Any, start: Callable[[], Any], plies: int, count: int, seed: int) -> list[Opening]:
    """`count` different openings of `plies` random legal moves from `start()`, the same for the same seed.

    No two lead to the same position, and none of them ends the game. Raises BadOption if the game has too few.
    """
    if plies == 0:
        return [()] * count
    random = Random(f"palio openings {seed}")  # noqa: S311 - a draw for a tournament, no secret
    found: dict[Any, Opening] = {}
    for _ in range(TRIES * count):
        if len(found) == count:
            break
        if walk := _walk(game, start(), plies, random):
            state, moves = walk
            found.setdefault(state, moves)
    if len(found) < count:
        raise BadOption(
            f"{game.name} has too few openings of {plies} plies: {count} are wanted, {len(found)} were found; "
            "give more --openings plies, or fewer --rounds"
        )
    return list(found.values())


def _walk(game: Any, state: Any, plies: int, random: Random) -> tuple[Any, Opening] | None:
    """A random line of play, or None where the game ends on the way."""
    moves = []
    for _ in range(plies):
        spend(1)
        legal = list(state.legal_moves())
        if not legal:
            return None
        move = random.choice(legal)
        moves.append(game.move_to_wire(move))
        state = state.play(move)
    return (state, tuple(moves)) if state.outcome() is None else None
