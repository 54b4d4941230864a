"""Who is here, what they play, and which connection holds which match. No sockets: gateways bring them in as links.

A bot has a name and any number of connections (instances), each with slots for so many matches. A match reserves one
slot of one instance of each of its bots. When an instance is lost, its matches stay reserved, and the next connection
of that name with a free slot takes them over: the same program resuming its session, or a new one that has forgotten.

With thousands of bots all is asked far more often than it changes for one of them. So whatever is asked is kept up to
date, name by name, as sessions come, go, take matches and end them.
"""

import asyncio
from bisect import bisect_left, insort
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence

import msgspec
from msgspec import UNSET

from palio_rules.contract import topics
from palio_rules.contract.endpoints import REPLACED
from palio_rules.contract.messages import Hello, Omission, ServerStopping
from palio_rules.contract.reserved import is_reserved
from palio_rules.errors import nearest
from palio_rules.registry import games as installed_games
from palio_server.bus import Bus
from palio_server.lobby.comings import Comings
from palio_server.lobby.errors import LobbyError, NotAvailable, ServerStops
from palio_server.lobby.expulsion import Expulsion, show_out
from palio_server.lobby.idle_list import IdleList
from palio_server.lobby.presence import Limits, Presence
from palio_server.lobby.reservations import Listener, Reservations
from palio_server.lobby.session import Link, Session, away
from palio_server.lobby.visits import Visits


