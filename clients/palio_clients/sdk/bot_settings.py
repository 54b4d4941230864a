"""A bot's settings: from text on a command line to typed keyword arguments of its constructor."""

import inspect
import typing
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import msgspec

from palio_clients.sdk.bot import Bot
from palio_clients.sdk.failures import BadBot
from palio_rules.errors import nearest, sentence


def maker(bot: type[Bot], settings: Mapping[str, str]) -> Callable[[], Bot]:
    """A function that makes instances of `bot` with `settings`. Raises BadBot, naming the setting and the remedy."""
    parameters = _parameters(bot)
    for name in settings:
        if name not in parameters:
            raise BadBot(f"{bot.__name__} has no setting {name!r}; {nearest(name, parameters)}")
    for name, (_, default) in parameters.items():
        if default is inspect.Parameter.empty and name not in settings:
            raise BadBot(f"{bot.__name__} needs the setting {name!r}; add {name}=VALUE to its spec")
    values = {name: _value(bot, name, text, parameters[name][0]) for name, text in settings.items()}
    make = partial(bot, **values)
    if values:  # let the constructor refuse them now, while the author reads why, and not in every match
        try:
            make()
        except ValueError as error:
            raise BadBot(f"{bot.__name__} refuses its settings: {error}") from error
        except Exception:  # noqa: BLE001, S110 - it may lack what will be there in a match; if not, it fails there
            pass
    return make


def _parameters(bot: type[Bot]) -> dict[str, tuple[Any, Any]]:
    """The constructor's keyword arguments: name to (type, default)."""
    try:
        hints = typing.get_type_hints(bot.__init__)
    except NameError as error:
        raise BadBot(
            f"the annotations of {bot.__name__}.__init__ cannot be read: {error}; import what they name"
        ) from None
    found = {}
    for name, default in arguments(bot).items():
        untyped = str if default in (inspect.Parameter.empty, None) else type(default)
        found[name] = (hints.get(name, untyped), default)
    return found


def arguments(kind: Any) -> dict[str, Any]:
    """What a class's constructor takes by name, with the defaults; `inspect.Parameter.empty` where there is none."""
    if kind.__init__ is object.__init__:
        return {}
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = list(inspect.signature(kind.__init__).parameters.values())[1:]
    return {each.name: each.default for each in parameters if each.kind in by_name}


def _value(bot: type[Bot], name: str, text: str, kind: Any) -> Any:
    if typing.get_origin(kind) is typing.Literal and all(isinstance(each, int) for each in typing.get_args(kind)):
        text = f"{int(text)}" if text.isascii() and text.isdigit() else text  # 02 is 2
    try:
        return msgspec.convert(text, kind, strict=False)  # reads int, float, bool, None and Literal from text
    except msgspec.ValidationError as error:
        if typing.get_origin(kind) is typing.Literal:
            known = nearest(text, map(str, typing.get_args(kind)))
            raise BadBot(f"{bot.__name__} has no setting {name}={text!r}; {known}") from None
        reason = sentence(error)
        raise BadBot(f"{bot.__name__} setting {name}={text!r}: {reason[:1].lower()}{reason[1:]}") from None
    except UnicodeError:
        raise BadBot(f"{bot.__name__} setting {name}={text!r} is no text: half a character") from None
    except TypeError:
        raise BadBot(f"{bot.__name__} setting {name!r} is a {kind}, which cannot be given as text") from None
