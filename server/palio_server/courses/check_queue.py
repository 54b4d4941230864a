"""The queue of checks: what has no check for the present revision of its assignment is checked, a few at a time.

`check_line` says in which order. Each slot takes the first of the line as it is when the slot gets free.

A check is claimed in the store by a lease that is renewed while it runs. So several servers share the work, and after a
kill another process takes over once the lease is over.
"""

import asyncio
import logging
import os
import secrets
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from palio_db.course_values import CheckRow, SubmissionRow
from palio_db.errors import LeaseLost, StoreError, Unavailable
from palio_db.store import Store
from palio_rules.temporary import TemporaryFolder
from palio_server.courses.check_line import UNKNOWN_S, Place, Waiting, in_order, places
from palio_server.courses.checked_json import encode_checked
from palio_server.courses.reference_games import read_games
from palio_server.courses.revision import revision_of
from palio_server.courses.values import Assignment, Checked, Course

log = logging.getLogger(__name__)


class Checker(Protocol):
    """Checks the submission in a folder, in the sandbox; records of its games are appended to the file `records`.

    `broken` says why nothing of it may be run; without it, the check finds that out.
    """

    def __call__(
        self, assignment: Assignment, submission: Path, /, *, records: Path, broken: str = ""
    ) -> Awaitable[Checked]: ...


