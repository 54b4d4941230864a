"""Games by name: installed games, games in files, and games of schemes.

breakthrough                    a game that is installed under this name (entry-point group `palio.games`)
./mygame.py:Nim                 a class in a file; without the class, the only game in it
openspiel:hex                   of a scheme (entry-point group `palio.game_schemes`), another library's games

After it was typed in any of these ways, a game is called by its plain `name`: on the wire, in records, in the database.
Only `adopt` reads what was typed. It registers the game in this process and, by `PALIO_GAMES` in the environment, in
all processes that it starts. The names of a scheme's games begin with the scheme's name (`openspiel_hex`), so that they
can be found by their names alone.
"""

import inspect
import os
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, TypeGuard
from urllib.parse import unquote

from palio_rules.errors import BadOption, nearest, quoted
from palio_rules.game import Game, Options
from palio_rules.python_file import existing, module_by_import, place
from palio_rules.spec import Spec

# A user's game in one file: `./mygame.py`, `./mygame.py:Nim`, `./mygame.py:Nim:stones=15`.

# Stricter than the wire: a name that reads well in records, URLs and topics, and cannot be mistaken for a setting.
PLAIN = re.compile(r"[a-z][a-z0-9_]{0,39}")
_TYPED = re.compile(r"(?P<file>.+?\.py)(?::(?P<rest>.*))?", re.DOTALL)  # C:\x.py has a colon, too
_NEEDED = {
    "name": 'the word that people type, as in `name = "nim"`',
    "title": 'what people read, as in `title = "Nim"`',
    "seats": 'who plays, in order, as in `seats = ("first", "second")`',
    "options_type": "its settings: `class NimOptions(Options, frozen=True)`, and `options_type = NimOptions`",
}
_loaded: dict[Path, ModuleType] = {}


def is_file(text: str) -> bool:
    """Return whether `text` names a Python file, existing or not."""
    return _TYPED.fullmatch(text) is not None


def parts(text: str) -> tuple[str, str, str]:
    """Split `./mygame.py:Nim:stones=15` into file, class and settings; "" for a missing part."""
    found = _TYPED.fullmatch(text)
    assert found is not None
    first, _, more = (found["rest"] or "").partition(":")
    return (found["file"], "", first) if "=" in first else (found["file"], first, more)


def module_loaded(path: Path) -> ModuleType | None:
    """Return the module of a file whose game is known here, so that a bot in the same file shares its classes."""
    return _loaded.get(path)


def forget_file(path: Path) -> None:
    """Run the file at `path` again when its game is next requested."""
    _loaded.pop(path, None)
    game_of_file.cache_clear()


@cache
def game_of_file(path: Path, class_name: str) -> Game[Any, Any]:
    """Return the game `class_name` of the file at `path`; "": the only one. Raises BadOption with the remedy."""
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
    """Raise BadOption if a game's texts do not have the form that the interface requires."""
    name, seats, options = found.name, found.seats, found.options_type
    if not isinstance(name, str) or not PLAIN.fullmatch(name):
        raise BadOption(
            f"{where} has the name {quoted(name)}; "
            "take up to 40 small letters a to z, digits and underscores, a letter first"
        )
    if not isinstance(found.title, str) or not found.title.strip():
        raise BadOption(f"{where} has the title {quoted(found.title)}; say {_NEEDED['title']}")
    if not isinstance(seats, tuple) or not seats or not all(isinstance(each, str) and each for each in seats):
        raise BadOption(f"{where} has the seats {quoted(seats)}; say {_NEEDED['seats']}")
    if len(set(seats)) < len(seats) or len(seats) > 16:
        raise BadOption(f"{where} has the seats {quoted(seats)}; name each of up to 16 differently")
    if not isinstance(options, type) or not issubclass(options, Options):
        raise BadOption(f"{where} has no settings in its options_type; say {_NEEDED['options_type']}")
    for setting in (*found.rating_settings, *found.uneven_settings):
        if setting not in options.__struct_fields__:
            raise BadOption(f"{where} has no option {quoted(setting)}, by which it is rated; name one of its options")


def _chosen(module: ModuleType, class_name: str, path: Path) -> type[Game[Any, Any]]:
    own = {name: value for name, value in vars(module).items() if _is_game(value) and value is not Game}
    if class_name:
        if class_name not in own:
            raise BadOption(f"{path.name} has no Game called {quoted(class_name)}; {nearest(class_name, own)}")
        return own[class_name]
    defined = {name: game for name, game in own.items() if game.__module__ == module.__name__}
    whole = sorted(name for name, game in defined.items() if not inspect.isabstract(game))
    found = whole or sorted(defined)  # an incomplete game is better than none: the error then says what it lacks
    if not found:
        raise BadOption(
            f"{path.name} has no Game; write a class as in docs/tutorials/first-game.md, `class Nim(Game[Heaps, Take])`"
        )
    if len(found) > 1:
        choices = " or ".join(f"{path.name}:{name}" for name in found)
        raise BadOption(f"{path.name} has {len(found)} games; choose one: {choices}")
    return defined[found[0]]


