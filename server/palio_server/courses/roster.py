"""Rosters as CSV: of Canvas, Moodle and Gradescope as they export them, and plain ones. The header tells which.

Canvas      the gradebook's export: `Student` ("Family, First"), `ID`, `SIS User ID`, `SIS Login ID`, `Section`; a row
            `Points Possible` and the test student are no students. The columns are those that Canvas' own importer
            reads (github.com/instructure/canvas-lms, lib/gradebook_importer.rb).
Moodle      participants or grades: `First name`, `Last name` (`Surname`), `ID number`, `Email address`; the grading
            worksheet of an assignment: `Identifier`, `Full name`, `Email address` (docs.moodle.org, "Grade import");
            also in German (`Vorname`, `Nachname`, `ID-Nummer`, `E-Mail-Adresse`), French and Spanish.
Gradescope  the roster's download: `First Name`, `Last Name` or `Name`, `SID`, `Email`, `Role`; only the role `Student`
            is read (guides.gradescope.com, "Adding Students and Staff").
plain       `name`, `email`, `id`, `team`; `id` or `email` may be left out.
"""

import codecs
import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from palio_db.course_values import RosterEntry
from palio_rules.errors import BadOption, quoted
from palio_rules.plain_text import one_line
from palio_server.courses.faults import CourseError, Faults

SEPARATORS = ",;\t|"
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
POINTS_POSSIBLE = "points possible"  # of Canvas' second row
TEST_STUDENT = "Student, Test"  # Canvas' own name for the teacher's view as a student


class Layout(NamedTuple):
    """The headings of one program's roster, in small letters; several of one meaning are tried in order."""

    name: str
    needs: tuple[tuple[str, ...], ...]  # one of each
    ids: tuple[str, ...]
    whole_names: tuple[str, ...] = ()
    first_names: tuple[str, ...] = ()
    last_names: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()


# Headings of Moodle in English, German, French and Spanish (its language packs), in small letters; see `_heading`.
_EMAILS = (
    *("email address", "e-mail-adresse", "e-mail"),
    *("adresse de courriel", "adresse électronique", "courriel"),
    *("dirección de correo", "dirección de correo electrónico", "dirección email", "correo electrónico"),
)
_FIRST = ("first name", "vorname", "prénom", "nombre")
_LAST = ("last name", "surname", "nachname", "nom de famille", "nom", "apellido(s)", "apellidos")
_WHOLE = ("full name", "vollständiger name", "nom complet", "nombre completo")
_NUMBERS = ("id number", "id-nummer", "matrikelnummer", "numéro d'identification", "número de id")
_USERS = ("username", "anmeldename", "nom d'utilisateur", "nombre de usuario")
_IDENTIFIERS = ("identifier", "identifikator", "identifiant", "identificador")

LAYOUTS = (
    Layout(
        "Canvas",
        (("student",), ("sis user id", "sis login id", "section")),
        ids=("sis user id", "sis login id", "id"),
        whole_names=("student",),
        emails=("email",),
    ),
    Layout(
        "Moodle",
        (_EMAILS, (*_FIRST, *_WHOLE), (*_LAST, *_WHOLE)),
        ids=(*_NUMBERS, *_USERS, *_EMAILS, *_IDENTIFIERS),
        whole_names=_WHOLE,
        first_names=_FIRST,
        last_names=_LAST,
        emails=_EMAILS,
        teams=("group", "groups", "gruppe", "gruppen", "groupe", "groupes", "grupo", "grupos"),
    ),
    Layout(
        "Gradescope",
        (("sid", "student id"), ("email",), ("first name", "name", "full name")),
        ids=("sid", "student id", "email"),
        whole_names=("name", "full name"),
        first_names=("first name",),
        last_names=("last name",),
        emails=("email",),
    ),
    Layout(
        "plain",
        (("name",), ("id", "email")),
        ids=("id", "email"),
        whole_names=("name",),
        emails=("email",),
        teams=("team",),
    ),
)


def read_roster(path: Path) -> tuple[RosterEntry, ...]:
    """Return the students of a roster file, in its order. Raises CourseError with all faults, and BadOption."""
    try:
        data = path.read_bytes()
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise BadOption(f"the roster {quoted(str(path))} cannot be read: {why}; name a CSV file") from None
    return roster_of(data, str(path))


def roster_of(data: bytes, file: str) -> tuple[RosterEntry, ...]:
    """Return the students of a roster's bytes; `file` is its name in errors. Raises CourseError with all faults."""
    layout, head, lines = _rows(_text(data, file), file)
    faults = Faults()
    students = _students(layout, head, lines, file, faults)
    if not students and not faults.found:
        faults.add(file, 1, "there are no students below the first line; write one a line")
    faults.check()
    return tuple(students)


# Bytes to text: UTF-8 with or without a mark, UTF-16, and Windows' Western encoding, as spreadsheets save CSV.