def usual_slots() -> int:
    """Return how many checks run at once if it is not said: one for two cores, because both bots of a game compute."""
    return max(1, (os.cpu_count() or 1) // 2)


LEASE = timedelta(seconds=15)
RENEW_S = 5.0
LOOK_S = 10.0  # between two looks into the store for submissions of other processes
HELD_S = 1.0  # between two looks at checks that other processes have claimed
LINE_S, REST = 1.0, 10  # a line holds for so long, and for so many times what it took to read it
RETRY_S = 60.0  # after a check that could not be made
MOST_TRIES = 3  # that end without a result, as when the submission ends this process; then nothing of it is run
GIVEN_UP = "its check ended three times without a result, so nothing of it is run; ask the staff"


@dataclass(frozen=True, slots=True)
class Progress:
    """A check that ended: what it found, or why it could not be made, and how many are left."""

    submission: SubmissionRow
    checked: Checked | None
    failure: str
    seconds: float
    left: int


class Unchecked(NamedTuple):
    """A submission without a check of the present revision of its assignment."""

    assignment: Assignment
    revision: str
    row: SubmissionRow
    waiting: Waiting


@dataclass(slots=True)
class CheckQueue:
    """The checks of a course, `at_once` at a time, or as many as course.toml says if these are fewer.

    Queues that share `slots` do not run more checks at once than it has.
    """

    store: Store
    course: Course
    check: Checker
    at_once: int = field(default_factory=usual_slots)
    on_checked: list[Callable[[Progress], None]] = field(default_factory=list)
    revision: Callable[[Assignment], str] = revision_of  # under which checks are kept
    slots: asyncio.Semaphore | None = None
    accepts: Callable[[Assignment], bool] = lambda _: True  # False: what is handed in to it waits
    worker: str = field(default_factory=lambda: f"check-{secrets.token_hex(6)}")
    running: dict[str, tuple[Waiting, float]] = field(default_factory=dict)  # by submission, with when it began here
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _failed: dict[str, float] = field(default_factory=dict)  # submissions, and when to try again
    _choosing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _line: list[Unchecked] | None = None
    _line_until: float = 0.0  # when it is read again

    def wake(self) -> None:
        """Look at once for new submissions."""
        self._line = None
        self._news.set()
        self._news = asyncio.Event()

    @property
    def _at_once(self) -> int:
        return min(self.at_once, self.course.slots or self.at_once)

    async def run(self) -> None:
        """Check new submissions until cancelled."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self.at_once):
                group.create_task(self._serve())

    async def _serve(self) -> None:
        while True:
            news = self._news
            try:
                while await self._check_next(None, set(), wait=False):
                    pass
            except Unavailable as error:
                log.warning("submissions cannot be checked for now: %s", error)
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await news.wait()

    async def unchecked(self, assignments: Collection[str] | None = None) -> list[Unchecked]:
        """Return submissions without a check of the present revision, in the order of the line.

        Those whose check is under way here are left out.
        """
        found: dict[str, Unchecked] = {}
        for assignment in self.course.assignments:
            if assignments is not None and assignment.name not in assignments:
                continue
            if not await asyncio.to_thread(self.accepts, assignment):
                continue
            revision = await asyncio.to_thread(self.revision, assignment)
            if not await self.store.count_unchecked(self.course.name, assignment.name, revision):
                continue
            done = await self.store.checks(self.course.name, assignment.name, revision)
            rows = await self.store.submissions(self.course.name, assignment.name)
            took = _Expected.of(rows, await self.store.checks(self.course.name, assignment.name))
            for row in rows:
                if row.id not in done and row.id not in self.running:
                    waiting = Waiting(row.id, whose(row), row.kept_at.timestamp(), took.seconds(row), row.current)
                    found[row.id] = Unchecked(assignment, revision, row, waiting)
        owners = [each.whose for each, _ in self.running.values()]
        return [found[each.id] for each in in_order((each.waiting for each in found.values()), owners)]

    async def places(self) -> Mapping[str, Place]:
        """Return the places of the submissions that wait, by ID."""
        line = [each.waiting for each in await self._read_line(None)]
        now = time.monotonic()
        left = [max(0.0, each.seconds - (now - began)) for each, began in self.running.values()]
        return places(line, self._at_once, left)

    async def check_all(self, assignments: Collection[str] | None = None, *, wait: bool = True) -> int:
        """Check all that is unchecked; return how many checks could not be made.

        With `wait`, also wait for those that other processes have claimed. Raises StoreError.
        """
        failed: set[str] = set()

        async def work() -> None:
            while await self._check_next(assignments, failed, wait=wait):
                pass

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._at_once):
                    group.create_task(work())
        except ExceptionGroup as errors:  # all slots may fail at once, by the same store
            raise errors.exceptions[0] from None
        return len(failed)

    def _due(self, row: SubmissionRow, failed: Collection[str], *, wait: bool) -> bool:
        return row.id not in failed if wait else self._failed.get(row.id, 0.0) <= time.monotonic()

    async def _read_line(self, assignments: Collection[str] | None) -> list[Unchecked]:
        """Return the line as it was a moment ago: with thousands of submissions it takes a while to read."""
        if self._line is None or self._line_until <= time.monotonic():
            began = time.monotonic()
            self._line = await self.unchecked(assignments)
            self._line_until = time.monotonic() + max(LINE_S, REST * (time.monotonic() - began))
        return [each for each in self._line if each.row.id not in self.running]

    async def _check_next(self, assignments: Collection[str] | None, failed: set[str], *, wait: bool) -> bool:
        """Check the first of the line that can be claimed; False if there is none."""
        async with self.slots or nullcontext():
            if (found := await self._claim(assignments, failed, wait=wait)) is None:
                return False
            (assignment, revision, row, _), tries = found
            began = time.monotonic()
            checked, failure = await self._check_one(assignment, revision, row, tries)
            if failure:
                failed.add(row.id)
                self._failed[row.id] = time.monotonic() + RETRY_S
        left = [each for each in self._line or () if each.row.id != row.id and self._due(each.row, failed, wait=wait)]
        progress = Progress(row, checked, failure, time.monotonic() - began, len(left))
        for tell in self.on_checked:
            tell(progress)
        return True

    async def _claim(
        self, assignments: Collection[str] | None, failed: Collection[str], *, wait: bool
    ) -> tuple[Unchecked, int] | None:
        """Claim the first of the line that can be; return it, and how often it was claimed for this revision."""
        while True:
            async with self._choosing:
                if len(self.running) >= self._at_once:
                    return None
                line = await self._read_line(assignments)
                todo = [each for each in line if self._due(each.row, failed, wait=wait)]
                for each in todo:
                    if tries := await self.store.claim_check(each.row.id, each.revision, self.worker, LEASE):
                        self.running[each.row.id] = each.waiting, time.monotonic()
                        return each, tries
                self._line = None  # others hold them, or have checked them
            if not todo or not wait:
                return None
            await asyncio.sleep(HELD_S)

    async def _check_one(
        self, assignment: Assignment, revision: str, row: SubmissionRow, tries: int
    ) -> tuple[Checked | None, str]:
        """Run a claimed check; return its result, or a sentence why it could not be made."""
        done = counts = False
        given_up: dict[str, str] = {}
        if tries > MOST_TRIES:
            log.error("submission %s of %s: %s", row.id, row.student, GIVEN_UP)
            given_up["broken"] = GIVEN_UP
        try:
            async with self._holding(row, revision):
                with TemporaryFolder("submission") as place:
                    folder, records = place / "submission", place / "games.jsonl"
                    await asyncio.to_thread(write_files, folder, await self.store.submitted_files(row.id))
                    checked = await self.check(assignment, folder, records=records, **given_up)
                    games = await asyncio.to_thread(read_games, records, row.id)
            await self.store.finish_check(row.id, revision, self.worker, encode_checked(checked), games)
            done = True
            self._line = None if self._line is None else [each for each in self._line if each.row.id != row.id]
        except LeaseLost as error:
            return None, str(error)
        except Unavailable:
            raise
        except (StoreError, OSError, ValueError) as error:
            log.warning("submission %s could not be checked: %s", row.id, error)
            return None, str(error)
        except Exception as error:
            log.exception("submission %s could not be checked", row.id)
            counts = True
            return None, f"{type(error).__name__}: {error}"
        finally:
            del self.running[row.id]
            if not done:
                await self.store.release_check(row.id, revision, self.worker, counts=counts)
        return checked, ""

    @asynccontextmanager
    async def _holding(self, row: SubmissionRow, revision: str) -> AsyncIterator[None]:
        """Renew the lease of a claimed check within this context."""

        async def renew() -> None:
            while True:
                await asyncio.sleep(RENEW_S)
                try:
                    await self.store.claim_check(row.id, revision, self.worker, LEASE)
                except StoreError as error:
                    log.warning("the lease of a check could not be renewed: %s", error)

        task = asyncio.create_task(renew())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


class _Took(msgspec.Struct, frozen=True):
    """The part of a stored check that says how long it took."""

    seconds: float = 0.0


class _Expected(NamedTuple):
    """The expected seconds of an assignment's checks: by what a student's last one took, else the usual ones."""

    by_owner: Mapping[str, float]
    usual: float

    @classmethod
    def of(cls, rows: Iterable[SubmissionRow], checks: Mapping[str, CheckRow]) -> "_Expected":
        done = sorted((row for row in rows if row.id in checks), key=lambda row: row.kept_at)
        found = {}
        for row in done:
            with suppress(msgspec.MsgspecError):  # it is damaged, which the page says
                found[whose(row)] = msgspec.json.decode(checks[row.id].body, type=_Took).seconds
        return cls(found, statistics.median(found.values()) if found else UNKNOWN_S)

    def seconds(self, row: SubmissionRow) -> float:
        return self.by_owner.get(whose(row), self.usual)


def whose(row: SubmissionRow) -> str:
    """Return a text for the student, or the team, that a submission is of."""
    return f"team {row.team}" if row.team else f"student {row.student}"


def write_files(folder: Path, files: dict[str, bytes]) -> None:
    """Write a submission's files below a folder. (The intake has made their names safe.)"""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
