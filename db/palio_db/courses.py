"""Students of courses: the roster, personal links, pseudonyms, consent, and how a student is forgotten."""

import asyncio
import hashlib
import secrets
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import and_, delete, insert, or_, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.audit import log_acts
from palio_db.columns import checked, now, pack, unpack
from palio_db.course_models import (
    CourseTournament,
    FaultText,
    FileContent,
    GradeOverride,
    OwnDueDate,
    PracticeGame,
    Publication,
    ReferenceGame,
    Student,
    Submission,
    SubmissionCheck,
    SubmissionChoice,
    SubmittedFile,
)
from palio_db.course_values import Agreed, RosterChange, RosterEntry, StudentRow
from palio_db.errors import NotFound, StoreError
from palio_db.store_part import StorePart, shielded
from palio_db.values import PALIO, Act, Actor
from palio_rules.errors import nearest

MARK = "course_"  # a personal link's secret; recognisable like our other tokens
COLOURS = (  # noqa: SIM905  a word a line would be long
    "amber azure beige black blue bronze brown copper coral cream crimson cyan golden green grey indigo ivory "
    "jade lemon lilac lime maroon mint navy olive orange pearl pink plum purple red rose ruby rust sand "
    "scarlet silver teal violet white"
).split()
ANIMALS = (  # noqa: SIM905  a word a line would be long
    "badger bear beaver bison crane crow deer dolphin dove duck eagle falcon ferret finch fox frog goose hare "
    "hawk heron horse ibex kite lark lemur lion lynx marten mole moose newt otter owl panda puma raven robin "
    "seal stork swan tiger toad trout viper weasel whale wolf wren yak zebra"
).split()


