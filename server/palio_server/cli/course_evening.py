"""A course's tournament at work: held in the store, its bots' files written, played by `palio run`, its result kept.

A process that was killed is followed by the next one with the same command: it waits until the lease is over, writes
the same files at the same place, and goes on in the middle of a game.
"""

import asyncio
import secrets
import shlex
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from palio_db.course_values import CourseTournamentRow, TermKind
from palio_db.errors import StoreError
from palio_db.store import Store
from palio_rules.errors import BadOption
from palio_rules.registry import adopt
from palio_rules.registry import game as rules_of
from palio_rules.temporary import TemporaryFolder, new_name
from palio_server.arena.event_faults import event_faults
from palio_server.arena.kept_event import stored_event
from palio_server.cli.command import INTERRUPTED, CommandFailed
from palio_server.cli.options import game_or_instance
from palio_server.cli.run_options import RunOptions
from palio_server.cli.run_plan import RunPlan, new_plan, resumed_plan
from palio_server.cli.run_tournament import run_tournament
from palio_server.courses.check_queue import write_files
from palio_server.courses.evening import (
    COURSE,
    ROUND_ROBIN,
    Repeat,
    TermBody,
    TermEntry,
    decode_term,
    entrants,
    final_begins,
    merged,
    planned_of,
    repeat_of,
    rounds_of,
    standings_of,
    terms_of,
)
from palio_server.courses.gradebook import checks_of, gradebook
from palio_server.courses.reference_games import spec_of
from palio_server.courses.schedule import is_frozen
from palio_server.courses.values import Assignment, Course, PlannedTournament
from palio_server.processes import BotFailed
from palio_server.tournament.event import Event
from palio_server.tournament.format import format_of

LEASE = timedelta(seconds=15)
RENEW_S = 4.0
LOOK_S = 0.5  # between two tries to hold what a killed process held
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request for a tournament. `at` is the planned time; None: an interrupted one of this kind, or a new one now."""

    course: Course
    assignment: Assignment
    kind: TermKind
    at: datetime | None = None

    @property
    def planned(self) -> PlannedTournament:
        found = planned_of(self.assignment, self.kind, self.at)
        return PlannedTournament("now", final=self.kind != "nightly") if found is None else found

    @property
    def title(self) -> str:
        what = {"nightly": "tournament", "final": "final", "rehearsal": "rehearsal of the final"}[self.kind]
        return f"{self.course.title}: {self.assignment.title}, {what}"


@dataclass(frozen=True, slots=True)
class Evening:
    """A course's tournament that was played, or why it was not; `code` is the exit code."""

    row: CourseTournamentRow | None
    body: TermBody
    code: int = 0


async def play_evening(store: Store, asked: Asked, chosen: RunOptions, say: Say) -> Evening:
    """Play a course's tournament to its end, or go on with it.

    Raises CommandFailed, BadOption, StoreError, BotFailed.
    """
    if asked.kind == "final" and not is_frozen(asked.assignment, datetime.now(UTC)):
        until = final_begins(asked.assignment)
        raise BadOption(f"submissions to {asked.assignment.name} count until {until}; --rehearsal plays it now")
    former = await _former(store, asked)
    if former is not None and former.finished_at is not None and asked.at is not None:
        return Evening(former, decode_term(former.body))
    open_ = former if former is not None and former.finished_at is None else None
    repeat, body = (None, TermBody()) if open_ is not None else await _prepared(store, asked, former)
    if (
        repeat is not None
        and repeat.plays == "nothing"
        and former is not None
        and _same(decode_term(former.body), body)
    ):
        say(f"nothing has changed since the final of {former.at:%Y-%m-%d %H:%M} UTC; its result stands")
        return Evening(former, decode_term(former.body))
    holder = f"term-{secrets.token_hex(6)}"
    row = await _hold(store, asked, open_, holder, say)
    if row is None:
        say("another process has played it")
        row = await _former(store, asked)
        return Evening(row, decode_term(row.body) if row is not None else TermBody())
    async with _holding(store, row, holder):
        try:
            if decode_term(row.body) != TermBody():
                body = decode_term(row.body)
            else:
                await store.begin_course_tournament(row.id, holder, msgspec.json.encode(body))
            with TemporaryFolder("course", at=Path(body.folder)) if body.folder else nullcontext():
                code, body = await _play(store, asked, row, body, holder, chosen, say)
            if code == 0:
                await store.finish_course_tournament(row.id, holder, msgspec.json.encode(body))
        finally:
            await store.release_course_tournament(row.id, holder)
    return Evening(row, body, code)


