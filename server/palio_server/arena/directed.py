"""The tournaments that this process directs, each by a task of its own."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from palio_db.errors import StoreError
from palio_db.event_values import Stage
from palio_db.store import Store
from palio_rules.errors import BadOption
from palio_server.arena.directing import Direct, Director
from palio_server.arena.event_note import keep_note, note_of
from palio_server.arena.retry import until_database_answers

log = logging.getLogger(__name__)

RUNNING: frozenset[Stage] = frozenset({"running"})


class NotPossible(ValueError):
    """What is asked for cannot be done with a tournament as it is; the message says what could be done."""


@dataclass(slots=True)
class _Running:
    """The task that directs a tournament, and the director when it has been read from the store."""

    task: asyncio.Task[None]
    ready: asyncio.Future[Director]


class Directed:
    """Begins to direct tournaments, and stops; one that cannot go on is paused, with a note that says why."""

    def __init__(self, store: Store, direct: Direct) -> None:
        self._store, self._direct = store, direct
        self._running: dict[int, _Running] = {}

    def numbers(self) -> list[int]:
        """The tournaments that are directed now."""
        return sorted(self._running)

    def begin(self, number: int) -> None:
        """Direct a tournament, which is running, from now on. Harmless if it is directed."""
        if number in self._running:
            return
        ready: asyncio.Future[Director] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._play(number, ready), name=f"tournament-{number}")
        self._running[number] = _Running(task, ready)

    async def stop(self, number: int) -> None:
        """Direct it no more."""
        running = self._running.get(number)
        if running is not None:
            running.task.cancel()
            await asyncio.wait([running.task])

    async def close(self) -> None:
        """Direct none any more; they stay as they are."""
        tasks = [running.task for running in self._running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @asynccontextmanager
    async def director(self, number: int) -> AsyncIterator[Director]:
        """The one that is at work; for a tournament that is not played now, one that changes it in the store.

        Raises NotPossible if it could not go on, and NotFound, StoreError, BadOption.
        """
        running = self._running.get(number)
        if running is not None:
            either: list[asyncio.Future[Any]] = [running.ready, running.task]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not running.ready.done() or running.ready.cancelled():
                row = await self._store.tournament(number)
                raise NotPossible(f"tournament {number} could not go on; {note_of(row) or 'look at it again'}")
            yield running.ready.result()
            return
        director = await self._direct(number)
        try:
            yield director
        finally:
            director.close()

    async def _play(self, number: int, ready: asyncio.Future[Director]) -> None:
        try:
            director = await until_database_answers(
                f"tournament {number} waits to be read", lambda: self._direct(number)
            )
            ready.set_result(director)
            await director.play()
        except Exception as error:  # all others go on; the organiser is told, mends what is wrong, and resumes it
            log.exception("tournament %d cannot go on, and is paused", number, extra={"tournament": number})
            await self._give_up(number, error)
        finally:
            ready.cancel()
            running = self._running.get(number)
            if running is not None and running.task is asyncio.current_task():
                del self._running[number]

    async def _give_up(self, number: int, error: Exception) -> None:
        expected = isinstance(error, BadOption | StoreError | NotPossible)
        why = str(error) if expected else f"unexpected {type(error).__name__}, the server's log has the details"

        async def pause() -> None:  # the note first: whoever sees the pause sees the reason
            await keep_note(self._store, number, f"it was paused, since it could not go on: {why}")
            await self._store.set_stage(number, "paused", only_from=RUNNING)

        await until_database_answers(f"tournament {number} waits to be paused", pause)
