"""Completions of the server's options for shells: the same lists that refusals name, loaded on demand."""

from collections.abc import Iterable
from typing import Any

from palio_rules.completing import a_file, one_of, paths, settings, settings_of, some_of, starting
from palio_server.registry import addon

SQLITE = "sqlite:///"


def _tie_breaks() -> Iterable[str]:
    from palio_server.tournament.tie_breaks.standings import TIE_BREAKS

    return TIE_BREAKS


def _models() -> Iterable[str]:
    from typing import get_args

    from palio_server.ratings.sprt import SprtModel

    return get_args(SprtModel)


def _sprt_settings() -> Iterable[str]:
    from palio_server.tournament.format import setting_names

    return setting_names("sprt")


def _draw_settings() -> Iterable[str]:
    from palio_rules.adjudication import DrawRule

    return DrawRule.__struct_fields__


def _resign_settings() -> Iterable[str]:
    from palio_rules.adjudication import ResignRule

    return ResignRule.__struct_fields__


tie_breaks = some_of(_tie_breaks)
sprt_model = one_of(_models)
sprt_settings = settings_of(_sprt_settings)
draw_settings = settings_of(_draw_settings)
resign_settings = settings_of(_resign_settings)


def event_format(_ctx: Any, _parameter: Any, typed: str) -> list[str]:
    """Return completions like `swiss`, `knockout:best_of=3`."""
    from palio_server.tournament.format import formats, setting_names

    name, colon, rest = typed.partition(":")
    if not colon:
        return starting(formats(), typed)
    return settings(setting_names(name), rest, f"{name}:") if name in formats() else []


def affinity(_ctx: Any, _parameter: Any, typed: str) -> list[str]:
    """Return the completion `all`."""
    return starting(("all",), typed)


def openings(_ctx: Any, _parameter: Any, typed: str) -> list[str]:
    """Return completions like `book,order=random`, `file=my.book,plies=4`."""
    from palio_server.tournament.openings.book_files import FORMATS
    from palio_server.tournament.openings.choice import BOOK, KEYS, ORDERS, POLICIES

    values = {"order": ORDERS, "format": FORMATS, "policy": POLICIES}
    before, comma, last = typed.rpartition(",")
    ahead = before + comma
    key, equals, value = last.partition("=")
    if equals and key == "file":
        return paths(value, f"{ahead}file=")
    if equals:
        return starting(values[key], value, f"{ahead}{key}=") if key in values else []
    unfit = {"file", "format"} if before.startswith(BOOK) else {"file"}
    keys = [each for each in KEYS if each not in unfit] if before else ["file"]
    return starting(() if before else (BOOK,), last) + settings(keys, typed)


def cluster(_ctx: Any, _parameter: Any, typed: str) -> list[str]:
    """Return completions like `local:4`, `slurm:jobs=20`, `tcp://HOST:8786`."""
    found: list[str] = addon("cluster").complete(typed)
    return found


def database(_ctx: Any, _parameter: Any, typed: str) -> list[Any]:
    """Return files of this folder, bare or behind `sqlite:///`."""
    if typed.startswith(SQLITE):
        return paths(typed.removeprefix(SQLITE), SQLITE)
    return (starting((SQLITE,), typed) if typed else []) or a_file(_ctx, _parameter, typed)
