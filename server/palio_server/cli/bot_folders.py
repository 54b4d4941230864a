"""Folders in the place of bots: `palio run breakthrough subs/` enters each Python file of the folder.

`handout:COURSE:subs/` does the same with the files and packages of a course, unless the folder is itself a package, or
has a program or C++ sources. Every file becomes a SPEC with a name, so the rest of `palio run` knows no folders.
"""

import os
import re
from collections.abc import Iterable, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import NamedTuple

from palio_rules.completing import BOTS
from palio_rules.contract.bot_names import name_of
from palio_rules.errors import BadOption, quoted
from palio_rules.python_file import PACKAGE
from palio_server.processes.entrants import NAMED, ON_NETWORK, Entrant, entrants

_HANDOUT = re.compile(r"(?P<course>handout:[^:]*:)(?P<path>.*?)(?P<settings>:[^:/\\]*=[^:]*)?", re.DOTALL)
NOTEBOOK = ".ipynb"
OF_PROGRAMS = (".cpp", ".cc", ".cxx", ".c", ".h", ".hpp")  # in a course's folder: a program is the bot, not its files
SHOWN = 6  # names in a sentence


class Folder(NamedTuple):
    """A folder among the bots of a command line, between the other parts of its SPEC: `handout:dominoes:subs/:limit=4`.

    `before` is "handout:COURSE:" or "", `after` has the settings and `@network`.
    """

    before: str
    path: str
    after: str

    @property
    def text(self) -> str:
        return "".join(self)

    def spec(self, file: str) -> str:
        """Return the SPEC of a file in it."""
        return f"{self.before}{os.path.join(self.path, file)}{self.after}"  # noqa: PTH118  # `./` stays as it was typed


class Contents(NamedTuple):
    """The names in a folder: bots; Python files that are no bots by their names; folders with Python files; links."""

    bots: list[str]
    skipped: list[str]
    folders: list[str]
    outside: list[str]  # links that lead out of it, which no SPEC would show


def bots_of(texts: Sequence[str]) -> tuple[list[Entrant], list[str]]:
    """Return the bots of a command line, where a folder stands for its files, and remarks about files that do not play.

    A course's folder with a name before it is one bot. Raises BadOption for a folder without bots, for another one with
    a name before it, and if two files would have one name.
    """
    specs: list[str] = []
    remarks: list[str] = []
    files: dict[str, str] = {}  # path by the name of its bot
    for text in texts:
        named = NAMED.fullmatch(text)
        folder = folder_of(named[2] if named else text)
        if folder is None:
            if (path := _missing(named[2] if named else text)) is not None:
                raise BadOption(f"there is no folder {quoted(path)}; check the path (here is {Path.cwd()})")
            specs.append(text)
            continue
        if named and folder.before:
            specs.append(text)  # one submission of several files: the course knows which of them plays
            continue
        if named:
            raise BadOption(
                f"{text!r} gives one name to a folder of bots; write {folder.text}: each is named by its file"
            )
        found = contents(folder.path, course=bool(folder.before))
        if not found.bots:
            raise BadOption(_no_bots(folder, found))
        remarks += _remarks(folder, found)
        for file in found.bots:
            name, path = name_of(f"./{file}"), os.path.join(folder.path, file)  # noqa: PTH118
            if (other := files.setdefault(name, path)) != path:
                raise BadOption(
                    f"{other} and {path} would both be called {name!r}; rename one of the files, or name the files one "
                    f"by one with names of their own: {name}-2={folder.spec(file)}"
                )
            specs.append(f"{name}={folder.spec(file)}")
    return entrants(specs), remarks


