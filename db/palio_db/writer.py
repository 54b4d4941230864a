"""Group commit: work that arrives while a transaction is written forms the next one.

One commit is one wait for the disk, and one switch to another thread. Ten results at the same time cost as much as one,
and a single one does not wait.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any

from palio_db.address import Address
from palio_db.connections import Connection, ConnectionThread, finished
from palio_db.driver_errors import as_store_error
from palio_db.group import commit
from palio_db.watched_file import WatchedFile
from palio_db.work import Exclusive, Finishing, Journaling, Work

LINES = 5_000  # of the journal in one transaction: some tens of milliseconds
MOST = 500  # works in one transaction


class Writer:
    """A queue that writes work in groups; each caller gets its own result after the commit."""

    def __init__(
        self,
        address: Address,
        thread: ConnectionThread,
        turn: AbstractAsyncContextManager[Any, Any],
        file: WatchedFile | None = None,
    ) -> None:
        self._address, self._thread, self._file = address, thread, file
        self._turn = turn  # held while a group is written: SQLite has one writer at a time
        self._waiting: deque[tuple[Work, asyncio.Future[Any]]] = deque()
        self._writing: asyncio.Task[None] | None = None
        self.errors = 0  # groups that could not be written
        self.on_commit: Callable[[float], None] = lambda _seconds: None  # called with the seconds that each group took
        self.write_error = ""  # why the last group failed; "" if it succeeded

    @property
    def waiting(self) -> int:
        """The number of writes that are not begun."""
        return len(self._waiting)

    async def submit(self, work: Work) -> Any:
        """Return the result of `work`, once it is committed. Raises StoreError.

        For cancelled callers see `finished`.
        """
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((work, future))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        return await finished(future)

    async def close(self) -> None:
        """Wait until all work is written."""
        if self._writing is not None:
            await asyncio.wait([self._writing])

    async def _write(self) -> None:
        group: list[tuple[Work, asyncio.Future[Any]]] = []
        try:
            while self._waiting:
                async with self._turn:
                    group = self._next_group()
                    works = [work for work, _ in group]
                    began = time.monotonic()
                    try:
                        outcomes = await self._thread.run(partial(self._commit, works))
                    except Exception as error:  # noqa: BLE001  each caller gets it
                        outcomes = [error] * len(group)
                        self.errors += 1
                        self.write_error = str(as_store_error(error, self._address))
                    else:
                        self.on_commit(time.monotonic() - began)
                        self.write_error = ""
                for (_, future), outcome in zip(group, outcomes, strict=True):
                    self._settle(future, outcome)
        finally:
            self._writing = None
            for _, future in [*group, *self._waiting]:  # only if the loop is being shut down
                future.cancel()

    def _commit(self, works: Sequence[Work], connection: Connection) -> list[Any]:
        """Commit in the thread. A commit to a lost file is not reported as done. Raises FileLost."""
        if self._file is None:
            return commit(works, connection)
        self._file.check_content(connection)
        try:
            return commit(works, connection)
        finally:  # after a failure, too, because a lost file explains it
            self._file.check(connection)

    def _next_group(self) -> list[tuple[Work, asyncio.Future[Any]]]:
        """Return work from the front of the queue that may share a transaction: no match is finished twice in one."""
        group: list[tuple[Work, asyncio.Future[Any]]] = []
        finished: set[str] = set()
        lines = 0
        while self._waiting and len(group) < MOST:
            match self._waiting[0][0]:
                case Exclusive() if group:
                    break
                case Exclusive():
                    return [self._waiting.popleft()]
                case Finishing(claim=claim):
                    if claim.match in finished:
                        break
                    finished.add(claim.match)
                case Journaling(lines=more):
                    lines += len(more)
                    if group and lines > LINES:
                        break
            group.append(self._waiting.popleft())
        return group

    def _settle(self, future: "asyncio.Future[Any]", outcome: Any) -> None:
        if future.done():
            return
        if isinstance(outcome, BaseException):
            future.set_exception(as_store_error(outcome, self._address))
        else:
            future.set_result(outcome)
