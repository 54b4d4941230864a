"""Runs the player of one match: hands it the session's events in order, and sends what it answers."""

import asyncio
import inspect
from collections import deque
from collections.abc import Callable
from typing import Any

from palio_clients.sdk import events
from palio_clients.sdk.failures import PlayerFailed, Resign
from palio_clients.sdk.player import Player, Report, Thought
from palio_clients.sdk.session import Session

LAST_NEWS_S = 5.0  # how long a player may take to be told that its match is over, a last thought included

Waiting = events.Think | events.MovePlayed | events.MoveRejected | events.MatchOver | events.Abandoned
MatchEvent = events.GameBegins | Waiting
_ENDS = (events.MatchOver, events.Abandoned)


class MatchRunner:
    """Runs one match's player. `post` never waits; `changed` is called when the session has something to send.

    A player that answers at once is asked and heard within `post`. Of one that takes its time the activity is kept.
    """

    def __init__(
        self,
        begins: events.GameBegins,
        make: Callable[[Report], Player],
        session: Session,
        changed: Callable[[], None],
        notify: Callable[[events.Notice], None],
    ) -> None:
        self.match = begins.match
        self._session = session
        self._changed = changed
        self._notify = notify
        self._player = make(self._report)
        self._events: deque[MatchEvent] = deque([begins])
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._activity: asyncio.Future[Any] | None = None
        self._begun = False
        self._event: MatchEvent = begins  # which the activity is about
        self._interrupted = False
        self._last_news: asyncio.TimerHandle | None = None

    def post(self, event: Waiting) -> None:
        """Queue an event; a newer turn interrupts a thought, the end of the match interrupts anything."""
        self._events.append(event)
        if self._activity is None:
            if self._begun:
                self._go_on()
        elif type(event) in _ENDS or (type(event) is events.Think and type(self._event) is events.Think):
            self._interrupted = True
            self._activity.cancel()

    async def run(self) -> None:
        """Play until the match is over or abandoned."""
        self._begun = True
        self._go_on()
        try:
            await self._over
        except PlayerFailed as error:
            self._notify(events.Crashed(self.match, str(error)))
            self._session.crashed(self.match, str(error))
            self._changed()
        except Resign as resigned:
            self._session.resign(self.match, str(resigned))
            self._changed()
        finally:
            self._begun = False
            await self._stop()
            await self._player.close()

    def _go_on(self) -> None:
        """Handle the events that wait, until one takes its time."""
        while self._activity is None and self._events and not self._over.done():
            event = self._events.popleft()
            try:
                self._take(self._ask(event), event)
            except BaseException as error:  # noqa: BLE001  # it belongs to whoever waits in `run`
                self._end(error)

    def _ask(self, event: MatchEvent) -> Any:
        """What the player says: an answer or an awaitable."""
        match event:
            case events.Think():
                return self._player.think(event.turn, event.clock)
            case events.GameBegins():
                return self._player.prepare(event.game)
            case events.Abandoned():
                return None
            case events.MatchOver():
                self._last_news = self._over.get_loop().call_later(LAST_NEWS_S, self._stop_waiting)
        return self._player.hear(event)

    def _take(self, answer: Any, event: MatchEvent) -> None:
        """Send the answer, or wait for it."""
        if type(answer) is not Thought and answer is not None and inspect.isawaitable(answer):
            self._event, self._interrupted = event, False
            self._activity = asyncio.ensure_future(answer)
            self._activity.add_done_callback(self._answered)
            return
        match event:
            case events.Think():
                assert isinstance(answer, Thought)
                self._session.answer(self.match, event.turn.id, answer.move, answer.info)
                self._changed()
            case events.GameBegins():
                self._session.ready(self.match)
                self._changed()
            case events.MatchOver() | events.Abandoned():
                self._end()

    def _answered(self, activity: asyncio.Future[Any]) -> None:
        self._activity = None
        try:
            if not activity.cancelled():
                self._take(activity.result(), self._event)
            elif not self._interrupted:
                self._over.cancel()  # it was not `post`
            elif type(self._event) in _ENDS:
                self._end()
        except BaseException as error:  # noqa: BLE001  # as above
            self._end(error)
        if self._begun:
            self._go_on()

    def _stop_waiting(self) -> None:
        """The player has been told that the match is over, and is busy all the same."""
        self._report(f"the bot was still busy {LAST_NEWS_S:g} s after the end of the match; poll clock.expired()")
        if self._activity is not None:
            self._interrupted = True
            self._activity.cancel()

    def _end(self, error: BaseException | None = None) -> None:
        if self._over.done():
            return
        if error is None:
            self._over.set_result(None)
        elif isinstance(error, asyncio.CancelledError):
            self._over.cancel()
        else:
            self._over.set_exception(error)

    async def _stop(self) -> None:
        """End what is going on; on return it has ended."""
        if self._last_news is not None:
            self._last_news.cancel()
        if self._activity is not None:
            activity = self._activity
            activity.cancel()
            await asyncio.wait([activity])

    def _report(self, sentence: str) -> None:
        self._notify(events.Fault(sentence, self.match))