class Courses(StorePart):
    """Writing and reading of a course's students."""

    @shielded
    async def set_roster(
        self, course: str, entries: Sequence[RosterEntry], *, again: Collection[str] = (), by: Actor = PALIO
    ) -> RosterChange:
        """Add and change students as a roster says. Students that it does not name stay. Raises StoreError.

        Students who were forgotten are left out, except those whose IDs are in `again`: they are added as new students.
        """
        for entry in entries:
            checked("the student's id", entry.id, empty=False)
            for what, value in (("name", entry.name), ("email", entry.email), ("team", entry.team)):
                checked(f"the {what} of student {entry.id}", value)
        async with self._database.read() as connection:
            kept = await _kept_digests(connection, course)
            listed = {row.id for row in await _students(connection, course)}
        hashed = await _hashed(kept, [entry.id for entry in entries if entry.id not in listed])  # before others wait
        async with self._database.write() as connection:
            await self._one_at_a_time(connection)
            known = {row.id: row for row in await _students(connection, course)}
            taken = {row.pseudonym for row in known.values()}
            new = [entry.id for entry in entries if entry.id not in known and entry.id not in again]
            forgotten = await _forgotten_among(connection, course, new, hashed)
            added, changed = [], []
            for entry in entries:
                if entry.id in forgotten:
                    continue
                columns = pack("the roster's columns", dict(entry.columns))
                values = {"name": entry.name, "email": entry.email, "team": entry.team, "columns": columns}
                row = known.get(entry.id)
                if row is None:
                    name = new_pseudonym(taken)
                    taken.add(name)
                    line = {"course": course, "id": entry.id, "pseudonym": name, "created_at": now(), "named": False}
                    await connection.execute(insert(Student).values(line | values))
                    added.append(entry.id)
                elif RosterEntry(row.id, row.name, row.email, row.team, row.columns) != entry:
                    await connection.execute(update(Student).where(Student.number == row.number).values(values))
                    changed.append(entry.id)
            named = {entry.id for entry in entries}
            missing = sorted(row.id for row in known.values() if row.id not in named and row.forgotten_at is None)
            detail = f"{len(added)} added, {len(changed)} changed, {len(missing)} not in it"
            if forgotten:
                detail += f", {len(forgotten)} left out as forgotten"
            await log_acts(connection, by, Act("roster read", f"course {course}", detail))
        left_out = tuple(entry.id for entry in entries if entry.id in forgotten)
        return RosterChange(tuple(added), tuple(changed), tuple(missing), left_out)

    @shielded
    async def students(self, course: str) -> list[StudentRow]:
        """Return the students of a course by ID, forgotten ones included."""
        async with self._database.read() as connection:
            return await _students(connection, course)

    @shielded
    async def student(self, course: str, id_: str) -> StudentRow:
        """Return a student. Raises NotFound with the nearest ID."""
        async with self._database.read() as connection:
            return await student_of(connection, course, id_)

    @shielded
    async def student_by_link(self, course: str, secret: str) -> StudentRow | None:
        """Return the student of a personal link's secret, None if it is not one of this course."""
        wanted = select(Student).where(Student.token == _hash(secret), Student.course == course)
        found = await self._all(wanted.with_only_columns(*_COLUMNS))
        return _student(found[0]) if found else None

    @shielded
    async def issue_links(
        self, course: str, ids: Collection[str] | None = None, *, by: Actor = PALIO
    ) -> list[tuple[StudentRow, str]]:
        """Make secrets of personal links; this is the only time that they can be read.

        With `ids` for these students, whose former links end; otherwise for all that have none. Raises NotFound.
        """
        async with self._database.write() as connection:
            await self._one_at_a_time(connection)
            if ids is None:
                rows = [row for row in await _students(connection, course) if not row.has_link]
            else:
                rows = [await student_of(connection, course, each) for each in ids]
            rows = [row for row in rows if row.forgotten_at is None]
            issued = [(row, MARK + secrets.token_urlsafe(24)) for row in rows]
            for row, secret in issued:
                changed = update(Student).where(Student.number == row.number).values(token=_hash(secret))
                await connection.execute(changed)
            acts = [Act("personal link made", _said(course, row)) for row, _ in issued]
            await log_acts(connection, by, *acts)
        return issued

    @shielded
    async def set_consent(
        self, course: str, id_: str, *, consent: Agreed | None, named: bool, by: Actor = PALIO
    ) -> StudentRow:
        """Set whom a student's bot plays in practice, and whether classmates see the name. Raises NotFound."""
        async with self._database.write() as connection:
            row = await student_of(connection, course, id_)
            changed = update(Student).where(Student.number == row.number)
            await connection.execute(changed.values(consent=consent, named=named))
            detail = f"practice {consent or 'as the assignment says'}, {'name shown' if named else 'pseudonym'}"
            await log_acts(connection, by, Act("consent set", _said(course, row), detail))
            return await student_of(connection, course, id_)

    @shielded
    async def forget_student(self, course: str, id_: str, *, by: Actor = PALIO) -> StudentRow:
        """Take a student's ID, name, email, link, files and texts out of the database. Raises NotFound.

        Results stay under the pseudonym. Files of a team stay while another member is left. A salted digest of the ID
        stays, so that the next roster does not add the student again.
        """
        async with self._database.write() as connection:
            if self._database.is_postgresql:  # no submission may begin to use a content that is about to be deleted
                await connection.execute(text("LOCK TABLE file_contents IN SHARE ROW EXCLUSIVE MODE"))
            row = await student_of(connection, course, id_)
            await _remove_files(connection, row)
            await _rename_team(connection, row)
            await _remove_texts(connection, row)
            if self._database.has_own_dues:
                submissions = select(Submission.id).where(Submission.student == row.number)
                await connection.execute(delete(FaultText).where(FaultText.submission.in_(submissions)))
                own = update(OwnDueDate).where(OwnDueDate.student == row.number)
                await connection.execute(own.values(reason="", who=""))
            gone: dict[str, Any] = {
                "id": row.pseudonym,
                "name": "",
                "email": "",
                "team": "",
                "token": None,
                "named": False,
                "columns": await _digest_of_forgotten(connection, course, row.id),
                "forgotten_at": now(),
            }
            await connection.execute(update(Student).where(Student.number == row.number).values(gone))
            await log_acts(connection, by, Act("student forgotten", _said(course, row)))
            return await student_of(connection, course, row.pseudonym)

    async def _one_at_a_time(self, connection: AsyncConnection) -> None:
        """Let one process at a time change rosters. (SQLite has one writer anyway.)"""
        if self._database.is_postgresql:
            await connection.execute(text("LOCK TABLE students IN SHARE ROW EXCLUSIVE MODE"))


_COLUMNS = (
    Student.number,
    Student.course,
    Student.id,
    Student.name,
    Student.email,
    Student.team,
    Student.pseudonym,
    Student.consent,
    Student.named,
    Student.token.is_not(None).label("has_link"),
    Student.forgotten_at,
    Student.columns,
)


