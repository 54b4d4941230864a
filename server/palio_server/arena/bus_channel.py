"""A match's channel over the bus: messages of its bots are passed on at once, messages of the referee are published.

Nearly every ply of every match passes through here, so the common case is short: an arriving message is passed to the
listener (`listen`) in the same call, and one timer serves many waits, because deadlines mostly move forward. A caller
that prefers to wait for the next item awaits `next`.

A deadline is not reached while a message that arrived in time may be waiting in a socket: before it counts, the event
loop looks at its sockets once more, and the messages found are handled in the order in which they arrived.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Collection, Sequence
from math import inf
from typing import Self

from palio_rules.contract import topics
from palio_rules.contract.codec import decode_from_bot, encode
from palio_rules.contract.messages import Omission, ServerMessage
from palio_rules.errors import WireError
from palio_server.bus import Bus, Envelope, Sink, Subscription
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.session import Expulsion, Session
from palio_server.match.channel import Expelled, Garbled, Incoming, Joined, Left, Said, Stopped

log = logging.getLogger(__name__)

BACKLOG = 256  # unread messages of one seat; further ones are lost, as on any network: an unanswered turn is sent again

Hearer = Callable[[Incoming | None], None]  # None: the time of `wake_at` has come
MeasureBot = Callable[[str], tuple[float, float] | None]  # by the bot's name, as `Channel.measured` has it


def unknown(_bot: str) -> None:
    """Return nothing: of bots that were started elsewhere nothing can be measured."""


class BusChannel:
    """The seats of one match, for as long as the context lasts; each bot has a slot reserved in the lobby.

    Entering raises NotAvailable if a bot is not free, unless `absent_ok`; then the referee is told that it has Left,
    and that it has Joined when it comes.
    """

    def __init__(
        self,
        bus: Bus,
        lobby: Lobby,
        match: str,
        game: str,
        names: Sequence[str],
        *,
        absent_ok: bool = False,
        epoch: int = 0,
        measure: MeasureBot = unknown,
    ) -> None:
        self._names, self._measure = tuple(names), measure
        self.match, self._epoch = match, epoch
        self._bus, self._lobby, self._game, self._absent_ok = bus, lobby, game, absent_ok
        self._publish, self.time = bus.publish, bus.arrivals.now
        self._seats = {name: seat for seat, name in enumerate(names)}
        self._topics = [topics.bot_in(name, match) for name in names]
        self._without: list[Collection[Omission]] = [()] * len(names)
        self._holders: list[Session | None] = [None] * len(names)  # the bots' last connections
        self._hearer: Hearer | None = None
        self._hearing = False  # True: a call to the hearer is in progress
        self._heard: deque[Incoming] = deque()  # incoming items not yet passed on
        self._going_on = False  # True: a call that passes on waiting items is scheduled
        self._unread = [0] * len(names)
        self._lost = [0] * len(names)
        self._waiter: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = inf  # when the timer fires
        self._deadline = inf  # when the hearer wants to be called
        self._posted: ServerMessage | None = None  # the same message often goes to several seats
        self._posted_bytes = b""
        self._subscriptions: list[Subscription] = []

    def __enter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        names = tuple(self._seats)
        self._lobby.reserve(self.match, self._game, names, self, absent_ok=self._absent_ok, epoch=self._epoch)
        self._bus.arrivals.begin()
        for name, seat in self._seats.items():
            self._subscriptions.append(self._bus.subscribe(topics.bot_out(name, self.match), self._ear(seat)))
            self._without[seat] = self._lobby.without(self.match, name)
            self._look_at_holder(seat, name)
            if not self._lobby.present(self.match, name):
                self._put(Left(seat, at := self.time()), at)
        return self

    def __exit__(self, *_error: object) -> None:
        for subscription in self._subscriptions:
            subscription.close()
        self._subscriptions.clear()  # they refer to this object: break the cycle, full collections are rare
        self.listen(None)
        self._disarm()
        self._bus.arrivals.end()
        self._lobby.release(self.match)

    # --- to the seats -------------------------------------------------------------------------------------------------

    def post(self, seat: int, message: ServerMessage) -> None:
        if message is not self._posted:
            self._posted, self._posted_bytes = message, encode(message)
        self._publish(self._topics[seat], self._posted_bytes, message)

    def without(self, seat: int) -> Collection[Omission]:
        return self._without[seat]

    def measured(self, seat: int) -> tuple[float, float] | None:
        return self._measure(self._names[seat])

    def confined(self) -> tuple[str, ...]:
        """Return by seat how the bots' programs are confined, for those that were here last; () if nothing is known."""
        found = tuple("" if holder is None else holder.confined for holder in self._holders)
        return found if any(found) else ()

    def addresses(self) -> tuple[str, ...]:
        """Return by seat the addresses of the bots that were here last, as limits count them; "": unknown."""
        return tuple("" if holder is None else holder.address for holder in self._holders)

    def _look_at_holder(self, seat: int, name: str) -> None:
        self._holders[seat] = self._lobby.holder(self.match, name) or self._holders[seat]

    # --- from the seats -----------------------------------------------------------------------------------------------

    def listen(self, hearer: Hearer | None) -> None:
        """Pass every incoming item to `hearer` from now on, earlier ones first; None ends this."""
        self._hearer = hearer
        self._deadline = inf
        if self._heard:
            self._soon()

    def wake_at(self, deadline: float) -> None:
        """Call the hearer with None at `deadline`, unless another deadline is set before."""
        self._deadline = deadline
        if self._timer_at > deadline:
            self._arm()

    async def next(self, deadline: float | None) -> Incoming | None:
        """Return the next incoming item, for a caller that does not `listen`; None once the time reaches `deadline`."""
        if not self._heard:
            end = inf if deadline is None else deadline
            if end <= self.time():
                return None
            self.wake_at(end)
            self._waiter = self._loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter, self._deadline = None, inf
            if not self._heard:
                return None
        return self._take()

    def stop(self, reason: str) -> None:
        """End the match: the referee adjudicates it a draw for `reason`."""
        self._put(Stopped(reason), inf)

    def _ear(self, seat: int) -> Sink:
        def hear(_topic: str, envelope: Envelope) -> None:
            at = envelope.at or self.time()
            if self._unread[seat] >= BACKLOG:
                self._lose(seat)
                return
            if (message := envelope.message) is None:  # it came through a broker
                try:
                    message = decode_from_bot(envelope.data)
                except WireError as error:
                    self._put(Garbled(seat, error, at), at)
                    return
            self._put(Said(seat, message, at), at)

        return hear

    def _lose(self, seat: int) -> None:
        if self._lost[seat] == 0:
            said = {"match": self.match, "bot": list(self._seats)[seat]}
            words = "match %s: seat %d sends faster than it is heard; messages are lost"
            log.warning(words, self.match, seat, extra=said)
        self._lost[seat] += 1

    def expelled(self, name: str, why: Expulsion) -> None:
        """Take note from the lobby that a bot is expelled from all play: it forfeits here."""
        self._keep(Expelled(self._seats[name], why.termination, why.reason, why.detail, self.time()))

    def present(self, name: str, present: bool) -> None:  # noqa: FBT001  # the lobby's Listener
        """Take note from the lobby that a bot has come back, or has left."""
        seat, at = self._seats[name], self.time()
        self._without[seat] = self._lobby.without(self.match, name)  # perhaps for another program
        self._look_at_holder(seat, name)
        self._keep(Joined(seat, at) if present else Left(seat, at))  # the lobby's `welcome` comes first

    def _put(self, heard: Incoming, at: float) -> None:
        """Pass on an item that arrived `at` that time: at once, unless others wait, or a deadline was
        reached before.
        """
        hearer = self._hearer
        if hearer is not None and not self._hearing and not self._heard and at <= self._deadline:
            self._hearing = True
            try:
                hearer(heard)
            finally:
                self._hearing = False
        else:
            self._keep(heard)

    def _keep(self, heard: Incoming) -> None:
        self._heard.append(heard)
        if type(heard) is Said or type(heard) is Garbled:
            self._unread[heard.seat] += 1
        if self._hearer is not None:
            self._soon()
        elif (waiter := self._waiter) is not None and not waiter.done():
            waiter.set_result(None)

    def _take(self) -> Incoming:
        found = self._heard.popleft()
        if type(found) is Said or type(found) is Garbled:
            self._unread[found.seat] -= 1
        return found

    def _soon(self) -> None:
        """Pass on the waiting items after the loop has looked at its sockets again and other matches have had their
        turn.
        """
        if not self._going_on:
            self._going_on = True
            self._loop.call_soon(self._loop.call_soon, self._go_on)  # uvloop reads its sockets after the first call

    def _go_on(self) -> None:
        self._going_on, self._hearing = False, True
        self._heard = deque(sorted(self._heard, key=_at))  # of all waiting items, the earliest is handled first
        try:
            for _ in range(len(self._heard)):
                if self._hearer is not None:
                    self._hearer(self._take())
        finally:
            self._hearing = False
        if self._heard and self._hearer is not None:
            self._soon()

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
        """Check the deadline; a later wait may have moved it."""
        reached, self._timer, self._timer_at = self._timer_at, None, inf
        if reached < self._deadline < inf:
            self._arm()
        elif self._deadline <= reached:
            self._loop.call_soon(self._loop.call_soon, self._wake, self._deadline)

    def _wake(self, deadline: float) -> None:
        """Handle a deadline: the loop has looked at its sockets since it was reached."""
        if deadline != self._deadline or self._heard:
            return  # another deadline has been set since, or will be when the waiting items are handled
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
        elif self._hearer is not None:
            self._hearing = True
            try:
                self._hearer(None)
            finally:
                self._hearing = False


def _at(heard: Incoming) -> float:
    return inf if isinstance(heard, Stopped) else heard.at
