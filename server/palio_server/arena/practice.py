"""Practice games of courses at work: the files of both bots are written, their processes started, the match played.

It is a match of the server like any other, with its viewers. A student's bot plays one practice game at a time, so that
two submissions never play under one name; all programs that are not Palio's own run in the course's sandbox.
"""

import asyncio
import logging
import os
import random
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec import UNSET, structs

from palio_db.course_values import PracticeRow, SubmissionRow
from palio_db.errors import NotFound, StoreError, Unavailable
from palio_db.event_values import Plan
from palio_db.store import Store
from palio_rules.errors import BadOption, quoted
from palio_rules.records.fault_kinds import kind_of
from palio_rules.records.record import Record, Setup
from palio_rules.registry import adopt
from palio_rules.registry import game as rules_of
from palio_rules.temporary import TemporaryFolder
from palio_rules.time_control import TimeControl
from palio_server.arena.analysis_queue import search_in_thread
from palio_server.arena.arena import Arena
from palio_server.courses.check_queue import write_files
from palio_server.courses.gradebook import assignment_of, checks_of
from palio_server.courses.reference_games import OPENING_PLIES, spec_of
from palio_server.courses.served_courses import ServedCourses
from palio_server.courses.values import Assignment, Course
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.programs import joined
from palio_server.processes import BotProcess, Entrant, entrants
from palio_server.tournament.openings.choice import OpeningsChoice
from palio_server.tournament.terms import Terms

log = logging.getLogger(__name__)

