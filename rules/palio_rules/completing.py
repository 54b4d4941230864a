"""Shell completion of the last word of a command line: names, settings, files, games and bots.

A Completer is a function that click calls as `shell_complete`. A completion that ends in `:`, `=`, `,` or `/` gets no
blank after it, because more follows. Completion must be fast: nothing here runs an author's file, asks a server or
loads a heavy library.
"""

import ast
import os
import re
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, TypeVar

from palio_rules.registry import SCHEMES, game, installed, is_file

# Words of a known list, one or several. The list is read when completion is requested, not before.

Completer = Callable[[Any, Any, str], list[Any]]  # click's context and parameter, and the beginning of a word
Words = Callable[[], Iterable[str]]

F = TypeVar("F", bound=Callable[..., Any])

GOES_ON = ":=,/"  # no blank follows these


def completed_by(completions: Callable[[str], list[str]]) -> Callable[[F], F]:
    """Mark the function of a bots' scheme with the function that completes its specs, see `game_spec`."""

    def mark(scheme: F) -> F:
        vars(scheme)["completions"] = completions
        return scheme

    return mark


def starting(words: Iterable[str], typed: str, ahead: str = "") -> list[str]:
    """Return the words that begin with `typed`, each after the prefix `ahead`.

    >>> starting(["csv", "pgn"], "c", "csv,")
    ['csv,csv']
    """
    return [ahead + word for word in words if word.startswith(typed)]


def one_of(words: Words) -> Completer:
    return lambda _ctx, _parameter, typed: starting(words(), typed)


def some_of(words: Words) -> Completer:
    """Complete several words with commas between them, each used once."""

    def complete(_ctx: Any, _parameter: Any, typed: str) -> list[str]:
        taken = typed.split(",")[:-1]
        return starting((word for word in words() if word not in taken), *_last(typed, ","))

    return complete


def settings_of(names: Words, separators: str = ", ") -> Completer:
    """Complete names of `name=value` settings, each used once. Values are not completed."""
    return lambda _ctx, _parameter, typed: settings(names(), typed, separators=separators)


def settings(names: Iterable[str], typed: str, ahead: str = "", separators: str = ",") -> list[str]:
    """Return the completions of setting names, each after the prefix `ahead`.

    >>> settings(["rows", "cols"], "rows=8,", "breakthrough:")
    ['breakthrough:rows=8,cols=']
    """
    taken = [part.partition("=")[0] for part in re.split(f"[{separators}]", typed)[:-1]]
    last, before = _last(typed, separators)
    if "=" in last:
        return []
    return starting((f"{name}=" for name in names if name not in taken), last, ahead + before)


def _last(typed: str, separators: str) -> tuple[str, str]:
    """Return the text after the last separator, and all text before it."""
    last = re.split(f"[{separators}]", typed)[-1]
    return last, typed[: len(typed) - len(last)]


# Files and folders after a prefix: `exec:./engine`, `file=my.book`.

Fits = Callable[[os.DirEntry[str]], bool]


def any_file(_: os.DirEntry[str]) -> bool:
    return True


def has_suffix(*suffixes: str) -> Fits:
    return lambda entry: entry.name.endswith(suffixes)


def is_program(entry: os.DirEntry[str]) -> bool:
    """Return whether a file is executable and has a name that a shell reads as one word."""
    return os.access(entry.path, os.X_OK) and not set(entry.name) & set(" \t\"'\\")


def paths(typed: str, ahead: str = "", fits: Fits = any_file) -> list[str]:
    """Return the paths that begin with `typed`, after the prefix `ahead`: folders, with a slash, and files that fit.

    Folders that cannot be read give no completions.
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
    """Complete a command: its program, then any files as its arguments.

    A program in this folder is offered only with a path, because its bare name is not looked up here.
    """
    *before, last = typed.split(" ")
    if before:
        return paths(last, "".join(f"{word} " for word in before))
    return paths(last or "./", fits=is_program) if not last or "/" in last else []


def a_file(_ctx: Any, _parameter: Any, typed: str) -> list[Any]:
    """Complete any file, as the shell does."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415  # only completion needs click

    return [CompletionItem(typed, type="file")]


def files(_ctx: Any, _parameter: Any, typed: str) -> list[Any]:
    """Complete several files with commas between them."""
    _, comma, last = typed.rpartition(",")
    return paths(last, typed[: len(typed) - len(last)]) if comma else a_file(_ctx, _parameter, typed)