def new_pseudonym(taken: Collection[str], choice: Callable[[Sequence[str]], str] = secrets.choice) -> str:
    """Return a name such as `amber-otter` that is not among `taken`."""
    for attempt in range(100):
        name = f"{choice(COLOURS)}-{choice(ANIMALS)}" + (f"-{attempt}" if attempt >= 50 else "")
        if name not in taken:
            return name
    raise StoreError("no pseudonym is left for this course; split it")


async def _students(connection: AsyncConnection, course: str) -> list[StudentRow]:
    found = await connection.execute(select(*_COLUMNS).where(Student.course == course).order_by(Student.id))
    return [_student(row) for row in found]


async def student_of(connection: AsyncConnection, course: str, id_: str) -> StudentRow:
    """Return a student within a transaction. Raises NotFound with the nearest ID."""
    wanted = select(*_COLUMNS).where(Student.course == course, Student.id == id_)
    row = (await connection.execute(wanted)).one_or_none()
    if row is None:
        known = await connection.scalars(select(Student.id).where(Student.course == course))
        ids = list(known)
        remedy = nearest(id_, ids) if ids else f"read its roster first: palio course roster {course} FILE"
        raise NotFound(f"there is no student {id_[:60]!r} in the course {course}; {remedy}")
    return _student(row)


def _student(row: Any) -> StudentRow:
    values = row._asdict()
    columns = unpack("a student's columns of the roster", values.pop("columns"), dict[str, str])
    if values["forgotten_at"] is not None:
        columns = {}  # it has the digest only
    return StudentRow(**values, columns=columns)


def _said(course: str, row: StudentRow) -> str:
    return f"{row.pseudonym} of course {course}"


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode(errors="surrogatepass")).digest()


# What stays of a forgotten student's ID: a digest, in the place of the roster's columns. All digests of a course have
# one salt, so that an ID is hashed once. IDs are short, so hashing is slow: 50 ms for each that may be tried.

SALT, DIGEST = "salt", "digest"  # keys, both in hexadecimal digits


def _slow_digest(salt: bytes, id_: str) -> str:
    secret = id_.casefold().encode(errors="surrogatepass")
    return hashlib.scrypt(secret, salt=salt, n=2**14, r=8, p=1, dklen=32).hex()


async def _kept_digests(connection: AsyncConnection, course: str) -> list[dict[str, str]]:
    gone = select(Student.columns).where(Student.course == course, Student.forgotten_at.is_not(None))
    kept = [
        unpack("a forgotten student's digest", columns, dict[str, str]) for columns in await connection.scalars(gone)
    ]
    return [each for each in kept if each.keys() == {SALT, DIGEST}]  # older rows have none


async def _digest_of_forgotten(connection: AsyncConnection, course: str, id_: str) -> bytes:
    kept = await _kept_digests(connection, course)
    salt = bytes.fromhex(kept[0][SALT]) if kept else secrets.token_bytes(16)
    digest = await asyncio.to_thread(_slow_digest, salt, id_)
    return pack("the digest", {SALT: salt.hex(), DIGEST: digest})


async def _hashed(kept: Sequence[dict[str, str]], ids: Iterable[str]) -> dict[str, str]:
    """Return the digests of `ids` with the salt of those that are `kept`; none without any."""
    if not kept:
        return {}
    salt = bytes.fromhex(kept[0][SALT])
    return {id_: await asyncio.to_thread(_slow_digest, salt, id_) for id_ in ids}


async def _forgotten_among(
    connection: AsyncConnection, course: str, ids: Sequence[str], hashed: dict[str, str]
) -> set[str]:
    """Return those of `ids` that belonged to students who were forgotten; `hashed`: digests that are known already."""
    kept = await _kept_digests(connection, course)
    digests = {each[DIGEST] for each in kept}
    hashed = hashed | await _hashed(kept, [id_ for id_ in ids if id_ not in hashed])  # the first was forgotten just now
    return {id_ for id_ in ids if hashed.get(id_) in digests}


# What is removed of a student.