class Lobby:
    """The one owner of sessions: lets bots in, and says who is free."""

    def __init__(
        self,
        bus: Bus,
        *,
        games: Iterable[str] | None = None,
        limits: Limits | None = None,
        now: Callable[[], float] | None = None,
        visits: Visits | None = None,
    ) -> None:
        """`visits` hears who comes and goes."""
        self._bus = bus
        self._visits = visits
        self._games = installed_games() if games is None else tuple(games)
        self._limits = limits or Limits()
        self._now = now or (lambda: asyncio.get_running_loop().time())
        self._here: dict[str, dict[str, Session]] = {}  # name -> session id -> connected session
        self._gone: OrderedDict[str, Session] = OrderedDict()  # session id -> lost session, in order of loss
        self._reservations = Reservations(bus)
        self._comings = Comings(self._now)
        self._waiters: set[asyncio.Future[None]] = set()
        # What follows from `_here`, kept up to date by `_update`:
        self._sessions = 0  # connected ones
        self._names: list[str] = []  # sorted
        self._arrived: dict[str, int] = {}  # name -> how many names had come before
        self._arrivals = 0
        self._players: dict[str, dict[str, None]] = {game: {} for game in self._games}  # who plays it, busy or not
        self._idle: dict[str, IdleList] = {game: IdleList() for game in self._games}
        self._withheld: set[str] = set()  # names that play by appointment for now
        self._apart: set[str] = set()  # those who are here by appointment
        self._presences: dict[str, Presence] = {}  # those that have been asked for since they changed last
        self.on_return: Callable[[Session, float], None] = lambda _session, _away_s: None
        self.version = 0  # grows with every change
        self.refusals: Counter[str] = Counter()  # hellos that were refused, by code; gateways count them
        self.stopping: ServerStopping | None = None  # once set, nobody is let in, and nobody is free any more

    # --- coming and going ---------------------------------------------------------------------------------------------

    def join(self, hello: Hello, link: Link, transport: str) -> Session:
        """Let a bot in, and give it the matches that wait for it. Raises LobbyError, or TooMuch.

        The caller posts `welcome` before it lets the event loop run again: a match that is taken over speaks next.
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
        if reserved:  # a person has opened the page anew: the connection of the old one may not have noticed
            replaced += [old for old in self._of(hello.name) if old is not resumed]
        elif transport == "mqtt":  # a broker knows a bot by its name: a second one has taken the first one's place
            replaced += [old for old in self._of(hello.name) if old.transport == "mqtt" and old is not resumed]
        ended = sum(old.connected for old in replaced)
        away_s = away(resumed, transport, self._now())
        self._check_room(hello.name, without=ended)
        self._comings.count(hello.name, resumed.id if resumed else None, len(self._of(hello.name)) - ended)
        inherited = [match for old in replaced for match in self._withdraw(old)]
        session = Session.of(hello, link, transport, resumed)
        self._enter(session)
        session.idle_since = self.version
        self._reservations.take_over(session, inherited)
        self._update(session.name)
        self._announce(session)
        if hello.resume is not UNSET:
            self.on_return(session, away_s)
        if self._visits is not None:
            self._visits.came(hello)
            for _ in range(ended):
                self._visits.left(hello.name)
        return session

    def leave(self, session: Session) -> None:
        """The connection is gone; its session can be resumed for a while. A session that has left stays gone."""
        if session.connected:
            session.matches = dict.fromkeys(self._withdraw(session, lost=True))
            session.left_at = self._now()
            self._gone[session.id] = session
            self._forget_stale()
            self._announce(session)
            if self._visits is not None:
                self._visits.left(session.name)

    def expel(self, session: Session, why: Expulsion) -> list[str]:
        """Let a bot stay no longer: its connection is closed, cannot be resumed, and what it holds is forfeited.

        Also for one that has just been lost. Which matches were those?
        """
        forfeited = self._reservations.expel(session, why)  # first of all: it does not leave, it forfeits
        if session.connected:
            self.leave(session)
            show_out(session, why)
        self._gone.pop(session.id, None)
        return forfeited

    def sessions(self) -> list[Session]:
        """All that are connected, and those lost ones that may still be resumed."""
        here = [session for sessions in self._here.values() for session in sessions.values()]
        return [*here, *self._gone.values()]

    def connected(self, game: str | None = None) -> list[Presence]:
        """The bots that are here, or only those that play `game`, by name."""
        names = self._names if game is None else sorted(self.players(game))
        return [self._presences.get(name) or self._presence(name) for name in names if name not in self._apart]

    def by_appointment(self, name: str) -> bool:
        """Whether it is listed nowhere: guests, the server's own bots, and whoever is withheld play at a table."""
        return name in self._withheld or is_reserved(name)

    def withhold(self, name: str) -> None:
        """List the name nowhere, and pair it with nobody, until it is restored."""
        self._withheld.add(name)
        self._update(name)

    def restore(self, name: str) -> None:
        """List the name again. Restoring twice is harmless."""
        self._withheld.discard(name)
        self._update(name)
        self._has_changed()

    def is_here(self, name: str) -> bool:
        """Whether a bot of that name is connected."""
        return name in self._here

    def matches(self, name: str) -> list[str]:
        """The matches that the bot's connections hold."""
        return [match for session in self._of(name) for match in session.matches]

    def builds(self, name: str) -> list[str]:
        """Which programs play under this name now, as far as they say so."""
        return sorted({session.build for session in self._of(name) if session.build})

    def notice(self, session: Session) -> str:
        """What the author of this session should know: another program plays under its name. Mostly ""."""
        others = [build for build in self.builds(session.name) if build != session.build]
        if not session.build or not others:
            return ""
        return (
            f"another program plays as {session.name} now: {', '.join(others)}; this one is {session.build}. "
            "Their results are counted together; stop one of them, or join under another name"
        )

    def games(self) -> list[str]:
        """The games that somebody here plays, by name."""
        return sorted(game for game, players in self._players.items() if players)

    def players(self, game: str) -> Collection[str]:
        """The names of all who are here and play `game`, free or not."""
        return self._players.get(game, {}).keys()

    def free(self, game: str) -> list[str]:
        """The names with a free slot for `game`, longest idle first."""
        return self._idle[game].names() if game in self._idle and self.stopping is None else []

    def is_free(self, name: str, game: str) -> bool:
        """Whether the bot is here and has a free slot for `game`; this is asked of those by appointment, too."""
        if self.stopping is not None:
            return False
        if name in self._apart:
            return self._free_session(name, game) is not None
        return game in self._idle and name in self._idle[game]

    async def changed(self, since: int | None = None) -> None:
        """Return when somebody has joined, left or got free.

        With `since`, a `version` read earlier, return at once if that has happened in the meantime.
        """
        if since is None or since == self.version:
            waiter = asyncio.get_running_loop().create_future()
            self._waiters.add(waiter)
            try:
                await waiter
            finally:
                self._waiters.discard(waiter)

    # --- matches ------------------------------------------------------------------------------------------------------

    def reserve(
        self, match: str, game: str, names: Sequence[str], listener: Listener, *, absent_ok: bool = False
    ) -> None:
        """Keep a slot of one instance of each bot for `match`: of all of them or, raising NotAvailable, of none.

        With `absent_ok` a bot that is not free is waited for: the listener hears of it when it takes its seat.
        """
        if match in self._reservations:
            raise ValueError(f"match {match!r} has its slots already")
        if len(set(names)) != len(names):
            raise NotAvailable(f"a bot cannot play itself: {', '.join(names)}")
        found = {name: self._free_session(name, game) for name in names}
        missing = [self._why_not(name, game) for name, session in found.items() if session is None]
        if missing and not absent_ok:
            raise NotAvailable("; ".join(missing))
        self._reservations.add(match, game, found, listener)
        for session in found.values():
            if session is not None:
                session.idle_since = self.version
                self._update(session.name)

    def release(self, match: str) -> None:
        """The match is over: its slots are free again. Releasing twice is harmless."""
        if match not in self._reservations:
            return
        for session in self._reservations.remove(match):
            session.idle_since = self.version
            self._comings.played(session.name, session.id)
            self._reservations.take_over(session)
            self._update(session.name)
        self._has_changed()

    def present(self, match: str, name: str) -> bool:
        """Whether a connection of the bot holds its seat in `match`."""
        return self._reservations.holder(match, name) is not None

    def without(self, match: str, name: str) -> Collection[Omission]:
        """What the connection that holds the bot's seat in `match` now has no use for."""
        holder = self._reservations.holder(match, name)
        return () if holder is None else holder.without

    def confined(self, match: str, name: str) -> str:
        """How the program is confined that holds the bot's seat in `match` now; "": unknown."""
        holder = self._reservations.holder(match, name)
        return "" if holder is None else holder.confined

    # --- within -------------------------------------------------------------------------------------------------------

    def _of(self, name: str) -> Collection[Session]:
        return self._here.get(name, {}).values()

    def _enter(self, session: Session) -> None:
        name = session.name
        if name not in self._here:
            self._here[name] = {}
            insort(self._names, name)
            self._arrived[name] = self._arrivals
            self._arrivals += 1
        self._here[name][session.id] = session
        self._sessions += 1

    def _update(self, name: str) -> None:
        """The sessions of `name`, or what they play, have changed."""
        self._presences.pop(name, None)
        apart = self.by_appointment(name)
        if apart and name in self._here:
            self._apart.add(name)
        else:
            self._apart.discard(name)
        sessions = () if apart else self._of(name)
        for game, idle in self._idle.items():
            players = self._players[game]
            if any(game in session.games for session in sessions):
                players[name] = None
                free = self._free_session(name, game)
                idle.put(name, None if free is None else (free.idle_since, self._arrived[name]))
            elif name in players:
                del players[name]
                idle.put(name, None)

    def _presence(self, name: str) -> Presence:
        sessions = self._of(name)
        found = self._presences[name] = Presence(
            name=name,
            games=tuple(sorted({game for session in sessions for game in session.games})),
            instances=len(sessions),
            slots=sum(session.slots for session in sessions),
            playing=sum(len(session.matches) for session in sessions),
            transport="+".join(sorted({session.transport for session in sessions})),
        )
        return found

    def _free_session(self, name: str, game: str) -> Session | None:
        free = [session for session in self._of(name) if session.free_slots > 0 and game in session.games]
        return min(free, key=lambda session: session.idle_since, default=None)

    def _why_not(self, name: str, game: str) -> str:
        if name not in self._here:
            return f"{name} is not connected"
        if not any(game in session.games for session in self._of(name)):
            return f"{name} does not play {game}"
        return f"{name} has no free slot for {game}"

    def _find(self, hello: Hello) -> Session | None:
        """The session that `hello` wants to resume, lost or (as far as we know) still connected."""
        if hello.resume is UNSET:
            return None
        session = self._here.get(hello.name, {}).get(hello.resume) or self._gone.get(hello.resume)
        return session if session is not None and session.name == hello.name else None

    def _check_room(self, name: str, without: int) -> None:
        most, limit = self._limits.sessions, self._limits.instances
        if len(self._here.get(name, {})) - without >= limit:
            reason = f"{name} has {limit} connections already; close one, or ask for slots"
            raise LobbyError("too-many-instances", reason)
        if self._sessions - without >= most:
            raise LobbyError("too-many-sessions", f"this server has {most} bots already; come back later")

    def _withdraw(self, session: Session, *, lost: bool = False) -> list[str]:
        """Take the session out, and tell its matches; which were they?"""
        self._gone.pop(session.id, None)
        if not session.connected:
            return list(session.matches)
        session.connected = False
        name = session.name
        del self._here[name][session.id]
        self._sessions -= 1
        if not self._here[name]:
            del self._here[name], self._arrived[name]
            del self._names[bisect_left(self._names, name)]
        matches = self._reservations.withdraw(session)
        self._update(name)
        if not lost:
            session.link.close(REPLACED, "another connection has taken this session over")
        return matches

    def _announce(self, session: Session) -> None:
        """Tell the world who is here. A bot on the broker does so itself: its last will must have the last word."""
        self._has_changed()
        if session.transport != "mqtt" and not self.by_appointment(session.name):
            here = [*self._of(session.name)]
            games = sorted({game for each in here for game in each.games})
            value = {"online": bool(here), "instances": len(here), "games": games, "transport": session.transport}
            self._bus.publish(topics.presence(session.name), msgspec.json.encode(value), retain=True)

    def _has_changed(self) -> None:
        self.version += 1
        woken, self._waiters = self._waiters, set()  # once a turn of the loop, however much changes in it
        for waiter in woken:
            if not waiter.done():
                waiter.set_result(None)

    def _forget_stale(self) -> None:
        while self._gone:
            oldest = next(iter(self._gone.values()))
            if oldest.left_at > self._now() - self._limits.resume_s and len(self._gone) <= self._limits.sessions:
                break
            del self._gone[oldest.id]