def _is_meant(name: str, start: str) -> bool:
    """Return whether to offer a file.

    Hidden files are offered only if the typed text starts with a dot; names with control characters never.
    """
    return name.startswith(start) and name.isprintable() and (start != "" or not name.startswith("."))


# Specs of games and bots: names with settings, files with classes, schemes.
#
# A scheme of bots may complete the text after its colon: its function is marked with `completed_by`, whose argument
# gets the text that was typed there and returns whole completions. A scheme of games may have a method `names`.

BOTS, BOT_SCHEMES = "palio.bots", "palio.bot_schemes"  # entry-point groups
_NAMED = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*=)(?P<spec>.*)", re.DOTALL)


def game_spec(ctx: Any, parameter: Any, typed: str) -> list[Any]:
    """Complete `breakthrough:rows=8`, `openspiel:hex`, `./mygame.py:Nim`; or a file, which may hold an instance."""
    head, colon, rest = typed.partition(":")
    if is_file(head):
        return _classes(head, rest, "Game") if colon else a_file(ctx, parameter, typed)
    schemes = _entries(SCHEMES)
    if colon and head in schemes:
        return starting(getattr(schemes[head].load()(), "names", tuple)(), rest, f"{head}:")
    if colon:
        return settings(setting_names(head), rest, f"{head}:")
    return starting([*installed(), *(f"{name}:" for name in schemes)], typed) or a_file(ctx, parameter, typed)


def setting_names(name: str) -> tuple[str, ...]:
    """Return the names of an installed game's settings."""
    return tuple(game(name).options_type.__struct_fields__) if name in installed() else ()


def game_setting(ctx: Any, _parameter: Any, typed: str) -> list[str]:
    """Complete a setting such as `rows=` of the game that stands before it on the command line."""
    return settings(setting_names(game_before(ctx)), typed, separators="\n")


def game_seat(ctx: Any, _parameter: Any, typed: str) -> list[str]:
    """Complete a seat of the installed game that stands before it on the command line."""
    name = game_before(ctx)
    return starting(game(name).seats if name else (), typed)


def game_before(ctx: Any) -> str:
    """Return the first installed game among the words of the command line, "" without one.

    Click has not parsed the arguments when the last option still lacks its value, so all words are in the root's `obj`.
    """
    names = (word.partition(":")[0] for word in ctx.find_root().obj or ())
    return next((name for name in names if name in installed()), "")


def bot_spec(ctx: Any, parameter: Any, typed: str) -> list[Any]:
    """Complete `alpha_beta:depth=4`, `./mine.py:Mine`, `exec:./engine`."""
    return _bots(typed) or ([] if ":" in typed else a_file(ctx, parameter, typed))


def named_bot_spec(ctx: Any, parameter: Any, typed: str) -> list[Any]:
    """Complete a bot's spec that may follow a name: `old=./mine.py`."""
    found = _NAMED.fullmatch(typed)
    if found is None:
        return bot_spec(ctx, parameter, typed)
    specs = _bots(found["spec"]) or ([] if ":" in found["spec"] else paths(found["spec"]))
    return [found["name"] + spec for spec in specs]


def _bots(typed: str) -> list[str]:
    head, colon, rest = typed.partition(":")
    bots, schemes = _entries(BOTS), _entries(BOT_SCHEMES)
    if not colon:
        return starting(sorted([*bots, *(f"{name}:" for name in schemes)]), typed)
    if head in schemes:
        completions = getattr(schemes[head].load(), "completions", None)
        return [f"{head}:{text}" for text in completions(rest)] if completions is not None else []
    if head in bots:
        return settings(_arguments(bots[head].load()), rest, f"{head}:")
    return _classes(head, rest, "Bot") if is_file(head) else []


def _arguments(bot: Any) -> list[str]:
    by_name = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    return [name for name, parameter in signature(bot).parameters.items() if parameter.kind in by_name]


def _classes(file: str, typed: str, kind: str) -> list[str]:
    return starting(classes_in(Path(file), kind), typed, f"{file}:")


def classes_in(file: Path, kind: str) -> list[str]:
    """Return the classes of a Python file that seem to derive from `kind`. The file is parsed, not run."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return []
    found: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and any(base.endswith(kind) or base in found for base in _bases(node)):
            found.append(node.name)
    return found


def _bases(node: ast.ClassDef) -> Iterator[str]:
    for base in node.bases:
        inner = base.value if isinstance(base, ast.Subscript) else base  # Game[Heaps, Take]
        if isinstance(inner, ast.Name | ast.Attribute):
            yield inner.id if isinstance(inner, ast.Name) else inner.attr


def _entries(group: str) -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=group)}
