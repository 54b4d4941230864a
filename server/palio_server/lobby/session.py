"""One bot's session: its name, what it plays, how it is reached, and the matches that it holds."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from msgspec import UNSET

from palio_rules.contract import topics
from palio_rules.contract.codec import encode
from palio_rules.contract.endpoints import POLICY
from palio_rules.contract.messages import Hello, Omission, Refused, Termination
from palio_rules.plain_text import one_line
from palio_server.bus import Envelope, Subscription

AWAY_S = 600.0  # seconds of results that a bot which comes back is sent again, if its absence is not known better
DOUBT_S = 45.0  # two pings and a margin: messages sent so shortly before a connection was lost may be lost with it


class BotLink(Protocol):
    """The connection to a bot."""

    def post(self, topic: str, envelope: Envelope) -> None:
        """Send MessagePack; a Sink for `palio/bot/<name>/in/<match>`. Never waits; what cannot be sent is lost."""

    def close(self, code: int, reason: str) -> None:
        """Send a goodbye and close the connection, without waiting for the bot. Does nothing if it is closed."""


@dataclass(eq=False, slots=True)
class Session:
    """A connection of a bot that has been welcomed, or one that was lost and may be resumed.

    The connection may be another process's, which is named: then `link` reaches it through the broker, `matches` are
    those that are played here, and a slot of it is used only if that process has agreed.
    """

    id: str  # unguessable: its bearer may resume the session
    name: str
    games: frozenset[str]
    slots: int
    link: BotLink
    transport: str  # "websocket", "mqtt", ...
    without: frozenset[Omission] = frozenset()  # parts of messages that it does not need
    build: str = ""  # the program that it says it is; "": it does not say
    token: int | None = None  # the number of the token that it came with
    address: str = ""  # where it comes from, for limits by address; "": from this machine, by a Unix socket
    confined: str = ""  # how its program is confined, if the server has started it
    own_address: str = ""  # an address that only that program can use
    connected: bool = True
    idle_since: int = 0  # the lobby's count of events when a match was last begun or ended here
    left_at: float = 0.0  # loop time of the loss
    # and the subscription that forwards the server's messages
    matches: dict[str, Subscription | None] = field(default_factory=dict)
    process: str = ""  # the identity of the other process that has the connection; "": this one
    key: int = 0  # of a connection, within its process
    remote_matches: frozenset[str] = frozenset()  # of another process's: the matches that the bot plays there
    asides: int = 0  # messages about no running match: signs of life
    promised: set[str] = field(default_factory=set)  # of another process's: slots requested or kept

    @classmethod
    def of(
        cls, hello: Hello, link: BotLink, transport: str, resumed: "Session | None", identity: str = ""
    ) -> "Session":
        """Return a session as `hello` requests it; it keeps the identity of the one that it resumes.

        A new one has an `identity` that only its owner can know, or a random one.
        """
        return cls(
            id=(identity or secrets.token_urlsafe(16)) if resumed is None else resumed.id,
            name=hello.name,
            games=frozenset(hello.games),
            slots=1 if hello.slots is UNSET else hello.slots,
            link=link,
            transport=transport,
            without=frozenset() if hello.without is UNSET else frozenset(hello.without),
            build="" if hello.build is UNSET else one_line(hello.build),
        )

    @property
    def playing(self) -> int:
        """The number of slots that are taken."""
        if not self.process:
            return len(self.matches)
        return len(self.remote_matches | self.matches.keys() | self.promised)

    @property
    def free_slots(self) -> int:
        return self.slots - self.playing


def away(former: Session | None, transport: str, now: float) -> float:
    """Return for how many seconds a bot that comes back may have missed messages.

    A connection is known to be alive by its pings alone. For a broker, or an earlier server
    process, that is unknown.
    """
    if former is None or transport == "mqtt":
        return AWAY_S
    return min(AWAY_S, DOUBT_S + (0.0 if former.connected else now - former.left_at))


# The reason why a connected bot is disconnected, and forfeits its matches.


@dataclass(frozen=True, slots=True)
class Expulsion:
    """The reason as the results of its matches give it."""

    termination: Termination
    reason: str  # a code: "token-revoked", "memory-used-up"
    detail: str  # a sentence for people, which the bot is sent as well


def disconnect_revoked(session: Session, why: Expulsion) -> None:
    """Disconnect a bot that may no longer play."""
    if why.termination != "revoked":
        session.link.close(POLICY, why.detail)
        return
    refused = Refused(why.reason, why.detail)  # the answer to a hello, so that a bot knows that it need not come again
    session.link.post(topics.bot_in(session.name, topics.LOBBY), Envelope(encode(refused), refused))
    session.link.close(POLICY, why.reason)


# A slot of one of this process's connections, used by a match that another process plays.


@dataclass(eq=False, slots=True)
class Loan:
    """One slot. The session closes the loan when its connection is gone."""

    session: Session
    match: str
    process: str
    epoch: int
    ended: Callable[["Loan"], None]
    orphaned_at: float | None = None  # since when its process is dead
    told: Subscription | None = None  # forwards the match's messages
    said: Subscription | None = None  # forwards the bot's messages

    def close(self) -> None:
        for subscription in (self.told, self.said):
            if subscription is not None:
                subscription.close()
        self.told = self.said = None
        self.ended(self)
