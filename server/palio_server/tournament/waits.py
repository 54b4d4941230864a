"""The sentence that says what an open pairing waits for. Pure.

>>> sprt = EventLoad("SPRT 7", 323)
>>> why_waits([BotLoad("ann", 1), BotLoad("stockfish", 3, {sprt: 3})])
'waits for stockfish: 3 of 3 slots are in SPRT 7 (323 games to come); its turn is next'
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from palio_server.tournament.event import Event


class EventLoad(NamedTuple):
    """An event that takes slots, and how many of its games are not begun; None: matches of no event."""

    label: str
    to_come: int | None = None

    def __str__(self) -> str:
        if self.to_come is None:
            return self.label
        games = "1 game" if self.to_come == 1 else f"{self.to_come} games"
        return f"{self.label} ({games} to come)"


@dataclass(frozen=True, slots=True)
class BotLoad:
    """A bot at this moment: its slots (0: it is not connected, or not for this game), and what plays in them.

    `before`: how many other events that wait for it come before this one.
    """

    name: str
    slots: int
    events: Mapping[EventLoad, int] = field(default_factory=dict)
    before: int = 0
    elsewhere: bool = False  # connected, but for other games

    @property
    def is_free(self) -> bool:
        return sum(self.events.values()) < self.slots


class OpenPairing(NamedTuple):
    """Bots with matches that have not begun: the encounter of the first one, and how many there are."""

    encounter: int
    bots: tuple[str, ...]
    matches: int


def open_pairings(event: Event, most: int) -> list[OpenPairing]:
    """Return the pairings that wait, in the order of their first matches, at most `most`."""
    found: dict[frozenset[str], OpenPairing] = {}
    for encounter in event.encounters:
        count = sum(match.status == "scheduled" for match in encounter.matches)
        key = frozenset(encounter.bots)
        if not count or encounter.over or (key not in found and len(found) == most):
            continue
        first = found.get(key, OpenPairing(encounter.number, encounter.bots, 0))
        found[key] = first._replace(matches=first.matches + count)
    return list(found.values())


def why_waits(bots: Sequence[BotLoad], held_back: str = "") -> str:
    """Return why a match of these bots has not begun; `held_back` says why the server begins none, if it does not."""
    missing = [_missing(bot) for bot in bots if not bot.is_free]
    if missing:
        return f"waits for {'; and for '.join(missing)}"
    if held_back:
        return held_back
    first = max(bots, key=lambda bot: bot.before)
    return f"begins after {_events(first.before)} that {first.name} plays in" if first.before else "begins in a moment"


def _missing(bot: BotLoad) -> str:
    if not bot.slots:
        return (
            f"{bot.name}, which is connected for other games" if bot.elsewhere else f"{bot.name}: it is not connected"
        )
    taken = " and ".join(_taken(bot, bot.events.items()))
    turn = "its turn is next" if not bot.before else f"{_events(bot.before)} come{'s' * (bot.before == 1)} before"
    return f"{bot.name}: {taken}; {turn}"


def _taken(bot: BotLoad, events: Iterable[tuple[EventLoad, int]]) -> Iterable[str]:
    for event, count in events:
        yield f"{count} of {bot.slots} slots {'is' if count == 1 else 'are'} in {event}"


def _events(count: int) -> str:
    return "1 other event" if count == 1 else f"{count} other events"
