"""The strongest that ships, whatever the game."""

from typing import Any

from palio_clients.agents.pace import Pace
from palio_clients.bot import Bot, Told
from palio_clients.clock import Clock
from palio_clients.engines import module_of, player_of
from palio_clients.engines.settings import Settings
from palio_rules.game import Game
from palio_rules.registry import game, games


def _plays(name: str) -> bool:
    """A race needs somebody who knows its way; where somebody is against you, a search is good for any game."""
    return game(name).kind != "race" or module_of(name) is not None


class ChampionBot(Bot):
    """Thinks with the game's engine, compiled where that is possible, and saying so where it is not; or runs its race.

    `depth` plies, `nodes` or `seconds` a move at most; without any of them, a share of the clock. Whatever is set, the
    clock ends every search. `seed` 0 tries moves in the engine's own order, another seed in a different one, -1 in a
    different one each time. Where depth or nodes end a search, it plays the same again.
    """

    games = tuple(name for name in games() if _plays(name))

    def __init__(self, depth: int = 0, nodes: int = 0, seconds: float = 0.0, seed: int = 0) -> None:
        Pace(depth, nodes, seconds)  # refuses what makes no sense while its author is still there to read it
        self._settings = Settings(depth, nodes, seconds, seed)
        self._player: Bot

    def prepare(self, game: Game[Any, Any], options: Any, seat: int) -> None:
        self._player = player = player_of(game, self._settings)
        player.game, player.options, player.seat = game, options, seat
        player.prepare(game, options, seat)

    def choose(self, state: Any, clock: Clock) -> Any:
        return self._player.choose(state, clock)

    def told(self) -> Told | None:
        return self._player.told()
