"""The lobby: the connected bots, what they play, and the connection that holds each match. It has no sockets: gateways
register connections as links.

A bot has a name and any number of connections (instances), each with slots for so many matches. A match reserves one
slot of one instance of each of its bots. When an instance is lost, its matches stay reserved, and the next connection
of that name with a free slot takes them over: the same program resuming its session, or a new one that has forgotten.

Where servers share the work, the connections of other processes are listed as well (`join_remote`, `leave`), and a slot
of one of this process may be used by a match that another one plays (`lend`, `take_back`).
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence

import msgspec
from msgspec import UNSET

from palio_rules.contract import topics
from palio_rules.contract.endpoints import REPLACED
from palio_rules.contract.messages import SERVER_STOPPING, Hello, ServerStopping
from palio_rules.contract.names import is_reserved
from palio_rules.errors import nearest
from palio_rules.registry import games as installed_games
from palio_server.bus import Bus
from palio_server.edge.budgets import Budgets, TooMuch
from palio_server.lobby.listing import Listing, MatchListener, Reservations
from palio_server.lobby.other_servers import ALONE, OtherServers
from palio_server.lobby.register import LobbyLimits, Register
from palio_server.lobby.session import BotLink, Expulsion, Loan, Session, away, disconnect_revoked
from palio_server.lobby.visits import Visits

# The rate limit on hellos: a bot that loses its connection again and again disturbs others, and is told to wait.
#
# Every hello under a name costs, and every match that is over gives as much back, so that a program which is started
# for each match can come as often as it plays. For a name with many connections each hello costs less: all connections
# may be lost at once, and come again. A bot that resumes a session has shown that it is the same bot, and pays from a
# budget of its own, which other programs cannot use up.

HELLOS, HELLOS_A_SECOND = 20.0, 0.5  # of one name without a match in between


class ConnectionCounts:
    """The counts of hellos of all names."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.budgets = Budgets(HELLOS_A_SECOND, HELLOS, now)

    def count(self, name: str, session: str | None, others: int) -> None:
        """Count one more hello, which resumes `session`; `others` are connected under the same name. Raises TooMuch."""
        wait = self.budgets.take(_key(name, session), 1 / (1 + others))
        if wait:
            raise TooMuch("too-many-hellos", f"{name} has come too often without playing a match", wait)

    def played(self, name: str, session: str) -> None:
        """Refund a hello, because a match of that session is over."""
        self.budgets.give(_key(name, None))
        self.budgets.give(_key(name, session))


def _key(name: str, session: str | None) -> str:
    return f"name {name}" if session is None else f"session {session}"


# Errors: a bot is not let in, or cannot play now.


class NotAvailable(ValueError):
    """Bots that cannot play now; the message names them and says why."""


