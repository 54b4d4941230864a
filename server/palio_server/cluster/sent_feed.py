"""What a worker tells the coordinator: which games have begun, and all that happens in those that somebody watches."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from palio_rules.records.record import Ply, RejectedMove, Setup
from palio_server.cluster import wire
from palio_server.match import events

Tell = Callable[[wire.Report], None]


class _Game:
    """What has been played; it is sent when somebody begins to look."""

    __slots__ = ("plies", "refusals")

    def __init__(self, plies: Iterable[Ply], refusals: Iterable[RejectedMove]) -> None:
        self.plies, self.refusals = list(plies), list(refusals)


class SentFeed:
    """Takes the place of the feed where nobody can look: `tell` hears what the coordinator's feed must know."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._games: dict[str, _Game] = {}
        self._watched: set[str] = set()

    def watch(self, matches: Iterable[str]) -> None:
        """Somebody looks at these from now on, and at no others."""
        wanted = set(matches)
        new, self._watched = wanted - self._watched, wanted
        for match in new:
            if (game := self._games.get(match)) is not None:
                self._tell(wire.Position(match, game.plies.copy(), game.refusals.copy()))

    def open(
        self,
        match: str,
        setup: Setup,
        event_name: str = "",
        journal: Sequence[Ply] = (),
        refusals: Sequence[RejectedMove] = (),
        *,
        tournament: int | None = None,
        epoch: int = 1,
    ) -> None:
        """A game is about to begin."""
        del setup, event_name, tournament, epoch  # the coordinator knows
        self._games[match] = _Game(journal, refusals)
        if match in self._watched:
            self._tell(wire.Position(match, [*journal], [*refusals]))

    def note(self, match: str, event: Any) -> None:
        """Something has happened in it."""
        if (game := self._games.get(match)) is None:
            return
        match event:
            case events.Played() | events.Forfeited():
                game.plies.append(event.ply)
            case events.Rejected():
                game.refusals.append(event.rejected)
            case events.Finished():  # its record says all
                self.close(match)
                return
        if match in self._watched and (report := _report(match, event)) is not None:
            self._tell(report)

    def drop(self, match: str, reason: str, *, lost: bool = False) -> None:
        """It is not played to its end; how it ended says why."""
        del reason, lost
        self.close(match)

    def close(self, match: str) -> None:
        """Nothing more comes of it."""
        self._games.pop(match, None)
        self._watched.discard(match)


def _report(match: str, event: events.Event) -> wire.Report | None:
    match event:
        case events.Forfeited():
            return wire.Moved(match, event.number, event.ply, event.clocks_ms, event.reason, event.detail)
        case events.Played():
            return wire.Moved(match, event.number, event.ply, event.clocks_ms)
        case events.Started():
            return wire.Started(match, event.clocks_ms)
        case events.Rejected():
            return wire.Refused(match, event.rejected, event.strikes_left, event.clocks_ms)
        case events.Absent() | events.Back():
            return wire.Presence(match, event.seat, event.grace_ms, here=isinstance(event, events.Back))
        case _:
            return None
