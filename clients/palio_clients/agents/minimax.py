"""Looks ahead with plain minimax: the yardstick for everything that prunes."""

from typing import Any

from palio_clients.agents.searcher import DUELS, Deepener
from palio_clients.search.game_tree import Best, Stop
from palio_clients.search.minimax import minimax


class MinimaxBot(Deepener):
    """At the same depth it plays as well as `alpha_beta`, and takes far longer."""

    games = DUELS

    def search(self, state: Any, depth: int, stop: Stop) -> Best:
        return minimax(state, depth, self.evaluate, order=self.order, stop=stop)
