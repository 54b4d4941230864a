"""Read-only views of a lobby: connected bots, free bots, and the connection that holds each match."""

import asyncio
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from msgspec import UNSET

from palio_rules.contract import topics
from palio_rules.contract.messages import Hello, Omission, ServerStopping
from palio_rules.contract.names import is_reserved
from palio_server.bus import Bus
from palio_server.lobby.other_servers import ALONE, OtherServers
from palio_server.lobby.register import Presence, Register
from palio_server.lobby.session import Expulsion, Session

# The connection of each bot that holds each match, and the matches that wait for an absent bot.


class MatchListener(Protocol):
    """The part of a match that is told about its bots."""

    def present(self, name: str, present: bool) -> None:  # noqa: FBT001  # one word for both
        """Take note that the bot has come, or has left."""

    def expelled(self, name: str, why: Expulsion) -> None:
        """Take note that the bot is expelled from all play, and forfeits."""


@dataclass(slots=True)
class _Reservation:
    game: str
    listener: MatchListener
    epoch: int
    holders: dict[str, Session | None]  # by bot name; None while the bot is absent


class Reservations:
    """One slot of one connection of each bot, for each match that is played. Forwards the matches' messages to them."""

    def __init__(self, bus: Bus, others: OtherServers = ALONE) -> None:
        self._bus, self._others = bus, others
        self._by_match: dict[str, _Reservation] = {}
        self._by_name: dict[str, list[str]] = {}  # bot name -> its matches, oldest first

    def __contains__(self, match: str) -> bool:
        return match in self._by_match

    def holder(self, match: str, name: str) -> Session | None:
        """Return the connection of `name` that holds `match`; None if there is none."""
        reservation = self._by_match.get(match)
        return None if reservation is None else reservation.holders.get(name)

    def epoch(self, match: str) -> int:
        """Return the epoch under which `match` is played here; 0 if it is not."""
        reservation = self._by_match.get(match)
        return 0 if reservation is None else reservation.epoch

    def add(
        self, match: str, game: str, sessions: Mapping[str, Session | None], listener: MatchListener, epoch: int = 0
    ) -> None:
        """Reserve a slot of these sessions, by bot name; a bot that has none now is waited for."""
        self._by_match[match] = _Reservation(game, listener, epoch, dict.fromkeys(sessions))
        for name, session in sessions.items():
            self._by_name.setdefault(name, []).append(match)
            if session is not None:
                self._attach(session, match)

    def remove(self, match: str) -> list[Session]:
        """Remove a match that is over; return the sessions whose slots are free again."""
        holders = self._by_match.pop(match).holders
        for name in holders:
            self._by_name[name].remove(match)
            if not self._by_name[name]:
                del self._by_name[name]
        freed = [session for session in holders.values() if session is not None]
        for session in freed:
            _stop_forwarding(session, match)
        return freed

    def withdraw(self, session: Session) -> list[str]:
        """Remove a session that is gone, and inform its matches; return them."""
        matches = list(session.matches)
        for match in matches:
            _stop_forwarding(session, match)
            reservation = self._by_match.get(match)
            if reservation is None:  # lent to another process, which notices by itself that the session is gone
                continue
            reservation.holders[session.name] = None
            reservation.listener.present(session.name, False)
        return matches

    def expel(self, session: Session, why: Expulsion) -> list[str]:
        """Let the bot forfeit the matches that the session holds, or held without a successor; return them."""
        found = []
        for match in session.matches:
            reservation = self._by_match.get(match)
            if reservation is not None and reservation.holders.get(session.name) in (session, None):
                reservation.listener.expelled(session.name, why)
                found.append(match)
        return found

    def take_over(self, session: Session, first: Iterable[str] = ()) -> None:
        """Fill the session's free slots with matches that wait for its bot, starting with those of `first`."""
        waiting = self._by_name.get(session.name, ())
        for match in dict.fromkeys((*first, *waiting)):
            reservation = self._by_match.get(match)
            if reservation is None or reservation.holders.get(session.name, session) is not None:
                continue
            if (session.free_slots > 0 or match in session.remote_matches) and reservation.game in session.games:
                if session.process:
                    self._others.ask_for_slot(session, match, reservation.epoch)
                else:
                    self.seat(session, match)

    def seat(self, session: Session, match: str) -> bool:
        """Let the session hold `match`, which has waited for its bot; return False if it no longer waits."""
        reservation = self._by_match.get(match)
        if reservation is None or reservation.holders.get(session.name, session) is not None:
            return False
        self._attach(session, match)
        reservation.listener.present(session.name, True)
        return True

    def unseat(self, session: Session, match: str) -> None:
        """Take `match` from the session, because its process says so."""
        reservation = self._by_match.get(match)
        if reservation is not None and reservation.holders.get(session.name) is session:
            _stop_forwarding(session, match)
            reservation.holders[session.name] = None
            reservation.listener.present(session.name, False)

    def expelled(self, match: str, name: str, session: str, why: Expulsion) -> None:
        """Let a bot forfeit that another process has expelled, if that session held `match`, or no session does now."""
        reservation = self._by_match.get(match)
        if reservation is not None and name in reservation.holders:
            holder = reservation.holders[name]
            if holder is None or holder.id == session:
                reservation.listener.expelled(name, why)

    def waiting_names(self) -> list[str]:
        """Return the bots that matches wait for."""
        return [name for name in self._by_name if self.waiting(name)]

    def waiting(self, name: str) -> bool:
        """Return True if a match waits for the bot."""
        matches = self._by_name.get(name, ())
        return any(self._by_match[match].holders.get(name) is None for match in matches)

    def _attach(self, session: Session, match: str) -> None:
        self._by_match[match].holders[session.name] = session
        if session.transport == "mqtt":
            # The broker carries its messages; if another process let the bot in, this one has to subscribe, too.
            said = topics.bot_out(session.name, match)
            session.matches[match] = self._bus.listen(said) if session.process else None
        else:
            session.matches[match] = self._bus.subscribe(topics.bot_in(session.name, match), session.link.post)


