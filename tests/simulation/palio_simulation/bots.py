"""The bots of a world: the SDK's own session in each, and around it a program that thinks, fails and comes back.

A bot has a name and one instance or several, each a program of its own with a connection of its own.
"""

from random import Random
from typing import TYPE_CHECKING

from palio_clients.sdk import events
from palio_clients.sdk.session import Session
from palio_rules.contract.messages import ServerMessage
from palio_simulation.games import OPTIONS

if TYPE_CHECKING:
    from palio_simulation.network import Link
    from palio_simulation.world import World

WELCOME_S = 3.0  # how long to wait for a welcome before trying again
MOST_TIRED_S = 1.0  # between two attempts to connect


class Instance:
    """One program that plays under a bot's name."""

    says_hello_again = False  # on the same connection

    def __init__(self, world: "World", name: str, number: int, home: str | None) -> None:
        """`home` is the server that it always comes to; None: the one where all are."""
        self.world, self.name, self.number, self.home = world, name, number, home
        self.label = f"{name}/{number}"
        self.draw = Random(f"bot {world.schedule.seed} {self.label}")
        self.lines = self.draw.random() < 0.4
        self.slots = self.draw.choice((1, 1, 2))
        self.careful = self.draw.random() < 0.7  # it never takes too long, and makes no illegal moves
        self.link: Link | None = None
        self.gone = False
        self._connecting = False
        self._attempt = 0
        self._forget()

    def _forget(self) -> None:
        self.session = Session(self.name, tuple(OPTIONS), slots=self.slots)
        self._attempt += 1

    # --- connecting ---------------------------------------------------------------------------------------------------

    def connect(self, after: float = 0.0) -> None:
        """Try to, in a while."""
        if not self._connecting and self.link is None and not self.gone:
            self._connecting = True
            self.world.call_later(after + self._ms(1, 60), self._try)

    def _try(self) -> None:
        self._connecting = False
        if self.gone or self.link is not None:
            return
        link = self.world.connect(self, self.home or self.world.gathered_at)
        if link is None:
            self.connect(self._ms(50, int(MOST_TIRED_S * 1000)))
            return
        self.link = link
        self.session.connect()
        self._flush()
        self.world.call_later(WELCOME_S, self._be_patient, link)

    def _be_patient(self, link: "Link") -> None:
        if self.link is link and not self.session.welcomed:
            self.hang_up()

    def hang_up(self, wait_s: float = 0.0) -> None:
        """End the connection, and come back, after so long at least."""
        link = self.link
        if link is not None:
            link.leave()
            self.lost(link, wait_s)

    def lost(self, link: "Link", wait_s: float = 0.0) -> None:
        """The connection is gone."""
        if self.link is link:
            self.link = None
            self.session.disconnect()
            self.connect(wait_s + self._ms(5, 300))

    def crash(self, seconds: float) -> None:
        """Forget everything; come back in a while."""
        link, self.link = self.link, None
        if link is not None:
            link.leave()
        self._forget()
        self.connect(seconds)

    def leave(self) -> None:
        """For good."""
        self.gone = True
        if self.link is not None:
            self.link.leave()
            self.link = None

    # --- playing ------------------------------------------------------------------------------------------------------

    def hear(self, link: "Link", message: ServerMessage) -> None:
        if self.link is not link:
            return
        for event in self.session.receive(message, self.world.loop.time()):
            self._take(event)
        self._flush()

    def _take(self, event: events.Event) -> None:
        match event:
            case events.GameBegins(match=match):
                self.world.call_later(self._ms(0, 8), self._ready, self._attempt, match)
            case events.Think():
                self._think(event)
            case events.MatchOver(match=match, result=result):
                self.world.ledger.heard_over(self.label, match, result)
            case events.Refused(retry_s=retry_s):
                self.hang_up(retry_s or 0.0)
            case events.ServerStops() if not self.says_hello_again and not self.session._matches:
                self.hang_up()
            case events.HelloWanted() if self.says_hello_again:
                self.session.connect()
            case _:
                pass

    def _ready(self, attempt: int, match: str) -> None:
        if attempt == self._attempt:
            self.session.ready(match)
            self._flush()

    def _think(self, event: events.Think) -> None:
        turn, draw = event.turn, self.draw
        limit = 1000 if turn.limit_ms is None else turn.limit_ms
        roll = draw.random()
        if roll < 0.85 or self.careful:
            ms = draw.randrange(1, self.world.schedule.think_ms)
        elif roll < 0.95:  # about in time
            ms = max(1, limit + self.world.margin_ms + draw.randrange(-4, 4) - draw.randrange(3))
        else:
            ms = limit // 2
        move: object = draw.choice(turn.moves) if turn.moves else None
        if not self.careful and draw.random() < 0.04:
            move = draw.choice(([99, 99], "nonsense", [0]))
        if not self.careful and draw.random() < 0.01:
            self.session.resign(turn.match)
            return
        self.world.call_later(ms / 1000, self._answer, self._attempt, turn.match, turn.id, move)

    def _answer(self, attempt: int, match: str, turn: int, move: object) -> None:
        if attempt == self._attempt:
            self.session.answer(match, turn, move)
            self._flush()

    def _flush(self) -> None:
        for message in self.session.outgoing():
            if self.link is not None:
                self.link.up(message)

    def _ms(self, least: int, most: int) -> float:
        """So many seconds, by chance, in whole milliseconds."""
        return self.draw.randrange(least, most + 1) / 1000
