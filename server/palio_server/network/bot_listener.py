"""A Unix socket for one program of one bot: its connections are that bot, and reach nothing else of the server.

A confined program has no other connection. Where no token is needed, a name is believed; here it is known.
"""

import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from msgspec import UNSET

from palio_rules.contract.messages import Error, GameMessage, Message, Move, Over, Ready, Rejected, Resign, Turn
from palio_server.edge.accounts import Account

READY = -1  # expected before the first turn


class ExpectedAnswers:
    """The answers that the server expects from one program, which may use the processor while there is one.

    A program that has not joined yet is expected, too. Its `account` knows of its turns only.
    """

    def __init__(self) -> None:
        self.account = Account()
        self._tell: Callable[[bool], None] | None = None
        self._told: bool | None = None
        self._joined = False
        self._turns: dict[tuple[object, str], int] = {}  # by connection and match, the turn or READY
        self._prepared: set[str] = set()  # matches for which it was ready; a match that is taken up again needs nothing

    def tell(self, tell: Callable[[bool], None]) -> None:
        """Call `tell` from now on with True while an answer is expected, at once and at every change; a
        program begins.
        """
        self._tell, self._told, self._joined = tell, None, bool(self._turns)
        self.account.forgive()
        self._say()

    def joined(self) -> None:
        """Note that the program has said hello."""
        self._joined = True
        self._say()

    def asked(self, connection: object, message: Message) -> None:
        """Note a message that the server has sent on a connection of the program."""
        match message:
            case Turn(match=match, id=turn) | Rejected(match=match, id=turn):
                self._turns[connection, match] = turn
            case GameMessage(match=match) if match not in self._prepared:
                self._turns[connection, match] = READY
            case Over(match=match):
                self._turns.pop((connection, match), None)
                self._prepared.discard(match)
        self._say()

    def answered(self, connection: object, message: Message) -> bool:
        """Note a message that the program has sent on a connection; return True if it was expected."""
        before = len(self._turns)
        match message:
            case Ready(match=match):
                self._prepared.add(match)
                if self._turns.get((connection, match)) == READY:
                    del self._turns[connection, match]
            case Move(match=match, id=turn):
                if self._turns.get((connection, match)) == turn:
                    del self._turns[connection, match]
            case Resign(match=match) | Error(match=match) if match is not UNSET:
                self._turns.pop((connection, match), None)
        self._say()
        return len(self._turns) < before

    def lost(self, connection: object) -> None:
        """Remove a connection that is gone; its requests are repeated on the next one."""
        self._turns = {key: turn for key, turn in self._turns.items() if key[0] is not connection}
        self._say()

    def _say(self) -> None:
        self.account.turn(bool(self._turns))
        now = bool(self._turns) or not self._joined
        if now is not self._told and self._tell is not None:
            self._told = now
            self._tell(now)


@dataclass(frozen=True, slots=True, eq=False)
class BotListener:
    """A socket for one program of a bot, for as many connections at a time as it plays matches (`slots`).

    `confined`: how its program is confined, for the record; `awaited`: the answers expected from it.
    """

    bot: str
    confined: str
    sock: socket.socket
    slots: int = 1
    awaited: ExpectedAnswers = field(default_factory=ExpectedAnswers)
    url: str = field(init=False)  # in the form of `palio join`; kept, because a closed socket has no name

    def __post_init__(self) -> None:
        object.__setattr__(self, "url", f"ws+unix://{quote(str(Path(self.sock.getsockname()).absolute()))}")
