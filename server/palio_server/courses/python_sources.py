"""Reads a Python source without running it: is it Python, what it imports. Only the inspecting process imports this."""

import ast
import sys
import warnings
from collections.abc import Iterable

from palio_server.courses.inspection_tasks import BotFile

USUAL = "breakthrough"  # the game of a bot that names none


def python_error(data: bytes, name: str) -> str:
    """Return why a file called `name` is not Python, with its line; "" if it is."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(data, name, "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"{name}, line {error.lineno}: {type(error).__name__}: {error.msg}"
    except (RecursionError, MemoryError):
        return f"{name} is too long or nested too deeply to be compiled; write shorter statements"
    except ValueError as error:
        return f"{name} is no Python file: {error}"
    return ""


def imports_of(file: bytes) -> set[str]:
    """Return the first words of all that a file imports, without Python's own; nothing if it is not Python."""
    found: set[str] = set()
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names)


def bot_file(file: bytes) -> BotFile:
    """Return what a file seems to define; nothing if it is not Python."""
    classes = [node for node in ast.walk(_tree(file)) if isinstance(node, ast.ClassDef)]
    bases = [{_last_name(base) for base in node.bases} for node in classes]
    bots = [node for node, names in zip(classes, bases, strict=True) if any(name.endswith("Bot") for name in names)]
    lines = [line.lineno for node in classes for line in node.body if _names_games(line)]
    return BotFile(
        bot=bool(bots),
        game=next(filter(None, map(_named_game, bots[0].body)), USUAL) if bots else "",
        has_game=any("Game" in each for each in bases),
        line_of_games=lines[0] if len(lines) == 1 else 0,
    )


def _tree(file: bytes) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # do not report the author's stray backslashes
        try:
            return ast.parse(file)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ast.Module([], [])


def _last_name(base: ast.expr) -> str:
    """Return `Bot` of the base class `palio.Bot[Position, Move]`."""
    return ast.unparse(base).partition("[")[0].rpartition(".")[2]


def _named_game(line: ast.stmt) -> str | None:
    """Return the first game of `games = ("chexers", "dominoes")`; None for another line."""
    match line:
        case ast.Assign(targets=[ast.Name("games")], value=ast.Constant(str(game))):
            return game
        case ast.Assign(targets=[ast.Name("games")], value=ast.Tuple([ast.Constant(str(game)), *_])):
            return game
    return None


def _names_games(line: ast.stmt) -> bool:
    return any(isinstance(target, ast.Name) and target.id == "games" for target in _targets(line))


def _targets(line: ast.stmt) -> Iterable[ast.expr]:
    if isinstance(line, ast.Assign):
        return line.targets
    return [line.target] if isinstance(line, ast.AnnAssign) else []
