"""A hint for a person: the best move that the searches of a game find in time."""

from itertools import islice
from typing import Any, NamedTuple

from palio_clients.games.advice import Adviser, SearchStopped, Unsolvable
from palio_clients.games.companion import Companion
from palio_clients.games.engine import Limits, ReadableEngine, shown
from palio_clients.search.game_tree import Stop, deepening, never, worth
from palio_clients.search.minimax import max_n
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


class RankedMove(NamedTuple):
    """A legal move and its value for the side to move, in units of the evaluation; +-1000 and more is decided."""

    move: Any
    value: float


class Ranking(NamedTuple):
    """The moves, the best first, as `depth` plies show them, and whether the search was complete.

    All legal ones, or those that the game's own search finds worth playing.
    """

    moves: list[RankedMove]
    depth: int
    complete: bool


def rank(companion: Companion[Any, Any], rules: Game[Any, Any], state: Any, depth: int, stop: Stop) -> Ranking:
    """Return the moves of `state`, which is not over, with their values: each is searched by itself, if the game's
    companion has no search for that.

    One ply deep, without a time limit, then two, and so on; after `stop` the result of the last whole depth. Raises
    Unsolvable in a race, whose moves have no values.
    """
    if rules.kind == "race":
        raise Unsolvable(f"moves of {rules.title} are not ranked, ask for a hint")
    if (own := companion.values(state, depth, stop)) is not None:
        return Ranking([RankedMove(*each) for each in own], depth, complete=not stop())
    seat = state.to_move
    found = [RankedMove(move, 0.0) for move in state.legal_moves()]
    reached = 0
    for limit in range(1, depth + 1):
        until = never if limit == 1 else stop
        now = []
        for move, _ in found:
            now.append(RankedMove(move, _value(companion, rules, state.play(move), seat, limit - 1, until)))
            if until():
                return Ranking(found, reached, complete=False)
        found, reached = sorted(now, key=lambda each: -each.value), limit
    return Ranking(found, reached, complete=True)


def _value(
    companion: Companion[Any, Any], rules: Game[Any, Any], state: Any, seat: int, depth: int, stop: Stop
) -> float:
    """Return the value of `state` for `seat` after a search of `depth` plies. After `stop` it may be any number."""
    if (outcome := state.outcome()) is not None:
        return shown(worth(outcome, seat, 0))
    if depth == 0:
        return companion.evaluate(state, seat)
    if rules.kind == "duel":
        engine = ReadableEngine(rules, companion.evaluate, companion.lookback, noisy=companion.noisy)
        score = shown(engine.best(state, Limits(depth), stop).score)
        return score if state.to_move == seat else 0.0 - score
    *_, best = deepening(
        lambda limit, stop: max_n(state, limit, companion.evaluate, seats=len(rules.seats), stop=stop),
        stop,
        max_depth=depth,
    )
    for move in best.pv:
        state = state.play(move)
    return _value(companion, rules, state, seat, 0, never)
