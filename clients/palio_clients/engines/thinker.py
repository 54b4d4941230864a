"""Lets an engine play: with the pace of all our bots, and telling viewers what they should know of it."""

from dataclasses import replace
from typing import Any

from palio_clients.agents.pace import Pace
from palio_clients.agents.random import generator
from palio_clients.agents.remark import remark
from palio_clients.agents.searcher import Searcher
from palio_clients.bot import Told
from palio_clients.engines import engine_of
from palio_clients.engines.engine import Engine, Limits
from palio_clients.engines.settings import Settings
from palio_clients.search.game_tree import Best, Stop
from palio_rules.game import Game


class Thinker(Searcher):
    """Plays one match with an engine."""

    engine: Engine  # there after `prepare`

    def __init__(self, settings: Settings) -> None:
        self.pace = Pace(settings.depth, settings.nodes, settings.seconds)
        self._limits = Limits(settings.depth, settings.nodes)
        self._seed = settings.seed

    def prepare(self, game: Game[Any, Any], options: Any, seat: int) -> None:
        seed = 1 + generator(-1).getrandbits(31) if self._seed == -1 else self._seed
        self.engine = engine_of(game, options, seed)
        self.engine.warm_up()
        if self.engine.remark is not None:
            remark("champion", self.engine.remark)

    def think(self, state: Any, stop: Stop) -> Best:
        return self.engine.best(state, self._limits, stop)

    def told(self) -> Told | None:
        told = super().told()
        return told and replace(told, text=self.engine.remark)