def _is_game(value: object) -> TypeGuard[type[Game[Any, Any]]]:
    return isinstance(value, type) and issubclass(value, Game)


GROUP, SCHEMES = "palio.games", "palio.game_schemes"  # entry-point groups
GIVEN = "PALIO_GAMES"  # games beside the installed ones, as they are typed; several are separated by semicolons


class GameScheme(Protocol):
    """A reader of `SCHEME:NAME:key=value`. Both methods raise BadOption with a sentence, also for a missing library."""

    needs: tuple[str, ...]  # the distributions that its games need, beside its own

    def read(self, spec: Spec) -> Spec:
        """Return the plain name, which begins with the scheme's and an underscore, and the remaining settings."""

    def game(self, name: str) -> Game[Any, Any]:
        """Return the game with this plain name."""


_given: dict[str, tuple[str, Game[Any, Any]]] = {}  # by name: what to type for it in another process, and its rules
_read: set[str] = set()  # values of the environment variable that were read


@cache
def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


@cache
def _schemes() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=SCHEMES)}


@cache
def _scheme(name: str) -> GameScheme:
    made: GameScheme = _schemes()[name].load()()
    return made


def installed() -> tuple[str, ...]:
    """Return the names of the installed games, sorted; this runs no author's file."""
    return tuple(sorted(_entries()))


def games() -> tuple[str, ...]:
    """Return the names of all known games, sorted. Raises BadOption for an invalid `PALIO_GAMES`."""
    return tuple(sorted({*_entries(), *_all_given()}))


@cache
def game(name: str) -> Game[Any, Any]:
    """Return the game called `name`. Raises BadOption, with the nearest known name, if there is none."""
    if name in _entries():
        return _installed(name)
    if name in _all_given():
        return _given[name][1]
    scheme = name.partition("_")[0]
    if scheme in _schemes() and scheme != name:
        return _of_scheme(name)
    raise BadOption(f"unknown game {quoted(name)}; {_known(name)}")


def is_race(name: str) -> bool:
    """Return whether the game of this name is a race; False if it is not, or no longer, known here."""
    try:
        return game(name).kind == "race"
    except BadOption:
        return False


def game_from_spec(text: str, more: Sequence[str] = ()) -> tuple[Game[Any, Any], Any]:
    """Read `breakthrough`, `breakthrough:rows=8,cols=8` or `./mygame.py:Nim` as a game and its options.

    `more` has further settings, `key=value` each. Raises BadOption.
    """
    spec = adopt(text)
    if more:
        written = str(spec)
        spec = Spec.parse(f"{written}{',' if ':' in written else ':'}{','.join(more)}")
    found = game(spec.name)
    return found, found.parse_options(spec.settings)


def leaderboard_of(text: str) -> str:
    """Return the name of the leaderboard that `go` or `go:size=19` means, with its settings in order.

    Raises BadOption, also for a setting that makes no other leaderboard.

    >>> leaderboard_of("go:cleanup=final_status_list,size=19")
    'go:size=19,cleanup=final_status_list'
    """
    spec = adopt(text)
    rules = game(spec.name)
    for name in spec.settings:
        if name not in rules.rating_settings:
            known = ", ".join(rules.rating_settings)
            apart = f"by {known}" if known else "for all its settings together"
            raise BadOption(f"the ratings of {rules.name} are {apart}, not by {quoted(name)}; leave it out")
    return rules.leaderboard(rules.parse_options({name: unquote(value) for name, value in spec.settings.items()}))


def title_of(leaderboard: str) -> str:
    """Return what people call it: "Go, size 19"; the bare name of a game that is not known here."""
    name, _, settings = leaderboard.partition(":")
    try:
        title = game(name).title
    except BadOption:
        title = name
    told = (setting.replace("=", " ", 1).replace("_", " ") for setting in settings.split(",") if settings)
    return ", ".join((title, *map(unquote, told)))


