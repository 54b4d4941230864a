"""Imports of whole exports: each submission is taken or refused by itself, with its reason."""

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from palio_db.course_values import NewSubmission, StudentRow
from palio_db.errors import StoreError
from palio_db.store import Store
from palio_db.values import Actor
from palio_server.courses.bulk_layouts import SOURCES, Exported
from palio_server.courses.export_tree import Tree
from palio_server.courses.inspection import SubmittedFiles, take
from palio_server.courses.roster_match import NoMatch, RosterIndex
from palio_server.courses.submitted_names import ROOM, Files, Refused, is_junk
from palio_server.courses.values import Assignment, Course

ARCHIVES = (".zip", ".tar.gz", ".tgz", ".tar")
NAMED = 3  # files that were left out and are named in a note

Outcome = Literal["taken", "again", "refused", "not on the roster"]


@dataclass(frozen=True, slots=True)
class Imported:
    """The outcome of one submission of an export."""

    source: str
    student: str  # ID; empty if no student was found
    outcome: Outcome
    why: str = ""
    submission: str = ""


async def import_all(
    store: Store, course: Course, assignment: Assignment, tree: Tree, source: str, *, by: Actor
) -> AsyncIterator[Imported]:
    """Import every submission of an export. Running it again takes nothing twice. Raises BadOption."""
    students = await store.students(course.name)
    index, known = RosterIndex(students), {row.id: row for row in students}
    for exported in SOURCES[source](tree, assignment):
        try:
            whose = list(_students_of(exported, index, known))
        except NoMatch as error:
            yield Imported(exported.source, "", "not on the roster", str(error))
            continue
        try:
            files = await take(_read(tree, exported, assignment), assignment, strict=False)
        except Refused as error:
            for student in whose:
                yield Imported(exported.source, student, "refused", str(error))
            continue
        for student in whose:
            yield await _keep(store, course, assignment, exported, student, files, by)


def _students_of(exported: Exported, index: RosterIndex, known: Mapping[str, StudentRow]) -> Iterator[str]:
    """Yield the students of a submission, one for each team. Raises NoMatch."""
    if not exported.people:
        raise NoMatch(f"{exported.source} names nobody; hand it in for the right one by --as")
    teams: set[str] = set()
    for student in dict.fromkeys(index.find(person) for person in exported.people):
        team = known[student].team
        if not team or team not in teams:
            teams.add(team)
            yield student


def _read(tree: Tree, exported: Exported, assignment: Assignment) -> Files:
    """Return files with contents; files that were not asked for keep their name only. Raises Refused."""
    most = ROOM * assignment.size
    found: Files = []
    for name, path in exported.files.items():
        if is_junk(name):
            continue
        data = tree.read(path, most) if _matters(name, assignment) else b""
        most -= len(data)
        found.append((name, data))
    return found


def _matters(name: str, assignment: Assignment) -> bool:
    last = name.rpartition("/")[2]
    patterns = [pattern.rpartition("/")[2] for pattern in (*assignment.files, *assignment.optional)]
    return last.lower().endswith(ARCHIVES) or any(fnmatchcase(last, pattern) for pattern in patterns)


async def _keep(
    store: Store,
    course: Course,
    assignment: Assignment,
    exported: Exported,
    student: str,
    files: SubmittedFiles,
    by: Actor,
) -> Imported:
    left_out = ", ".join(files.left_out[:NAMED]) + (", ..." if len(files.left_out) > NAMED else "")
    notes = [exported.note, f"left out: {left_out}" if left_out else ""]
    note = "; ".join(filter(None, notes))[:500]
    new = NewSubmission(
        course.name,
        assignment.name,
        student,
        exported.at,
        files.digest,
        files.files,
        clock=exported.clock,
        note=note,
        who=by.who,
    )
    try:
        kept = await store.keep_submission(new, by=by)
    except StoreError as error:
        return Imported(exported.source, student, "refused", str(error))
    return Imported(exported.source, student, "again" if kept.again else "taken", note, kept.submission.id)
