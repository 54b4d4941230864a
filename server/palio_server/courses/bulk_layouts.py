"""Exports of other systems: which of their files belong to whom, and when they were handed in.

Sources of the layouts: Gradescope, "Export submissions"; Canvas, "Download Submissions" of an assignment; Moodle,
"Download all submissions" with and without "in folders"; GitHub Classroom, `gh classroom clone student-repos`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile

from palio_rules.errors import BadOption
from palio_server.courses.commit_date import commit_date
from palio_server.courses.export_tree import Tree
from palio_server.courses.gradescope_metadata import read_metadata
from palio_server.courses.values import Assignment

METADATA = "submission_metadata.yml"
MOST_METADATA = 256 * 2**20  # bytes


@dataclass(frozen=True, slots=True)
class Person:
    """A student as an export names it; empty where it says nothing."""

    id: str = ""
    email: str = ""
    login: str = ""
    name: str = ""

    def __str__(self) -> str:
        return self.name or self.email or self.login or self.id


@dataclass(frozen=True, slots=True)
class Exported:
    """A submission in an export. `files` maps names in the submission to names in the export."""

    source: str  # its folder or file, for people
    people: tuple[Person, ...]
    files: Mapping[str, str]
    at: datetime
    clock: str  # where `at` is from
    note: str = ""


Reader = Callable[[Tree, Assignment], Iterator[Exported]]


def gradescope(tree: Tree, _assignment: Assignment) -> Iterator[Exported]:
    """Read an export of Gradescope, whose metadata has names and times."""
    path = next(name for name in tree.names if name.rpartition("/")[2] == METADATA)
    root = path.removesuffix(METADATA)
    entries = read_metadata(tree.read(path, MOST_METADATA).decode(errors="replace"))
    by_folder: dict[str, dict[str, str]] = {}
    for name in tree.names:
        folder, slash, rest = name.removeprefix(root).partition("/")
        if name.startswith(root) and slash:
            by_folder.setdefault(folder, {})[rest] = name
    for folder, entry in entries.items():
        people = tuple(Person(each.sid, each.email, name=each.name) for each in entry.submitters)
        note = f"{entry.earlier} earlier at Gradescope" if entry.earlier else ""
        at, clock = (entry.at, "gradescope") if entry.at else (tree.changed_at(path), "file date")
        yield Exported(folder, people, by_folder.get(folder, {}), at, clock, note)


# lastfirst_LATE_12345_67890_name.py, where Canvas adds -1 to the name of a second attempt
_CANVAS = re.compile(r"(?P<who>[^/]+?)_(?P<late>LATE_)?(?P<user>\d+)_(?P<file>\d+)_(?P<name>[^/]+)")
_ATTEMPT = re.compile(r"-\d+(?=\.[^.]+$)")


def canvas(tree: Tree, assignment: Assignment) -> Iterator[Exported]:
    """Read an export of Canvas. Its names say who was late, not when: in time means at the due date at the latest."""
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    for path in tree.names:
        if match := _CANVAS.fullmatch(path.rpartition("/")[2]):
            key = match["who"], match["user"], match["late"] or ""
            found.setdefault(key, {})[_ATTEMPT.sub("", match["name"])] = path
    for (who, user, late), files in found.items():
        dated = max(tree.changed_at(path) for path in files.values())
        at = max(dated, assignment.due + timedelta(seconds=1)) if late else min(dated, assignment.due)
        clock = "file date, late says Canvas" if late else "file date, in time says Canvas"
        yield Exported(f"{who}_{user}", (Person(user, login=who, name=who),), files, at, clock)


_MOODLE = re.compile(r"(?P<who>[^/]+)_(?P<number>\d+)_assignsubmission_file(?:_(?P<flat>[^/]+)|_?/(?P<below>.+))")


def moodle(tree: Tree, _assignment: Assignment) -> Iterator[Exported]:
    """Read an export of Moodle, in folders or flat. Its numbers are those of participants, not of students."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for path in tree.names:
        if match := _MOODLE.search(path):
            found.setdefault((match["who"], match["number"]), {})[match["flat"] or match["below"]] = path
    for (who, number), files in found.items():
        at = max(tree.changed_at(path) for path in files.values())
        yield Exported(f"{who}_{number}", (Person(name=who),), files, at, "file date")


