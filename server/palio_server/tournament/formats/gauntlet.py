"""Gauntlet: a few challengers against a field, that does not play among itself; nor do the challengers.

At a table of three a challenger meets every pair of the field; in a race it meets each of the field in heats of two.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Any

from palio_rules.errors import BadOption
from palio_server.tournament.event import Encounter, Event
from palio_server.tournament.format import FormatRules
from palio_server.tournament.formats.scheduled import Block, Rounds, ScheduledFormat
from palio_server.tournament.round_robin import Lineup, Places, side_by_side


class GauntletRules(FormatRules, frozen=True, kw_only=True):
    challengers: int = 1  # the first so many entrants


class Gauntlet(ScheduledFormat):
    name = "gauntlet"
    title = "Gauntlet"
    rules_type = GauntletRules

    def __init__(self, rules: Any) -> None:
        super().__init__(rules)
        if rules.challengers < 1:
            raise BadOption(f"--challengers {rules.challengers} is out of range; give 1 or more")

    def cycle(self, event: Event, bots: Sequence[str]) -> Rounds:
        entrants, challengers = tuple(bots), min(self.rules.challengers, len(bots))
        rounds = _rounds(challengers, len(entrants) - challengers, _seats(event))
        return Rounds(
            len(rounds), lambda number: [tuple(entrants[place] for place in group) for group in rounds[number]]
        )

    def making_up(self, event: Event, earlier: Sequence[str], late: str) -> list[Lineup]:
        challengers, field = earlier[: self.rules.challengers], earlier[self.rules.challengers :]
        others = _seats(event) - 2
        return [(bot, late, *rest) for bot in challengers for rest in combinations(field, others)]

    def count(self, event: Event, bots: Sequence[str]) -> int:
        challengers = sum(bot in bots for bot in self.challengers(event))
        return challengers * comb(len(bots) - challengers, _seats(event) - 1)

    def least(self, event: Event) -> int:
        return int(self.rules.challengers) + _seats(event) - 1

    def challengers(self, event: Event) -> list[str]:
        return [entry.bot for entry in event.entries[: self.rules.challengers]]

    def sentences(self, event: Event, encounter: Encounter, block: Block) -> list[str]:
        challengers = self.challengers(event)
        who = next(bot for bot in encounter.bots if bot in challengers)
        others = " and ".join(bot for bot in encounter.bots if bot != who)
        field = "every bot" if _seats(event) == 2 else f"every {_seats(event) - 1} bots"
        which = f"this is cycle {encounter.plan.opening + 1} of {self.cycles}"
        return [f"{who} is a challenger, and meets {field} of the field once in each cycle; {which}, against {others}."]


def _seats(event: Event) -> int:
    """How many meet; in a race, two to a heat."""
    return 2 if event.race else event.seats


@lru_cache(maxsize=8)
def _rounds(challengers: int, field: int, seats: int) -> list[list[Places]]:
    return side_by_side(_groups(challengers, field, seats))


def _groups(challengers: int, field: int, seats: int) -> Iterator[Places]:
    """By places. Each challenger begins with another part of the field, so that they can play side by side."""
    others = list(combinations(range(challengers, challengers + field), seats - 1))
    for turn in range(len(others)):
        for challenger in range(challengers):
            group = (challenger, *others[(turn + challenger) % len(others)])
            yield group if (turn + challenger) % 2 == 0 else (*group[1:], challenger)