def _text(data: bytes, file: str) -> str:
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    if encoding == "utf-8" and b"\0" in data[:200]:
        encoding = "utf-16-be" if data[:1] == b"\0" else "utf-16-le"
    for each in (encoding, *(["cp1252"] if encoding == "utf-8" else [])):
        try:
            return data.decode(each)
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
    raise CourseError([f"{file}, line {line}: this is no text in UTF-8, UTF-16 or Windows-1252; save it as CSV UTF-8"])


# Text to rows, by the separator with which the first line has the headings of a layout.

_Line = tuple[int, Sequence[str]]  # number from 1, cells


def _rows(text: str, file: str) -> tuple[Layout, list[str], Iterator[_Line]]:
    """Return the layout, its first line and the lines below. Raises CourseError if no separator leads to a layout."""
    found: list[_Line] = []
    fault: CourseError | None = None
    for separator in SEPARATORS:
        lines = _lines(text, separator, file)
        try:
            line, cells = next(lines, (1, ()))
        except CourseError as error:  # `"name";"id"` is no CSV with commas, and is with semicolons
            fault = fault or error
            continue
        head = [one_line(cell) for cell in cells]
        known = {_heading(heading) for heading in head}
        for layout in LAYOUTS:
            if all(known.intersection(group) for group in layout.needs):
                return layout, head, lines
        found.append((line, head))
    line, names = max(found, key=lambda each: len(each[1]), default=(1, ()))
    if fault and len(names) < 2:
        raise fault
    has = f": it has {', '.join(map(quoted, names[:6]))}{', ...' * (len(names) > 6)}" if any(names) else ""
    form = (
        "write name,email,id,team, or export it from Canvas or Gradescope in English, "
        "or from Moodle in English, German, French or Spanish"
    )
    raise CourseError([f"{file}, line {line}: the first line names no columns of a roster{has}; {form}"])


def _lines(text: str, separator: str, file: str) -> Iterator[_Line]:
    """Yield the lines that are not empty. A first line `sep=;`, which Excel writes, is left out."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    begin = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells) and not (begin == 1 and text[:4].lower() == "sep="):
                yield begin, cells
            begin = reader.line_num + 1
    except csv.Error as error:
        raise CourseError([f"{file}, line {begin}: this is no CSV: {error}; is a quotation mark missing?"]) from None


def _heading(text: str) -> str:
    """Return a heading as layouts have it: in small letters, with the apostrophe of ASCII."""
    return text.lower().replace("\u2019", "'")


# Rows to students.


def _students(
    layout: Layout, head: Sequence[str], lines: Iterator[_Line], file: str, faults: Faults
) -> list[RosterEntry]:
    students: list[RosterEntry] = []
    first_line: dict[tuple[str, str], int] = {}
    has_emails = any(_heading(heading) in layout.emails for heading in head)
    for line, cells in lines:
        if any(cell.strip() for cell in cells[len(head) :]):
            more = f"{len(cells)} cells, {len(cells) - len(head)} more than the first line has"
            faults.add(file, line, f"this line has {more}; put a cell with a separator in it in quotation marks")
            continue
        columns = {heading: one_line(cell) for heading, cell in zip(head, cells, strict=False)}
        entry = _entry(layout, columns)
        if entry is None:
            continue
        for lack in _lacks(entry, has_emails=has_emails):
            faults.add(file, line, lack)
        for kind, value in (("id", entry.id), ("email", entry.email)):
            before = first_line.setdefault((kind, value.lower()), line) if value else line
            if before != line:
                faults.add(file, line, f"the {kind} {quoted(value)} is that of line {before}, too; correct one of them")
        students.append(entry)
    return students


def _lacks(entry: RosterEntry, *, has_emails: bool) -> Iterator[str]:
    if not entry.name:
        yield "this student has no name; write one"
    if not entry.id:
        yield f"{quoted(entry.name)} has no id and no email address; write one of them"
    elif has_emails and "@" not in entry.email:
        said = f"the email address {quoted(entry.email)}, without @" if entry.email else "no email address"
        yield f"{quoted(entry.name)} has {said}; write it, or leave the column out for all"


def _entry(layout: Layout, columns: Mapping[str, str]) -> RosterEntry | None:
    """Return the student of a row; None for a row that is no student."""
    cells = {_heading(heading): cell for heading, cell in columns.items()}

    def first(headings: Sequence[str]) -> str:
        return next(filter(None, (cells.get(heading, "") for heading in headings)), "")

    name = first(layout.whole_names) or one_line(f"{first(layout.first_names)} {first(layout.last_names)}")
    if layout.name == "Canvas":
        if not name or name.lower() == POINTS_POSSIBLE or name == TEST_STUDENT:
            return None
        last, comma, rest = name.partition(", ")
        name = f"{rest} {last}" if comma else name
    if layout.name == "Gradescope" and cells.get("role", "").lower() not in ("", "student", "0"):
        return None
    email = first(layout.emails)
    if not email and layout.name == "Canvas" and "@" in cells.get("sis login id", ""):
        email = cells["sis login id"]
    return RosterEntry(first(layout.ids), name, email, first(layout.teams), columns)
