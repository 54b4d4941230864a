"""The balance of a position, by the engines of the bots that ship. Depth ends a search, so the result is repeatable."""

from typing import Any

from palio_clients.games import companion_of
from palio_clients.games.engine import Limits
from palio_rules.game import Game


def imbalance(rules: Game[Any, Any], options: Any, state: Any, depth: int) -> float:
    """Return the advantage of one side, in the engine's own unit; 0 is level, and it is never negative."""
    return abs(lead(rules, options, state, depth)) if rules.kind == "duel" else spread(rules, options, state, depth)


def lead(rules: Game[Any, Any], options: Any, state: Any, depth: int) -> float:
    """Of the side to move in a duel: the mean of searches of `depth` and one ply more.

    Of two such, one ends with a move of either side, so that what a move is worth by itself has no part in it.
    """
    return (_score(rules, options, state, depth) + _score(rules, options, state, depth + 1)) / 2


def spread(rules: Game[Any, Any], options: Any, state: Any, depth: int) -> float:
    """Between who stands best and who stands worst at a table, each looking `depth` plies ahead on its own turn.

    `depth` is a multiple of the number of seats, so that all have moved equally often. Whose turn comes later looks
    from there, after the best moves of those before.
    """
    scores: list[float] = []
    for _ in rules.seats:
        if state.to_move is None:
            return float("inf")
        best = _best(rules, options, state, depth)
        scores.append(best.score)
        state = state.play(best.move)
    return max(scores) - min(scores)


def _score(rules: Game[Any, Any], options: Any, state: Any, depth: int) -> float:
    return float(_best(rules, options, state, depth).score)


def _best(rules: Game[Any, Any], options: Any, state: Any, depth: int) -> Any:
    """By an engine that remembers nothing: the same for every order of the positions."""
    engine = companion_of(rules.name).engine(rules, options, 0)
    engine.warm_up()
    return engine.best(state, Limits(depth=depth), lambda: False)
