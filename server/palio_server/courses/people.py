"""Names of students, in the two parts that other programs import and export."""

from palio_db.course_values import RosterEntry

FIRST = ("First Name", "First name", "Vorname", "Prénom", "Nombre")
LAST = ("Last Name", "Last name", "Surname", "Nachname", "Nom", "Nom de famille", "Apellido(s)", "Apellidos")


def first_name(student: RosterEntry) -> str:
    """Return all of the name but the family name; "" for a name of one word."""
    return _first_cell(student, FIRST) or student.name.rpartition(" ")[0]


def last_name(student: RosterEntry) -> str:
    """Return the family name: as the roster has it in a column of its own, else the last word of the name."""
    return _first_cell(student, LAST) or student.name.rpartition(" ")[2]


def _first_cell(student: RosterEntry, headings: tuple[str, ...]) -> str:
    return next(filter(None, (student.columns.get(heading) for heading in headings)), "")
