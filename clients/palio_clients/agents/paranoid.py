"""Looks ahead as if everybody at the table had sworn to beat it, and sees further for it."""

from functools import cached_property
from typing import Any

from palio_clients.agents.searcher import NOT_ALONE, Deepener
from palio_clients.search.game_tree import Best, Stop
from palio_clients.search.ordering import History
from palio_clients.search.paranoid import paranoid


class ParanoidBot(Deepener):
    """Made for three seats; in a duel it is alpha-beta. The moves that have cut before are tried first."""

    games = NOT_ALONE

    def search(self, state: Any, depth: int, stop: Stop) -> Best:
        return paranoid(state, depth, self.evaluate, order=self.order, stop=stop)

    @cached_property
    def order(self) -> History:
        return History(self.random)
