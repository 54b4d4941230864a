"""The bot of `handout:COURSE:path/to/file.py[:setting=value,…]`, which plays the file in its own process.

A package is named by its folder, or by the `__init__.py` in it; a program of another language by itself. A folder with
several files may stand for the file in it that has the handout's name, or for its only package. `entering.py` says
which file plays.
"""

import ast
import os
import re
import warnings
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from palio_clients.handouts.courses import COURSES, Course, course_named
from palio_clients.handouts.coursework import Coursework, Unfit, name_of
from palio_clients.handouts.entering import FILE, Entry, entry_of, needing, package_name
from palio_clients.handouts.executable import Executable, keep, link_folder
from palio_clients.handouts.imports import ImportPath, is_python_2, missing_imports
from palio_clients.handouts.loading import NOTEBOOK, BadNotebook, cells_of, tree_of
from palio_clients.handouts.text import Text
from palio_clients.sdk.bot import Bot, maker
from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.loader import Entrant, unused, usual_name
from palio_clients.sdk.player import BotPlayer, Report
from palio_clients.sdk.stdio import EnginePlayer
from palio_rules.completing import completed_by, has_suffix, is_program, paths, starting
from palio_rules.contract.messages import GameMessage
from palio_rules.errors import BadOption, quoted
from palio_rules.interpreter import python
from palio_rules.python_file import PACKAGE
from palio_rules.spec import Spec
from palio_rules.temporary import TemporaryFolder

# The remedy for a path that is not a Python file: a folder of sources, or a source that is not compiled.

SOURCES = (".cpp", ".cc", ".cxx", ".c", ".h", ".hpp")
MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
PROGRAM = "rh"  # the name in the course's Makefile


def built_in(folder: Path) -> Path | None:
    """Return the program of a folder of sources, if it has been built there."""
    program = folder / PROGRAM
    return program if program.is_file() and os.access(program, os.X_OK) else None


def remedy_for_sources(path: Path, course: str) -> str | None:
    """Return how to build the program of a folder of sources, or of a source; None if it is neither."""
    folder = path if path.is_dir() else path.parent
    if path.is_file() and path.suffix not in SOURCES:
        return None
    found = sorted(each.name for each in folder.iterdir() if each.suffix in SOURCES[:4])
    if path.is_dir() and not found:
        return None
    if path.is_dir():
        what = f"the folder {path} has C++ sources ({', '.join(found[:3])}) and no program {PROGRAM}"
    else:
        what = f"{path} is no program that can be started; compile it, or make it executable"
    program = folder / PROGRAM
    if any((folder / name).is_file() for name in MAKEFILES):
        return f"{what}: build it first: make -C {folder}, and name the program: handout:{course}:{program}"
    build = f"g++ -O2 -o {program} {folder}/*.cpp"
    return f"{what}: build it first: make, or {build}, and name the program: handout:{course}:{program}"


def remedy_for_folder(folder: Path, course: str) -> str:
    """Return what to name instead of a folder that is not a package."""
    files = sorted(each.name for each in folder.iterdir() if each.suffix in (".py", ".ipynb"))
    if not files:
        return f"there is no file '{folder}/{PACKAGE}', nor any other Python file in that folder; name the file"
    names = " or ".join(f"handout:{course}:{folder / name}" for name in files[:4])
    return f"there is no file '{folder}/{PACKAGE}', which would make it a package; name the file: {names}"


RUNNER = "palio_clients.handouts.run"
_SPEC = re.compile(r"(?P<course>[^:]*):(?P<file>.*?)(?::(?P<settings>[^:/\\]*=[^:]*))?", re.DOTALL)


def completions(typed: str) -> list[str]:
    """Complete a spec: a course, then a file or folder, or a program if the course asks for one."""
    course, colon, file = typed.partition(":")
    if not colon:
        return starting((f"{name}:" for name in COURSES), typed)
    if course not in COURSES or ":" in file:
        return []
    by_name = has_suffix(".py", NOTEBOOK)
    executable = COURSES[course].executable is not None
    return paths(file, f"{course}:", lambda entry: by_name(entry) or (executable and is_program(entry)))


