"""From `handout:COURSE:path/to/file.py[:setting=value,…]` to a bot that plays the file in a process of its own.

A package is named by its folder, or by the `__init__.py` in it; a program of another language by itself.
"""

import os
import re
import sys
import warnings
from pathlib import Path

from palio_clients.handouts.courses import course_named
from palio_clients.handouts.coursework import PACKAGE, name_of
from palio_clients.handouts.executable import Executable
from palio_clients.sdk.bot import Bot
from palio_clients.sdk.bot_settings import maker
from palio_clients.sdk.entrant import Entrant, unused
from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.player import BotPlayer
from palio_clients.sdk.stdio import EnginePlayer
from palio_rules.errors import BadOption
from palio_rules.spec import Spec

RUNNER = "palio_clients.handouts.run"
_SPEC = re.compile(r"(?P<course>[^:]*):(?P<file>.*?)(?::(?P<settings>[^:/\\]*=[^:]*))?", re.DOTALL)


def coursework(spec: str) -> Entrant:
    """The bot that `handout:` and `spec` name. Raises BadBot: one sentence with the remedy.

    The file is compiled but not run: it runs in a process of its own only, one for each match.
    """
    found = _SPEC.fullmatch(spec)
    if found is None or not found["file"]:
        raise BadBot(f"{'handout:' + spec!r} names no file; write handout:COURSE:path/to/file.py")
    course = course_named(found["course"])
    path = Path(found["file"])
    if path.is_dir():
        path /= PACKAGE
    if not path.is_file():
        raise BadBot(f"there is no file {str(path)!r}; check the path (here is {Path.cwd()})")
    path = path.resolve()
    try:
        settings = dict(Spec.parse(f"handout:{found['settings']}").settings) if found["settings"] else {}
    except BadOption as error:
        raise BadBot(str(error)) from None
    if course.executable is not None and path.suffix != ".py":
        return _executable(course.executable, path, settings)
    _compile(path)
    maker(course.adapter, settings)
    words = [f"{name}={value}" for name, value in settings.items()]
    argv = [sys.executable, "-P", "-m", RUNNER, found["course"], str(path), *words]
    return Entrant(
        _name(path, settings),
        course.adapter.games,
        lambda report: EnginePlayer(argv, report, called=name_of(path)),
        own_process=True,
    )


def _executable(kind: type[Executable], path: Path, settings: dict[str, str]) -> Entrant:
    """The bot that uses the program at `path`. Raises BadBot if it cannot be started."""
    if not os.access(path, os.X_OK):
        raise BadBot(f"{path.name} is no program that can be started; compile it, or make it executable (chmod +x)")
    make = maker(kind, settings)

    def made() -> Bot:
        bot = make()
        assert isinstance(bot, Executable)
        bot.path = path
        return bot

    return Entrant(
        _name(path, settings),
        kind.games,
        lambda report: BotPlayer(made, report, kind),
        own_process=True,
        without=unused(kind),
    )


def _compile(path: Path) -> None:
    """Raise BadBot, with the line, if the file is no Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a stray backslash is the author's business
        try:
            compile(path.read_bytes(), str(path), "exec")
        except (SyntaxError, ValueError) as error:
            raise BadBot(f"{name_of(path)} cannot be loaded: {type(error).__name__}: {error}") from None


def _name(path: Path, settings: dict[str, str]) -> str:
    """The folder's name and the file's, because in a course all files are called alike; and the settings."""
    file = path.parent if path.name == PACKAGE else path.with_suffix("")
    words = [*file.parts[-2:], *(f"{name}{value}" for name, value in settings.items())]
    return re.sub(r"[^A-Za-z0-9._-]+", "-", "-".join(words)).strip("-._")[-40:].strip("-._") or "bot"