async def _former(store: Store, asked: Asked) -> CourseTournamentRow | None:
    """Return the tournament of the asked time, or the last one of this kind."""
    rows = await store.course_tournaments(asked.course.name, asked.assignment.name, asked.kind)
    if asked.at is not None:
        rows = [row for row in rows if row.at == asked.at]
    return rows[-1] if rows else None


def _same(former: TermBody, now: TermBody) -> bool:
    return [(each.bot, each.digest) for each in former.entries] == [(each.bot, each.digest) for each in now.entries]


# Prepared.


async def _prepared(store: Store, asked: Asked, former: CourseTournamentRow | None) -> tuple[Repeat | None, TermBody]:
    """Return who plays, and for a final that was played before, what is played again."""
    course, assignment = asked.course, asked.assignment
    rows = await store.submissions(course.name, assignment.name)
    if asked.kind == "final":
        book = await gradebook(store, course)
        chosen = {each[assignment.name].submission or "" for each in book.values()}
    else:
        chosen = {row.id for row in rows if row.current}
    checks = await checks_of(store, course, assignment)
    who = entrants(await store.students(course.name), rows, checks, chosen)
    folder = str(new_name("course"))
    body = TermBody(who.entries, who.left_out, terms_of(assignment, asked.planned), folder)
    if asked.kind != "final" or former is None:
        return None, body
    repeat = repeat_of(decode_term(former.body), former.number, who.entries, body.terms)
    return repeat, msgspec.structs.replace(body, only=repeat.only, sources=repeat.sources)


async def _hold(
    store: Store, asked: Asked, open_: CourseTournamentRow | None, holder: str, say: Say
) -> CourseTournamentRow | None:
    """Hold the tournament; wait for a process that may have been killed. None if another one finishes it meanwhile."""
    at = asked.at or (open_.at if open_ is not None else datetime.now(UTC))
    where = asked.course.name, asked.assignment.name, asked.kind
    told = False
    while True:
        row = await store.hold_course_tournament(*where, at, holder, f"run-{secrets.token_hex(6)}", LEASE)
        if row is not None:
            return row
        there = [each for each in await store.course_tournaments(*where) if each.at == at]
        if there and there[0].finished_at is not None:
            return None
        if not told:
            say("another process plays it, or was killed; waiting for it")
            told = True
        await asyncio.sleep(LOOK_S)


@asynccontextmanager
async def _holding(store: Store, row: CourseTournamentRow, holder: str) -> AsyncIterator[None]:
    """Renew the lease within this context."""

    async def renew() -> None:
        while True:
            await asyncio.sleep(RENEW_S)
            with suppress(StoreError):  # play goes on, and the next renewal may succeed
                await store.hold_course_tournament(
                    row.course, row.assignment, row.kind, row.at, holder, row.worker, LEASE
                )

    task = asyncio.create_task(renew())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _write_bots(store: Store, body: TermBody) -> None:
    """Write the files of each bot into a folder of its own, which no other user can read.

    A student who was forgotten since then has no files, so the bot cannot start and forfeits its games.
    """
    folder = Path(body.folder)
    for entry in body.entries:
        files = await store.submitted_files(entry.submission)
        await asyncio.to_thread(write_files, folder / entry.bot, files)


# Played.


async def _play(
    store: Store, asked: Asked, row: CourseTournamentRow, body: TermBody, holder: str, chosen: RunOptions, say: Say
) -> tuple[int, TermBody]:
    """Play what is to be played, and return the exit code with the result."""
    for out in body.left_out:
        say(f"{out.bot} does not play: {out.why}")
    rules, count = rules_of(adopt(asked.assignment.game).name), len(body.entries)
    if count < (least := 2 if rules.kind == "race" else max(2, len(rules.seats))):
        note = f"{count} submissions work, and {asked.assignment.game} needs {least} at least"
        say(note)
        return 0, msgspec.structs.replace(body, note=note)
    if not body.only and body.sources:  # nothing to play: a bot has left
        return 0, await _with_result(store, body, None)
    number = await _number(store, row)
    found = None if number is None else await store.tournament(number)
    if found is None or found.stage != "finished":
        await _write_bots(store, body)
        try:
            code = await _run(asked, row, body, chosen, number)
        except BotFailed as failure:
            if await _number(store, row) is not None:
                raise
            say(str(failure))  # for the staff: the note is read by all students
            return 0, msgspec.structs.replace(body, note="no submission could be started; its feedback says why")
        if code == INTERRUPTED:
            return code, body
        number = await _number(store, row)
    if number is None:
        raise CommandFailed("the tournament was not begun; run the same command again")
    await store.begin_course_tournament(row.id, holder, msgspec.json.encode(body), number)
    return 0, await _with_result(store, body, number)


