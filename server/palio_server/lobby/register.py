"""The register of connected bots by name, with values derived from who they are and what they play, kept up to date.

With thousands of bots every value is read far more often than it changes for one of them.
"""

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from palio_rules.contract.names import is_reserved
from palio_server.lobby.session import Session

# A connected bot as others see it, and the limits on how many there may be.


@dataclass(frozen=True, slots=True)
class Presence:
    """A connected bot, all its instances together."""

    name: str
    games: tuple[str, ...]
    instances: int
    slots: int
    playing: int
    transport: str
    rested: bool = False  # the ladder gives it no matches until it sends a message


@dataclass(frozen=True, slots=True)
class LobbyLimits:
    sessions: int = 5000  # connected at once
    instances: int = 256  # of one name
    resume_s: float = 120.0  # how long a lost session is remembered


# The names that could play one game now, longest idle first, kept up to date so that reading is cheap.

Since = tuple[int, int]  # (sequence number of last match, of arrival); unique per bot


class IdleList:
    """Names, ordered by `Since`.

    A bot that just became idle usually belongs at the end, so the list is sorted only when it does not, at the next
    reading.
    """

    def __init__(self) -> None:
        self._since: dict[str, Since] = {}
        self._latest: Since = (-1, -1)  # no entry is later
        self._sorted = True

    def __len__(self) -> int:
        return len(self._since)

    def __contains__(self, name: str) -> bool:
        return name in self._since

    def put(self, name: str, since: Since | None) -> None:
        """Enter the name, or move it to its new place; None removes it."""
        if since is None:
            self._since.pop(name, None)
        elif self._since.get(name) != since:
            self._since.pop(name, None)
            self._since[name] = since
            if since < self._latest:
                self._sorted = False
            else:
                self._latest = since

    def names(self) -> list[str]:
        """Return all names, in order."""
        if not self._sorted:
            self._since = dict(sorted(self._since.items(), key=lambda item: item[1]))
            self._sorted = True
        return list(self._since)


class Register:
    """The connected sessions. They come and go by `add` and `remove`; after every other change of
    one, call `update`.
    """

    def __init__(self, games: Iterable[str]) -> None:
        self.here: dict[str, dict[str, Session]] = {}  # name -> session id -> connected session
        self.count = 0  # of the connections of this process
        self._names: list[str] = []  # sorted
        self._arrived: dict[str, int] = {}  # name -> how many names had come before
        self._arrivals = 0
        self._players: dict[str, dict[str, None]] = {game: {} for game in games}  # every bot that plays it, busy or not
        self._idle: dict[str, IdleList] = {game: IdleList() for game in self._players}
        self.rested: set[str] = set()  # names that the ladder pairs with no other
        self._unlisted: set[str] = set()  # names that are not listed for now
        self._apart: set[str] = set()  # those of the connected names that are not listed
        self._presences: dict[str, Presence] = {}  # cached values, dropped when a name changes

    def of(self, name: str) -> Collection[Session]:
        """Return the connected sessions of a name."""
        return self.here.get(name, {}).values()

    def add(self, session: Session) -> None:
        """Add a session; `update` follows."""
        name = session.name
        if name not in self.here:
            self.here[name] = {}
            insort(self._names, name)
            self._arrived[name] = self._arrivals
            self._arrivals += 1
        self.here[name][session.id] = session
        self.count += not session.process

    def remove(self, session: Session) -> None:
        """Remove a session; `update` follows."""
        name = session.name
        del self.here[name][session.id]
        self.count -= not session.process
        if not self.here[name]:
            del self.here[name], self._arrived[name]
            self.rested.discard(name)
            del self._names[bisect_left(self._names, name)]

    def update(self, name: str) -> None:
        """Update the values of `name` after a change in its sessions, or in what they play."""
        self._presences.pop(name, None)
        apart = self.is_unlisted(name)
        if apart and name in self.here:
            self._apart.add(name)
        else:
            self._apart.discard(name)
        sessions = () if apart else self.of(name)
        for game, idle in self._idle.items():
            players = self._players[game]
            if any(game in session.games for session in sessions):
                players[name] = None
                free = self.free_session(name, game)
                idle.put(name, None if free is None else (free.idle_since, self._arrived[name]))
            elif name in players:
                del players[name]
                idle.put(name, None)

    # --- read --------------------------------------------------------------------------------------------------------

    def connected(self, game: str | None = None) -> list[Presence]:
        """Return the bots that are here, or only those that play `game`, by name."""
        names = self._names if game is None else sorted(self.players(game))
        return [self._presences.get(name) or self._presence(name) for name in names if name not in self._apart]

    def is_unlisted(self, name: str) -> bool:
        """Return True if the name is not listed: guests, the server's own bots, and withheld names play only at a
        table.
        """
        return name in self._unlisted or is_reserved(name)

    def unlist(self, name: str) -> None:
        """Remove the name from all lists, and pair it with no bot, until it is restored."""
        self._unlisted.add(name)
        self.update(name)

    def relist(self, name: str) -> None:
        """List the name again. Does nothing if it is listed."""
        self._unlisted.discard(name)
        self.update(name)

    def games(self) -> list[str]:
        """Return the games that connected bots play, by name."""
        return sorted(game for game, players in self._players.items() if players)

    def players(self, game: str) -> Collection[str]:
        """Return the names of all bots that are here and play `game`, free or not."""
        return self._players.get(game, {}).keys()

    def free(self, game: str) -> list[str]:
        """Return the names with a free slot for `game`, longest idle first."""
        return self._idle[game].names() if game in self._idle else []

    def free_with_unlisted(self, game: str) -> set[str]:
        """Return the names for which `is_free`."""
        return {*self.free(game), *(name for name in self._apart if self.is_free(name, game))}

    def is_free(self, name: str, game: str) -> bool:
        """Return True if the bot is here and has a free slot for `game`; bots that are not listed are included."""
        if name in self._apart:
            return self.free_session(name, game) is not None
        return game in self._idle and name in self._idle[game]

    def free_session(self, name: str, game: str) -> Session | None:
        """Return the session with a free slot for `game` that has been idle for longest."""
        free = [session for session in self.of(name) if session.free_slots > 0 and game in session.games]
        return min(free, key=lambda session: session.idle_since, default=None)

    def why_not(self, name: str, game: str) -> str:
        """Return the reason, in words, why there is no free session."""
        if name not in self.here:
            return f"{name} is not connected"
        if not any(game in session.games for session in self.of(name)):
            return f"{name} does not play {game}"
        return f"{name} has no free slot for {game}"

    def _presence(self, name: str) -> Presence:
        sessions = self.of(name)
        found = self._presences[name] = Presence(
            name=name,
            games=tuple(sorted({game for session in sessions for game in session.games})),
            instances=len(sessions),
            slots=sum(session.slots for session in sessions),
            playing=sum(session.playing for session in sessions),
            transport="+".join(sorted({session.transport for session in sessions})),
            rested=name in self.rested,
        )
        return found
