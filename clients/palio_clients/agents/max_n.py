"""Looks ahead with max^n: supposes that everybody at the table plays for itself."""

from typing import Any

from palio_clients.agents.searcher import NOT_ALONE, Deepener
from palio_clients.search.game_tree import Best, Stop
from palio_clients.search.max_n import max_n


class MaxNBot(Deepener):
    """Made for three seats; in a duel it is minimax."""

    games = NOT_ALONE

    def search(self, state: Any, depth: int, stop: Stop) -> Best:
        return max_n(state, depth, self.evaluate, seats=len(self.game.seats), order=self.order, stop=stop)