def adopt(text: str) -> Spec:
    """Read what was typed for a game, and register a file's or a scheme's game in this process; return its plain name.

    Another name is returned unchanged, known or not. Raises BadOption if a file or a scheme has no such game.

    >>> adopt("breakthrough:rows=8")
    Spec(name='breakthrough', settings={'rows': '8'})
    """
    if is_file(text):
        _all_given()
        file, class_name, settings = parts(text)
        path = existing(Path(file))
        rules = game_of_file(path, class_name)
        _give(rules, f"{path}:{type(rules).__name__}")
        return Spec.parse(f"{rules.name}:{settings}" if settings else rules.name)
    head, colon, rest = text.partition(":")
    if colon and head in _schemes():
        return _adopt_named(_scheme(head).read(Spec.parse(rest)))
    spec = Spec.parse(text)
    known = spec.name in _entries() or spec.name in _given
    return spec if known or spec.name.partition("_")[0] not in _schemes() else _adopt_named(spec)


def typed(name: str) -> str:
    """Return what to type for the game called `name` in another process: a file with its class, or the name itself."""
    return _all_given()[name][0] if name in _all_given() else name


def distributions(name: str) -> tuple[str, ...]:
    """Return the distributions with the game called `name`, which another machine needs to play it."""
    scheme = name.partition("_")[0]  # a file's game never begins with a scheme's name
    entry = _entries().get(name) or _schemes().get(scheme)
    if entry is None:
        return ()
    more = _scheme(scheme).needs if entry.group == SCHEMES else ()
    return (*((entry.dist.name,) if entry.dist is not None else ()), *more)


def forget(name: str) -> None:
    """Forget the game called `name`, so that another version of its file can be registered."""
    text, _ = _given.pop(name, (name, None))
    if is_file(text):
        forget_file(Path(parts(text)[0]))
    game.cache_clear()
    os.environ[GIVEN] = games_variable()


def game_files() -> tuple[Path, ...]:
    """Return the files of games that this process knows, for programs that must be able to read them."""
    found = (parts(text)[0] for text, _ in _all_given().values() if is_file(text))
    return tuple(dict.fromkeys(map(Path, found)))


def games_variable() -> str:
    """Return the value of `PALIO_GAMES` for programs that this process starts; "" if all games are installed."""
    return ";".join(text for text, _ in _all_given().values())


def _adopt_named(spec: Spec) -> Spec:
    _all_given()
    _give(_of_scheme(spec.name), spec.name)
    return spec


def _all_given() -> Mapping[str, tuple[str, Game[Any, Any]]]:
    """Return the registered games, including those of the environment, which is read once."""
    words = os.environ.get(GIVEN, "")
    if words and words not in _read:
        _read.add(words)  # before the loop: a file may import a module that lists all games
        try:
            for text in filter(None, (part.strip() for part in words.split(";"))):
                _adopt_alone(text)
        except BadOption as error:
            _read.discard(words)
            os.environ[GIVEN] = words
            raise BadOption(f"{GIVEN} in the environment: {error}") from None
    return _given


def _adopt_alone(text: str) -> None:
    spec = adopt(text)
    if spec.settings:
        raise BadOption(f"{quoted(text)} has settings, which belong to a match; name the game alone")
    if spec.name not in _given:
        raise BadOption(f"{quoted(text)} is neither a file, as in ./mygame.py:Nim, nor a game of a scheme")


def _give(rules: Game[Any, Any], text: str) -> None:
    name = rules.name
    if name in _entries():
        raise BadOption(f"{text} calls itself {name!r}, as an installed game does; give it another `name`")
    if name.partition("_")[0] in _schemes() and text != name:
        raise BadOption(f"{text} calls itself {name!r}, as games of another library do; give it another `name`")
    if ";" in text:
        raise BadOption(f"{text} has a semicolon in its path, which separates games; move it to another folder")
    if name in _given and _given[name][0] != text:
        raise BadOption(f"{text} and {_given[name][0]} both call themselves {name!r}; give one another `name`")
    _given[name] = text, rules
    os.environ[GIVEN] = given = ";".join(text for text, _ in _given.values())
    _read.add(given)


def _installed(name: str) -> Game[Any, Any]:
    found: Game[Any, Any] = _entries()[name].load()()
    if found.name != name:
        raise BadOption(f"the game installed as {name!r} calls itself {found.name!r}; name both alike")
    return found


def _of_scheme(name: str) -> Game[Any, Any]:
    found = _scheme(name.partition("_")[0]).game(name)
    if found.name != name:
        raise BadOption(f"the game {name!r} calls itself {found.name!r}; that is a mistake of what is installed")
    return found


def _known(name: str) -> str:
    close = nearest(name, games())
    if close.startswith("did you mean") or not PLAIN.fullmatch(name):
        return close
    return f"{close}; if it is a game of a file, name that: ./{name}.py, or {GIVEN}=./{name}.py in the environment"
