"""A match's channel over the bus: what its bots say is heard in order of arrival, what the referee says is published.

Nearly every ply of every match goes through here, so the common case is short: a message that arrives while the
referee waits wakes it through one future, and one timer serves many waits, because deadlines mostly move forward.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from math import inf
from typing import Self

from palio_rules.contract import topics
from palio_rules.contract.codec import decode_from_bot, encode
from palio_rules.contract.messages import ServerMessage
from palio_rules.errors import WireError
from palio_server.bus import Bus, Envelope, Sink, Subscription
from palio_server.lobby.lobby import Lobby
from palio_server.match.channel import Garbled, Incoming, Joined, Left, Said, Stopped

log = logging.getLogger(__name__)

BACKLOG = 256  # unread messages of one seat; more are lost, as on any network: an unanswered turn is sent again


class BusChannel:
    """The seats of one match, for as long as the context lasts; each bot has a slot reserved in the lobby.

    Entering raises NotAvailable if a bot is not free, unless `absent_ok`; then the referee hears that it has Left,
    and that it has Joined when it comes.
    """

    def __init__(
        self, bus: Bus, lobby: Lobby, match: str, game: str, names: Sequence[str], *, absent_ok: bool = False
    ) -> None:
        self.match = match
        self._bus, self._lobby, self._game, self._absent_ok = bus, lobby, game, absent_ok
        self._publish = bus.publish
        self._seats = {name: seat for seat, name in enumerate(names)}
        self._topics = [topics.bot_in(name, match) for name in names]
        self._heard: deque[Incoming] = deque()
        self._unread = [0] * len(names)
        self._lost = [0] * len(names)
        self._waiter: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = inf  # when the timer rings
        self._deadline = inf  # when the present wait ends
        self._posted: ServerMessage | None = None  # the same message often goes to several seats
        self._posted_bytes = b""
        self._subscriptions: list[Subscription] = []

    def __enter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._time: Callable[[], float] = self._loop.time
        self._lobby.reserve(self.match, self._game, tuple(self._seats), self._presence, absent_ok=self._absent_ok)
        for name, seat in self._seats.items():
            self._subscriptions.append(self._bus.subscribe(topics.bot_out(name, self.match), self._ear(seat)))
            if not self._lobby.present(self.match, name):
                self._put(Left(seat, self._time()))
        return self

    def __exit__(self, *_error: object) -> None:
        for subscription in self._subscriptions:
            subscription.close()
        self._disarm()
        self._lobby.release(self.match)

    def post(self, seat: int, message: ServerMessage) -> None:
        if message is not self._posted:
            self._posted, self._posted_bytes = message, encode(message)
        self._publish(self._topics[seat], self._posted_bytes, message)

    async def next(self, deadline: float | None) -> Incoming | None:
        if not self._heard:
            self._deadline = inf if deadline is None else deadline
            if self._deadline <= self._time():
                return None
            if self._timer_at > self._deadline:
                self._arm()
            self._waiter = self._loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
            if not self._heard:
                return None
        found = self._heard.popleft()
        if type(found) is Said or type(found) is Garbled:
            self._unread[found.seat] -= 1
        return found

    def stop(self, reason: str) -> None:
        """End the match: the referee adjudicates it a draw for `reason`."""
        self._put(Stopped(reason))

    def _ear(self, seat: int) -> Sink:
        def hear(_topic: str, envelope: Envelope) -> None:
            at = self._time()
            if self._unread[seat] >= BACKLOG:
                self._lose(seat)
                return
            self._unread[seat] += 1
            if (message := envelope.message) is None:  # it came through a broker
                try:
                    message = decode_from_bot(envelope.data)
                except WireError as error:
                    self._put(Garbled(seat, error, at))
                    return
            self._put(Said(seat, message, at))

        return hear

    def _lose(self, seat: int) -> None:
        if self._lost[seat] == 0:
            log.warning("match %s: seat %d sends faster than it is heard; messages are lost", self.match, seat)
        self._lost[seat] += 1

    def _presence(self, name: str, present: bool) -> None:  # noqa: FBT001  # the lobby's Listener
        seat, at = self._seats[name], self._time()
        self._put(Joined(seat, at) if present else Left(seat, at))

    def _put(self, heard: Incoming) -> None:
        self._heard.append(heard)
        if (waiter := self._waiter) is not None and not waiter.done():
            waiter.set_result(None)

    # --- the timer ----------------------------------------------------------------------------------------------------

    def _arm(self) -> None:
        self._disarm()
        self._timer_at = self._deadline
        self._timer = self._loop.call_at(self._timer_at, self._ring)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._timer_at = None, inf

    def _ring(self) -> None:
        """Wake whoever waits, if it is time; a later wait has perhaps a later deadline."""
        reached, self._timer, self._timer_at = self._timer_at, None, inf
        if self._waiter is None:
            return
        if self._deadline > reached:
            self._arm()
        elif not self._waiter.done():
            self._waiter.set_result(None)