def _stop_forwarding(session: Session, match: str) -> None:
    subscription = session.matches.pop(match)
    if subscription is not None:
        subscription.close()


class Listing:
    """The read-only part of a lobby."""

    def __init__(self, register: Register, reservations: Reservations) -> None:
        self._register, self._reservations = register, reservations
        self._waiters: set[asyncio.Future[None]] = set()
        self.version = 0  # grows with every change
        self.stopping: ServerStopping | None = None  # once set, no bot is let in, and none counts as free

    def is_ours(self, name: str) -> bool:
        """Return True if a connection of that name belongs to this process."""
        return any(not session.process for session in self._register.of(name))

    def connections(self, name: str) -> list[Session]:
        """Return the connections of a name, including those of other processes."""
        return list(self._register.of(name))

    def has(self, name: str, session: str) -> bool:
        """Return True if that session of the bot is connected, to any process."""
        return session in self._register.here.get(name, ())

    def connected(self, game: str | None = None) -> list[Presence]:
        """Return the bots that are here, or only those that play `game`, by name."""
        return self._register.connected(game)

    def is_unlisted(self, name: str) -> bool:
        """Return True if the name is not listed: guests, the server's own bots, and withheld names play only at a
        table.
        """
        return self._register.is_unlisted(name)

    def is_here(self, name: str) -> bool:
        """Return True if a bot of that name is connected."""
        return name in self._register.here

    def is_rested(self, name: str) -> bool:
        """Return True if the ladder leaves it out: it did not come to its last matches, and has sent nothing since."""
        return name in self._register.rested

    def matches(self, name: str) -> list[str]:
        """Return the matches that the bot's connections hold."""
        sessions = self._register.of(name)
        found = (match for each in sessions for match in (*each.matches, *sorted(each.remote_matches)))
        return list(dict.fromkeys(found))

    def builds(self, name: str) -> list[str]:
        """Return the programs that play under this name now, as far as they report one."""
        return sorted({session.build for session in self._register.of(name) if session.build})

    def notice(self, session: Session) -> str:
        """Return a warning for the author of this session if another program plays under its name, else ""."""
        others = [build for build in self.builds(session.name) if build != session.build]
        if not session.build or not others:
            return ""
        return (
            f"another program plays as {session.name} now: {', '.join(others)}; this one is {session.build}. "
            "Their results are counted together; stop one of them, or join under another name"
        )

    def greeting(self, session: Session, hello: Hello, *, local: bool = False) -> str:
        """Return the warning for the `welcome`: that of `notice`, or that an unproven name is in use.

        Three cases cause no warning: another connection of the same program that the operator has started (`local`: it
        comes by a Unix socket), a resumed session, and a second connection over a broker, where a name has one session
        at a time.
        """
        others = [each for each in self._register.of(session.name) if each is not session]
        known = session.token is not None or hello.resume is not UNSET or is_reserved(session.name)
        same = local and all(each.build == session.build for each in others)
        if (told := self.notice(session)) or known or same or not others or session.transport == "mqtt":
            return told
        plays = "one other connection plays" if len(others) == 1 else f"{len(others)} other connections play"
        return (
            f"the name {session.name} is in use: {plays} under it, too, and all their results are counted together. "
            "Unless they are yours, join under another name"
        )

    def games(self) -> list[str]:
        """Return the games that connected bots play, by name."""
        return self._register.games()

    def players(self, game: str) -> Collection[str]:
        """Return the names of all bots that are here and play `game`, free or not."""
        return self._register.players(game)

    def free(self, game: str) -> list[str]:
        """Return the names with a free slot for `game`, longest idle first."""
        return self._register.free(game) if self.stopping is None else []

    def free_with_unlisted(self, game: str) -> set[str]:
        """Return the names for which `is_free`."""
        return self._register.free_with_unlisted(game) if self.stopping is None else set()

    def is_free(self, name: str, game: str) -> bool:
        """Return True if the bot is here and has a free slot for `game`; bots that are not listed are included."""
        return self.stopping is None and self._register.is_free(name, game)

    def is_kept(self, name: str, match: str) -> bool:
        """Return True if a slot of the bot is kept for a match that another process plays, or played before it died."""
        return self.stopping is None and any(
            match in (session.remote_matches if session.process else session.matches)
            for session in self._register.of(name)
        )

    def free_session(self, name: str, game: str) -> Session | None:
        """Return the connection that would be given the bot's next match, perhaps another process's."""
        return self._register.free_session(name, game)

    def why_not(self, name: str, game: str) -> str:
        """Return the reason, in words, why a bot cannot play now."""
        return self._register.why_not(name, game)

    async def changed(self, since: int | None = None) -> None:
        """Return when a bot has joined, left or become free.

        With `since`, a `version` read earlier, return at once if that has happened in the meantime.
        """
        if since is None or since == self.version:
            waiter = asyncio.get_running_loop().create_future()
            self._waiters.add(waiter)
            try:
                await waiter
            finally:
                self._waiters.discard(waiter)

    def present(self, match: str, name: str) -> bool:
        """Return True if a connection of the bot holds its seat in `match`."""
        return self._reservations.holder(match, name) is not None

    def without(self, match: str, name: str) -> Collection[Omission]:
        """Return the parts of messages that the connection in the bot's seat in `match` does not need."""
        holder = self._reservations.holder(match, name)
        return () if holder is None else holder.without

    def holder(self, match: str, name: str) -> Session | None:
        """Return the connection in the bot's seat in `match`; None if there is none, or the match is
        not played here.
        """
        return self._reservations.holder(match, name)

    def _has_changed(self) -> None:
        self.version += 1
        woken, self._waiters = self._waiters, set()  # once a turn of the loop, for any number of changes
        for waiter in woken:
            if not waiter.done():
                waiter.set_result(None)