AT_ONCE = max(1, (os.cpu_count() or 1) // 2)  # games
LOOK_S = 2.0  # between two looks into the store
JOIN_S = 60.0  # seconds in which a bot must have joined
LONGEST = timedelta(hours=2)  # of a game; one that is "playing" for longer was lost with its server
EVENT = "practice"

Start = Callable[[Course, Entrant], Awaitable[BotProcess]]
"""Starts a bot for this server, in the course's sandbox if it is untrusted."""


@dataclass(slots=True)
class PracticeGames:
    """The practice games of a server's courses."""

    store: Store
    arena: Arena
    lobby: Lobby
    courses: ServedCourses
    start: Start
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _busy: dict[tuple[str, str], str] = field(default_factory=dict)  # students that play, with their game
    _over: dict[str, asyncio.Event] = field(default_factory=dict)  # by match

    def wake(self) -> None:
        """Look at once for a new game."""
        self._news.set()

    async def run(self) -> None:
        """Play games until cancelled."""
        self.arena.on_result.append(self._note)
        async with asyncio.TaskGroup() as group:
            while True:
                try:
                    await self._begin(group)
                except Unavailable as error:
                    log.warning("practice games wait: %s", error)
                self._news.clear()
                try:
                    async with asyncio.timeout(LOOK_S):
                        await self._news.wait()
                except TimeoutError:
                    pass

    def _note(self, record: Record) -> None:
        if (over := self._over.get(record.match)) is not None:
            over.set()

    async def _begin(self, group: asyncio.TaskGroup) -> None:
        """Begin the games whose students play no other one, as long as there is room."""
        for course in self.courses.courses:
            for row in await self.store.practice_games(course.name, state="playing"):
                if row.id not in self._busy.values() and datetime.now(UTC) - row.at > LONGEST:
                    await self._set(row, "failed", why="the server was stopped; ask again")
            for row in await self.store.practice_games(course.name, state="waiting"):
                who = [(course.name, each) for each in (row.student, row.classmate) if each is not None]
                if len({*self._busy.values()}) >= AT_ONCE or any(each in self._busy for each in who):
                    continue
                self._busy |= dict.fromkeys(who, row.id)
                group.create_task(self._play(course, row), name=f"practice-{row.id}")

    async def _play(self, course: Course, row: PracticeRow) -> None:
        try:
            row = await self.store.set_practice(row.id, "playing", only_from="waiting")
        except NotFound:  # another server plays it
            self._free(row)
            return
        try:
            await self._played(course, row)
        except (BadOption, StoreError, OSError, ValueError) as error:
            await self._set(row, "failed", why=str(error))
        except Exception as error:  # one game stops no other
            log.exception("practice game %s could not be played", row.id)
            await self._set(row, "failed", why=f"unexpected {type(error).__name__}")
        finally:
            self._free(row)
            self.wake()

    def _free(self, row: PracticeRow) -> None:
        for who in [who for who, game in self._busy.items() if game == row.id]:
            del self._busy[who]

    async def _set(self, row: PracticeRow, state: str, why: str = "") -> None:
        try:
            await self.store.set_practice(row.id, "over" if state == "over" else "failed", only_from="playing", why=why)
        except StoreError as error:
            log.warning("practice game %s: %s", row.id, error)

    async def _played(self, course: Course, row: PracticeRow) -> None:
        assignment = assignment_of(course, row.assignment)
        async with AsyncExitStack() as stack:
            folder = stack.enter_context(TemporaryFolder("practice"))
            first, mine = await self._student(course, assignment, row.student, folder)
            if row.classmate is not None:
                second, theirs = await self._student(course, assignment, row.classmate, folder)
            else:
                second, theirs = _bot(row.bot, assignment), ""
            bots = _seated(assignment, first, second)
            stack.enter_context(self.arena.keeping_for_first([bot.name for bot in bots]))
            for bot in bots:
                process = await self.start(course, bot)
                stack.push_async_callback(process.end)
                await self._join(bot, process)
            rated = assignment.practice is not None and assignment.practice.rated
            setup = await search_in_thread(lambda: _setup(assignment, [bot.name for bot in bots], rated=rated))
            setup = setup.with_submissions({first.name: mine, second.name: theirs})
            match = await self.arena.enqueue_first(setup, EVENT)
            seats = () if setup.submissions is UNSET else setup.submissions
            await self.store.set_practice(row.id, "playing", only_from="playing", match=match, submissions=seats)
            await self._until_over(match)
        await self._set(row, "over")

    async def _student(self, course: Course, assignment: Assignment, student: str, folder: Path) -> tuple[Entrant, str]:
        """Return a student's bot with its files written, and the submission. Raises BadOption if it cannot play."""
        who = await self.store.student(course.name, student)
        rows = await self.store.submissions(course.name, assignment.name, student)
        current: SubmissionRow | None = next((each for each in rows if each.current), None)
        files = {} if current is None else await self.store.submitted_files(current.id)
        if current is None or not files:
            raise BadOption(f"{who.pseudonym} has handed in nothing; hand in first")
        checked = (await checks_of(self.store, course, assignment, [current])).get(current.id)
        if checked is not None and (checked.broken or checked.unplayable):  # both students read the sentence
            raise BadOption(f"the submission of {who.pseudonym} cannot play; its feedback says why")
        await asyncio.to_thread(write_files, folder / who.pseudonym, files)
        return Entrant(who.pseudonym, spec_of(assignment, folder / who.pseudonym)), current.id

    async def _join(self, bot: Entrant, process: BotProcess) -> None:
        """Wait until a bot has joined. Raises BadOption if it ends or is silent."""
        coming = asyncio.ensure_future(joined(self.lobby, bot.name))
        ending = asyncio.ensure_future(process.ended())
        try:
            await asyncio.wait({coming, ending}, timeout=JOIN_S, return_when=asyncio.FIRST_COMPLETED)
            if not coming.done():
                kind = kind_of(process.last_lines())
                raise BadOption(f"{quoted(bot.name)} could not be started{f': {kind}' if kind else ''}")
        finally:
            coming.cancel()
            ending.cancel()
            await asyncio.gather(coming, ending, return_exceptions=True)

    async def _until_over(self, match: str) -> None:
        over = self._over[match] = asyncio.Event()
        try:
            async with asyncio.timeout(LONGEST.total_seconds()):
                while not over.is_set():
                    row = await self.store.match(match)
                    if row is None or row.status in ("finished", "aborted"):
                        return
                    try:
                        async with asyncio.timeout(LOOK_S):
                            await over.wait()
                    except TimeoutError:
                        pass
        except TimeoutError:
            self.arena.call_off(match, "a practice game has an end, too")
            raise BadOption(f"the game took longer than {LONGEST.total_seconds() / 3600:g} hours") from None
        finally:
            del self._over[match]


def _bot(spec: str, assignment: Assignment) -> Entrant:
    [found] = entrants([spec])
    return Entrant(found.name, found.spec, found.network, str(assignment.folder))


def _seated(assignment: Assignment, first: Entrant, second: Entrant) -> list[Entrant]:
    """Return all bots; a table of three gets a random one. Who moves first is by lot."""
    bots = [first, second]
    seats = len(rules_of(adopt(assignment.game).name).seats)
    bots += [Entrant(f"random.{number}", "random") for number in range(1, seats - 1)]
    random.shuffle(bots)
    return bots


def _setup(assignment: Assignment, bots: list[str], *, rated: bool) -> Setup:
    """Return the match; drawing an instance may take seconds."""
    spec = adopt(assignment.game)
    rules = rules_of(spec.name)
    clock = assignment.clock
    by_move = clock.replace(".", "", 1).isdigit()
    terms = Terms(
        game=spec.name,
        options=dict(spec.settings),
        time=TimeControl.parse(None if by_move else clock, clock if by_move else None),
        seed=random.randrange(2**31),  # noqa: S311  # a lot, not a secret
        openings=OpeningsChoice() if rules.kind == "race" else OpeningsChoice(random=OPENING_PLIES),
    )
    _, setup = next(iter(terms.setups(Plan(1, 1, tuple(bots)))))
    return structs.replace(setup, rated=rated)
