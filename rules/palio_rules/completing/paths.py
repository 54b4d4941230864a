"""Files and folders, where they stand behind something else: `exec:./engine`, `file=my.book`."""

import os
from collections.abc import Callable
from typing import Any

Fits = Callable[[os.DirEntry[str]], bool]


def any_file(_: os.DirEntry[str]) -> bool:
    return True


def has_suffix(*suffixes: str) -> Fits:
    return lambda entry: entry.name.endswith(suffixes)


def is_program(entry: os.DirEntry[str]) -> bool:
    """Whether it may be executed, and a shell would read its name as one word."""
    return os.access(entry.path, os.X_OK) and not set(entry.name) & set(" \t\"'\\")


def paths(typed: str, ahead: str = "", fits: Fits = any_file) -> list[str]:
    """The paths that begin as `typed` behind `ahead`: folders, with a slash, and files that fit. What cannot be read is
    not there.
    """
    folder, slash, start = typed.rpartition("/")
    try:
        with os.scandir(folder + slash or ".") as entries:
            found = [entry for entry in entries if _is_meant(entry.name, start)]
            names = [
                f"{entry.name}/" if entry.is_dir() else entry.name for entry in found if entry.is_dir() or fits(entry)
            ]
    except OSError:
        return []
    return [f"{ahead}{folder}{slash}{name}" for name in sorted(names)]


def programs(typed: str) -> list[str]:
    """A command, whose program is never looked for in this folder by its name alone, and any files as its arguments."""
    *before, last = typed.split(" ")
    if before:
        return paths(last, "".join(f"{word} " for word in before))
    return paths(last or "./", fits=is_program) if not last or "/" in last else []


def a_file(_ctx: Any, _parameter: Any, typed: str) -> list[Any]:
    """Whatever the shell itself completes where it expects a file."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415  # who calls this has it; the rules do without

    return [CompletionItem(typed, type="file")]


def files(_ctx: Any, _parameter: Any, typed: str) -> list[Any]:
    """Several with commas between."""
    _, comma, last = typed.rpartition(",")
    return paths(last, typed[: len(typed) - len(last)]) if comma else a_file(_ctx, _parameter, typed)


def _is_meant(name: str, start: str) -> bool:
    """A hidden file has to be asked for; a name that is no plain text is not for a terminal."""
    return name.startswith(start) and name.isprintable() and (start != "" or not name.startswith("."))