async def _run(asked: Asked, row: CourseTournamentRow, body: TermBody, chosen: RunOptions, number: int | None) -> int:
    """Play it as `palio run` does, from its beginning or where tournament `number` was interrupted."""
    if number is None:
        plan = _plan(asked, row, body, chosen)
    else:
        plan = await resumed_plan(chosen, number, of_course=True)
    return await run_tournament(replace(plan, way_on=_way_on(asked, chosen)), chosen)


async def _number(store: Store, row: CourseTournamentRow) -> int | None:
    """Return the number of the tournament that plays it, which may be there before the row says so."""
    if row.number is not None:
        return row.number
    found = await store.tournaments(1, worker=row.worker)
    return found[0].id if found else None


def _way_on(asked: Asked, chosen: RunOptions) -> str:
    """Return the command that goes on with an interrupted tournament."""
    verb = "final" if asked.kind == "final" else "tournament"
    words = ["palio", "course", verb, str(asked.course.folder), asked.assignment.name]
    words += ["--rehearsal"] if asked.kind == "rehearsal" else []
    return shlex.join([*words, *(["--db", chosen.db] if chosen.db else [])])


def _plan(asked: Asked, row: CourseTournamentRow, body: TermBody, chosen: RunOptions) -> RunPlan:
    """Return the plan of `palio run` for it."""
    terms, planned = body.terms, asked.planned
    game, options, instance = game_or_instance(terms["game"], ())
    by_move = terms["clock"].replace(".", "", 1).isdigit()
    wanted = replace(
        chosen,
        format=planned.format,
        rounds=rounds_of(planned, game, len(body.entries)),
        openings=planned.openings,
        st=terms["clock"] if by_move else None,
        tc=None if by_move else terms["clock"],
        seed=int(terms["seed"]),
        broken="forfeit",
        max_crashes=0 if chosen.cluster is None else None,  # it loses all its games, so that all others have as many
        name=asked.title[:200],
    )
    bots = [f"{each.bot}={spec_of(asked.assignment, Path(body.folder) / each.bot)}" for each in body.entries]
    plan = new_plan(wanted, game, options, bots, instance)
    if body.only:
        plan = replace(plan, format=format_of(ROUND_ROBIN, {**plan.format.settings, "only": list(body.only)}))
    about = {"name": asked.course.name, "assignment": asked.assignment.name, "kind": row.kind}
    played = msgspec.structs.replace(plan.terms, submissions={each.bot: each.submission for each in body.entries})
    settings = {**plan.settings, **played.settings, "worker": row.worker, COURSE: about}
    return replace(plan, terms=played, worker=row.worker, settings=settings)


async def _with_result(store: Store, body: TermBody, number: int | None) -> TermBody:
    """Return the body with the standings, over the results that are kept from earlier tournaments, too."""
    numbers = ([number] if number is not None else []) + list(body.sources)
    played: list[tuple[Event, list[TermEntry]]] = []
    format_ = None
    for each in numbers:
        found = await stored_event(store, each)
        format_ = format_ or found.format
        those = [
            TermEntry(bot, (), submission, (await store.submission(submission)).digest)
            for bot, submission in found.row.settings.get("submissions", {}).items()
        ]
        played.append((found.event, those))
    assert format_ is not None
    if len(played) == 1 and number is not None:
        event = played[0][0]  # whole, with byes and rounds
    else:
        event = merged(played[0][0].game, body.entries, played)
        format_ = format_of(format_.name, {**format_.settings, "only": []})
    faults = await event_faults(store, event, texts=True)
    return msgspec.structs.replace(body, standings=standings_of(event, format_, faults))
