"""How games and bots are written: names with settings, files with classes, schemes.

A scheme of bots may say what follows its colon: its function is marked with `completed_by` one that gets what is typed
there, and returns the whole texts that it may become. A scheme of games may have a method `names`.
"""

import ast
import re
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from palio_rules.completing.paths import a_file, paths
from palio_rules.completing.words import settings, starting
from palio_rules.game_file import is_file
from palio_rules.registry import SCHEMES, game, installed

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