class LobbyError(ValueError):
    """A bot that is not let in: `code` for programs, the message for people."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class ServerStops(LobbyError):
    """The server stops and lets no bot in; `notice` says when to come back."""

    def __init__(self, notice: ServerStopping) -> None:
        super().__init__(SERVER_STOPPING, notice.reason)
        self.notice = notice


TAKEN_OVER = "another connection has taken this session over"


class Lobby(Listing):
    """The owner of sessions: lets bots in, and knows which are free."""

    def __init__(
        self,
        bus: Bus,
        *,
        games: Iterable[str] | None = None,
        limits: LobbyLimits | None = None,
        now: Callable[[], float] | None = None,
        visits: Visits | None = None,
        others: OtherServers = ALONE,
    ) -> None:
        """`visits` is told of bots that come and go."""
        self._bus, self._others = bus, others
        self._visits = visits
        self._games = installed_games() if games is None else tuple(games)
        self._limits = limits or LobbyLimits()
        self._now = now or (lambda: asyncio.get_running_loop().time())
        super().__init__(Register(self._games), Reservations(bus, others))
        self._gone: OrderedDict[str, Session] = OrderedDict()  # session id -> lost session, in order of loss
        self.connection_counts = ConnectionCounts(self._now)
        self._keys = 0  # connections so far
        self.on_return: Callable[[Session, float], None] = lambda _session, _away_s: None
        self.refusals: Counter[str] = Counter()  # refused hellos, by code; gateways count them

    # --- coming and going ---------------------------------------------------------------------------------------------

    def join(self, hello: Hello, link: BotLink, transport: str, identity: str = "") -> Session:
        """Let a bot in, and give it the matches that wait for it. Raises LobbyError, or TooMuch.

        A new session has this unguessable `identity`, or a random one.

        The caller posts `welcome` before it lets the event loop run again: the next message is one of a match that is
        taken over.
        """
        if self.stopping is not None:
            raise ServerStops(self.stopping)
        for game in hello.games:
            if game not in self._games:
                raise LobbyError("unknown-game", f"unknown game {game!r}; {nearest(game, self._games)}")
        reserved = is_reserved(hello.name)
        if reserved and hello.slots not in (UNSET, 1):
            raise LobbyError("one-slot", f"{hello.name} plays one match at a time; leave `slots` out")
        self._forget_stale()
        resumed = self._find(hello)
        replaced = [resumed] if resumed else []
        if reserved:  # a person has reloaded the page: the old page's connection may still seem alive
            replaced += [old for old in self._register.of(hello.name) if old is not resumed]
        elif transport == "mqtt":  # a broker knows a bot by its name: a second one has replaced the first
            known = self._register.of(hello.name)
            replaced += [old for old in known if old.transport == "mqtt" and old is not resumed]
        ended = sum(old.connected for old in replaced)
        ours = sum(old.connected and not old.process for old in replaced)
        away_s = away(resumed, transport, self._now())
        self._check_room(hello.name, ended, ours)
        others = len(self._register.of(hello.name)) - ended
        self.connection_counts.count(hello.name, resumed.id if resumed else None, others)
        inherited = [match for old in replaced for match in self._withdraw(old)]
        session = Session.of(hello, link, transport, resumed, identity)
        self._keys += 1
        session.key = self._keys
        self._register.add(session)
        session.idle_since = self.version
        self._reservations.take_over(session, inherited)
        self._update(session.name)
        self._announce(session)
        if hello.resume is not UNSET:
            self.on_return(session, away_s)
        if self._visits is not None:
            self._visits.came(hello)
            for _ in range(ours):
                self._visits.left(hello.name)
        return session

    def leave(self, session: Session) -> None:
        """Remove a connection that is gone; its session can be resumed for a while. A session that has
        left stays gone.
        """
        if session.connected:
            session.matches = dict.fromkeys(self._withdraw(session, lost=True))
            session.left_at = self._now()
            self._gone[session.id] = session
            self._forget_stale()
            self._announce(session)
            if self._visits is not None and not session.process:
                self._visits.left(session.name)

    def join_remote(self, session: Session) -> None:
        """Register a bot that another process has let in; matches here that wait for it ask for a slot there."""
        former = self._register.here.get(session.name, {}).get(session.id)
        if former is not None and former.process:  # it has resumed its session there, and that news came first
            self._withdraw(former)
        elif former is not None:
            self.close_taken_over(former, REPLACED, TAKEN_OVER)
        self._gone.pop(session.id, None)
        self._register.add(session)
        session.idle_since = self.version
        self._reservations.take_over(session)
        self._update(session.name)
        self._has_changed()

    def update_remote(self, session: Session, *, got_free: bool = False) -> None:
        """Take note that a connection of another process, or its promises, have changed."""
        if session.connected:
            if got_free:
                session.idle_since = self.version
                self._reservations.take_over(session)
            self._update(session.name)
            self._has_changed()

    def close_taken_over(self, session: Session, code: int, reason: str) -> None:
        """Close a connection of this process whose session another process has taken over: it cannot be
        resumed here.
        """
        if session.connected:
            self._withdraw(session, lost=True)
            self._announce(session)
            if self._visits is not None:
                self._visits.left(session.name)
            session.link.close(code, reason)

    def expel(self, session: Session, why: Expulsion) -> list[str]:
        """Expel a bot: close its connection, which cannot be resumed, and forfeit the matches that it holds.

        This includes a session that has just been lost. Returns those matches.
        """
        forfeited = self._reservations.expel(session, why)  # first of all, because it must forfeit instead of leave
        for match in [match for match in session.matches if match not in self._reservations]:
            self._others.tell_expelled(session, match, why)
        if session.connected:
            self.leave(session)
            disconnect_revoked(session, why)
        self._gone.pop(session.id, None)
        return forfeited

    def sessions(self) -> list[Session]:
        """Return all sessions that are connected here, and lost ones that may still be resumed."""
        here = [session for sessions in self._register.here.values() for session in sessions.values()]
        return [session for session in (*here, *self._gone.values()) if not session.process]

    def unlist(self, name: str) -> None:
        """Remove the name from all lists, and pair it with no bot, until it is restored."""
        self._register.unlist(name)

    def relist(self, name: str) -> None:
        """List the name again. Does nothing if it is listed."""
        self._register.relist(name)
        self._has_changed()

    def rest(self, name: str) -> None:
        """Let the ladder leave this bot out until `wake`, or until it is gone."""
        if self.is_here(name):
            self._register.rested.add(name)
            self._update(name)
            self._has_changed()

    def wake(self, name: str) -> None:
        """Let the ladder pair the bot again. Does nothing if it is not rested."""
        if self.is_rested(name):
            self._register.rested.discard(name)
            self._update(name)
            self._has_changed()

    # --- matches ------------------------------------------------------------------------------------------------------

    def reserve(
        self,
        match: str,
        game: str,
        names: Sequence[str],
        listener: MatchListener,
        *,
        absent_ok: bool = False,
        epoch: int = 0,
    ) -> None:
        """Reserve a slot of one instance of each bot for `match`: of all of them or, raising NotAvailable, of none.

        With `absent_ok` a bot that is not free is waited for: the listener is called when it takes its seat. Of another
        process's connections only those are taken that have promised a slot.
        """
        if match in self._reservations:
            raise ValueError(f"match {match!r} has its slots already")
        if len(set(names)) != len(names):
            raise NotAvailable(f"a bot cannot play itself: {', '.join(names)}")
        found = {name: self._seat_for(match, name, game, epoch) for name in names}
        missing = [self.why_not(name, game) for name, session in found.items() if session is None]
        if missing and not absent_ok:
            raise NotAvailable("; ".join(missing))
        for session in found.values():
            if session is not None and (lent := session.matches.pop(match, None)) is not None:
                lent.close()  # lent to the process that has played it before this one
        self._reservations.add(match, game, found, listener, epoch)
        for name, session in found.items():
            if session is not None:
                session.idle_since = self.version
                session.promised.discard(match)
                self._update(session.name)
            elif self._reservations.waiting(name):
                for other in [each for each in self._register.of(name) if each.process]:
                    self._reservations.take_over(other, [match])

    def release(self, match: str) -> None:
        """Free the slots of a match that is over. Does nothing if they are free."""
        if match not in self._reservations:
            return
        for session in self._reservations.remove(match):
            session.idle_since = self.version
            self.connection_counts.played(session.name, session.id)
            self._reservations.take_over(session)
            self._update(session.name)
        self._has_changed()

    def lend(self, session: Session, loan: Loan) -> None:
        """Lend a slot of the session, a connection of this process, to a match of another process."""
        session.matches[loan.match] = loan
        session.idle_since = self.version
        self._update(session.name)
        self._has_changed()

    def take_back(self, session: Session, match: str, *, played: bool = True) -> None:
        """Free a slot that was lent."""
        if session.connected and match in session.matches:
            session.matches.pop(match)
            session.idle_since = self.version
            if played:
                self.connection_counts.played(session.name, session.id)
            self._reservations.take_over(session)
            self._update(session.name)
            self._has_changed()

    def look_for_waiting(self) -> None:
        """Ask again for matches that wait for a connected bot, on any connection: the first request may be lost."""
        for name in self._reservations.waiting_names():
            for session in list(self._register.of(name)):
                self._reservations.take_over(session)
            self._update(name)

    def seat(self, session: Session, match: str) -> bool:
        """Seat another process's connection, which lends a slot to `match`; return False if the match no longer waits
        for it.
        """
        found = session.connected and self._reservations.seat(session, match)
        if found:
            session.promised.discard(match)
            self._update(session.name)
        return found

    def unseat(self, session: Session, match: str) -> None:
        """Take that slot back from the match."""
        self._reservations.unseat(session, match)
        self._update(session.name)

    def expelled(self, match: str, name: str, session: str, why: Expulsion) -> None:
        """Take note that another process has expelled a bot, whose session had that identity."""
        self._reservations.expelled(match, name, session, why)

    # --- within -------------------------------------------------------------------------------------------------------

    def _update(self, name: str) -> None:
        self._register.update(name)
        self._others.tell_connections(name)

    def _seat_for(self, match: str, name: str, game: str, epoch: int) -> Session | None:
        """Return the connection that has a slot for `match`; otherwise one of this process that is free.

        The slot may be lent to a process that played the match before, but not to one that plays it now.
        """
        connections = self._register.of(name)
        for session in connections:
            if session.process:
                if match in session.promised:
                    return session
            elif isinstance(loan := session.matches.get(match), Loan) and loan.epoch < epoch:
                return session
        free = self._register.free_session(name, game)
        if free is not None and free.process:
            ours = [each for each in connections if not each.process and each.free_slots > 0 and game in each.games]
            free = min(ours, key=lambda session: session.idle_since, default=None)
        return free

    def _find(self, hello: Hello) -> Session | None:
        """Return the session that `hello` wants to resume, lost or (as far as is known here) still connected."""
        if hello.resume is UNSET:
            return None
        session = self._register.here.get(hello.name, {}).get(hello.resume) or self._gone.get(hello.resume)
        return session if session is not None and session.name == hello.name else None

    def _check_room(self, name: str, without: int, ours: int) -> None:
        """Raise LobbyError if there is no room. `without`: connections that make room, `ours` of them
        in this process.
        """
        most, limit = self._limits.sessions, self._limits.instances
        if len(self._register.of(name)) - without >= limit:
            reason = f"{name} has {limit} connections already; close one, or ask for slots"
            raise LobbyError("too-many-instances", reason)
        if self._register.count - ours >= most:
            raise LobbyError("too-many-sessions", f"this server has {most} bots already; come back later")

    def _withdraw(self, session: Session, *, lost: bool = False) -> list[str]:
        """Take the session out, and inform its matches; return them."""
        self._gone.pop(session.id, None)
        if not session.connected:
            return list(session.matches)
        session.connected = False
        self._register.remove(session)
        matches = self._reservations.withdraw(session)
        self._update(session.name)
        if not lost:
            session.link.close(REPLACED, TAKEN_OVER)
        return matches

    def _announce(self, session: Session) -> None:
        """Publish who is here. A bot on the broker does so itself, because its last will must come last."""
        self._has_changed()
        if session.transport != "mqtt" and not session.process:
            self.tell_presence(session.name, session.transport)

    def tell_presence(self, name: str, transport: str) -> None:
        """Publish which of a bot's connections are there."""
        if not self.is_unlisted(name):
            here = [*self._register.of(name)]
            games = sorted({game for each in here for game in each.games})
            value = {"online": bool(here), "instances": len(here), "games": games, "transport": transport}
            self._bus.publish(topics.presence(name), msgspec.json.encode(value), retain=True)

    def _forget_stale(self) -> None:
        while self._gone:
            oldest = next(iter(self._gone.values()))
            if oldest.left_at > self._now() - self._limits.resume_s and len(self._gone) <= self._limits.sessions:
                break
            del self._gone[oldest.id]
