"""From `handout:COURSE:path/to/file.py[:setting=value,…]` to a bot that plays the file in a process of its own."""

import re
import sys
import warnings
from pathlib import Path

from palio_clients.bot_settings import maker
from palio_clients.failures import BadBot
from palio_clients.handouts.courses import course_named
from palio_clients.player import Entrant
from palio_clients.stdio import EnginePlayer
from palio_rules.errors import BadOption
from palio_rules.spec import Spec

PREFIX = "handout:"
RUNNER = "palio_clients.handouts.run"
_SPEC = re.compile(r"handout:(?P<course>[^:]*):(?P<file>.*?)(?::(?P<settings>[^:/\\]*=[^:]*))?", re.DOTALL)


def coursework(spec: str) -> Entrant:
    """The bot that `spec` names. Raises BadBot: one sentence with the remedy.

    The file is compiled but not run: what it does when it runs, it does in its own process, and answers for there.
    """
    found = _SPEC.fullmatch(spec)
    if found is None or not found["file"]:
        raise BadBot(f"{spec!r} names no file; write handout:COURSE:path/to/file.py")
    course = course_named(found["course"])
    path = Path(found["file"])
    if not path.is_file():
        raise BadBot(f"there is no file {found['file']!r}; check the path (here is {Path.cwd()})")
    _compile(path)
    settings = _settings(found["settings"])
    maker(course.adapter, settings)
    told = [f"{name}={value}" for name, value in settings.items()]
    argv = [sys.executable, "-P", "-m", RUNNER, found["course"], str(path.resolve()), *told]
    return Entrant(
        _name(path, settings), course.adapter.games, lambda report: EnginePlayer(argv, report, called=path.name)
    )


def _settings(text: str | None) -> dict[str, str]:
    try:
        return dict(Spec.parse(f"handout:{text}").settings) if text else {}
    except BadOption as error:
        raise BadBot(str(error)) from None


def _compile(path: Path) -> None:
    """Raise BadBot, with the line, if the file is no Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a stray backslash is the author's business
        try:
            compile(path.read_bytes(), str(path), "exec")
        except (SyntaxError, ValueError) as error:
            raise BadBot(f"{path.name} cannot be loaded: {type(error).__name__}: {error}") from None


def _name(path: Path, settings: dict[str, str]) -> str:
    """The folder's name and the file's, because in a course all files are called alike; and the settings."""
    words = [path.resolve().parent.name, path.stem, *(f"{name}{value}" for name, value in settings.items())]
    return re.sub(r"[^A-Za-z0-9._-]+", "-", "-".join(words)).strip("-._")[-40:].strip("-._") or "bot"
