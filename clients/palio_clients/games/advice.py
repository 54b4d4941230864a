"""Advice for a digit in `palio play`: the best move within so many plies, or the first move of a shortest solution.

A page's hints use it, too: see `hints`.
"""

from collections.abc import Callable, Iterable
from math import inf
from typing import Any, NamedTuple, Protocol

from palio_clients.games.engine import DECIDED, Limits, ReadableEngine, shown
from palio_clients.search.game_tree import WIN, Best, Evaluate, Lookback, NoisyMoves, Stop, deepening
from palio_clients.search.minimax import max_n
from palio_clients.search.planning import Problem, a_star
from palio_rules.game import Game

MOST = 300_000  # positions of a plan: some hundred megabytes
REPLIES = 3  # moves after the advised one that are shown
EVEN = 0.25  # of a unit: a smaller lead counts as even

Unit = tuple[str, str]  # the unit of an evaluation, singular and plural


class Advice(NamedTuple):
    """A move, and two texts about it: `text` in figures, `said` in words; "" if there are no other moves."""

    move: Any
    text: str
    said: str = ""


class Unsolvable(ValueError):
    """The error that a puzzle has no solution from here, or is too large to be searched; str() says which."""


class SearchStopped(Exception):
    """The error that the search was stopped, and its result has no value."""


class Adviser(Protocol):
    """An adviser for one game."""

    @property
    def promise(self) -> str:
        """Return what a digit does, for the help page."""

    def advise(self, state: Any, limit: int, stop: Stop) -> Advice:
        """Return a move in `state`, which is not over. After `stop` has returned True, any move may be returned.

        Raises Unsolvable, and SearchStopped after `stop`.
        """


class SearchAdviser:
    """An adviser that looks `limit` plies ahead: with `alpha_beta` in a duel, with `max_n` for three or more seats."""

    def __init__(
        self,
        rules: Game[Any, Any],
        evaluate: Evaluate,
        lookback: Lookback,
        unit: Unit = ("point", "points"),
        noisy: NoisyMoves | None = None,
    ) -> None:
        self._rules, self._evaluate, self._lookback, self._unit = rules, evaluate, lookback, unit
        self._noisy = noisy
        self.promise = f"play the best move within so many plies{'' if rules.kind == 'duel' else ', by max^n'}"

    def advise(self, state: Any, limit: int, stop: Stop) -> Advice:
        moves = list(state.legal_moves())
        if len(moves) == 1:  # no choice
            return Advice(moves[0], f"limit {limit}")
        best = self._search(state, limit, stop)
        text = f"limit {limit}: value {shown(best.score):g}, {plural(best.nodes, 'node')}"
        return Advice(best.move, text, in_words(self._rules, state, best, self._unit))

    def _search(self, state: Any, limit: int, stop: Stop) -> Best:
        if self._rules.kind == "duel":
            engine = ReadableEngine(self._rules, self._evaluate, self._lookback, noisy=self._noisy)
            return engine.best(state, Limits(limit), stop)
        seats = len(self._rules.seats)
        *_, best = deepening(
            lambda depth, stop: max_n(state, depth, self._evaluate, seats=seats, stop=stop), stop, max_depth=limit
        )
        return best


class PlanAdviser:
    """An adviser that plans to the end by A*, without using the limit; `unit` is the game's word for a move."""

    def __init__(self, problem: Callable[[Any], Problem[Any]], unit: str = "move") -> None:
        self._problem, self._unit = problem, unit
        self.promise = f"play the first {unit} of a shortest solution"

    def advise(self, state: Any, limit: int, stop: Stop) -> Advice:
        plan = a_star(*self._problem(state), max_expanded=MOST, stop=stop)
        if stop():
            raise SearchStopped
        if not plan.complete:
            known = "this board has no solution" if plan.at_least == inf else f"none found in {MOST:,} positions"
            raise Unsolvable(known)
        return Advice(plan.moves[0], f"{plural(len(plan.moves), self._unit)} to go by a shortest solution")


def in_words(rules: Game[Any, Any], state: Any, best: Best, unit: Unit) -> str:
    """Return a search's result in words, for the side to move: "4 plies deep you are about 2 pawns ahead".

    The expected next moves follow.
    """
    deep = "" if abs(best.score) >= DECIDED else f"{plural(best.depth, 'ply', 'plies')} deep "
    return f"{deep}{_judged(rules, best.score, unit)}{expecting(rules, state, best)}"


def expecting(rules: Game[Any, Any], state: Any, best: Best) -> str:
    """Return the rest of the sentence: the next moves after the best one; "" without any."""
    expects = ", ".join(_line(rules, state, best.pv[: REPLIES + 1]))
    return f"; it expects {expects}" if expects else ""


def _judged(rules: Game[Any, Any], score: float, unit: Unit) -> str:
    others = "your opponent" if rules.kind == "duel" else "the others on average"
    if score >= DECIDED:
        if rules.kind == "duel":
            return f"you win within {plural(round(WIN - score), 'ply', 'plies')}, whatever is answered"
        return "you win if each of the others plays for itself"
    if score <= -DECIDED:
        if rules.kind == "duel":
            return f"you lose within {plural(round(WIN + score), 'ply', 'plies')} against the best play"
        return "somebody else wins"
    if abs(score) < EVEN:
        return "nobody is ahead"
    halves = round(2 * abs(score)) / 2
    what = unit[0] if halves == 1 else unit[1]
    return f"you are about {halves:g} {what} {'ahead of' if score > 0 else 'behind'} {others}"


def _line(rules: Game[Any, Any], state: Any, moves: Iterable[Any]) -> Iterable[str]:
    """Yield the notations of the moves after the first of `moves`."""
    for number, move in enumerate(moves):
        if number:
            yield rules.notation(state, move)
        state = state.play(move)


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a number and its noun: 1 node, 2,000 nodes, 2 leaves."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
