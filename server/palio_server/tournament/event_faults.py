"""The faults by which the bots of an event lost: each with its reason, its games, and the sentence for its author.

A fault is either in a match, or of a bot that did not start, was given up or did not come: then it forfeited matches
that were not played.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from palio_server.tournament.event import Event

NOT_STARTED = "did not start"
GIVEN_UP = "given up"
LEFT = "left"
ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class EventFault:
    """One fault. With a `match`, `games` is 1; without one it is the number of games that were forfeited for it."""

    bot: str
    reason: str  # a word: "did not start", "given up", "left", "absent"; or of a match, see `fault_report.Fault`
    sentence: str  # "": none is known
    games: int
    match: str = ""
    game: int = 0  # its number in the event, from 1; 0 without a match
    round: int = 0  # from 1
    against: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FaultLine:
    """All faults of a bot with the same reason. `sentence` and `match` are those of the last one."""

    bot: str
    reason: str
    games: int
    sentence: str
    match: str = ""

    @property
    def text(self) -> str:
        """Return `crashed (3 games): ZeroDivisionError: division by zero`, or `given up (2 games not played): …`."""
        games = f"{self.games} game{'' if self.games == 1 else 's'}{'' if self.match else ' not played'}"
        counted = f"{self.reason} ({games})" if self.games else self.reason
        return f"{counted}: {self.sentence}" if self.sentence else counted


def unplayed_faults(event: Event) -> list[EventFault]:
    """Return the faults of bots that forfeited games without playing them, in the order of entry."""
    forfeited: Counter[str] = Counter()
    for encounter in event.encounters:
        for bot in encounter.forfeits:
            forfeited[bot] += encounter.missing
    found = []
    for entry in event.entries:
        bot, games = entry.bot, forfeited[entry.bot]
        if bot in event.broken and (games or not _played(event, bot)):
            found.append(EventFault(bot, NOT_STARTED, event.broken[bot], games))
        elif bot in event.given_up:
            found.append(EventFault(bot, GIVEN_UP, event.given_up[bot], games))
        elif entry.left is not None:
            found.append(EventFault(bot, LEFT, "it was withdrawn", games))
        elif games:
            found.append(EventFault(bot, ABSENT, "it did not come to its games", games))
    return found


def _played(event: Event, bot: str) -> bool:
    return any(bot in match.bots and match.fought for each in event.encounters for match in each.finished)


def fault_lines(faults: Iterable[EventFault], bots: Sequence[str]) -> list[FaultLine]:
    """Return the faults by bot, in the order of `bots`, then by reason, in the order in which they first came."""
    lines: dict[tuple[str, str], FaultLine] = {}
    for each in faults:
        former = lines.get((each.bot, each.reason))
        games = each.games + (former.games if former else 0)
        sentence = each.sentence or (former.sentence if former else "")
        lines[each.bot, each.reason] = FaultLine(each.bot, each.reason, games, sentence, each.match)
    places = {bot: place for place, bot in enumerate(bots)}
    return sorted(lines.values(), key=lambda line: places.get(line.bot, len(places)))


def lost_by_fault(faults: Iterable[EventFault]) -> Counter[str]:
    """Return how many matches each bot lost by its own fault; games that were not played are forfeits, and not here."""
    return Counter(each.bot for each in faults if each.match)


def reasons(faults: Iterable[EventFault]) -> dict[str, str]:
    """Return all reasons of each bot as one text."""
    found: dict[str, list[str]] = {}
    for line in fault_lines(faults, ()):
        found.setdefault(line.bot, []).append(line.text)
    return {bot: "; ".join(texts) for bot, texts in found.items()}


def fault_data(faults: Iterable[EventFault]) -> list[dict[str, Any]]:
    """Return the faults for JSON; without a match, `match`, `game` and `round` are null."""
    return [
        {name: value if value or name in ("sentence", "games") else None for name, value in each.items()}
        for each in (msgspec.to_builtins(fault) for fault in faults)
    ]