async def _remove_files(connection: AsyncConnection, row: StudentRow) -> None:
    """Delete the files and games of a student's submissions, and contents that no other submission has."""
    others = select(Student.team).where(
        Student.course == row.course, Student.team != "", Student.number != row.number, Student.forgotten_at.is_(None)
    )
    mine = Submission.student == row.number
    if row.team:
        mine = or_(mine, and_(Submission.course == row.course, Submission.team == row.team))
    alone = select(Submission.id).where(mine, Submission.team.not_in(others))
    await connection.execute(delete(SubmittedFile).where(SubmittedFile.submission.in_(alone)))
    own = select(Submission.id).where(
        Submission.student == row.number
    )  # also of a team: records quote the code's errors
    for whose in (alone, own):
        await connection.execute(delete(ReferenceGame).where(ReferenceGame.submission.in_(whose)))
    used = select(SubmittedFile.content)
    await connection.execute(delete(FileContent).where(FileContent.digest.not_in(used)))


async def _rename_team(connection: AsyncConnection, row: StudentRow) -> None:
    """Give a team's submissions the pseudonym in place of the team's name, if no member is left."""
    others = select(Student.number).where(
        Student.course == row.course, Student.team == row.team, Student.number != row.number
    )
    if row.team and (await connection.execute(others)).first() is None:
        of_team = update(Submission).where(Submission.course == row.course, Submission.team == row.team)
        await connection.execute(of_team.values(team=row.pseudonym))


async def _remove_texts(connection: AsyncConnection, row: StudentRow) -> None:
    """Empty notes, reasons, and what checks and published grades say beside points."""
    own = Submission.student == row.number
    submissions = select(Submission.id).where(own)
    await connection.execute(update(Submission).where(own).values(note="", who=""))
    choices = update(SubmissionChoice).where(SubmissionChoice.submission.in_(submissions))
    await connection.execute(choices.values(who=""))
    overrides = update(GradeOverride).where(GradeOverride.student == row.number)
    await connection.execute(overrides.values(reason="", who=""))
    checks = select(SubmissionCheck.submission, SubmissionCheck.revision, SubmissionCheck.body)
    checks = checks.where(SubmissionCheck.submission.in_(submissions), SubmissionCheck.body.is_not(None))
    for submission, revision, body in (await connection.execute(checks)).all():
        bare = pack("the check", without_texts(unpack("a check", body or b"{}", dict[str, Any])))
        one = (SubmissionCheck.submission == submission, SubmissionCheck.revision == revision)
        await connection.execute(update(SubmissionCheck).where(*one).values(body=bare))
    practice = update(PracticeGame).where(PracticeGame.student == row.number)
    await connection.execute(practice.values(why=""))
    played = select(CourseTournament.id, CourseTournament.body).where(CourseTournament.course == row.course)
    for number, body in (await connection.execute(played)).all():
        told = without_reasons(unpack("a course's tournament", body, dict[str, Any]), row.pseudonym)
        changed = update(CourseTournament).where(CourseTournament.id == number)
        await connection.execute(changed.values(body=pack("the tournament", told)))
    published = select(Publication.id, Publication.body).where(Publication.course == row.course)
    for number, body in (await connection.execute(published)).all():
        grades = unpack("published grades", body, list[dict[str, Any]])
        if any(grade.get("student") == row.id for grade in grades):
            bare = pack("the grades", list(_renamed(grades, row)))
            await connection.execute(update(Publication).where(Publication.id == number).values(body=bare))


def _renamed(grades: Iterable[dict[str, Any]], row: StudentRow) -> Iterable[dict[str, Any]]:
    for grade in grades:
        yield without_texts(grade | {"student": row.pseudonym}) if grade.get("student") == row.id else grade


def without_reasons(tournament: dict[str, Any], bot: str) -> dict[str, Any]:
    """Return a course's tournament as JSON without what it says of one bot's code."""
    emptied: dict[str, Any] = {"why": "", "note": "", "faults": []}
    bare = dict(tournament)
    for name in {"left_out", "standings"} & tournament.keys():
        bare[name] = [
            line | {key: emptied[key] for key in emptied.keys() & line.keys()} if line.get("bot") == bot else line
            for line in tournament[name]
        ]
    return bare


def without_texts(result: dict[str, Any]) -> dict[str, Any]:
    """Return a check's or a grade's JSON with its points, and without what it says of the student's code."""
    bare = {name: value for name, value in result.items() if name not in ("said", "status", "email", "name")}
    if bare.get("broken"):
        bare["broken"] = "broken"
    bare["parts"] = [part | {"why": "", "said": ""} for part in result.get("parts", ())]
    return bare
