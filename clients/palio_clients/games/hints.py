"""A hint for a person: the best move that the searches of a game find in time."""

from itertools import islice
from typing import Any, NamedTuple

from palio_clients.games.advice import Adviser, SearchStopped, Unsolvable
from palio_clients.games.companion import Companion
from palio_clients.search.game_tree import Stop, never
from palio_rules.game import Game

LATE = "time was up"


class Hint(NamedTuple):
    """A legal move, a text about it, and whether the search was complete."""

    move: Any
    text: str
    complete: bool


def hint(companion: Companion[Any, Any], rules: Game[Any, Any], state: Any, depth: int, stop: Stop) -> Hint:
    """Return the best move of `state`, which is not over, `depth` plies deep; a race is planned to its end.

    After `stop` it is the best so far. Raises Unsolvable if there is nothing to find.
    """
    adviser = companion.adviser(rules)
    if adviser is None:
        raise Unsolvable(f"nothing here searches {rules.title}")
    if rules.kind == "race":
        return _planned(adviser, companion, state, depth, stop)
    first, *others = islice(state.legal_moves(), 2)
    return _deeper(adviser, state, depth, stop) if others else Hint(first, "the only move", complete=True)


def _deeper(adviser: Adviser, state: Any, depth: int, stop: Stop) -> Hint:
    """Search one ply deep, without a time limit, then two, and so on."""
    best = adviser.advise(state, 1, never)
    for limit in range(2, depth + 1):
        try:
            found = adviser.advise(state, limit, stop)
        except SearchStopped:
            found = None
        if found is None or stop():  # the result of a stopped search may be any move
            return Hint(best.move, f"{best.said or best.text}; {LATE}", complete=False)
        best = found
    return Hint(best.move, best.said or best.text, complete=True)


def _planned(adviser: Adviser, companion: Companion[Any, Any], state: Any, depth: int, stop: Stop) -> Hint:
    """Return the first move of a plan; without one in time, the move with the least estimated rest."""
    try:
        found = adviser.advise(state, depth, stop)
    except SearchStopped:
        seat = state.to_move
        move = max(state.legal_moves(), key=lambda move: companion.evaluate(state.play(move), seat))
        return Hint(move, f"no solution found yet, after this move least seems to be left; {LATE}", complete=False)
    return Hint(found.move, found.said or found.text, complete=True)