def github(tree: Tree, assignment: Assignment) -> Iterator[Exported]:
    """Read clones of GitHub Classroom, `assignment-username/` each; the last commit's date is the student's own."""
    by_folder = _by_folder(tree)
    prefix = _classroom_prefix([*by_folder], assignment)
    for folder, files in by_folder.items():
        dated = max(tree.changed_at(path) for path in files.values())
        committed = None if tree.folder is None else commit_date(tree.folder / folder)
        at, clock = (committed, "git commit") if committed else (dated, "file date")
        login = folder.rpartition("/")[2].removeprefix(prefix)
        yield Exported(folder, (Person(login, login=login, name=login),), files, at, clock)


def zips(tree: Tree, _assignment: Assignment) -> Iterator[Exported]:
    """Read archives, `NAME.zip` each."""
    for path in tree.names:
        stem = _archive_stem(path.rpartition("/")[2])
        if stem:
            files = {path.rpartition("/")[2]: path}
            yield Exported(path, (_named(stem),), files, tree.changed_at(path), "file date")


def folders(tree: Tree, _assignment: Assignment) -> Iterator[Exported]:
    """Read folders, one for each student."""
    for folder, files in _by_folder(tree).items():
        at = max(tree.changed_at(path) for path in files.values())
        yield Exported(folder, (_named(folder.rpartition("/")[2]),), files, at, "file date")


SOURCES: Mapping[str, Reader] = {
    "gradescope": gradescope,
    "canvas": canvas,
    "moodle": moodle,
    "github": github,
    "zips": zips,
    "folders": folders,
}


def source_of(tree: Tree, assignment: Assignment) -> str:
    """Return the name of the layout. Raises BadOption if there is none."""
    names = [name.rpartition("/")[2] for name in tree.names]
    if METADATA in names:
        return "gradescope"
    if any(_MOODLE.search(name) for name in tree.names):
        return "moodle"
    if any(_CANVAS.fullmatch(name) for name in names):
        return "canvas"
    by_folder = [*_by_folder(tree)]
    if tree.folder is not None and any((tree.folder / each / ".git").exists() for each in by_folder):
        return "github"
    if any(map(_archive_stem, names)) and all("/" not in name for name in tree.names):
        return "zips"
    if len(by_folder) > 0 and _classroom_prefix(by_folder, assignment):
        return "github"
    if by_folder:
        return "folders"
    raise BadOption(f"nothing here is laid out as an export; known: {', '.join(SOURCES)}")


def _by_folder(tree: Tree) -> dict[str, dict[str, str]]:
    """Return the files of each student's folder; a folder around all of them is looked through."""
    tops = {name.partition("/")[0] for name in tree.names}
    deep = len(tops) == 1 and all(name.count("/") > 1 for name in tree.names)
    found: dict[str, dict[str, str]] = {}
    for path in tree.names:
        parts = path.split("/")
        at = 2 if deep else 1
        if len(parts) > at:
            found.setdefault("/".join(parts[:at]), {})["/".join(parts[at:])] = path
    return found


def _classroom_prefix(paths: list[str], assignment: Assignment) -> str:
    """Return what the names of all repositories begin with: the assignment's name at GitHub and a hyphen."""
    names = [path.rpartition("/")[2] for path in paths]
    if len(names) > 1:
        begin = "".join(each[0] for each in takewhile(lambda each: len({*each}) == 1, zip(*names, strict=False)))
        return begin[: begin.rfind("-") + 1]
    own = f"{assignment.name}-"
    return own if names and names[0].startswith(own) else ""


def _archive_stem(name: str) -> str:
    for ending in (".tar.gz", ".tgz", ".zip"):
        if name.lower().endswith(ending):
            return name[: -len(ending)]
    return ""


def _named(text: str) -> Person:
    """Return a person who may be named by ID, email, login or name."""
    return Person(text, text, text, text)
