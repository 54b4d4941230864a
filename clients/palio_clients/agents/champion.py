"""The strongest bot that ships, for every game."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from palio_clients.agents.planner import PlannerBot
from palio_clients.agents.random import generator
from palio_clients.agents.searcher import NOT_ALONE, Searcher
from palio_clients.agents.thinking_time import ThinkingTime, kernels_for, remark
from palio_clients.agents.tours import OrOptBot
from palio_clients.games import companion_of
from palio_clients.games.engine import Engine, Limits, ReportsDepths
from palio_clients.sdk.bot import Bot, Told
from palio_clients.sdk.clock import Clock
from palio_clients.search.game_tree import Best, Stop
from palio_rules.game import Game, Options
from palio_rules.registry import game, games

RACES = tuple(name for name in games() if game(name).kind == "race" and name in PlannerBot.games + OrOptBot.games)


class ChampionBot(Bot):
    """A bot with the game's engine, compiled if possible (else it says so on stderr), or with a planner for a race.

    `depth` plies, `nodes` or `seconds` a move at most; without any of them, a share of the clock. The clock ends every
    search in time. `seed` 0 tries moves in the engine's own order, another seed in a different one, -1 in a random one.
    If depth or nodes end a search, the same seed plays the same moves.
    """

    games = tuple(sorted(NOT_ALONE + RACES))

    def __init__(self, depth: int = 0, nodes: int = 0, seconds: float = 0.0, seed: int = 0) -> None:
        self._pace = ThinkingTime(depth, nodes, seconds)  # raises for invalid settings before any match
        self._seed = seed
        self._player: Bot

    @classmethod
    def warm_up(cls, game: Game[Any, Any]) -> None:
        kernels_for(game.name, "champion")

    def prepare(self, game: Game[Any, Any], options: Options, seat: int) -> None:
        self._player = player = self._player_of(game)
        player.game, player.options, player.seat = game, options, seat
        player.prepare(game, options, seat)

    def choose(self, state: Any, clock: Clock) -> Any:
        return self._player.choose(state, clock)

    def told(self) -> Told | None:
        return self._player.told()

    def heard_by(self, listener: Callable[[Told], None] | None) -> None:
        self._player.heard_by(listener)

    def _player_of(self, rules: Game[Any, Any]) -> Bot:
        """Return the player of one match: a planner or an improver of tours for a race, else an engine."""
        pace, seed = self._pace, self._seed
        if rules.kind != "race":
            return _Thinker(pace, seed)
        if rules.name in OrOptBot.games:
            return OrOptBot(seconds=pace.seconds, kicks=pace.nodes, seed=seed)
        return PlannerBot(nodes=pace.nodes, seconds=pace.seconds, seed=seed)


class _Thinker(Searcher):
    """A player of one match with the game's engine, which reports its search to viewers."""

    engine: Engine  # set by `prepare`

    def __init__(self, pace: ThinkingTime, seed: int) -> None:
        self.pace, self._seed = pace, seed

    def prepare(self, game: Game[Any, Any], options: Options, seat: int) -> None:
        seed = 1 + generator(-1).getrandbits(31) if self._seed == -1 else self._seed
        self.engine = companion_of(game.name).engine(game, options, seed)
        self.engine.warm_up()
        if self.engine.remark is not None:
            remark("champion", self.engine.remark)

    def think(self, state: Any, stop: Stop) -> Best:
        if self._listener is not None and isinstance(self.engine, ReportsDepths):
            self.engine.show = self.show
        return self.engine.best(state, Limits(self.pace.depth, self.pace.nodes), stop)

    def told(self) -> Told | None:
        told = super().told()
        return told and replace(told, text=self.engine.remark)
