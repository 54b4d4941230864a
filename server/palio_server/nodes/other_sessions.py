"""Connections of bots to other processes, as sessions of our lobby: they come, change and go as they are told of."""

from collections.abc import Callable

from palio_rules.contract.endpoints import REPLACED
from palio_server.bus import Bus
from palio_server.lobby.lobby import TAKEN_OVER, Lobby
from palio_server.lobby.session import Session
from palio_server.nodes.remote_link import RemoteLink
from palio_server.nodes.session_book import OtherBook
from palio_server.nodes.words import Card, Changes, Whole, Word


class OtherSessions:
    """By process. `own` is the name of ours; `send` tells another one; `on_lost` hears of each session that ends."""

    def __init__(
        self, bus: Bus, lobby: Lobby, own: str, send: Callable[[str, Word], None], on_lost: Callable[[Session], None]
    ) -> None:
        self._bus, self._lobby, self._own, self._send, self._on_lost = bus, lobby, own, send, on_lost
        self._books: dict[str, OtherBook] = {}
        self._sessions: dict[tuple[str, int], Session] = {}  # by process and key

    def begin(self, process: str) -> None:
        """A process has come; of its bots nothing is known yet."""
        self._books[process] = OtherBook()

    def behind(self, process: str, seq: int) -> bool:
        """Whether something is missing, if the process has told of so many changes."""
        return self._books[process].behind(seq)

    def hear(self, process: str, changes: Changes) -> bool:
        """What has changed; whether something was missed, so that the whole is to be asked for."""
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
        """Where a session was seen in two places for a moment, the one that was left out may be the one that stays."""
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
                before, known.elsewhere, known.slots = known.free_slots, frozenset(card.matches), card.slots
                self._lobby.noted(known, got_free=known.free_slots > before)

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
            process=process,
            key=card.key,
            elsewhere=frozenset(card.matches),
        )
        self._sessions[process, card.key] = session
        self._lobby.appear(session)
        if card.transport == "mqtt" and process < self._own:  # a broker knows one of a name, and two have let it in
            for ours in self._lobby.connections(card.name):
                if not ours.process and ours.transport == "mqtt":
                    self._lobby.send_away(ours, REPLACED, TAKEN_OVER)

    def _part_with(self, process: str, key: int) -> None:
        session = self._sessions.pop((process, key), None)
        if session is not None:
            self._lobby.leave(session)
            self._on_lost(session)
