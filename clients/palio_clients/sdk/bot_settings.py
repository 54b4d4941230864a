"""A bot's settings: from text on a command line to typed keyword arguments of its constructor."""

import inspect
import typing
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import msgspec

from palio_clients.sdk.bot import Bot
from palio_clients.sdk.failures import BadBot
from palio_rules.errors import nearest


def maker(bot: type[Bot], settings: Mapping[str, str]) -> Callable[[], Bot]:
    """A function that makes instances of `bot` with `settings`. Raises BadBot, naming the setting and the remedy."""
    parameters = _parameters(bot)
    for name in settings:
        if name not in parameters:
            raise BadBot(f"{bot.__name__} has no setting {name!r}; {nearest(name, parameters)}")
    missing = [
        name for name, (_, default) in parameters.items() if default is inspect.Parameter.empty and name not in settings
    ]
    if missing:
        raise BadBot(f"{bot.__name__} needs the setting {missing[0]!r}; add {missing[0]}=VALUE to its spec")
    values = {name: _value(bot, name, text, parameters[name][0]) for name, text in settings.items()}
    make = partial(bot, **values)
    if values:
        _try(make, bot)
    return make


def _try(make: Callable[[], Bot], bot: type[Bot]) -> None:
    """Let the constructor refuse its settings now, while the author reads why, and not in every match."""
    try:
        make()
    except ValueError as error:
        raise BadBot(f"{bot.__name__} refuses its settings: {error}") from error
    except Exception:  # noqa: BLE001, S110 - it may lack something that will be there in a match; if not, it fails there
        pass


def _parameters(bot: type[Bot]) -> dict[str, tuple[Any, Any]]:
    """The constructor's keyword arguments: name to (type, default)."""
    if bot.__init__ is object.__init__:
        return {}
    try:
        hints = typing.get_type_hints(bot.__init__)
    except NameError as error:
        raise BadBot(
            f"the annotations of {bot.__name__}.__init__ cannot be read: {error}; import what they name"
        ) from None
    found = {}
    for parameter in list(inspect.signature(bot.__init__).parameters.values())[1:]:
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            default = parameter.default
            untyped = str if default in (parameter.empty, None) else type(default)
            found[parameter.name] = (hints.get(parameter.name, untyped), default)
    return found


def _value(bot: type[Bot], name: str, text: str, kind: Any) -> Any:
    try:
        return msgspec.convert(text, kind, strict=False)  # reads int, float, bool, None and Literal from text
    except msgspec.ValidationError as error:
        if typing.get_origin(kind) is typing.Literal:
            known = nearest(text, map(str, typing.get_args(kind)))
            raise BadBot(f"{bot.__name__} has no setting {name}={text!r}; {known}") from None
        reason = str(error)
        raise BadBot(f"{bot.__name__} setting {name}={text!r}: {reason[:1].lower()}{reason[1:]}") from None
    except TypeError:
        raise BadBot(f"{bot.__name__} setting {name!r} is a {kind}, which cannot be given as text") from None
