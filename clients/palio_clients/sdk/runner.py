"""The runner keeps a bot connected and plays its matches: it joins session, transport and players."""

import asyncio
import inspect
import random
from collections import deque
from collections.abc import Callable, Coroutine
from time import monotonic
from typing import Any

from palio_clients.sdk import events
from palio_clients.sdk.failures import LinkLost, PlayerFailed, RefusedByServer, Resign, ToldToWait
from palio_clients.sdk.player import Player, PromptAnswer, Report, Thought
from palio_clients.sdk.session import Session
from palio_clients.sdk.transport import Link, Transport, most_serious, until_one_fails
from palio_rules.backoff import Backoff
from palio_rules.contract.messages import SERVER_STOPPING, ServerMessage
from palio_rules.errors import WireError

# The runner of one match's player: passes the session's events in order, and sends the player's answers.

LAST_NEWS_S = 5.0  # how long a player may take to handle the end of its match, a last thought included

Waiting = events.Think | events.MovePlayed | events.MoveRejected | events.MatchOver | events.Abandoned
MatchEvent = events.GameBegins | Waiting
_ENDS = (events.MatchOver, events.Abandoned)


class MatchRunner:
    """A runner of one match's player. `post` never waits; `changed` is called when the session has a message to send.

    A player that answers at once is called within `post`. For one that takes longer the running task is stored.
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
        self._event: MatchEvent = begins  # the event of the running task
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
        """Handle the waiting events, until one takes longer."""
        while self._activity is None and self._events and not self._over.done():
            event = self._events.popleft()
            try:
                self._take(self._ask(event), event)
            except BaseException as error:  # noqa: BLE001  # raised in `run`
                self._end(error)

    def _ask(self, event: MatchEvent) -> Any:
        """Return the player's answer to an event, or an awaitable."""
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
            self._activity = activity = asyncio.ensure_future(answer)
            if isinstance(activity, PromptAnswer):
                activity.when_done(self._answered)
            else:
                activity.add_done_callback(self._answered)
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
        """Stop waiting for a player that is still busy after the end of the match."""
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
        """End the running task; on return it has ended."""
        if self._last_news is not None:
            self._last_news.cancel()
        if self._activity is not None:
            activity = self._activity
            activity.cancel()
            await asyncio.wait([activity])

    def _report(self, sentence: str) -> None:
        self._notify(events.Fault(sentence, self.match))


SPREAD_S = 1.0  # over which bots return to a server that has announced a time: not all in the same moment
WELCOME_S = 10.0  # how long a server may leave hello unanswered on a link that loses nothing


class Runner:
    """A runner that plays until `matches` of them are over, until refused, or until cancelled."""

    def __init__(
        self,
        session: Session,
        make: Callable[[Report], Player],
        transport: Transport,
        *,
        notify: Callable[[events.Notice], None] = lambda _: None,
        backoff: Backoff | None = None,
        reconnect: bool = True,
        matches: int | None = None,
    ) -> None:
        self._session = session
        self._make = make
        self._transport = transport
        self._notify = notify
        self._backoff = backoff or Backoff()
        self._reconnect = reconnect
        self._matches_wanted = matches
        self._matches_over = 0
        self._matches: dict[str, MatchRunner] = {}
        self._link: Link | None = None
        self._back_s: float | None = None  # the server shuts down, and has announced when it will be back
        self._tasks: asyncio.TaskGroup | None = None  # of matches
        self._enough = asyncio.Event()

    async def run(self) -> None:
        """Connect and play. Raises RefusedByServer, and LinkLost if reconnecting is off."""
        try:
            async with asyncio.TaskGroup() as self._tasks:
                connection = self._tasks.create_task(self._stay_connected())
                await self._enough.wait()
                connection.cancel()
        except ExceptionGroup as group:
            raise most_serious([error for error in group.exceptions if isinstance(error, Exception)]) from None

    async def _stay_connected(self) -> None:
        while True:
            try:
                async with self._transport.connect() as link:
                    await self._converse(link)
            except LinkLost as error:
                self._session.disconnect()
                if not self._reconnect:
                    raise
                delay, self._back_s = self._delay(error), None
                self._notify(events.Disconnected(str(error), delay))
                await asyncio.sleep(delay)

    def _delay(self, lost: LinkLost) -> float:
        """Return the seconds until the next attempt to connect."""
        if isinstance(lost, ToldToWait):
            return lost.retry_s + self._backoff.next()
        if self._back_s is None:
            return self._backoff.next()
        return self._back_s + random.uniform(0, SPREAD_S)  # noqa: S311  # not for secrets

    async def _converse(self, link: Link) -> None:
        """Exchange messages over one link until it breaks."""
        self._link = link
        try:
            self._hello()
            await until_one_fails(link.listen(self._hear), self._await_welcome())
        finally:
            self._link = None

    def _hear(self, message: ServerMessage | WireError) -> None:
        """Handle a received message, and send the replies. A quick bot has answered when this returns."""
        if self._enough.is_set():
            return  # we are leaving
        if isinstance(message, WireError):
            self._session.unreadable(message)
        else:
            for event in self._session.receive(message, monotonic()):
                self._handle(event)
        self._send()

    def _send(self) -> None:
        if self._link is not None:
            for message in self._session.outgoing():
                self._link.send(message)

    async def _await_welcome(self) -> None:
        """Repeat hello if links lose messages; raise LinkLost if a hello is not answered."""
        again = self._transport.hello_again_s
        while again is not None:
            await asyncio.sleep(again)
            if not self._session.welcomed:
                self._hello()
        await asyncio.sleep(WELCOME_S)
        if not self._session.welcomed:
            raise LinkLost(f"the server left hello unanswered for {WELCOME_S:g} s")

    def _hello(self) -> None:
        self._session.connect()
        self._send()

    def _handle(self, event: events.Event) -> None:
        self._notify(event)
        match event:
            case events.Think() | events.MovePlayed() | events.MoveRejected():
                self._matches[event.match].post(event)
            case events.Welcomed():
                self._backoff.reset()
                self._notify(events.Connected(self._transport.url))
            case events.ServerStops(reason, back_s):
                self._back_s = back_s
                if self._transport.hello_again_s is None and not self._matches:  # a broker's connection stays open
                    raise LinkLost(reason)
            case events.Refused():
                raise _end_of(event)
            case events.GameBegins(match, _):
                running = MatchRunner(event, self._make, self._session, self._send, self._notify)
                self._matches[match] = running
                self._start(running.run())
            case events.MatchOver() | events.Abandoned():
                self._matches.pop(event.match).post(event)
                self._count()
            case events.HelloWanted() if self._transport.hello_again_s is not None:
                self._hello()
            case _:
                return

    def _start(self, match: Coroutine[Any, Any, None]) -> None:
        assert self._tasks is not None
        try:
            self._tasks.create_task(match)
        except RuntimeError:  # the group is ending: we have been cancelled, or an error occurred
            match.close()

    def _count(self) -> None:
        self._matches_over += 1
        if self._matches_wanted is not None and self._matches_over >= self._matches_wanted and not self._matches:
            self._enough.set()


def _end_of(refused: events.Refused) -> LinkLost | RefusedByServer:
    """Return the meaning of a refused hello: to wait and retry, or to give up."""
    if refused.retry_s is not None:
        return ToldToWait(refused.reason, refused.retry_s)
    if refused.code == SERVER_STOPPING:
        return LinkLost(refused.reason)
    return RefusedByServer(refused.code, refused.reason)
