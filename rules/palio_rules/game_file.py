"""A game of one's own in one file: `./mygame.py`, `./mygame.py:Nim`, `./mygame.py:Nim:stones=15`."""

import inspect
import re
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeGuard

from palio_rules.errors import BadOption, nearest, quoted
from palio_rules.game import Game, Options
from palio_rules.python_file import existing, module_by_import, place

# The wire allows more in a name; this is what reads well in records, URLs and topics, and begins no setting.
PLAIN = re.compile(r"[a-z][a-z0-9_]{0,39}")
_TYPED = re.compile(r"(?P<file>.+?\.py)(?::(?P<rest>.*))?", re.DOTALL)  # C:\x.py has a colon of its own
_NEEDED = {
    "name": 'the word that people type, as in `name = "nim"`',
    "title": 'what people read, as in `title = "Nim"`',
    "seats": 'who plays, in order, as in `seats = ("first", "second")`',
    "options_type": "its settings: `class NimOptions(Options, frozen=True)`, and `options_type = NimOptions`",
}
_loaded: dict[Path, ModuleType] = {}


def is_file(text: str) -> bool:
    """Whether `text` names a Python file, there or not."""
    return _TYPED.fullmatch(text) is not None


def parts(text: str) -> tuple[str, str, str]:
    """Of `./mygame.py:Nim:stones=15` the file, the class and the settings; "" for what is left out."""
    found = _TYPED.fullmatch(text)
    assert found is not None
    first, _, more = (found["rest"] or "").partition(":")
    return (found["file"], "", first) if "=" in first else (found["file"], first, more)


def module_loaded(path: Path) -> ModuleType | None:
    """The module of a file whose game is known here already: a bot in the same file then means the same classes."""
    return _loaded.get(path)


def forget(path: Path) -> None:
    """Run the file at `path` again when its game is asked for next."""
    _loaded.pop(path, None)
    game_of_file.cache_clear()


@cache
def game_of_file(path: Path, class_name: str) -> Game[Any, Any]:
    """The game `class_name` of the file at `path`; the only one where that is "". Raises BadOption with the remedy."""
    path = existing(path)
    module = _loaded.get(path) or module_by_import(path, "palio_game")
    _loaded[path] = module
    found = _chosen(module, class_name, path)
    where = f"{found.__name__} in {path.name}"
    if inspect.isabstract(found):
        raise BadOption(f"{where} is no whole game: it lacks {', '.join(sorted(found.__abstractmethods__))}")
    for attribute, what in _NEEDED.items():
        if not hasattr(found, attribute):
            raise BadOption(f"{where} has no `{attribute}`; say {what}")
    _check_words(found, where)
    try:
        made: Game[Any, Any] = found()
    except Exception as error:
        raise BadOption(f"{where} cannot be made: {place(error, str(path))}") from error
    return made


def _check_words(found: type[Game[Any, Any]], where: str) -> None:
    """Raises BadOption where what is said of a game cannot be what the interface asks for."""
    name, seats, options = found.name, found.seats, found.options_type
    if not isinstance(name, str) or not PLAIN.fullmatch(name):
        raise BadOption(
            f"{where} has the name {quoted(name)}; take up to 40 small letters, digits and underscores, a letter first"
        )
    if not isinstance(found.title, str) or not found.title.strip():
        raise BadOption(f"{where} has the title {quoted(found.title)}; say {_NEEDED['title']}")
    if not isinstance(seats, tuple) or not seats or not all(isinstance(each, str) and each for each in seats):
        raise BadOption(f"{where} has the seats {quoted(seats)}; say {_NEEDED['seats']}")
    if len(set(seats)) < len(seats) or len(seats) > 16:
        raise BadOption(f"{where} has the seats {quoted(seats)}; name each of up to 16 differently")
    if not isinstance(options, type) or not issubclass(options, Options):
        raise BadOption(f"{where} has no settings in its options_type; say {_NEEDED['options_type']}")


def _chosen(module: ModuleType, class_name: str, path: Path) -> type[Game[Any, Any]]:
    own = {name: value for name, value in vars(module).items() if _is_game(value) and value is not Game}
    if class_name:
        if class_name not in own:
            raise BadOption(f"{path.name} has no Game called {quoted(class_name)}; {nearest(class_name, own)}")
        return own[class_name]
    defined = {name: game for name, game in own.items() if game.__module__ == module.__name__}
    whole = sorted(name for name, game in defined.items() if not inspect.isabstract(game))
    found = whole or sorted(defined)  # a half one is better than none: what it lacks is said then
    if not found:
        raise BadOption(f"{path.name} has no Game; write a class as in docs/games.md, `class Nim(Game[Heaps, Take])`")
    if len(found) > 1:
        choices = " or ".join(f"{path.name}:{name}" for name in found)
        raise BadOption(f"{path.name} has {len(found)} games; choose one: {choices}")
    return defined[found[0]]


def _is_game(value: object) -> TypeGuard[type[Game[Any, Any]]]:
    return isinstance(value, type) and issubclass(value, Game)
