"""A course's folder: `course.toml` and its assignments."""

from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from palio_rules.contract.names import USE, is_name
from palio_rules.errors import BadOption, quoted
from palio_rules.plain_text import given_path
from palio_server.courses.assignment_checks import Collect
from palio_server.courses.assignment_file import late_rule, read_assignment
from palio_server.courses.faults import CourseError, Faults
from palio_server.courses.toml_reading import Table, read_table
from palio_server.courses.toml_values import a_flag, a_number, a_text, a_zone, texts
from palio_server.courses.values import Assignment, Course, LateRule

FILE, ASSIGNMENTS = "course.toml", "assignments"


def read_course(folder: Path, collect: Collect | None = None) -> Course:
    """Return the course in a folder. Raises CourseError with the faults of all its files.

    `collect` tells the points of an assignment's tests, which only pytest knows; without it they are not added up.
    """
    folder = given_path(folder, "the folder").resolve()
    if not (folder / FILE).is_file():
        why = f"has no {FILE}" if folder.is_dir() else "does not exist"
        raise CourseError([f"{folder} {why}; palio course new {folder.name} makes a course"])
    faults = Faults()
    _check_name(folder, folder.name, faults)
    table = read_table(folder / FILE, FILE, faults)
    course = _course(table, folder) if table is not None else Course(folder.name, folder, "", ZoneInfo("UTC"))
    found = (read_assignment(each, course.zone, course.late, faults, collect) for each in _folders(folder, faults))
    assignments = sorted(filter(None, found), key=lambda each: (each.due.astimezone(UTC), each.name))
    faults.check()
    return replace(course, assignments=tuple(assignments))


def read_one_assignment(folder: Path, collect: Collect | None = None) -> tuple[Course, Assignment]:
    """Return the assignment in a folder, with its course; a folder outside of one has a course of its own.

    Raises CourseError with the faults of `assignment.toml` and `course.toml`.
    """
    folder = given_path(folder, "the folder").resolve()
    home = folder.parent.parent
    faults = Faults()
    course = Course(folder.name, folder, folder.name, ZoneInfo("UTC"))
    if folder.parent.name == ASSIGNMENTS and (home / FILE).is_file():
        table = read_table(home / FILE, FILE, faults)
        course = _course(table, home) if table is not None else course
    assignment = read_assignment(folder, course.zone, course.late, faults, collect)
    faults.check()
    assert assignment is not None  # else there is a fault
    return replace(course, assignments=(assignment,)), assignment


def _course(table: Table, folder: Path) -> Course:
    title = table.need("title", a_text, 'title = "Artificial Intelligence 101"')
    zone = table.need("time_zone", a_zone, 'time_zone = "Europe/Rome"')
    late = late_rule(table, LateRule(), of_course=True)
    given = table.given(
        staff=_staff, team_size=a_number(1, 100), sandbox=a_flag, slots=a_number(1, 64), pseudonyms=a_flag
    )
    course = Course(folder.name, folder, title or "", zone or ZoneInfo("UTC"), late=late, **given)
    table.end()
    return course


def _staff(value: Any) -> tuple[str, ...]:
    found = texts(value)
    for name in found:
        if not is_name(name):
            raise BadOption(f"{quoted(name)} is no name of a token; {USE}")
    return found


def _folders(course: Path, faults: Faults) -> list[Path]:
    """Return the folders of assignments; hidden ones are left out."""
    home = course / ASSIGNMENTS
    found = sorted(each for each in home.glob("*") if each.is_dir() and not each.name.startswith((".", "__")))
    for each in found:
        _check_name(each, f"{ASSIGNMENTS}/{each.name}", faults)
    if not found:
        faults.add(ASSIGNMENTS, 0, "there is no folder with an assignment; palio course new --from makes some")
    return found


def _check_name(folder: Path, shown: str, faults: Faults) -> None:
    if not is_name(folder.name):
        faults.add(shown, 0, f"{quoted(folder.name)} is no name for a folder of a course; {USE}")
