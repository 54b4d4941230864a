"""Servers that share the work, in one event loop: their nodes and lobbies are real, the broker between them is not.

It delivers in order from each sender to each receiver, a little later, and loses what it is told to lose.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from types import SimpleNamespace
from typing import Any

from palio_rules.contract import topics
from palio_rules.contract.messages import Hello
from palio_server.addons.shared.servers_on_broker import ServersOnBroker
from palio_server.bus import Envelope
from palio_server.bus.local import LocalBus, pattern
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.register import LobbyLimits
from palio_server.lobby.session import Expulsion, Session
from palio_server.settings import Settings

GAMES = ("chess", "go")


class WiredBus(LocalBus):
    """One server's end of the wire."""

    def __init__(self, wire: "Wire") -> None:
        super().__init__()
        self.wire, self.cut = wire, False
        self.filters: list[str] = []
        self.connection = SimpleNamespace(will=None)
        wire.ends.append(self)

    @property
    def connected(self) -> bool:
        return not self.cut

    def publish(self, topic: str, data: bytes, message: Any = None, *, retain: bool = False, at: float = 0.0) -> bool:
        taken = super().publish(topic, data, message, retain=retain, at=at)
        if topic.startswith(topics.CLUSTER):
            self.wire.carry(self, topic, data)
        return taken

    def publish_here(self, topic: str, data: bytes, *, at: float = 0.0) -> bool:
        return super().publish(topic, data, at=at)

    def listen(self, topic_filter: str) -> Any:
        self.filters.append(topic_filter)
        return SimpleNamespace(close=lambda: None)


class Wire:
    """The broker: what was published waits in a queue for each pair of ends."""

    def __init__(self, seed: int = 0, loses: float = 0.0) -> None:
        """`loses`: the share of messages, heartbeats aside, that get lost."""
        self.ends: list[WiredBus] = []
        self.loses, self._random = loses, Random(seed)
        self._waiting: dict[tuple[int, int], deque[tuple[str, bytes]]] = {}
        self.spied: Callable[[str, bytes], None] = lambda _topic, _data: None

    def carry(self, sender: WiredBus, topic: str, data: bytes) -> None:
        self.spied(topic, data)
        if sender.cut:
            return
        for end in self.ends:
            if end is sender or not any(pattern(each).fullmatch(topic) for each in end.filters):
                continue
            if self._random.random() < self.loses and "/beat/" not in topic:
                continue
            pair = id(sender), id(end)
            queue = self._waiting.setdefault(pair, deque())
            queue.append((topic, data))
            asyncio.get_running_loop().call_later(self._random.choice((0.001, 0.01)), self._deliver, pair, end)

    def _deliver(self, pair: tuple[int, int], end: WiredBus) -> None:
        topic, data = self._waiting[pair].popleft()
        if not end.cut:
            LocalBus.publish(end, topic, data)


class Link:
    """A bot's socket: remembers what it is sent."""

    def __init__(self) -> None:
        self.posts: list[tuple[str, bytes]] = []
        self.closed: list[int] = []

    def post(self, topic: str, envelope: Envelope) -> None:
        self.posts.append((topic.rpartition("/")[2], envelope.data))

    def close(self, code: int, reason: str) -> None:
        self.closed.append(code)


@dataclass(eq=False)
class Match:
    """A match that a server plays, as far as its seats go."""

    server: "Server"
    name: str
    epoch: int
    bots: tuple[str, ...]
    expelled_: list[str] = field(default_factory=list)
    news: list[tuple[str, bool]] = field(default_factory=list)

    def present(self, name: str, present: bool) -> None:
        self.news.append((name, present))

    def expelled(self, name: str, why: Expulsion) -> None:
        self.expelled_.append(name)

    def holders(self) -> dict[str, Session | None]:
        return {bot: self.server.lobby.holder(self.name, bot) for bot in self.bots}

    def end(self) -> None:
        self.server.lobby.release(self.name)
        self.server.node.seating.release(self.name)
        self.server.matches.pop(self.name, None)


class Server:
    """A process that lets bots in and plays."""

    def __init__(self, wire: Wire, worker: str, role: Any = "all") -> None:
        self.bus = WiredBus(wire)
        bus: Any = self.bus
        others = ServersOnBroker(Settings(worker=worker, role=role, lease_s=6.0), bus)
        self.lobby = Lobby(self.bus, games=GAMES, limits=LobbyLimits(resume_s=1000.0), others=others)
        others.connect_lobby(self.lobby)
        self.node = others.node
        self.matches: dict[str, Match] = {}
        self.task = asyncio.create_task(self.node.run())

    def join(self, name: str, slots: int = 1, resume: str | None = None) -> tuple[Session, Link]:
        link = Link()
        more = {} if resume is None else {"resume": resume}
        return self.lobby.join(Hello(name, ["chess"], slots=slots, **more), link, "websocket"), link

    async def begin(self, name: str, bots: tuple[str, ...], epoch: int = 1, *, absent_ok: bool = False) -> Match:
        """Raises NotAvailable."""
        match = Match(self, name, epoch, bots)
        try:
            await self.node.seating.seat(name, epoch, "chess", bots, absent_ok=absent_ok)
            self.lobby.reserve(name, "chess", bots, match, absent_ok=absent_ok, epoch=epoch)
        except BaseException:
            self.node.seating.release(name)
            raise
        self.matches[name] = match
        return match

    async def die(self) -> None:
        """As by kill -9: nothing more is said, and the broker says so to the others."""
        self.bus.cut = True
        self.task.cancel()
        await asyncio.wait([self.task])
        for end in self.bus.wire.ends:
            if end is not self.bus and not end.cut:
                topic, data, _ = self.bus.connection.will
                asyncio.get_running_loop().call_later(0.05, LocalBus.publish, end, topic, data)
