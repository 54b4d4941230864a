"""The similar pairs of an assignment: its current submissions from the store, its skeleton from its folder."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from palio_db.store import Store
from palio_server.courses import inspection
from palio_server.courses.inspection_tasks import SHARE, Pair
from palio_server.courses.values import SKELETON, Assignment, Course


@dataclass(frozen=True, slots=True)
class Similar:
    """Pairs, and by submission: its student, the student's name, its files, why it was not compared."""

    pairs: list[Pair]
    students: Mapping[str, str]
    names: Mapping[str, str]
    files: Mapping[str, Mapping[str, bytes]]
    left_out: Mapping[str, str]

    @property
    def note(self) -> str:
        """Return a sentence about submissions that were not compared, "" if all were."""
        who = [f"{self.names[each]}: {why}" for each, why in self.left_out.items()]
        return f"not compared, so look at the files: {'; '.join(who)}" if who else ""


async def similar_of(
    store: Store, course: Course, assignment: Assignment, more: Path | None = None, *, share: float = SHARE
) -> Similar:
    """Return the similar pairs among the current submissions. `more`: files of the skeleton beside the folder's.

    Raises NotInspected, OSError.
    """
    rows = [row for row in await store.submissions(course.name, assignment.name) if row.current]
    files = {row.id: await store.submitted_files(row.id) for row in rows}
    files = {name: each for name, each in files.items() if each}  # those of forgotten students are gone
    teams = {row.id: row.team for row in rows}
    people = {row.id: row.name for row in await store.students(course.name)}
    given = await asyncio.to_thread(skeleton, assignment, more)
    found = await inspection.similar(files, given, teams, share=share)
    students = {row.id: row.student for row in rows}
    names = {name: people.get(who) or who for name, who in students.items()}
    return Similar(found.pairs, students, names, files, found.left_out)


def skeleton(assignment: Assignment, more: Path | None = None) -> dict[str, bytes]:
    """Return the files that the handout gave. Raises OSError."""
    found: dict[str, bytes] = {}
    for place in filter(None, (assignment.folder / SKELETON, more)):
        paths = [place] if place.is_file() else sorted(place.rglob("*"))
        found |= {str(path): path.read_bytes() for path in paths if path.is_file()}
    return found