@completed_by(completions)
def coursework(spec: str) -> Entrant:
    """Return the bot of `handout:` and `spec`. Raises BadBot: one sentence with the remedy.

    The file is compiled but not run: it runs only in its own process, one for each match.
    """
    found = _SPEC.fullmatch(spec)
    if found is None or not found["file"]:
        raise BadBot(f"{'handout:' + spec!r} names no file; write handout:COURSE:path/to/file.py")
    course = course_named(found["course"])
    try:
        settings = dict(Spec.parse(f"handout:{found['settings']}").settings) if found["settings"] else {}
    except BadOption as error:
        raise BadBot(str(error)) from None
    try:
        entry = _entry(Path(found["file"]), found["course"], course, settings.pop(FILE, ""))
        entry.file.open("rb").close()
    except OSError as error:
        raise BadBot(f"{quoted(found['file'])} cannot be read: {error.strerror or error}; check the path") from None
    path = entry.file
    if course.executable is not None and path.suffix not in (".py", NOTEBOOK):
        return _executable(course.executable, path, settings)
    trees = _compiled(path, course)
    bot = maker(course.adapter, settings)()
    assert isinstance(bot, Coursework)
    folders = dict.fromkeys((entry.root, path.parent, course.path))
    places = ImportPath(tuple(folders), package_name(entry, course.path))
    parsed = [tree for tree in trees if tree is not None]
    above = partial(needing, entry, found["course"])
    if sentence := missing_imports(path, parsed, places, program=course.adapter.program, needing=above):
        raise BadBot(sentence)
    try:
        form = bot.read(Text(path, trees, places))
    except Unfit as error:
        raise BadBot(str(error)) from None
    words = [found["course"], str(entry.root), str(path.relative_to(entry.root))]
    words += [f"{name}={value}" for name, value in settings.items()]
    argv = python("-m", RUNNER)
    return Entrant(
        usual_name(_spec(path, settings)),
        course.adapter.games,
        lambda report: CourseworkPlayer(argv, entry, words, report),
        own_process=True,
        notes=(form,) if form else (),
    )


class CourseworkPlayer(EnginePlayer):
    """A player of one match by a student's file, in a working folder for the duration of the match."""

    def __init__(self, runner: list[str], entry: Entry, arguments: Sequence[str], report: Report) -> None:
        super().__init__([*runner, *arguments], report, called=name_of(entry.file))
        self._runner, self._entry, self._arguments = runner, entry, arguments
        self._above: TemporaryFolder | None = None
        self._folder = entry.file.parent

    async def prepare(self, game: GameMessage) -> None:
        with suppress(OSError):  # no disk space, or no links: it runs in its own folder
            self._above = TemporaryFolder("game")
            self._folder = link_folder(self._above.path, self._entry)
        self._argv = [*self._runner, "--in", str(self._folder), *self._arguments]
        await super().prepare(game)

    async def close(self) -> None:
        try:
            await super().close()
        finally:
            if (above := self._above) is not None:
                self._above = None
                with suppress(OSError):
                    keep(self._folder, self._entry.file)
                above.cleanup()


def _entry(path: Path, name: str, course: Course, below: str) -> Entry:
    """Return the file to play, in its folder. Raises BadBot with the remedy, or the file to name instead."""
    built = built_in(path) if path.is_dir() and course.executable is not None and not below else None
    entry = entry_of(path if built is None else built, course.file, below)
    if entry is None:
        raise BadBot((course.executable and remedy_for_sources(path, name)) or remedy_for_folder(path, name))
    if not entry.file.is_file():
        raise BadBot(f"there is no file {str(path)!r}; check the path (here is {Path.cwd()})")
    if not path.is_dir() and (remedy := remedy_for_sources(path, name)):
        raise BadBot(remedy if course.executable else f"{path} is no Python file, and {name} is played by those only")
    return entry


def _executable(kind: type[Executable], path: Path, settings: dict[str, str]) -> Entrant:
    """Return the bot that uses the program at `path`. Raises BadBot if it cannot be started."""
    if not os.access(path, os.X_OK):
        raise BadBot(f"{path.name} is no program that can be started; compile it, or make it executable (chmod +x)")
    make = maker(kind, settings)

    def made() -> Bot:
        bot = make()
        assert isinstance(bot, Executable)
        bot.path = path
        return bot

    return Entrant(
        usual_name(_spec(path, settings)),
        kind.games,
        lambda report: BotPlayer(made, report, kind),
        own_process=True,
        without=unused(kind),
    )


def _compiled(path: Path, course: Course) -> list[ast.Module | None]:
    """Return the syntax trees of the file, or of a notebook's cells, with None for a cell that is not Python.

    Raises BadBot, with the line, if the file is not Python.
    """
    if path.suffix == NOTEBOOK:
        if course.adapter.program:
            script = f"export it (jupyter nbconvert --to script {path.name}) and name the file"
            raise BadBot(f"{path.name} is a notebook, and this course asks for a program; {script}")
        try:
            return [tree_of(cell) for cell in cells_of(path)]
        except BadNotebook as error:
            raise BadBot(str(error)) from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # do not report the author's stray backslashes
        try:
            source = path.read_bytes()
            compile(source, str(path), "exec")
            return [ast.parse(source)]
        except (SyntaxError, ValueError) as error:
            if isinstance(error, SyntaxError) and is_python_2(error.text or ""):
                told = f"line {error.lineno} is written for Python 2, and Python 3 plays here"
                raise BadBot(f"{name_of(path)}: {told}; convert the file to Python 3") from None
            raise BadBot(f"{name_of(path)} cannot be loaded: {type(error).__name__}: {error}") from None


def _spec(path: Path, settings: dict[str, str]) -> str:
    """Return the spec with the whole path, whose folder is part of the name."""
    chosen = ",".join(f"{name}={value}" for name, value in settings.items())
    return f"handout:any:{path}{chosen and f':{chosen}'}"
