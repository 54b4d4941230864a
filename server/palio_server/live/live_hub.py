"""The audiences of matches and of the lobby, and the delivery of each message to all their viewers.

A message is encoded and framed once and the same bytes go to every viewer, a batch of viewers in each turn of the event
loop: a thousand system calls in one turn would hold up the referee's clocks. Messages that come during one round wait,
and then make the next round together: so an audience that is too large for its match's pace is late by two rounds at
most, however long it goes on.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from math import inf
from typing import NamedTuple, Protocol, Self

import msgspec

from palio_rules.contract.endpoints import POLICY
from palio_rules.contract.topics import STOPPING, match_event
from palio_server import live
from palio_server.bus import Bus, Envelope, Subscription
from palio_server.live.feed import Feed
from palio_server.live.lobby_views import ALL, LobbyView, LobbyWish, SomeBoards, WholeLobby
from palio_server.live.match_live import MatchLive
from palio_server.live.mirror import Fetched, MatchMirror

# One viewer's end of a WebSocket: messages are written at once, and kept for a while if the viewer does not read.
#
# Viewers are many and not trusted. Each has a small socket buffer and a bounded queue behind it; one that reads nothing
# for some seconds, or lets its queue fill up, is disconnected, and no other viewer is affected.

QUEUE = 512  # messages; a page that is busy for a second in the fastest match has fewer to catch up on
CHATTER = 64  # messages from a viewer before its connection is closed
PATIENCE_S = 5.0  # seconds; a viewer that reads nothing for so long is disconnected
# bytes that the kernel, and asyncio behind it, hold for a viewer who does not read, few so that this soon shows
BUFFER = 32 * 1024


class ViewerSocket(Protocol):
    """The part of a WebSocket that a viewer needs."""

    def send_frame(self, frame: bytes) -> None: ...
    def close(self, code: int, reason: str) -> None: ...
    def abort(self) -> None: ...


class Message(NamedTuple):
    """A message to an audience, as a ready WebSocket frame."""

    seq: int | None  # None: it has no number
    frame: bytes
    renewed: bool = False  # a snapshot in place of all before it, with any number: the numbers go on from there


class MessageBatch(NamedTuple):
    """Messages of one audience that go out together, numbers ascending: one system call for each viewer."""

    each: Sequence[Message]
    joined: bytes  # all frames
    first: float | None  # the lowest and the highest number
    last: int | None

    @classmethod
    def of(cls, each: Sequence[Message]) -> Self:
        numbers = [message.seq for message in each if message.seq is not None]
        joined = each[0].frame if len(each) == 1 else b"".join(message.frame for message in each)
        if any(message.renewed for message in each):
            return cls(each, joined, -inf, numbers[-1])  # each viewer gets them one by one
        return cls(each, joined, numbers[0] if numbers else None, numbers[-1] if numbers else None)


class Viewer:
    """A viewer. `seq` is the number of the newest message that was posted; `beats`: it has asked for heartbeats."""

    def __init__(self, end: ViewerSocket, *, beats: bool = False) -> None:
        self.seq = -1
        self.beats = beats
        self._socket = end
        self._heard = 0
        self._unsent: deque[bytes] | None = None  # None while the viewer reads
        self._deadline: asyncio.TimerHandle | None = None

    def post(self, seq: int | None, frame: bytes, *, renewed: bool = False) -> None:
        """Send a message unless it was posted before; see `Message`. Never waits."""
        if seq is not None:
            if seq <= self.seq and not renewed:
                return
            self.seq = seq
        self._send(frame)

    def post_all(self, messages: MessageBatch) -> None:
        """Send several messages, without those that the viewer has already, for instance in a snapshot."""
        if messages.first is not None and messages.first <= self.seq:
            for message in messages.each:
                self.post(message.seq, message.frame, renewed=message.renewed)
            return
        if messages.last is not None:
            self.seq = messages.last
        self._send(messages.joined)

    def _send(self, frame: bytes) -> None:
        if self._unsent is None:
            self._socket.send_frame(frame)
        elif len(self._unsent) < QUEUE:
            self._unsent.append(frame)
        else:
            self._socket.abort()

    def hear(self, data: bytes, text: bool) -> None:  # noqa: FBT001  # the socket's Listener
        """Count a message of the viewer, who should send none."""
        self._heard += 1
        if self._heard > CHATTER:
            self._socket.close(POLICY, "viewers only listen; /api/docs says how to start and stop matches")

    def flow(self, reading: bool) -> None:  # noqa: FBT001  # the socket's Listener
        """Take note that the viewer has stopped reading, or reads again."""
        self.lost()
        if not reading:
            self._unsent = deque() if self._unsent is None else self._unsent
            self._deadline = asyncio.get_running_loop().call_later(PATIENCE_S, self._socket.abort)
            return
        unsent, self._unsent = self._unsent or deque(), None
        while unsent and self._unsent is None:  # writing may pause again
            self._socket.send_frame(unsent.popleft())
        if unsent:
            self._unsent = unsent

    def lost(self) -> None:
        """Drop the queue: the socket is gone, or its peer reads again."""
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


BATCH = 64  # viewers served in one turn of the loop: about a millisecond's work
ROUND_BYTES = 16 * 1024  # of messages that go out together: half of the bytes held for a viewer who does not read
BACKLOG = 256  # deltas of one match still to be delivered; beyond, its viewers get a new snapshot instead
BEAT_S = 3.0  # seconds between two heartbeats; a page takes ten without a message for a cut
TICK_S = 0.25  # seconds between two updates of the lobby
COUNT_S = 2.0  # seconds between two messages with a match's number of viewers: a crowd that comes at once causes one

Renew = Callable[[], Awaitable[Fetched | None]]  # None: the state is unknown


class _Head(msgspec.Struct):
    """The fields needed of a message from another server, which may be of a kind that this one does not know."""

    seq: int | None = None  # messages after the end of a match have none


_head = msgspec.json.Decoder(_Head).decode


class Audience:
    """The viewers of one match or of the lobby, and the messages that are still to be delivered to them."""

    def __init__(self) -> None:
        self.viewers: set[Viewer] = set()
        self.waiting: deque[Message] = deque()
        self.count: asyncio.TimerHandle | None = None  # when they are told how many they are


class LobbyAudience(Audience):
    """The viewers of one part of the lobby."""

    def __init__(self, view: LobbyView) -> None:
        super().__init__()
        self.view = view
        self.snapshot: tuple[int, bytes] | None = None  # for all who come before the next update: its number and frame


class LiveHub:
    """The connection between viewers and the feed. It needs no task of its own: it works in the loop's next turn.

    `framed` makes frames of JSON for all viewers; `crowd` returns another number whenever bots have come, gone or
    become free; `here` returns the number of connected bots.
    """

    def __init__(
        self,
        feed: Feed,
        bus: Bus,
        framed: Callable[[bytes], bytes],
        crowd: Callable[[], int] = lambda: 0,
        here: Callable[[], int] = lambda: 0,
    ) -> None:
        self._feed, self._bus, self._framed, self._crowd, self._here = feed, bus, framed, crowd, here
        self._seen = 0  # `crowd` when the lobby's viewers were told last
        self._matches: dict[str, tuple[Audience, Subscription]] = {}
        self._mirrors: dict[str, tuple[MatchMirror, Subscription, Renew]] = {}  # of matches that other servers play
        self._renewing: dict[str, asyncio.Task[None]] = {}
        self._lobbies: dict[LobbyWish, LobbyAudience] = {}
        self._beating: dict[Viewer, None] = {}  # who get heartbeats, in the order of their coming
        self._beat: asyncio.TimerHandle | None = None
        self._heartbeat = framed(msgspec.json.encode(live.Heartbeat(int(BEAT_S * 1000))))
        self.on_watched: Callable[[bool], None] = lambda _watched: None  # called with True when the lobby has viewers
        self._tick: asyncio.TimerHandle | None = None
        self._busy: deque[Audience] = deque()  # those with messages waiting
        self._messages = MessageBatch.of([Message(0, b"")])  # those being delivered
        self._rest: list[Viewer] = []  # viewers who still have to get it
        self._last_word: bytes | None = None  # the server stops: also for viewers who come now
        bus.subscribe(STOPPING, self._stop)

    async def mirror(self, match: str, renew: Renew) -> MatchMirror | None:
        """Return a match that another server plays, followed from now on; None if its state is unknown.

        `renew` requests a snapshot, now and whenever a message was missed. A caller who does not watch it soon calls
        `leave`.
        """
        if match not in self._mirrors:
            listening = self._bus.listen(match_event(match))  # first of all, so that nothing is missed after it
            fetched = await renew()
            if fetched is None:
                listening.close()
                return None
            if match in self._mirrors:  # another call was faster
                listening.close()
            else:
                self._mirrors[match] = MatchMirror(fetched.snapshot, saved=fetched.saved), listening, renew
                if match not in self._matches:
                    self._matches[match] = Audience(), self._bus.subscribe(match_event(match), self._hear)
        return self._mirrors[match][0]

    def follow(self, match: str, renew: Renew) -> None:
        """Follow a match that another server has taken over from this one, so that its viewers stay connected."""
        if match in self._matches and match not in self._renewing:
            task = self._renewing[match] = asyncio.create_task(self._follow(match, renew), name=f"follow {match}")
            task.add_done_callback(lambda _: self._renewing.pop(match, None))

    async def _follow(self, match: str, renew: Renew) -> None:
        mirror = await self.mirror(match, renew)
        if mirror is not None and match in self._matches:
            self._deliver(self._matches[match][0], mirror.seq, mirror.snapshot_json(), renewed=True)

    def mirrored(self, match: str) -> MatchMirror | None:
        """Return the mirror of a match that has viewers already, else None."""
        found = self._mirrors.get(match)
        return None if found is None else found[0]

    @contextmanager
    def watching_match(self, found: MatchLive | MatchMirror, viewer: Viewer) -> Iterator[None]:
        """Send `viewer` the snapshot of `found`, then, within the context, every delta of its match."""
        match = found.match
        if match not in self._matches:
            self._matches[match] = Audience(), self._bus.subscribe(match_event(match), self._hear)
        audience, subscription = self._matches[match]
        audience.viewers.add(viewer)
        viewer.post(found.seq, self._framed(found.snapshot_json()))
        self._send_goodbye(viewer)
        self._count_soon(match)
        self._begin_beats(viewer)
        try:
            yield
        finally:
            self._end_beats(viewer)
            audience.viewers.discard(viewer)
            self._count_soon(match)
            if not audience.viewers:
                subscription.close()
                if audience.count is not None:
                    audience.count.cancel()
                del self._matches[match]
                self._unmirror(match)

    @contextmanager
    def watching_lobby(self, viewer: Viewer, wish: LobbyWish = ALL) -> Iterator[None]:
        """Send `viewer` the snapshot of the part of the lobby that it asks for, then, within the context, updates."""
        if not self._lobbies:
            self._feed.watch_lobby(watched=True)
            self.on_watched(True)
            self._seen = self._crowd()
            self._tick = asyncio.get_running_loop().call_later(TICK_S, self._update_lobby)
        if wish not in self._lobbies:
            view = WholeLobby(self._feed) if wish == ALL else SomeBoards(self._feed, wish, self._here())
            self._lobbies[wish] = LobbyAudience(view)
        audience = self._lobbies[wish]
        audience.viewers.add(viewer)
        if audience.snapshot is None:
            snapshot = audience.view.snapshot()
            audience.snapshot = (snapshot.seq, self._framed(msgspec.json.encode(snapshot)))
        viewer.post(*audience.snapshot)
        self._send_goodbye(viewer)
        self._begin_beats(viewer)
        try:
            yield
        finally:
            self._end_beats(viewer)
            audience.viewers.discard(viewer)
            if not audience.viewers:
                del self._lobbies[wish]
            if not self._lobbies:
                self._feed.watch_lobby(watched=False)
                self.on_watched(False)
                if self._tick is not None:
                    self._tick.cancel()

    def _begin_beats(self, viewer: Viewer) -> None:
        if viewer.beats:
            viewer.post(None, self._heartbeat)
            self._beating[viewer] = None
            if self._beat is None:
                self._beat = asyncio.get_running_loop().call_later(BEAT_S, self._send_heartbeats)

    def _end_beats(self, viewer: Viewer) -> None:
        self._beating.pop(viewer, None)
        if not self._beating and self._beat is not None:
            self._beat.cancel()
            self._beat = None

    def _send_heartbeats(self) -> None:
        """Send all who have asked a heartbeat, a batch in each turn of the loop."""
        loop = asyncio.get_running_loop()
        self._beat = loop.call_later(BEAT_S, self._send_heartbeats)
        waiting = list(self._beating)

        def step() -> None:
            for viewer in waiting[-BATCH:]:
                if viewer in self._beating:
                    viewer.post(None, self._heartbeat)
            del waiting[-BATCH:]
            if waiting:
                loop.call_soon(step)

        step()

    def viewers(self) -> int:
        """Return the number of viewers."""
        return sum(len(audience.viewers) for audience in self._audiences())

    def _audiences(self) -> Iterator[Audience]:
        yield from self._lobbies.values()
        yield from (audience for audience, _ in self._matches.values())

    def _hear(self, topic: str, envelope: Envelope) -> None:
        match = topic.split("/")[2]
        audience, _ = self._matches[match]
        mirror = self.mirrored(match)
        if mirror is not None and not mirror.hear(envelope.data):
            self._renew_soon(match)
            return
        if len(audience.waiting) < BACKLOG:
            self._deliver(audience, getattr(envelope.read(_head), "seq", None), envelope.data)
        elif found := mirror or self._feed.find(match):  # they cannot keep up: a snapshot contains what they missed
            audience.waiting.clear()
            audience.waiting.append(Message(found.seq, self._framed(found.snapshot_json())))

    def _renew_soon(self, match: str) -> None:
        """Send a match's viewers a new snapshot, since messages were missed or another server plays it now."""
        if match not in self._renewing:
            task = self._renewing[match] = asyncio.create_task(self._renew(match), name=f"renew {match}")
            task.add_done_callback(lambda _: self._renewing.pop(match, None))

    async def _renew(self, match: str) -> None:
        mirror, _, renew = self._mirrors[match]
        fetched = await renew()
        if fetched is not None and self.mirrored(match) is mirror:
            mirror.renew(fetched.snapshot, saved=fetched.saved)
            audience, _ = self._matches[match]
            self._deliver(audience, mirror.seq, mirror.snapshot_json(), renewed=True)

    def renew_all(self) -> None:
        """Renew all mirrors: a server is gone, and its matches may go on elsewhere, or be over, as the database knows;
        or messages are lost.
        """
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
        for audience in self._audiences():
            if audience.viewers:
                self._deliver(audience, None, text)

    def _send_goodbye(self, viewer: Viewer) -> None:
        if self._last_word is not None:
            viewer.post(None, self._last_word)

    def _count_soon(self, match: str) -> None:
        audience, _ = self._matches[match]
        if audience.count is None:
            audience.count = asyncio.get_running_loop().call_later(COUNT_S, self._tell_count, match)

    def _tell_count(self, match: str) -> None:
        audience, _ = self._matches[match]
        audience.count = None
        self._deliver(audience, None, msgspec.json.encode(live.Viewers(match, len(audience.viewers))))

    def _update_lobby(self) -> None:
        self._tick = asyncio.get_running_loop().call_later(TICK_S, self._update_lobby)
        if any(audience.waiting for audience in self._lobbies.values()):
            return  # the last update is still being delivered; the next one has all changes since
        before, self._seen = self._seen, self._crowd()
        here = self._here()
        if self._feed.remote.take_missed():
            for audience in self._lobbies.values():
                self._show_lobby(audience, audience.view.renew(here))
        if (changes := self._feed.lobby_changes(bots=self._seen != before)) is None:
            return
        for audience in self._lobbies.values():
            if (update := audience.view.update(changes, here)) is not None:
                self._show_lobby(audience, update)

    def _show_lobby(self, audience: LobbyAudience, message: live.LobbySnapshot | live.LobbyUpdate) -> None:
        audience.snapshot = None
        renewed = isinstance(message, live.LobbySnapshot)
        self._deliver(audience, message.seq, msgspec.json.encode(message), renewed=renewed)

    def _deliver(self, audience: Audience, seq: int | None, text: bytes, *, renewed: bool = False) -> None:
        """Queue the message `text` for all viewers in `audience`."""
        idle = not self._busy and not self._rest
        if not audience.waiting:
            self._busy.append(audience)
        audience.waiting.append(Message(seq, self._framed(text), renewed))
        if idle:
            asyncio.get_running_loop().call_soon(self._step)

    def _step(self) -> None:
        """Deliver the messages in turn to their next few viewers, then let the loop turn."""
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


def _next_round(waiting: deque[Message]) -> MessageBatch:
    """Take as many messages as go out together."""
    taken, size = [waiting.popleft()], 0
    while waiting and (size := size + len(taken[-1].frame)) + len(waiting[0].frame) <= ROUND_BYTES:
        taken.append(waiting.popleft())
    return MessageBatch.of(taken)
