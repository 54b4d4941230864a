"""A tournament of an assignment: who plays with which submission, what is played again, and what comes of it.

Bots play under their students' pseudonyms, also where classmates see names: a student who is forgotten leaves results
without a name. A final that is repeated plays only encounters of bots whose submission is another one; all others keep
their results, as long as the terms and the format are the same.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

import msgspec

from palio_db.course_values import StudentRow, SubmissionRow, TermKind
from palio_db.errors import Unreadable
from palio_db.event_values import Entry
from palio_rules.errors import BadOption
from palio_rules.registry import game as rules_of
from palio_rules.spec import Spec
from palio_server.courses.grading import FinalResult
from palio_server.courses.schedule import frozen_at, tournaments_between
from palio_server.courses.values import Assignment, Checked, PlannedTournament
from palio_server.tournament.event import Encounter, Event
from palio_server.tournament.event_faults import EventFault
from palio_server.tournament.event_report import EventReport
from palio_server.tournament.format import Format, format_of

COURSE = "course"  # among a tournament's settings: the course, the assignment, and which of its tournaments it is
ROUND_ROBIN = "round_robin"


class TermEntry(msgspec.Struct, frozen=True):
    """A bot that plays. `members` are pseudonyms of its student, or of all students of its team."""

    bot: str
    members: tuple[str, ...]
    submission: str
    digest: str


class LeftOut(msgspec.Struct, frozen=True):
    """A submission that cannot play, with the reason for its author."""

    bot: str
    members: tuple[str, ...]
    submission: str
    why: str


class TermLine(msgspec.Struct, frozen=True):
    """A line of the standings. `started` is False for a bot that forfeited all its games; `faults` tell lost games."""

    rank: int
    bot: str
    points: float
    played: int
    wins: int
    draws: int
    losses: int
    rating: float | None = None
    started: bool = True
    note: str = ""
    faults: tuple[str, ...] = ()


class TermBody(msgspec.Struct, frozen=True):
    """A course's tournament as the store keeps it.

    `folder` has the bots' files while it is played; `only`: encounters with one of these are played; `sources` are the
    tournaments whose results count, too, the newest first.
    """

    entries: tuple[TermEntry, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    terms: dict[str, str] = {}  # msgspec copies it
    folder: str = ""
    only: tuple[str, ...] = ()
    sources: tuple[int, ...] = ()
    standings: tuple[TermLine, ...] = ()
    note: str = ""  # why nothing was played


def decode_term(body: bytes) -> TermBody:
    """Read the body of a course's tournament. Raises Unreadable."""
    try:
        return msgspec.json.decode(body, type=TermBody)
    except (msgspec.DecodeError, ValueError) as error:
        raise Unreadable(f"a course's tournament in the database cannot be read: {str(error)[:300]}") from None


# Who plays.


@dataclass(frozen=True, slots=True)
class Entrants:
    """Those who play, and those who cannot."""

    entries: tuple[TermEntry, ...]
    left_out: tuple[LeftOut, ...]


def entrants(
    students: Sequence[StudentRow],
    rows: Iterable[SubmissionRow],
    checks: Mapping[str, Checked],
    chosen: Collection[str],
) -> Entrants:
    """Return who plays with the submissions `chosen`, by ID.

    A submission whose check found it broken is left out. One that is not checked yet plays: if its bot cannot be
    started, it forfeits its games.
    """
    here = [each for each in students if each.forgotten_at is None]
    known = {each.id: each for each in here}
    playing, left_out = list[TermEntry](), list[LeftOut]()
    for row in sorted(rows, key=lambda row: row.id):
        owner = known.get(row.student)
        if owner is None or row.id not in chosen:
            continue
        members = tuple(each.pseudonym for each in here if row.team and each.team == row.team) or (owner.pseudonym,)
        checked = checks.get(row.id)
        why = "" if checked is None else checked.broken or checked.unplayable
        if why:
            left_out.append(LeftOut(owner.pseudonym, members, row.id, why))
        else:
            playing.append(TermEntry(owner.pseudonym, members, row.id, row.digest))
    return Entrants(tuple(playing), tuple(left_out))


def terms_of(assignment: Assignment, planned: PlannedTournament) -> dict[str, str]:
    """Return all that a result depends on beside the bots; results under other terms are not kept."""
    return {
        "game": assignment.game,
        "format": planned.format.replace("-", "_"),
        "rounds": str(planned.rounds or 1),
        "openings": planned.openings or "",
        "clock": planned.clock or assignment.clock,
        "seed": str(assignment.seed),
    }


def rounds_of(planned: PlannedTournament, game: str, bots: int) -> int | None:
    """Return the rounds to play: the planned ones, or as many as so few bots can play; None if none are planned.

    Which submissions work is known only when a tournament begins, and broken ones must not stop it.
    """
    if planned.rounds is None:
        return None
    spec = Spec.parse(planned.format)
    event = Event(game, [Entry(f"bot-{number}", number) for number in range(1, bots + 1)])
    for rounds in range(planned.rounds, 0, -1):
        with suppress(BadOption):
            format_of(spec.name, {**spec.settings, "rounds": rounds}).check(event)
            return rounds
    return planned.rounds


