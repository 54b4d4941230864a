"""Round robin: everybody meets everybody; three or more at a table meet in every combination; a race is one heat.

`rounds` is how often: each is a cycle of the Berger tables, in which all pairs play the same opening. In every other
cycle the first seat changes hands. (FIDE recommends to turn round the last two rounds of the first of two cycles,
lest somebody has the same colour three times in a row. We do not: further cycles may be asked for at any time.)
"""

from collections.abc import Sequence
from itertools import combinations
from math import comb

from palio_server.tournament.event import Encounter, Event
from palio_server.tournament.formats.scheduled import Block, Rounds, ScheduledFormat
from palio_server.tournament.round_robin import Lineup, berger, table_rounds


class RoundRobin(ScheduledFormat):
    name = "round_robin"
    title = "Round robin"

    def cycle(self, event: Event, bots: Sequence[str]) -> Rounds:
        entrants = tuple(bots)
        if event.race:
            return Rounds(1, lambda _: (entrants,))
        if event.seats == 2:
            return Rounds(len(entrants) - 1 + len(entrants) % 2, lambda number: _pairs(entrants, number))
        rounds = table_rounds(len(entrants), event.seats)
        return Rounds(
            len(rounds), lambda number: [tuple(entrants[place] for place in group) for group in rounds[number]]
        )

    def making_up(self, event: Event, earlier: Sequence[str], late: str) -> list[Lineup]:
        if event.race:  # heats that are over are not run again
            return []
        return [(late, *others) for others in combinations(earlier, event.seats - 1)]

    def count(self, event: Event, bots: Sequence[str]) -> int:
        return 1 if event.race else comb(len(bots), event.seats)

    def least(self, event: Event) -> int:
        return event.seats

    def in_one_heat(self, event: Event) -> bool:
        return event.race

    def sentences(self, event: Event, encounter: Encounter, block: Block) -> list[str]:
        plan = encounter.plan
        which = f"cycle {plan.opening + 1} of {self.cycles}"
        if event.race:
            return [f"Heat {plan.round} of {self.cycles}: all run at once, on the same instance."]
        if event.seats > 2:
            return [f"Every combination of {event.seats} bots meets once in each cycle; this is {which}."]
        first, second = plan.bots
        entrants = f"by the Berger table of {block.size} entrants" if not block.late else "once in each cycle"
        return [
            f"Everybody meets everybody: {first} and {second} meet in round {plan.round}, {entrants}; {which}.",
            f"{first} has the first seat in the first game.",
        ]


def _pairs(bots: Lineup, number: int) -> list[Lineup]:
    """A round of the Berger table, whoever has a bye last."""
    size = len(bots)
    table = [tuple(bots[place] for place in pair if place < size) for pair in berger(size, number)]
    return [*table[1:], table[0]] if size % 2 else table
