"""Which connection of each bot holds which match, and which matches wait for a bot that is absent."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from palio_rules.contract import topics
from palio_server.bus import Bus
from palio_server.lobby.expulsion import Expulsion
from palio_server.lobby.session import Session


class Listener(Protocol):
    """One match, as far as it hears of its bots."""

    def present(self, name: str, present: bool) -> None:  # noqa: FBT001  # one word for both
        """The bot has come, or has left."""

    def expelled(self, name: str, why: Expulsion) -> None:
        """The bot may play on nowhere, and forfeits."""


@dataclass(slots=True)
class _Reservation:
    game: str
    listener: Listener
    epoch: int
    holders: dict[str, Session | None]  # by bot name; None while the bot is absent


class Reservations:
    """One slot of one connection of each bot, for each match that is played. Forwards the matches' messages to them."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        # Asked for a slot of a connection of another process: (session, match, epoch); it calls `seat` if it gets one.
        self.ask: Callable[[Session, str, int], None] = lambda _session, _match, _epoch: None
        self._by_match: dict[str, _Reservation] = {}
        self._by_name: dict[str, list[str]] = {}  # bot name -> its matches, oldest first

    def __contains__(self, match: str) -> bool:
        return match in self._by_match

    def holder(self, match: str, name: str) -> Session | None:
        """The connection of `name` that holds `match`; None if there is none."""
        reservation = self._by_match.get(match)
        return None if reservation is None else reservation.holders.get(name)

    def epoch(self, match: str) -> int:
        """Under which `match` is played here; 0: it is not."""
        reservation = self._by_match.get(match)
        return 0 if reservation is None else reservation.epoch

    def add(
        self, match: str, game: str, sessions: Mapping[str, Session | None], listener: Listener, epoch: int = 0
    ) -> None:
        """Reserve a slot of these sessions, by bot name; a bot that has none now is waited for."""
        self._by_match[match] = _Reservation(game, listener, epoch, dict.fromkeys(sessions))
        for name, session in sessions.items():
            self._by_name.setdefault(name, []).append(match)
            if session is not None:
                self._attach(session, match)

    def remove(self, match: str) -> list[Session]:
        """The match is over: the sessions whose slots are free again."""
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
        """The session is gone, and its matches hear of it; which are they?"""
        matches = list(session.matches)
        for match in matches:
            _stop_forwarding(session, match)
            reservation = self._by_match.get(match)
            if reservation is None:  # lent to another process, which sees for itself that the session is gone
                continue
            reservation.holders[session.name] = None
            reservation.listener.present(session.name, False)
        return matches

    def expel(self, session: Session, why: Expulsion) -> list[str]:
        """The bot forfeits what the session holds, or held and nobody has taken over since: which matches?"""
        found = []
        for match in session.matches:
            reservation = self._by_match.get(match)
            if reservation is not None and reservation.holders.get(session.name) in (session, None):
                reservation.listener.expelled(session.name, why)
                found.append(match)
        return found

    def take_over(self, session: Session, first: Iterable[str] = ()) -> None:
        """Fill the session's free slots with matches that wait for its bot, those that it had `first`."""
        waiting = self._by_name.get(session.name, ())
        for match in dict.fromkeys((*first, *waiting)):
            reservation = self._by_match.get(match)
            if reservation is None or reservation.holders.get(session.name, session) is not None:
                continue
            if (session.free_slots > 0 or match in session.elsewhere) and reservation.game in session.games:
                if session.process:
                    self.ask(session, match, reservation.epoch)
                else:
                    self.seat(session, match)

    def seat(self, session: Session, match: str) -> bool:
        """Let the session hold `match`, which has waited for its bot; False if it waits no more."""
        reservation = self._by_match.get(match)
        if reservation is None or reservation.holders.get(session.name, session) is not None:
            return False
        self._attach(session, match)
        reservation.listener.present(session.name, True)
        return True

    def unseat(self, session: Session, match: str) -> None:
        """The session holds `match` no more, as its process says."""
        reservation = self._by_match.get(match)
        if reservation is not None and reservation.holders.get(session.name) is session:
            _stop_forwarding(session, match)
            reservation.holders[session.name] = None
            reservation.listener.present(session.name, False)

    def expelled(self, match: str, name: str, session: str, why: Expulsion) -> None:
        """Another process has shown a bot the door: it forfeits, if that session held `match`, or nobody does now."""
        reservation = self._by_match.get(match)
        if reservation is not None and name in reservation.holders:
            holder = reservation.holders[name]
            if holder is None or holder.id == session:
                reservation.listener.expelled(name, why)

    def waiting_names(self) -> list[str]:
        """The bots that matches wait for."""
        return [name for name in self._by_name if self.waiting(name)]

    def waiting(self, name: str) -> bool:
        """Whether a match waits for the bot."""
        matches = self._by_name.get(name, ())
        return any(self._by_match[match].holders.get(name) is None for match in matches)

    def _attach(self, session: Session, match: str) -> None:
        self._by_match[match].holders[session.name] = session
        if session.transport == "mqtt":
            # The broker carries its messages; if it is another process that let the bot in, we have to listen, too.
            said = topics.bot_out(session.name, match)
            session.matches[match] = self._bus.listen(said) if session.process else None
        else:
            session.matches[match] = self._bus.subscribe(topics.bot_in(session.name, match), session.link.post)


def _stop_forwarding(session: Session, match: str) -> None:
    subscription = session.matches.pop(match)
    if subscription is not None:
        subscription.close()
