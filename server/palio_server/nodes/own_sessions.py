"""What other processes are told of our bots' connections: changes, some milliseconds of them together."""

import asyncio
from collections.abc import Callable, Iterator

from palio_server.lobby.lobby import Lobby
from palio_server.lobby.session import Session
from palio_server.nodes.session_book import OwnBook
from palio_server.nodes.words import Card, Changes, Whole

FLUSH_S = 0.02  # changes of so long are told together


class OwnSessions:
    """Watches the lobby. `say` tells everybody; `stopping` says whether we end soon: then no slot is free."""

    def __init__(self, lobby: Lobby, say: Callable[[Changes], None], stopping: Callable[[], bool]) -> None:
        self._lobby, self._say, self._stopping = lobby, say, stopping
        self._book = OwnBook()
        self._changed: set[str] = set()  # names of bots whose connections we have to tell of
        self._flush: asyncio.TimerHandle | None = None

    @property
    def seq(self) -> int:
        """How many changes we have told of."""
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
    )
