"""Names of students, in the two parts that other programs import and export."""

from palio_db.course_values import RosterEntry


def first_name(student: RosterEntry) -> str:
    """Return all of the name but the family name; "" for a name of one word."""
    own = student.columns
    return own.get("First Name") or own.get("First name") or student.name.rpartition(" ")[0]


def last_name(student: RosterEntry) -> str:
    """Return the family name: as the roster has it in a column of its own, else the last word of the name."""
    found = (student.columns.get(heading) for heading in ("Last Name", "Last name", "Surname"))
    return next(filter(None, found), "") or student.name.rpartition(" ")[2]
