"""A bot's settings as options of a UGI engine."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from palio_clients.sdk.bot import Bot
from palio_clients.sdk.bot_settings import arguments

LEAST, MOST = -(2**31), 2**31 - 1


def offers(bot: type[Bot] | None, settings: Mapping[str, str]) -> Iterator[str]:
    """`option` lines; a program, which is no class, has none. `settings` are those that are set already, as text."""
    for name, default in ({} if bot is None else arguments(bot)).items():
        value = settings.get(name, default)
        yield f"option name {name} {_type(default, value)}"


def _type(default: Any, value: Any) -> str:
    if isinstance(default, bool):
        return f"type check default {str(value).lower()}"
    if isinstance(default, int):
        return f"type spin default {value} min {LEAST} max {MOST}"
    text = "" if value in (None, inspect.Parameter.empty) else str(value)
    return f"type string default {text or '<empty>'}"
