"""One-ply search: the move to the position with the best evaluation."""

from typing import Any

from palio_clients.agents.random import generator
from palio_clients.games import companion_of
from palio_clients.games.engine import shown
from palio_clients.sdk.bot import Bot
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import Resign
from palio_clients.search.game_tree import WIN, worth
from palio_rules.game import Game, Options


class GreedyBot(Bot):
    """A bot that plays the move with the best evaluation; among equals at random, by `seed` (-1: different each time).

    In a race that alone would soon alternate between the two best positions nearby. So it learns during the race: a
    position's value becomes one step worse than its best neighbour's. That is LRTA*, which reaches the goal if there is
    a path to it from every position (Korf, "Real-time heuristic search", Artificial Intelligence 42, 1990). In an
    anytime race it submits the best solution that is offered, and then resigns.
    """

    quick = True

    def __init__(self, seed: int = -1) -> None:
        self.random = generator(seed)
        self.learnt: dict[Any, float] = {}  # in a race: the learnt values of positions

    def prepare(self, game: Game[Any, Any], options: Options, seat: int) -> None:
        companion_of(game.name)  # loaded before any clock runs

    def choose(self, state: Any, clock: Clock) -> Any:
        if self.game.anytime:
            return self._offer(state, clock)
        if (rest := companion_of(self.game.name).rest(state)) is not None:
            return rest
        value = self._distance if self.game.kind == "race" else self._value
        values = [(value(state.play(move)), move) for move in state.legal_moves()]
        best = max(value for value, _ in values)
        if self.game.kind == "race":
            self.learnt[state] = min(best - 1, self._distance(state))
        move = self.random.choice([move for value, move in values if value == best])
        self.tell(depth=1, nodes=len(values), score=shown(best), pv=[move])
        return move

    def _value(self, after: Any) -> float:
        if (outcome := after.outcome()) is not None:
            return worth(outcome, self.seat, 1)
        return companion_of(self.game.name).evaluate(after, self.seat)

    def _distance(self, state: Any) -> float:
        """Return the remaining steps as a negative number: the learnt value, or else the evaluation."""
        outcome = state.outcome()
        if outcome is not None:
            return 0.0 if outcome.scores[self.seat] == 1 else -WIN
        return self.learnt.get(state) or min(0.0, companion_of(self.game.name).evaluate(state, self.seat))

    def _offer(self, state: Any, clock: Clock) -> Any:
        """Return the best of the solutions found within half of the time; at least one is tried."""
        if self.game.cost(state) is not None:
            raise Resign
        enough, nodes = clock.seconds() / 2, 0
        best: tuple[float, Any] | None = None
        for nodes, move in enumerate(companion_of(self.game.name).offers(state), 1):  # noqa: B007 - `nodes` is shown below
            cost = self.game.cost(state.play(move))
            if cost is not None and (best is None or (cost, move) < best):
                best = cost, move
            if best is not None and (clock.expired() or clock.seconds() < enough):
                break
        if best is None:
            raise Resign
        self.tell(depth=1, nodes=nodes, score=-best[0])
        return best[1]
