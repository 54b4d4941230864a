"""The tournaments that this process directs, each read from the store when it begins."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from palio_db.errors import NotFound, StoreError
from palio_db.event_values import Stage, TournamentRow
from palio_db.store import Store
from palio_rules.errors import BadOption
from palio_server.arena.arena import Arena
from palio_server.arena.journal import until_database_answers
from palio_server.arena.running_tournament import RunningTournament
from palio_server.lobby.lobby import Lobby

log = logging.getLogger(__name__)

GRACE_S = 60.0  # seconds that a bot may be absent before it forfeits, unless the event says otherwise


Direct = Callable[[int], Awaitable[RunningTournament]]  # by the number of a tournament in the store


def directing(store: Store, arena: Arena, lobby: Lobby, *, tokens_required: bool = False) -> Direct:
    """Return a function that opens tournaments of the store, to be played in the arena.

    `tokens_required`: no bot connects without a token.
    """

    async def direct(number: int) -> RunningTournament:
        def say(line: str) -> None:
            log.info("tournament %d: %s", number, line, extra={"tournament": number})

        row = await store.tournament(number)
        grace_s = GRACE_S if row is None else float(row.settings.get("grace_s", GRACE_S))
        return await RunningTournament.open(
            store, arena, lobby, number, say=say, grace_s=grace_s, tokens_required=tokens_required
        )

    return direct


# Notes: a sentence that says why a tournament is delayed or paused, kept in its settings to survive a restart.

NOTE = "note"  # among the settings


def note_of(row: TournamentRow | None) -> str:
    """Return the reason for a start that has to wait, or for a pause that was not requested; "" if there is none."""
    return "" if row is None else str(row.settings.get(NOTE, ""))


async def keep_note(store: Store, number: int, note: str) -> None:
    """Save another note, "" for none. Raises StoreError, NotFound among others."""
    row = await store.tournament(number)
    if row is None:
        raise NotFound(f"there is no tournament {number}; `palio tournament list` shows them")
    if note == note_of(row):
        return
    others = {key: value for key, value in row.settings.items() if key != NOTE}
    await store.set_settings(number, {**others, NOTE: note} if note else others)


# The tournaments that this process directs, each by a task of its own.

RUNNING: frozenset[Stage] = frozenset({"running"})


class NotPossible(ValueError):
    """The request is not possible in the tournament's present state; the message says what could be done."""


@dataclass(slots=True)
class _Running:
    """The task that directs a tournament, and the director when it has been read from the store."""

    task: asyncio.Task[None]
    ready: asyncio.Future[RunningTournament]


class Directed:
    """The tournaments that are directed now. One that cannot continue is paused, with a note that says why."""

    def __init__(self, store: Store, direct: Direct) -> None:
        self._store, self._direct = store, direct
        self._running: dict[int, _Running] = {}

    def numbers(self) -> list[int]:
        """Return the numbers of the tournaments that are directed now."""
        return sorted(self._running)

    def begin(self, number: int) -> None:
        """Direct a tournament, which is running, from now on. Does nothing if it is directed already."""
        if number in self._running:
            return
        ready: asyncio.Future[RunningTournament] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._play(number, ready), name=f"tournament-{number}")
        self._running[number] = _Running(task, ready)

    async def stop(self, number: int) -> None:
        """Stop directing a tournament."""
        running = self._running.get(number)
        if running is not None:
            running.task.cancel()
            await asyncio.wait([running.task])

    async def close(self) -> None:
        """Stop directing all tournaments; their stage in the store is unchanged."""
        tasks = [running.task for running in self._running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @asynccontextmanager
    async def director(self, number: int) -> AsyncIterator[RunningTournament]:
        """Yield the director at work; for a tournament that is not played now, one that changes it in the store.

        Raises NotPossible if it could not continue, and NotFound, StoreError, BadOption.
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

    async def _play(self, number: int, ready: asyncio.Future[RunningTournament]) -> None:
        try:
            director = await until_database_answers(
                f"tournament {number} waits to be read", lambda: self._direct(number)
            )
            ready.set_result(director)
            await director.play()
        except Exception as error:  # all others go on; the organiser is told, repairs it, and resumes it
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

        async def pause() -> None:  # the note first: a reader of the pause also sees the reason
            await keep_note(self._store, number, f"it was paused, since it could not go on: {why}")
            await self._store.set_stage(number, "paused", only_from=RUNNING)

        await until_database_answers(f"tournament {number} waits to be paused", pause)
