"""Races by the names that Gymnasium knows them by: `palio/RushHour-v0`, `palio/ChexersSolo-v0`, `palio/Tsp-v0`."""

from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec

from palio_rules.gymnasium.environment import RaceEnv
from palio_rules.registry import games, is_race

ENTRY_POINT = "palio_rules.gymnasium.environment:RaceEnv"
VERSION = 0  # of what observations and actions mean


def env(game: str, **settings: Any) -> RaceEnv:
    """The environment of a race, without wrappers; see `RaceEnv` for the settings. Raises BadOption.

    Its `spec` makes it again, as Gymnasium's own checks and its vectors do.
    """
    made = RaceEnv(game, **settings)
    kwargs = {"game": game, **{name: value for name, value in settings.items() if name != "render_mode"}}
    made.spec = EnvSpec(id=name_of(made.rules.name), entry_point=ENTRY_POINT, kwargs=kwargs)
    return made


def name_of(game: str) -> str:
    """The name that Gymnasium knows a race by.

    >>> name_of("rush_hour")
    'palio/RushHour-v0'
    """
    return f"palio/{''.join(word.capitalize() for word in game.split('_'))}-v{VERSION}"


def register() -> None:
    """Tell Gymnasium of every installed race, third-party ones included."""
    for game in filter(is_race, games()):
        name = name_of(game)
        if name not in gymnasium.registry:
            gymnasium.register(name, entry_point=ENTRY_POINT, kwargs={"game": game})
