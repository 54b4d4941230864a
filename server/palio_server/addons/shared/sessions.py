"""The sessions of bots in a cluster: those of this server, and those that other servers have."""

import asyncio
from collections.abc import Callable, Iterable, Iterator

from palio_rules.contract import topics
from palio_rules.contract.endpoints import REPLACED
from palio_server.addons.shared import messages
from palio_server.addons.shared.messages import Card, Changes, Close, Message, Whole
from palio_server.bus import Bus, Envelope
from palio_server.lobby.lobby import TAKEN_OVER, Lobby
from palio_server.lobby.session import Session

# The connections of a process as others know them: numbered changes, and the whole after a gap. Pure.
#
# Ten thousand bots come and go too often for a retained message each, and a list of all of them is too large for one.

PART = 100  # cards in one message: some 25 KB, where brokers take 64


class OwnBook:
    """The list of our own connections, as others are told of it."""

    def __init__(self) -> None:
        self.seq = 0
        self.cards: dict[int, Card] = {}
        self._by_name: dict[str, set[int]] = {}

    def keys_of(self, name: str) -> set[int]:
        """The connections of a bot that we have told of."""
        return self._by_name.get(name, set())

    def changes(self, now: Iterable[Card], gone: Iterable[int]) -> Iterator[Changes]:
        """Return the changes to tell: these cards stand so `now`, and those connections are `gone`."""
        new = [card for card in now if self.cards.get(card.key) != card]
        lost = [key for key in dict.fromkeys(gone) if key in self.cards]
        for card in new:
            self.cards[card.key] = card
            self._by_name.setdefault(card.name, set()).add(card.key)
        for key in lost:
            name = self.cards.pop(key).name
            self._by_name[name].discard(key)
            if not self._by_name[name]:
                del self._by_name[name]
        while new or lost:
            self.seq += 1
            yield Changes(self.seq, new[:PART], lost)
            new, lost = new[PART:], []

    def whole(self) -> Iterator[Whole]:
        """All of them, for one who asks."""
        cards = list(self.cards.values())
        parts = max(1, -(-len(cards) // PART))
        for part in range(parts):
            yield Whole(self.seq, part + 1, parts, cards[part * PART : (part + 1) * PART])


class OtherBook:
    """The known connections of another process. After a gap, `complete` is false until the whole has come."""

    def __init__(self) -> None:
        self.cards: dict[int, Card] = {}
        self.seq = 0
        self.complete = False
        self._parts: dict[int, Whole] = {}

    def hear(self, changes: Changes) -> tuple[list[Card], list[Card]]:
        """New or changed cards, and those that are gone. After a gap, nothing is taken in before the whole has come."""
        if changes.seq <= self.seq and self.complete:
            return [], []  # older than the whole that we have asked for
        if changes.seq != self.seq + 1 or not self.complete:
            self.complete = False
            return [], []
        self.seq = changes.seq
        gone = [self.cards.pop(key) for key in changes.gone if key in self.cards]
        self.cards.update((card.key, card) for card in changes.cards)
        return list(changes.cards), gone

    def behind(self, seq: int) -> bool:
        """Return whether something is missing, if the process has told of so many changes."""
        self.complete = self.complete and self.seq >= seq
        return not self.complete

    def take(self, whole: Whole) -> tuple[list[Card], list[Card]]:
        """A part of the whole; with its last one, what differs from what was known: new or changed, and gone."""
        if any(part.seq != whole.seq for part in self._parts.values()):
            self._parts.clear()
        self._parts[whole.part] = whole
        if len(self._parts) < whole.parts:
            return [], []
        cards = {card.key: card for part in self._parts.values() for card in part.cards}
        self._parts.clear()
        if self.complete and whole.seq < self.seq:
            return [], []
        gone = [card for key, card in self.cards.items() if key not in cards]
        new = [card for key, card in cards.items() if self.cards.get(key) != card]
        self.cards, self.seq, self.complete = cards, whole.seq, True
        return new, gone


# What other processes are told of our bots' connections: changes, some milliseconds of them together.

FLUSH_S = 0.02  # changes of so long are told together


class OwnSessions:
    """Watches the lobby. `say` tells all others; `stopping` says whether we end soon: then no slot is free."""

    def __init__(self, lobby: Lobby, say: Callable[[Changes], None], stopping: Callable[[], bool]) -> None:
        self._lobby, self._say, self._stopping = lobby, say, stopping
        self._book = OwnBook()
        self._changed: set[str] = set()  # names of bots whose connections we have to tell of
        self._flush: asyncio.TimerHandle | None = None

    @property
    def seq(self) -> int:
        """Return how many changes we have told of."""
        return self._book.seq

    def note(self, name: str) -> None:
        """Something has changed of the connections of that name, or of their matches."""
        self._changed.add(name)
        if self._flush is None:
            self._flush = asyncio.get_running_loop().call_later(FLUSH_S, self.tell)

    def note_all(self) -> None:
        for session in self._lobby.sessions():
            self.note(session.name)

    def tell(self) -> None:
        """Tell now what has changed."""
        self.close()
        names, self._changed = self._changed, set()
        here = [session for name in names for session in self._lobby.connections(name) if not session.process]
        cards = [_card(session, stopping=self._stopping()) for session in here]
        keys = {card.key for card in cards}
        gone = [key for name in names for key in self._book.keys_of(name) if key not in keys]
        for changes in self._book.changes(cards, gone):
            self._say(changes)

    def whole(self) -> Iterator[Whole]:
        """All of them, for one who asks."""
        self.tell()
        return self._book.whole()

    def close(self) -> None:
        """Wait for nothing more. Harmless twice."""
        if self._flush is not None:
            self._flush.cancel()
            self._flush = None


def _card(session: Session, *, stopping: bool) -> Card:
    return Card(
        session.key,
        session.id,
        session.name,
        sorted(session.games),
        0 if stopping else session.slots,
        session.transport,
        list(session.matches),
        sorted(session.without),
        session.build,
        session.confined,
        session.address,
    )


# The way to a bot that another process has: its match speaks through the broker.


class RemoteLink:
    """A lobby's Link to a connection of `process`."""

    def __init__(
        self, bus: Bus, send: Callable[[str, Message], None], own: str, process: str, card: messages.Card
    ) -> None:
        """`own`: our identity."""
        self._bus, self._send, self._process, self._key = bus, send, process, card.key
        self._to_bot = messages.to_bot(process, own, card.name, "")

    def post(self, topic: str, envelope: Envelope) -> None:
        match = topic.rpartition("/")[2]
        if match != topics.LOBBY:  # what concerns no match its own process says
            self._bus.publish(self._to_bot + match, envelope.data)

    def close(self, code: int, reason: str) -> None:
        self._send(self._process, Close(self._key, code, reason))


# Connections of bots to other processes, as sessions of our lobby: they come, change and go as they are told of.


class OtherSessions:
    """`own` is our process; `send` tells another one; `on_lost` hears of each session that ends."""

    def __init__(
        self, bus: Bus, lobby: Lobby, own: str, send: Callable[[str, Message], None], on_lost: Callable[[Session], None]
    ) -> None:
        self._bus, self._lobby, self._own, self._send, self._on_lost = bus, lobby, own, send, on_lost
        self._books: dict[str, OtherBook] = {}
        self._sessions: dict[tuple[str, int], Session] = {}  # by process and key

    def begin(self, process: str) -> None:
        """A process has come; of its bots nothing is known yet."""
        self._books[process] = OtherBook()

    def behind(self, process: str, seq: int) -> bool:
        """Return whether something is missing, if the process has told of so many changes."""
        return self._books[process].behind(seq)

    def hear(self, process: str, changes: Changes) -> bool:
        """Take in changes; return whether some were missed, so that the whole is to be asked for."""
        book = self._books.get(process)
        if book is None:
            return False
        was = book.complete
        self._take_in(process, *book.hear(changes))
        return was and not book.complete

    def take(self, process: str, whole: Whole) -> None:
        """A part of all that there is."""
        if (book := self._books.get(process)) is not None:
            self._take_in(process, *book.take(whole))

    def look_again(self) -> None:
        """Let those in that were left out: of a session seen in two places for a moment, either may stay."""
        for (process, key), session in list(self._sessions.items()):
            if not session.connected and not self._lobby.has(session.name, session.id):
                self._meet(process, self._books[process].cards[key])

    def lose(self, process: str) -> list[Session]:
        """A process is gone, and all of its sessions with it: which were those?"""
        self._books.pop(process, None)
        lost = {key: session for (of, key), session in self._sessions.items() if of == process}
        for key in lost:
            self._part_with(process, key)
        return list(lost.values())

    def _take_in(self, process: str, new: list[Card], gone: list[Card]) -> None:
        for card in gone:
            self._part_with(process, card.key)
        for card in new:
            known = self._sessions.get((process, card.key))
            if known is None:
                self._meet(process, card)
            else:
                before, known.remote_matches, known.slots = known.free_slots, frozenset(card.matches), card.slots
                self._lobby.update_remote(known, got_free=known.free_slots > before)

    def _meet(self, process: str, card: Card) -> None:
        session = Session(
            id=card.session,
            name=card.name,
            games=frozenset(card.games),
            slots=card.slots,
            link=RemoteLink(self._bus, self._send, self._own, process, card),
            transport=card.transport,
            without=frozenset(card.without),
            build=card.build,
            confined=card.confined,
            address=card.address,
            process=process,
            key=card.key,
            remote_matches=frozenset(card.matches),
        )
        self._sessions[process, card.key] = session
        self._lobby.join_remote(session)
        if card.transport == "mqtt" and process < self._own:  # a broker knows one of a name, and two have let it in
            for ours in self._lobby.connections(card.name):
                if not ours.process and ours.transport == "mqtt":
                    self._lobby.close_taken_over(ours, REPLACED, TAKEN_OVER)

    def _part_with(self, process: str, key: int) -> None:
        session = self._sessions.pop((process, key), None)
        if session is not None:
            self._lobby.leave(session)
            self._on_lost(session)
