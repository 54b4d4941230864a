"""Which connection of each bot holds which match, and which matches wait for a bot that is absent."""

from collections.abc import Iterable, Mapping
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
    holders: dict[str, Session | None]  # by bot name; None while the bot is absent


class Reservations:
    """One slot of one connection of each bot, for each match that is played. Forwards the matches' messages to them."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._by_match: dict[str, _Reservation] = {}
        self._by_name: dict[str, list[str]] = {}  # bot name -> its matches, oldest first

    def __contains__(self, match: str) -> bool:
        return match in self._by_match

    def holder(self, match: str, name: str) -> Session | None:
        """The connection of `name` that holds `match`; None if there is none."""
        reservation = self._by_match.get(match)
        return None if reservation is None else reservation.holders.get(name)

    def add(self, match: str, game: str, sessions: Mapping[str, Session | None], listener: Listener) -> None:
        """Reserve a slot of these sessions, by bot name; a bot that has none now is waited for."""
        self._by_match[match] = _Reservation(game, listener, dict.fromkeys(sessions))
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
            reservation = self._by_match[match]
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
            if session.free_slots > 0 and reservation.game in session.games:
                self._attach(session, match)
                reservation.listener.present(session.name, True)

    def _attach(self, session: Session, match: str) -> None:
        self._by_match[match].holders[session.name] = session
        if session.transport == "mqtt":
            session.matches[match] = None  # the broker carries its messages
        else:
            session.matches[match] = self._bus.subscribe(topics.bot_in(session.name, match), session.link.post)


def _stop_forwarding(session: Session, match: str) -> None:
    subscription = session.matches.pop(match)
    if subscription is not None:
        subscription.close()
