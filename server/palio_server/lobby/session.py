"""One bot's stay: who it is, what it plays, how it is reached, which matches it holds."""

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

AWAY_S = 600.0  # for which whoever comes back is told of the ends that it has missed, if nobody knows better
DOUBT_S = 45.0  # two pings and a bit: what was sent so shortly before a connection was lost may have been lost with it


class Link(Protocol):
    """The way to a connected bot."""

    def post(self, topic: str, envelope: Envelope) -> None:
        """Send MessagePack; a Sink for `palio/bot/<name>/in/<match>`. Never waits; what cannot be sent is lost."""

    def close(self, code: int, reason: str) -> None:
        """Say goodbye and close the connection, whether the bot listens or not. Closing twice is harmless."""


@dataclass(eq=False, slots=True)
class Session:
    """A connection of a bot that has been welcomed, or one that was lost and may be resumed.

    The connection may be another process's, which is named: then `link` is the way to it through the broker, `matches`
    are those that are played here, and a slot of it is used only if that process has agreed to it.
    """

    id: str  # unguessable: whoever knows it may resume the session
    name: str
    games: frozenset[str]
    slots: int
    link: Link
    transport: str  # "websocket", "mqtt", ...
    without: frozenset[Omission] = frozenset()  # what it need not be sent
    build: str = ""  # which program it says it is; "": it does not say
    token: int | None = None  # the number of the token that it came with
    address: str = ""  # where it comes from, as far as limits care; "": from this machine, by a Unix socket
    confined: str = ""  # how its program is confined, if the server has started it
    own_address: str = ""  # the address by which nobody comes but that program
    connected: bool = True
    idle_since: int = 0  # the lobby's count of events when a match was last begun or ended here
    left_at: float = 0.0  # loop time of the loss
    matches: dict[str, Subscription | None] = field(default_factory=dict)  # and what forwards the server's messages
    process: str = ""  # the identity of the other process that has the connection; "": it is ours
    key: int = 0  # of a connection, within its process
    remote_matches: frozenset[str] = frozenset()  # of another process's: what it says that the bot plays
    asides: int = 0  # what it has said about no match that is played: signs of life
    promised: set[str] = field(default_factory=set)  # of another process's: a slot is asked for, or kept for these

    @classmethod
    def of(cls, hello: Hello, link: Link, transport: str, resumed: "Session | None", identity: str = "") -> "Session":
        """A session as `hello` asks for it; it keeps the identity of the one that it resumes.

        A new one has an `identity` that its owner alone can know, or by chance.
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
        """How many slots are taken."""
        if not self.process:
            return len(self.matches)
        return len(self.remote_matches | self.matches.keys() | self.promised)

    @property
    def free_slots(self) -> int:
        return self.slots - self.playing


def away(former: Session | None, transport: str, now: float) -> float:
    """For how many seconds a bot that comes back may have heard nothing of what it was told.

    A connection is known to be there by its pings alone, and one to a broker, or to a server before us, not at all.
    """
    if former is None or transport == "mqtt":
        return AWAY_S
    return min(AWAY_S, DOUBT_S + (0.0 if former.connected else now - former.left_at))


# Why a connected bot is shown the door, and forfeits what it plays.


@dataclass(frozen=True, slots=True)
class Expulsion:
    """What stands in the results of its matches."""

    termination: Termination
    reason: str  # a code: "token-revoked", "memory-used-up"
    detail: str  # a sentence for people, which the bot hears as well


def show_out(session: Session, why: Expulsion) -> None:
    """Close the connection of a bot that may play on nowhere."""
    if why.termination != "revoked":
        session.link.close(POLICY, why.detail)
        return
    refused = Refused(why.reason, why.detail)  # as to a hello: so a bot knows that it need not come again
    session.link.post(topics.bot_in(session.name, topics.LOBBY), Envelope(encode(refused), refused))
    session.link.close(POLICY, why.reason)


# A slot of one of our connections, used by a match that another process plays.


@dataclass(eq=False, slots=True)
class Loan:
    """One slot. The session closes it when it is gone, and nothing of it is left then."""

    session: Session
    match: str
    process: str
    epoch: int
    ended: Callable[["Loan"], None]
    orphaned_at: float | None = None  # since when its process is dead
    told: Subscription | None = None  # forwards what the match says
    said: Subscription | None = None  # forwards what the bot says

    def close(self) -> None:
        for subscription in (self.told, self.said):
            if subscription is not None:
                subscription.close()
        self.told = self.said = None
        self.ended(self)