def folder_of(spec: str) -> Folder | None:
    """Return the folder that a SPEC names in place of a file; None for any other SPEC.

    A bare name is a folder only if no bot of that name is installed.
    """
    network = ON_NETWORK if spec.endswith(ON_NETWORK) and not _is_folder(spec) else ""
    rest = spec.removesuffix(network)
    if found := _HANDOUT.fullmatch(rest):
        is_one = _is_folder(found["path"]) and not _is_submission(Path(found["path"]))
        return Folder(found["course"], found["path"], (found["settings"] or "") + network) if is_one else None
    head, colon, settings = rest.partition(":")
    if not _is_folder(head) or ("/" not in head and (colon or entry_points(group=BOTS, name=head))):
        return None
    return Folder("", head, f"{colon}{settings}{network}")


def contents(path: str, *, course: bool = False) -> Contents:
    """Return what a folder has. In a `course`, notebooks and packages are bots, too.

    Hidden files are left out. Raises BadOption if the folder cannot be read.
    """
    bots: list[str] = []
    skipped: list[str] = []
    folders: list[str] = []
    outside: list[str] = []
    try:
        for entry in sorted(Path(path).iterdir()):
            if entry.name.startswith((".", "__pycache__")):
                continue
            if entry.is_symlink() and not Path(os.path.realpath(entry)).is_relative_to(os.path.realpath(path)):
                outside.append(entry.name)
            elif entry.is_dir():
                if course and (entry / PACKAGE).is_file():
                    bots.append(entry.name)
                elif any(each.suffix in (".py", NOTEBOOK) for each in entry.iterdir()):
                    folders.append(entry.name)
            elif entry.suffix == ".py" or (course and entry.suffix == NOTEBOOK):
                (skipped if _is_no_bot(entry) else bots).append(entry.name)
    except OSError as error:
        why = error.strerror or str(error)
        raise BadOption(f"the folder {quoted(path)} cannot be read: {why}; check its permissions") from None
    return Contents(bots, skipped, folders, outside)


def _missing(spec: str) -> str | None:
    """Return the path in `spec` if it is written as a folder and leads to nothing."""
    path = spec.removesuffix(ON_NETWORK)
    return path if path.endswith("/") and ":" not in path and not os.path.lexists(path) else None


def _is_folder(path: str) -> bool:
    return os.path.isdir(path)  # noqa: PTH112  # False for a text that is too long for a path


def _is_submission(folder: Path) -> bool:
    """Return whether a folder is one student's: a package, or a program with its sources."""
    names = [entry.name for entry in folder.iterdir()] if os.access(folder, os.R_OK) else []
    return PACKAGE in names or "rh" in names or any(name.endswith(OF_PROGRAMS) for name in names)


def _is_no_bot(file: Path) -> bool:
    """Return whether a Python file is no bot by its name: private, or of tests as pytest finds them."""
    return file.name.startswith(("_", "test_")) or file.stem.endswith("_test") or file.stem == "conftest"


def _no_bots(folder: Folder, found: Contents) -> str:
    """Return the sentence about a folder without bots."""
    there = f"; it has {_some(found.skipped)}" if found.skipped else ""
    what = f"the folder {quoted(folder.path)} has no bots, which are files like mine.py and no tests{there}"
    if not found.folders:
        return f"{what}; put the bots' files into it, or name another folder"
    return f"{what}; name the folders in it: {' '.join(folder.spec(name) for name in found.folders[:SHOWN])}"


def _remarks(folder: Folder, found: Contents) -> list[str]:
    """Return a sentence about files, and one about folders, that look like Python and are not entered."""
    remarks = []
    if found.skipped:
        remarks.append(f"{folder.path}: not entered: {_some(found.skipped)} (tests, or names that begin with _)")
    if found.outside:
        remarks.append(f"{folder.path}: not entered: {_some(found.outside)} (links out of the folder); copy the files")
    if found.folders:
        others = " ".join(folder.spec(name) for name in found.folders[:SHOWN])
        remarks.append(f"{folder.path}: folders in it are not entered; to enter their files, name them: {others}")
    return remarks


def _some(names: Iterable[str]) -> str:
    shown = list(names)
    more = f" and {len(shown) - SHOWN} more" if len(shown) > SHOWN else ""
    return f"{', '.join(shown[:SHOWN])}{more}"
