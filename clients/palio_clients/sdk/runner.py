"""Keeps a bot connected and its matches played: the one place where session, transport and players meet."""

import asyncio
import random
from collections.abc import Callable, Coroutine
from time import monotonic
from typing import Any

from palio_clients.sdk import events
from palio_clients.sdk.failures import LinkLost, RefusedByServer, ToldToWait
from palio_clients.sdk.match_runner import MatchRunner
from palio_clients.sdk.player import Player, Report
from palio_clients.sdk.session import Session
from palio_clients.sdk.transport import Link, Transport, gravest, until_one_fails
from palio_rules.backoff import Backoff
from palio_rules.contract.messages import SERVER_STOPPING, ServerMessage
from palio_rules.errors import WireError

SPREAD_S = 1.0  # over which bots come back to a server that has said when: not all in the same moment
WELCOME_S = 10.0  # how long a server may leave hello unanswered on a link that loses nothing


class Runner:
    """Plays matches until `matches` of them are over, until refused, or until cancelled."""

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
        self._back_s: float | None = None  # the server stops, and has said when it will be back
        self._tasks: asyncio.TaskGroup | None = None  # of matches
        self._enough = asyncio.Event()

    async def run(self) -> None:
        """Connect and play. Raises RefusedByServer, and LinkLost where reconnecting is not wanted."""
        try:
            async with asyncio.TaskGroup() as self._tasks:
                connection = self._tasks.create_task(self._stay_connected())
                await self._enough.wait()
                connection.cancel()
        except ExceptionGroup as group:
            raise gravest([error for error in group.exceptions if isinstance(error, Exception)]) from None

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
        """Seconds until the next attempt to connect."""
        if isinstance(lost, ToldToWait):
            return lost.retry_s + self._backoff.next()
        if self._back_s is None:
            return self._backoff.next()
        return self._back_s + random.uniform(0, SPREAD_S)  # noqa: S311  # not for secrets

    async def _converse(self, link: Link) -> None:
        """Talk over one link until it breaks."""
        self._link = link
        try:
            self._hello()
            await until_one_fails(link.listen(self._hear), self._await_welcome())
        finally:
            self._link = None

    def _hear(self, message: ServerMessage | WireError) -> None:
        """Take in what has come, and send what there is to say. A quick bot has answered when this returns."""
        if self._enough.is_set():
            return  # we leave
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
        """Repeat hello where links lose messages; raise LinkLost where a hello is not answered."""
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
                if self._transport.hello_again_s is None and not self._matches:  # over a broker there is no hanging up
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
        except RuntimeError:  # the group is ending: we have been cancelled, or something has failed
            match.close()

    def _count(self) -> None:
        self._matches_over += 1
        if self._matches_wanted is not None and self._matches_over >= self._matches_wanted and not self._matches:
            self._enough.set()


def _end_of(refused: events.Refused) -> LinkLost | RefusedByServer:
    """What a refused hello means: to wait and try again, or to give up."""
    if refused.retry_s is not None:
        return ToldToWait(refused.reason, refused.retry_s)
    if refused.code == SERVER_STOPPING:
        return LinkLost(refused.reason)
    return RefusedByServer(refused.code, refused.reason)
