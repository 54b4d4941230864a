"""The queue of checks: what has no check for the present revision of its assignment is checked, a few at a time.

A check is claimed in the store by a lease that is renewed while it runs. So several servers share the work, and after a
kill another process takes over once the lease is over.
"""

import asyncio
import logging
import secrets
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Protocol

from palio_db.course_values import SubmissionRow
from palio_db.errors import LeaseLost, StoreError, Unavailable
from palio_db.store import Store
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


LEASE = timedelta(seconds=15)
RENEW_S = 5.0
LOOK_S = 10.0  # between two looks into the store for submissions of other processes
HELD_S = 1.0  # between two looks at checks that other processes have claimed
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


@dataclass(slots=True)
class CheckQueue:
    """The checks of a course, `at_once` at a time."""

    store: Store
    course: Course
    check: Checker
    at_once: int = 2
    on_checked: list[Callable[[Progress], None]] = field(default_factory=list)
    revision: Callable[[Assignment], str] = revision_of  # under which checks are kept
    worker: str = field(default_factory=lambda: f"check-{secrets.token_hex(6)}")
    running: set[str] = field(default_factory=set)  # submissions whose check is under way here
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _failed: dict[str, float] = field(default_factory=dict)  # submissions, and when to try again

    def wake(self) -> None:
        """Look at once for new submissions."""
        self._news.set()

    async def run(self) -> None:
        """Check new submissions until cancelled."""
        while True:
            try:
                await self.check_all(wait=False)
            except Unavailable as error:
                log.warning("submissions cannot be checked for now: %s", error)
            self._news.clear()
            try:
                async with asyncio.timeout(LOOK_S):
                    await self._news.wait()
            except TimeoutError:
                pass

    async def unchecked(
        self, assignments: Collection[str] | None = None
    ) -> list[tuple[Assignment, str, SubmissionRow]]:
        """Return submissions without a check of the present revision, current ones first, then by time."""
        found: list[tuple[Assignment, str, SubmissionRow]] = []
        for assignment in self.course.assignments:
            if assignments is not None and assignment.name not in assignments:
                continue
            revision = await asyncio.to_thread(self.revision, assignment)
            if not await self.store.count_unchecked(self.course.name, assignment.name, revision):
                continue
            done = await self.store.checks(self.course.name, assignment.name, revision)
            rows = await self.store.submissions(self.course.name, assignment.name)
            found += [(assignment, revision, row) for row in rows if row.id not in done]
        return sorted(found, key=lambda each: (not each[2].current, each[2].at, each[2].id))

    async def check_all(self, assignments: Collection[str] | None = None, *, wait: bool = True) -> int:
        """Check all that is unchecked; return how many checks could not be made.

        With `wait`, also wait for those that other processes have claimed. Raises StoreError.
        """
        failed: set[str] = set()
        while True:
            todo = [each for each in await self.unchecked(assignments) if self._due(each[2], failed, wait=wait)]
            if not todo:
                return len(failed)
            ran = await self._check(todo, failed)
            if not ran and not wait:
                return len(failed)
            if not ran:  # others hold the rest
                await asyncio.sleep(HELD_S)

    def _due(self, row: SubmissionRow, failed: Collection[str], *, wait: bool) -> bool:
        return row.id not in failed if wait else self._failed.get(row.id, 0.0) <= time.monotonic()

    async def _check(self, todo: Iterable[tuple[Assignment, str, SubmissionRow]], failed: set[str]) -> int:
        """Check those that can be claimed; return how many."""
        waiting = list(reversed(list(todo)))
        left, ran = len(waiting), 0

        async def work() -> None:
            nonlocal left, ran
            while waiting:
                assignment, revision, row = waiting.pop()
                tries = await self.store.claim_check(row.id, revision, self.worker, LEASE)
                if not tries:
                    left -= 1
                    continue
                began = time.monotonic()
                checked, failure = await self._check_one(assignment, revision, row, tries)
                left, ran = left - 1, ran + 1
                if failure:
                    failed.add(row.id)
                    self._failed[row.id] = time.monotonic() + RETRY_S
                for tell in self.on_checked:
                    tell(Progress(row, checked, failure, time.monotonic() - began, left))

        async with asyncio.TaskGroup() as group:
            for _ in range(self.at_once):
                group.create_task(work())
        return ran

    async def _check_one(
        self, assignment: Assignment, revision: str, row: SubmissionRow, tries: int
    ) -> tuple[Checked | None, str]:
        """Run a claimed check; return its result, or a sentence why it could not be made."""
        done = counts = False
        given_up: dict[str, str] = {}
        if tries > MOST_TRIES:
            log.error("submission %s of %s: %s", row.id, row.student, GIVEN_UP)
            given_up["broken"] = GIVEN_UP
        self.running.add(row.id)
        try:
            async with self._holding(row, revision):
                with tempfile.TemporaryDirectory(prefix="palio-submission-") as place:
                    folder, records = Path(place) / "submission", Path(place) / "games.jsonl"
                    await asyncio.to_thread(write_files, folder, await self.store.submitted_files(row.id))
                    checked = await self.check(assignment, folder, records=records, **given_up)
                    games = await asyncio.to_thread(read_games, records, row.id)
            await self.store.finish_check(row.id, revision, self.worker, encode_checked(checked), games)
            done = True
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
            self.running.discard(row.id)
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


def write_files(folder: Path, files: dict[str, bytes]) -> None:
    """Write a submission's files below a folder. (The intake has made their names safe.)"""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
