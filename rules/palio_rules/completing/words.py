"""Words of a known list, alone or several in one. The list is asked for when somebody completes, not before."""

import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Completer = Callable[[Any, Any, str], list[Any]]  # click's context and parameter, and the beginning of a word
Words = Callable[[], Iterable[str]]

F = TypeVar("F", bound=Callable[..., Any])

GOES_ON = ":=,/"  # no blank follows these


def completed_by(completions: Callable[[str], list[str]]) -> Callable[[F], F]:
    """Marks the function of a bots' scheme with what says how its specs go on, see `specs`."""

    def mark(scheme: F) -> F:
        vars(scheme)["completions"] = completions
        return scheme

    return mark


def starting(words: Iterable[str], typed: str, ahead: str = "") -> list[str]:
    """Those that begin as `typed`, each with what stands before it.

    >>> starting(["csv", "pgn"], "c", "csv,")
    ['csv,csv']
    """
    return [ahead + word for word in words if word.startswith(typed)]


def one_of(words: Words) -> Completer:
    return lambda _ctx, _parameter, typed: starting(words(), typed)


def some_of(words: Words) -> Completer:
    """Several with commas between, each once."""

    def complete(_ctx: Any, _parameter: Any, typed: str) -> list[str]:
        taken = typed.split(",")[:-1]
        return starting((word for word in words() if word not in taken), *_last(typed, ","))

    return complete


def settings_of(names: Words, separators: str = ", ") -> Completer:
    """`name=value` with separators between, each name once. Of the values nothing is known."""
    return lambda _ctx, _parameter, typed: settings(names(), typed, separators=separators)


def settings(names: Iterable[str], typed: str, ahead: str = "", separators: str = ",") -> list[str]:
    """The same, behind `ahead`.

    >>> settings(["rows", "cols"], "rows=8,", "breakthrough:")
    ['breakthrough:rows=8,cols=']
    """
    taken = [part.partition("=")[0] for part in re.split(f"[{separators}]", typed)[:-1]]
    last, before = _last(typed, separators)
    if "=" in last:
        return []
    return starting((f"{name}=" for name in names if name not in taken), last, ahead + before)


def _last(typed: str, separators: str) -> tuple[str, str]:
    """What stands behind the last separator, and all before."""
    last = re.split(f"[{separators}]", typed)[-1]
    return last, typed[: len(typed) - len(last)]
