"""The turns of events: whose match begins next, so that no event takes all slots of a bot, or of the server.

Pure. Events take turns: next comes a match of the event whose last one began longest ago, and of its matches the oldest
that can be played. Matches of no event together are one, too.

A match needs all its bots at once, so turns alone do not help an event whose bots are never free at the same moment.
Therefore it is counted how many matches of other events a bot has begun while one of this event waited for it. From
`PATIENCE` on the event is due: the bot, and those that a match of it needs besides, begin nothing else until it has
had its turn.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from palio_db.values import WaitingMatch

PATIENCE = 6  # matches of other events that a bot begins while an event waits for it

IsFree = Callable[[str, str], bool]  # with a bot and a game
Event = int | None  # a tournament's number; None: matches of no tournament


class Chosen(NamedTuple):
    """The matches to begin, no two with a bot in common; and the bots that are kept for events that are due."""

    matches: list[str]
    kept: frozenset[str] = frozenset()


class EventTurns:
    """The turns so far. `read` tells it what waits, `begun` what no longer does."""

    def __init__(self) -> None:
        self._begun = 0
        self._last: dict[Event, int] = {}  # by event, which of all matches its last one was
        self._passed = Counter[tuple[str, Event]]()  # by bot and event, matches of others that the bot has begun since
        self._events: dict[str, set[Event]] = {}  # by bot, those that wait for it

    def read(self, waiting: Iterable[WaitingMatch]) -> None:
        """Take in the matches that wait now."""
        self._events = {}
        for match in waiting:
            for bot in match.bots:
                self._events.setdefault(bot, set()).add(match.tournament)
        known = ((bot, event) for bot, events in self._events.items() if len(events) > 1 for event in events)
        self._passed = Counter({key: self._passed[key] for key in known if key in self._passed})

    def begun(self, match: WaitingMatch) -> None:
        """Take in that a match has begun: it was the turn of its event."""
        self._begun += 1
        self._last[match.tournament] = self._begun
        for bot in match.bots:
            self._passed.pop((bot, match.tournament), None)
            self._passed.update((bot, other) for other in self._events.get(bot, ()) if other != match.tournament)

    def passed(self, bot: str, event: Event) -> int:
        """Return how many matches of other events the bot has begun while this one waited for it."""
        return self._passed[bot, event]

    def before(self, bot: str, event: Event) -> int:
        """Return how many other events that wait for the bot come before this one."""
        own = self._rank(bot, event)
        return sum(self._rank(bot, other) < own for other in self._events.get(bot, ()) if other != event)

    def _rank(self, bot: str, event: Event) -> tuple[int, int]:
        passed = self._passed[bot, event]
        return (-passed if passed >= PATIENCE else 0, self._last.get(event, 0))

    def choose(
        self,
        waiting: Sequence[WaitingMatch],
        candidates: Collection[WaitingMatch],
        is_free: IsFree,
        may_come: IsFree,
        most: int,
    ) -> Chosen:
        """Return the matches to begin now, at most `most`, of `candidates`: those of `waiting` whose first bot is free.

        Both are oldest first. `may_come`: a bot that is here, so that a match may be kept for it while it is busy.
        """
        found: list[WaitingMatch] = []
        kept = self._take_due(found, waiting, is_free, may_come, most)
        lines: dict[Event, list[WaitingMatch]] = {}
        for match in candidates:
            lines.setdefault(match.tournament, []).append(match)
        busy = {bot for match in found for bot in match.bots}
        last = self._last | {match.tournament: self._begun + 1 for match in found}
        turn = self._begun + 1
        left = {event: iter(line) for event, line in lines.items()}  # the event with the oldest match first
        while left and len(found) < most:
            event = min(left, key=lambda each: last.get(each, 0))
            head = next((m for m in left[event] if m not in found and _can_begin(m, is_free, kept)), None)
            if head is None or not busy.isdisjoint(head.bots):
                del left[event]  # a bot may be free once only, and later matches may be younger than another's
                continue
            turn += 1
            last[event] = turn
            busy.update(head.bots)
            found.append(head)
        return Chosen([match.match for match in found], frozenset(kept))

    def _take_due(
        self, found: list[WaitingMatch], waiting: Sequence[WaitingMatch], is_free: IsFree, may_come: IsFree, most: int
    ) -> set[str]:
        """Add the matches of due events that can be played to `found`; return the bots that the others are kept for."""
        kept: set[str] = set()
        due = {key: passed for key, passed in self._passed.items() if passed >= PATIENCE}
        for bot, event in sorted(due, key=lambda key: -due[key]):
            if len(found) == most:
                break
            if bot in kept or any(bot in match.bots for match in found):
                continue
            own = [match for match in waiting if match.tournament == event and bot in match.bots]
            own = [match for match in own if all(may_come(each, match.game) for each in match.bots)]
            taken = {each for match in found for each in match.bots}
            ready = (m for m in own if _can_begin(m, is_free, kept) and taken.isdisjoint(m.bots))
            if (first := next(ready, None)) is not None:
                found.append(first)
            elif own:
                kept.update(own[0].bots)
        return kept


def _can_begin(match: WaitingMatch, is_free: IsFree, kept: Collection[str]) -> bool:
    return all(is_free(bot, match.game) for bot in match.bots) and not any(bot in kept for bot in match.bots)
