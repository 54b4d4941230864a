"""What the last word of a command line may become, for shells that complete it.

`words` are those that are known, `paths` what there is on the disk, `specs` how games and bots are written. Each
Completer is what click calls `shell_complete`. A word that ends in `:`, `=`, `,` or `/` goes on: no blank follows it.
Whoever completes waits: nothing here runs an author's file, asks a server or loads what is heavy.
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

# Words of a known list, alone or several in one. The list is asked for when somebody completes, not before.

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


# Files and folders, where they stand behind something else: `exec:./engine`, `file=my.book`.

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


# How games and bots are written: names with settings, files with classes, schemes.
#
# A scheme of bots may say what follows its colon: its function is marked with `completed_by` one that gets what is
# typed there, and returns the whole texts that it may become. A scheme of games may have a method `names`.

BOTS, BOT_SCHEMES = "palio.bots", "palio.bot_schemes"  # entry-point groups
_NAMED = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*=)(?P<spec>.*)", re.DOTALL)


def game_spec(ctx: Any, parameter: Any, typed: str) -> list[Any]:
    """`breakthrough:rows=8`, `openspiel:hex`, `./mygame.py:Nim`; or a file, which may hold an instance."""
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
    """What may be set of an installed game."""
    return tuple(game(name).options_type.__struct_fields__) if name in installed() else ()


def game_setting(ctx: Any, _parameter: Any, typed: str) -> list[str]:
    """`rows=`, for the game that stands before it on the command line."""
    return settings(setting_names(game_before(ctx)), typed, separators="\n")


def game_seat(ctx: Any, _parameter: Any, typed: str) -> list[str]:
    """The seats of the installed game that stands before it on the command line."""
    name = game_before(ctx)
    return starting(game(name).seats if name else (), typed)


def game_before(ctx: Any) -> str:
    """The first installed game among the words of the command line, "" without one.

    Click has not read the arguments where the last option still lacks its value; the root's `obj` are all words.
    """
    names = (word.partition(":")[0] for word in ctx.find_root().obj or ())
    return next((name for name in names if name in installed()), "")


def bot_spec(ctx: Any, parameter: Any, typed: str) -> list[Any]:
    """`alpha_beta:depth=4`, `./mine.py:Mine`, `exec:./engine`."""
    return _bots(typed) or ([] if ":" in typed else a_file(ctx, parameter, typed))


def named_bot_spec(ctx: Any, parameter: Any, typed: str) -> list[Any]:
    """The same, perhaps behind a name: `old=./mine.py`."""
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
    """The classes of a Python file whose bases are, as far as can be read, a `kind`. The file is not run."""
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
