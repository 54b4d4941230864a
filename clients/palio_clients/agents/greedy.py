"""One ply deep: the move whose position looks best, never mind the answer."""

from typing import Any

from palio_clients.agents.judgement import judge, shown
from palio_clients.agents.random import generator
from palio_clients.bot import Bot
from palio_clients.clock import Clock
from palio_clients.search.alpha_beta import WIN, Evaluate


class GreedyBot(Bot):
    """Plays the move that looks best at once; among equals at random, by `seed` (-1: different each time)."""

    def __init__(self, seed: int = -1) -> None:
        self.random = generator(seed)

    def choose(self, state: Any, clock: Clock) -> Any:
        evaluate = judge(self.game.name)
        values = [(self._value(state.play(move), evaluate), move) for move in state.legal_moves()]
        best = max(value for value, _ in values)
        move = self.random.choice([move for value, move in values if value == best])
        self.tell(depth=1, nodes=len(values), score=shown(best), pv=[move])
        return move

    def _value(self, after: Any, evaluate: Evaluate) -> float:
        outcome = after.outcome()
        if outcome is None:
            return evaluate(after, self.seat)
        return WIN * float(2 * outcome.scores[self.seat] - 1)
