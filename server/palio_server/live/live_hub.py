"""Who watches what: audiences of matches and of the lobby, and how each message gets to all of them.

A message is encoded and framed once and the same bytes go to every viewer, a batch of them in each turn of the event
loop: a thousand system calls in one turn would hold up the referee's clocks. What comes while one message is on its
round waits, and then makes the next round together: so an audience that is too large for its match's pace is late by
two rounds at most, however long it goes on.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import msgspec

from palio_rules.contract.topics import STOPPING, match_event
from palio_server import live
from palio_server.bus import Bus, Envelope, Subscription
from palio_server.live.feed import Feed
from palio_server.live.match_live import MatchLive
from palio_server.live.mirror import Mirror
from palio_server.live.viewers import Messages, Viewer

BATCH = 64  # viewers served in one turn of the loop: about a millisecond's work
ROUND_BYTES = 16 * 1024  # of messages that go out together: half of what is held for a viewer who does not read
BACKLOG = 256  # deltas of one match still to be handed out; beyond, its viewers get a new snapshot instead
TICK_S = 0.25  # between two updates of the lobby
COUNT_S = 2.0  # between two words about how many watch a match: a crowd that comes at once is told once

Renew = Callable[[], Awaitable[live.MatchSnapshot | None]]  # None: nobody knows


class _Head(msgspec.Struct):
    """What must be known of a message from another server, which may be of a kind that this one does not know."""

    seq: int | None = None  # what comes after the end of a match has none


_head = msgspec.json.Decoder(_Head).decode


class Audience:
    """The viewers of one thing, and the messages that are still to be handed out to them."""

    def __init__(self) -> None:
        self.viewers: set[Viewer] = set()
        self.waiting: deque[tuple[int | None, bytes]] = deque()
        self.count: asyncio.TimerHandle | None = None  # when they are told how many they are


class LiveHub:
    """Connects viewers with the feed. It needs no task of its own: it works on in the loop's next turn.

    `framed` makes of JSON what goes out to every viewer; `crowd` is another number whenever bots have come, gone or
    become free.
    """

    def __init__(
        self, feed: Feed, bus: Bus, framed: Callable[[bytes], bytes], crowd: Callable[[], int] = lambda: 0
    ) -> None:
        self._feed, self._bus, self._framed, self._crowd = feed, bus, framed, crowd
        self._seen = 0  # what `crowd` was when the lobby's viewers were told last
        self._matches: dict[str, tuple[Audience, Subscription]] = {}
        self._mirrors: dict[str, tuple[Mirror, Subscription, Renew]] = {}  # of matches that other servers play
        self._renewing: dict[str, asyncio.Task[None]] = {}
        self._lobby = Audience()
        self.on_watched: Callable[[bool], None] = lambda _watched: None  # told whether anybody watches the lobby
        self._lobby_snapshot: tuple[int, bytes] | None = None  # the snapshot for all who come before the next update
        self._tick: asyncio.TimerHandle | None = None
        self._busy: deque[Audience] = deque()  # those with something waiting
        self._messages = Messages.of([(0, b"")])  # those being handed out
        self._rest: list[Viewer] = []  # who is still to get it
        self._last_word: bytes | None = None  # the server stops: also for those who come now
        bus.subscribe(STOPPING, self._stop)

    async def mirror(self, match: str, renew: Renew) -> Mirror | None:
        """A match that another server plays, followed from now on; None if nobody knows how it stands.

        `renew` asks for a snapshot, now and whenever something was missed. Who is not watching it soon, `leave`s it.
        """
        if match not in self._mirrors:
            listening = self._bus.listen(match_event(match))  # first of all, so that nothing is missed after it
            snapshot = await renew()
            if snapshot is None:
                listening.close()
                return None
            if match in self._mirrors:  # somebody else has been quicker
                listening.close()
            else:
                self._mirrors[match] = Mirror(snapshot), listening, renew
                if match not in self._matches:
                    self._matches[match] = Audience(), self._bus.subscribe(match_event(match), self._hear)
        return self._mirrors[match][0]

    def follow(self, match: str, renew: Renew) -> None:
        """Another server plays a match from now on that was played here; whoever watches it goes on watching."""
        if match in self._matches and match not in self._renewing:
            task = self._renewing[match] = asyncio.create_task(self._follow(match, renew), name=f"follow {match}")
            task.add_done_callback(lambda _: self._renewing.pop(match, None))

    async def _follow(self, match: str, renew: Renew) -> None:
        mirror = await self.mirror(match, renew)
        if mirror is not None and match in self._matches:
            self._hand_out(self._matches[match][0], mirror.seq, mirror.snapshot_json())

    def mirrored(self, match: str) -> Mirror | None:
        """The same, if somebody watches it already."""
        found = self._mirrors.get(match)
        return None if found is None else found[0]

    @contextmanager
    def watching_match(self, found: MatchLive | Mirror, viewer: Viewer) -> Iterator[None]:
        """In the context `viewer` gets the snapshot of `found`, then every delta of its match."""
        match = found.match
        if match not in self._matches:
            self._matches[match] = Audience(), self._bus.subscribe(match_event(match), self._hear)
        audience, subscription = self._matches[match]
        audience.viewers.add(viewer)
        viewer.post(found.seq, self._framed(found.snapshot_json()))
        self._say_last_word(viewer)
        self._count_soon(match)
        try:
            yield
        finally:
            audience.viewers.discard(viewer)
            self._count_soon(match)
            if not audience.viewers:
                subscription.close()
                if audience.count is not None:
                    audience.count.cancel()
                del self._matches[match]
                self._unmirror(match)

    @contextmanager
    def watching_lobby(self, viewer: Viewer) -> Iterator[None]:
        """In the context `viewer` gets the snapshot of the lobby, then its updates."""
        viewers = self._lobby.viewers
        if not viewers:
            self._feed.watch_lobby(watched=True)
            self.on_watched(True)
            self._seen = self._crowd()
            self._lobby_snapshot = None
            self._tick = asyncio.get_running_loop().call_later(TICK_S, self._update_lobby)
        viewers.add(viewer)
        if self._lobby_snapshot is None:
            snapshot = self._feed.lobby()
            self._lobby_snapshot = (snapshot.seq, self._framed(msgspec.json.encode(snapshot)))
        viewer.post(*self._lobby_snapshot)
        self._say_last_word(viewer)
        try:
            yield
        finally:
            viewers.discard(viewer)
            if not viewers:
                self._feed.watch_lobby(watched=False)
                self.on_watched(False)
                if self._tick is not None:
                    self._tick.cancel()

    def viewers(self) -> int:
        """How many are watching."""
        return len(self._lobby.viewers) + sum(len(audience.viewers) for audience, _ in self._matches.values())

    def _hear(self, topic: str, envelope: Envelope) -> None:
        match = topic.split("/")[2]
        audience, _ = self._matches[match]
        mirror = self.mirrored(match)
        if mirror is not None and not mirror.hear(envelope.data):
            self._renew_soon(match)
            return
        if len(audience.waiting) < BACKLOG:
            self._hand_out(audience, getattr(envelope.read(_head), "seq", None), envelope.data)
        elif found := mirror or self._feed.find(match):  # they cannot keep up: what they missed is in a snapshot
            audience.waiting.clear()
            audience.waiting.append((found.seq, self._framed(found.snapshot_json())))

    def _renew_soon(self, match: str) -> None:
        """Something was missed, or another server plays the match now: its viewers get a new snapshot."""
        if match not in self._renewing:
            task = self._renewing[match] = asyncio.create_task(self._renew(match), name=f"renew {match}")
            task.add_done_callback(lambda _: self._renewing.pop(match, None))

    async def _renew(self, match: str) -> None:
        mirror, _, renew = self._mirrors[match]
        snapshot = await renew()
        if snapshot is not None and self.mirrored(match) is mirror:
            mirror.renew(snapshot)
            audience, _ = self._matches[match]
            self._hand_out(audience, mirror.seq, mirror.snapshot_json())

    def renew_all(self) -> None:
        """A server is gone: what it played may go on elsewhere, or be over, and the database knows."""
        for match, (mirror, _, _) in self._mirrors.items():
            if not mirror.over:
                self._renew_soon(match)

    def _unmirror(self, match: str) -> None:
        mirrored = self._mirrors.pop(match, None)
        if mirrored is not None:
            mirrored[1].close()

    def _stop(self, _topic: str, envelope: Envelope) -> None:
        """Tell all viewers that the server ends."""
        said = msgspec.json.decode(envelope.data, type=live.ServerStopping)
        text = msgspec.json.encode(said)
        self._last_word = self._framed(text)
        for audience in (self._lobby, *(audience for audience, _ in self._matches.values())):
            if audience.viewers:
                self._hand_out(audience, None, text)

    def _say_last_word(self, viewer: Viewer) -> None:
        if self._last_word is not None:
            viewer.post(None, self._last_word)

    def _count_soon(self, match: str) -> None:
        audience, _ = self._matches[match]
        if audience.count is None:
            audience.count = asyncio.get_running_loop().call_later(COUNT_S, self._tell_count, match)

    def _tell_count(self, match: str) -> None:
        audience, _ = self._matches[match]
        audience.count = None
        self._hand_out(audience, None, msgspec.json.encode(live.Viewers(match, len(audience.viewers))))

    def _update_lobby(self) -> None:
        self._tick = asyncio.get_running_loop().call_later(TICK_S, self._update_lobby)
        if self._lobby.waiting:
            return  # the last update is still being handed out; the next one has all that has changed since
        before, self._seen = self._seen, self._crowd()
        if update := self._feed.lobby_update(bots=self._seen != before):
            self._lobby_snapshot = None
            self._hand_out(self._lobby, update.seq, msgspec.json.encode(update))

    def _hand_out(self, audience: Audience, seq: int | None, text: bytes) -> None:
        """Queue the message `text` for everybody in `audience`."""
        idle = not self._busy and not self._rest
        if not audience.waiting:
            self._busy.append(audience)
        audience.waiting.append((seq, self._framed(text)))
        if idle:
            asyncio.get_running_loop().call_soon(self._step)

    def _step(self) -> None:
        """Hand the messages in turn to their next few viewers, then let the loop turn."""
        if not self._rest:
            audience = self._busy.popleft()
            self._messages = _next_round(audience.waiting)
            self._rest = list(audience.viewers)
            if audience.waiting:
                self._busy.append(audience)
        for viewer in self._rest[-BATCH:]:
            viewer.post_all(self._messages)
        del self._rest[-BATCH:]
        if self._rest or self._busy:
            asyncio.get_running_loop().call_soon(self._step)


def _next_round(waiting: deque[tuple[int | None, bytes]]) -> Messages:
    """Take as many messages as go out together."""
    taken, size = [waiting.popleft()], 0
    while waiting and (size := size + len(taken[-1][1])) + len(waiting[0][1]) <= ROUND_BYTES:
        taken.append(waiting.popleft())
    return Messages.of(taken)
