"""From what was typed to a bot that can be entered: its name on the server, and the games that it will play there."""

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import unquote

import msgspec

from palio_clients.address import MQTT, address
from palio_clients.failures import BadBot
from palio_clients.loader import load
from palio_clients.player import Entrant
from palio_rules import messages
from palio_rules.errors import nearest


def entry(url: str, spec: str, name: str | None = None, games: Sequence[str] = ()) -> Entrant:
    """Load `spec` for the server at `url`, under `name`, for `games` only. Raises BadBot with the remedy."""
    parts = address(url)
    entrant = load(spec)
    if name is None and parts.scheme in MQTT and parts.username:
        name = unquote(parts.username)  # a broker knows its bots by their user names
    return only(replace(entrant, name=_checked(name or entrant.name)), games)


def only(entrant: Entrant, games: Sequence[str]) -> Entrant:
    """The bot, playing just `games`; all of its own where none are given. Raises BadBot if it does not play one."""
    for game in games:
        if game not in entrant.games:
            raise BadBot(f"{entrant.name} does not play {game!r}; {nearest(game, entrant.games)}")
    return replace(entrant, games=tuple(dict.fromkeys(games)) or entrant.games)


def _checked(name: str) -> str:
    try:
        return msgspec.convert(name, messages.Name)
    except msgspec.ValidationError:
        remedy = "use up to 40 letters, digits, dots, dashes and underscores, a letter or digit first"
        raise BadBot(f"{name!r} is no name for a bot; {remedy}") from None
