"""Runs the player of one match: hands it the session's events in order, and sends what it answers."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from palio_clients.sdk import events
from palio_clients.sdk.failures import PlayerFailed, Resign
from palio_clients.sdk.player import Player, Report
from palio_clients.sdk.session import Session

LAST_NEWS_S = 5.0  # how long a player may take to be told that its match is over, a last thought included

MatchEvent = events.Think | events.MovePlayed | events.MoveRejected | events.MatchOver | events.Abandoned


class MatchRunner:
    """Runs one match's player. `post` never waits; `changed` is called when the session has something to send."""

    def __init__(
        self,
        begins: events.GameBegins,
        make: Callable[[Report], Player],
        session: Session,
        changed: Callable[[], None],
        notify: Callable[[events.Notice], None],
    ) -> None:
        self.match = begins.match
        self._game = begins.game
        self._session = session
        self._changed = changed
        self._notify = notify
        self._player = make(self._report)
        self._events: asyncio.Queue[MatchEvent] = asyncio.Queue()
        self._activity: asyncio.Task[None] | None = None
        self._interrupted = False
        self._thinking = False

    def post(self, event: MatchEvent) -> None:
        """Queue an event; a newer turn interrupts a thought, the end of the match interrupts anything."""
        self._events.put_nowait(event)
        over = isinstance(event, events.MatchOver | events.Abandoned)
        if self._activity and (over or (self._thinking and isinstance(event, events.Think))):
            self._interrupted = True
            self._activity.cancel()

    async def run(self) -> None:
        """Play until the match is over or abandoned."""
        try:
            await self._interruptible(self._prepare())
            while not isinstance(event := await self._events.get(), events.MatchOver | events.Abandoned):
                if isinstance(event, events.Think):
                    await self._interruptible(self._think(event), thinking=True)
                else:
                    await self._interruptible(self._player.hear(event))
            if isinstance(event, events.MatchOver):
                await self._tell_over(event)
        except PlayerFailed as error:
            self._notify(events.Crashed(self.match, str(error)))
            self._session.crashed(self.match, str(error))
            self._changed()
        except Resign:
            self._session.resign(self.match)
            self._changed()
        finally:
            await self._player.close()

    async def _interruptible(self, work: Coroutine[Any, Any, None], *, thinking: bool = False) -> None:
        """Do `work` unless `post` has reason to end it early."""
        self._interrupted, self._thinking = False, thinking
        self._activity = asyncio.ensure_future(work)
        try:
            await self._activity
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not self._interrupted or (task and task.cancelling()):
                raise  # it was not `post`, or not `post` alone
        finally:
            self._activity = None

    async def _prepare(self) -> None:
        await self._player.prepare(self._game)
        self._session.ready(self.match)
        self._changed()

    async def _think(self, event: events.Think) -> None:
        thought = await self._player.think(event.turn, event.clock)
        self._session.answer(self.match, event.turn.id, thought.move, thought.info)
        self._changed()

    async def _tell_over(self, event: events.MatchOver) -> None:
        try:
            async with asyncio.timeout(LAST_NEWS_S):
                await self._player.hear(event)
        except TimeoutError:
            self._report(f"the bot was still busy {LAST_NEWS_S:g} s after the end of the match; poll clock.expired()")

    def _report(self, sentence: str) -> None:
        self._notify(events.Fault(sentence, self.match))
