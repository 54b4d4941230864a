"""Looks ahead with alpha-beta: so many plies, or as many as its clock allows."""

from functools import cached_property
from typing import Any

from palio_clients.agents.judgement import looking_back
from palio_clients.agents.searcher import DUELS, Deepener
from palio_clients.search.alpha_beta import alpha_beta
from palio_clients.search.game_tree import Best, Stop
from palio_clients.search.ordering import History
from palio_clients.search.transposition import Table


class AlphaBetaBot(Deepener):
    """Alpha-beta with a transposition table and the moves first that have cut before; both last for the match."""

    games = DUELS

    def search(self, state: Any, depth: int, stop: Stop) -> Best:
        return alpha_beta(state, depth, self.evaluate, order=self.order, table=self.table, stop=stop)

    @cached_property
    def order(self) -> History:
        return History(self.random)

    @cached_property
    def table(self) -> Table:
        return Table(lookback=looking_back(self.game.name))
