"""The library itself: which of its games can be played here, and what is said of the others."""

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

from palio_rules.errors import BadOption, MissingLibrary, nearest, quoted
from palio_rules.extras import install

OWN = ("ansi_color_output", "egocentric", "egocentric_obs_tensor", "plain_obs_tensor", "string_rep")  # not rules
PLAIN = {"ansi_color_output": False}  # what these are always set to, where a game has them

TRIED = 200  # plies of a random game with settings that are not OpenSpiel's own


@cache
def pyspiel() -> Any:
    """The module. Raises MissingLibrary where it is not installed."""
    try:
        import pyspiel as found  # noqa: PLC0415  # heavy, and an extra
    except ImportError as error:
        remedy = install("openspiel")
        raise MissingLibrary(f"this needs OpenSpiel, which cannot be imported ({error}); {remedy}") from None
    return found


@cache
def _kinds() -> dict[str, Any]:
    return {kind.short_name: kind for kind in pyspiel().registered_games()}


@cache
def playable() -> tuple[str, ...]:
    """The short names of the games that can be played here, sorted."""
    return tuple(sorted(name for name, kind in _kinds().items() if not why_not(kind)))


def kind_of(name: str) -> Any:
    """OpenSpiel's description of its game `name`. Raises BadOption, with the reason, if it cannot be played here."""
    if name not in _kinds():
        raise BadOption(f"there is no {quoted(name)} among the games of OpenSpiel; {nearest(name, playable())}")
    if reason := why_not(_kinds()[name]):
        raise BadOption(f"{name} of OpenSpiel cannot be played here: {reason}")
    return _kinds()[name]


def why_not(kind: Any) -> str:
    """Return, as a sentence, the properties of a game that keep it from being played here; "" if none does."""
    return "it has " + " and ".join(reasons) if (reasons := list(_reasons(kind))) else ""


def _reasons(kind: Any) -> Iterator[str]:
    types = pyspiel().GameType
    if kind.dynamics == types.Dynamics.SIMULTANEOUS:
        yield "simultaneous moves"
    if kind.dynamics == types.Dynamics.MEAN_FIELD:
        yield "a crowd instead of players (mean field)"
    if kind.chance_mode != types.ChanceMode.DETERMINISTIC:
        yield "chance (dice, cards)"
    if kind.information != types.Information.PERFECT_INFORMATION:
        yield "imperfect information"
    if kind.max_num_players < 2:
        yield "a single player, whose reward is no cost of which less is better"
    elif kind.utility not in (types.Utility.ZERO_SUM, types.Utility.CONSTANT_SUM):
        yield "a sum that is not constant, so that nobody wins against the others"
    if not kind.default_loadable:
        yield "no rules of its own, but those of a game or a file that it is given"


def load(name: str, settings: dict[str, Any]) -> Any:
    """OpenSpiel's game with `settings` other than its own. Raises BadOption with OpenSpiel's reason."""
    known = kind_of(name).parameter_specification
    given = {**{key: value for key, value in PLAIN.items() if key in known}, **settings}
    try:
        found = pyspiel().load_game(name, given)
        if settings:
            _try_out(found)
    except Exception as error:  # noqa: BLE001  # OpenSpiel's own sentence is told
        said = " ".join(str(error).split())[-200:]
        raise BadOption(f"{name} of OpenSpiel cannot be played with {_written(settings)}: {said}") from None
    if reason := why_not(found.get_type()):
        raise BadOption(f"{name} of OpenSpiel cannot be played with {_written(settings)}: {reason}")
    return found


def _try_out(game: Any) -> None:
    """A random game: some settings are refused only when they are played with. Raises what OpenSpiel raises."""
    state, choose = game.new_initial_state(), random.Random(0)  # noqa: S311  # no secret
    for _ in range(TRIED):
        if state.is_terminal():
            return
        moves = state.legal_actions()
        if not moves:
            raise ValueError("nobody can move, and it is not over")
        state.apply_action(choose.choice(moves))


def _written(settings: dict[str, Any]) -> str:
    return ",".join(f"{key}={value}" for key, value in settings.items()) or "its own settings"