# What is played again.

Plays = Literal["all", "some", "nothing"]


@dataclass(frozen=True, slots=True)
class Repeat:
    """The part of a repeated final that is played: `some` are encounters with one of the bots `only`."""

    plays: Plays
    only: tuple[str, ...] = ()
    sources: tuple[int, ...] = ()


def repeat_of(former: TermBody, number: int | None, entries: Sequence[TermEntry], terms: Mapping[str, str]) -> Repeat:
    """Return what has to be played after `former`, tournament `number`, for these entries.

    Results can be kept where encounters do not depend on each other: in a round robin that is no race.
    """
    seats = rules_of(terms["game"].partition(":")[0])
    apart = terms["format"] == ROUND_ROBIN and seats.kind != "race"
    sources = former.sources if number is None else (number, *former.sources)
    if former.terms != terms or not former.standings:
        return Repeat("all")
    before = {each.bot: each.digest for each in former.entries}
    changed = tuple(each.bot for each in entries if before.get(each.bot) != each.digest)
    gone = before.keys() - {each.bot for each in entries}
    if not changed and (apart or not gone):
        return Repeat("nothing", (), sources)
    if not apart or len(changed) == len(entries) or not sources:
        return Repeat("all")
    return Repeat("some", changed, sources)


def merged(game: str, entries: Sequence[TermEntry], played: Sequence[tuple[Event, Sequence[TermEntry]]]) -> Event:
    """Return one event of all encounters between these entries' submissions.

    `played` are events with the entries that they had, the newest first: each group of bots counts from the newest
    event in which all of it played with the submissions of now.
    """
    now = {each.bot: each.digest for each in entries}
    event = Event(game, [Entry(each.bot, number) for number, each in enumerate(entries, 1)])
    seen: set[frozenset[str]] = set()
    for source, those in played:
        then = {each.bot: each.digest for each in those}
        same = {bot for bot, digest in now.items() if then.get(bot) == digest}
        found = [each for each in source.encounters if _counts(each, same) and frozenset(each.bots) not in seen]
        for encounter in found:
            event.add_whole(encounter.numbered(len(event.encounters) + 1))
        seen |= {frozenset(each.bots) for each in found}
        event.broken = {bot: why for bot, why in source.broken.items() if bot in same} | dict(event.broken)
        event.given_up = {bot: why for bot, why in source.given_up.items() if bot in same} | dict(event.given_up)
    return event


def _counts(encounter: Encounter, same: Collection[str]) -> bool:
    return encounter.plan.kind == "played" and encounter.over and all(bot in same for bot in encounter.bots)


# What comes of it.


def standings_of(event: Event, format_: Format, faults: Sequence[EventFault]) -> tuple[TermLine, ...]:
    """Return the standings of an event that is over, with ratings and the reasons of lost games."""
    report = EventReport(event, format_, faults=faults)
    ratings = report.ratings
    told: dict[str, list[str]] = {}
    for line in report.fault_lines:
        told.setdefault(line.bot, []).append(line.text)
    return tuple(
        TermLine(
            rank=line.rank,
            bot=line.bot,
            points=line.points,
            played=line.played,
            wins=line.wins,
            draws=line.draws,
            losses=line.losses,
            rating=round(ratings[line.bot].rating, 1) if line.bot in ratings else None,
            started=line.bot not in event.broken or line.points > 0,
            note=line.note,
            faults=tuple(told.get(line.bot, ())),
        )
        for line in report.standings
    )


def final_results(body: TermBody, students: Iterable[StudentRow]) -> dict[str, FinalResult]:
    """Return place and rating of each student whose bot played, by ID. A bot that did not start has none."""
    ids = {each.pseudonym: each.id for each in students}
    members = {each.bot: each.members for each in body.entries}
    return {
        ids[member]: FinalResult(line.rank, line.rating)
        for line in body.standings
        if line.started
        for member in members.get(line.bot, ())
        if member in ids
    }


def planned_of(assignment: Assignment, kind: TermKind, at: datetime | None = None) -> PlannedTournament | None:
    """Return the tournament of this kind that is planned for `at`, or else the first; a rehearsal is the final's."""
    final = kind != "nightly"
    if at is not None:
        found = tournaments_between(assignment, at - timedelta(microseconds=1), at)
        if fitting := [each.tournament for each in found if each.tournament.final == final]:
            return fitting[0]
    return next((each for each in assignment.tournaments if each.final == final), None)


def final_begins(assignment: Assignment) -> str:
    """Return when the last submission counts, for people."""
    return f"{frozen_at(assignment):%Y-%m-%d %H:%M %Z}".strip()
