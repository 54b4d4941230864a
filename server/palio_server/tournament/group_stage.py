"""How far an event of groups and a bracket is: its groups, and who has come out of them into the bracket."""

from collections.abc import Sequence
from dataclasses import replace

from palio_db.event_values import Entry, Plan
from palio_server.tournament.event import Encounter, Event
from palio_server.tournament.event_part import EventPart, GroupCopies, by_group, group_part, later_part
from palio_server.tournament.format import Format
from palio_server.tournament.played_bracket import seats_of
from palio_server.tournament.seeding import kept_apart, snake
from palio_server.tournament.standing import Standing

Line = tuple[str, int, Standing]  # name of the group, place in it, line of its standings


class Stage:
    """How far such an event is. `bracket` is None until all groups are over."""

    def __init__(self, event: Event, count: int, advance: int, within: Format, copies: GroupCopies) -> None:
        dealt = snake(group_entrants(event), count)
        self._event = event
        self._names = [f"group {chr(ord('A') + number)}" for number in range(count)]
        encounters = by_group(event)
        parts = [
            group_part(event, encounters.get(name, ()), _numbered(entries), name, (number, count), copies)
            for number, (name, entries) in enumerate(zip(self._names, dealt, strict=True))
        ]
        after = [encounter for encounter in event.encounters if not encounter.plan.part.startswith("group ")]
        self.first = self._first_of_bracket()
        self.bracket: EventPart | None = None
        done = bool(after) or all(part.event.all_over and within.over(part.event) for part in parts)
        self.groups = list(zip(self._names, parts, strict=True))
        if done:
            self.bracket = self._bracket(after, advance, within)

    def tables(self, within: Format) -> list[list[Standing]]:
        """The standings of each group."""
        return [within.standings(part.event) for _, part in self.groups]

    def lines(self, within: Format) -> dict[str, Line]:
        return {
            line.bot: (name, place, line)
            for name, table in zip(self._names, self.tables(within), strict=True)
            for place, line in enumerate(table, 1)
        }

    def _first_of_bracket(self) -> Plan:
        """Round and opening with which the bracket begins: those after the groups'."""
        plans = [each.plan for each in self._event.encounters if each.plan.part.startswith("group ")]
        last, opening = (
            max((plan.round for plan in plans), default=0),
            max((plan.opening for plan in plans), default=-1),
        )
        return Plan(last + 1, 1, (), opening=opening + 1)

    def _bracket(self, after: Sequence[Encounter], advance: int, within: Format) -> EventPart:
        drawn = {bot for encounter in after if encounter.plan.round == self.first.round for bot in encounter.bots}
        lines = self.lines(within)
        seats = seats_of(self._event)
        going = [bot for bot in lines if (bot in drawn if after else self._event.entry(bot).left is None)]
        places = _places(going, lines)
        strength = {entry.bot: number for number, entry in enumerate(self._event.seeds())}
        going.sort(key=lambda bot: (places[bot], -_share(lines[bot][2]), strength[bot]))
        if not after:
            first = [bot for bot in going if places[bot] <= advance]
            going = sorted(_filled(first, going, advance * len(self.groups), seats), key=going.index)
        for _, part in self.groups:  # who leaves now has played its group to the end
            for entry in part.event.entries:
                if entry.bot in going:
                    part.event.enter(replace(entry, left=None))
        seeds = kept_apart(going, {bot: lines[bot][0] for bot in going}, seats)
        return later_part(
            self._event, [self._seeded(bot, seed) for seed, bot in enumerate(seeds, 1)], self.first, after
        )

    def _seeded(self, bot: str, seed: int) -> Entry:
        left = self._event.entry(bot).left
        return Entry(bot, seed, left=None if left is None else left - self.first.round + 1)


def _places(bots: Sequence[str], lines: dict[str, Line]) -> dict[str, int]:
    """The place of each in its group, among these."""
    places: dict[str, int] = {}
    seen: dict[str, int] = {}
    for bot in bots:  # `lines` has each group's in order of place, and so has `bots`
        group = lines[bot][0]
        seen[group] = seen.get(group, 0) + 1
        places[bot] = seen[group]
    return places


def _filled(first: Sequence[str], going: Sequence[str], wanted: int, seats: int) -> list[str]:
    """For those who have left, the next best of any group; so many in all that every table is full."""
    more = [bot for bot in going if bot not in first]
    filled = [*first, *more[: wanted - len(first)]]
    if filled and (spare := (len(filled) - 1) % (seats - 1)):
        return sorted(filled, key=going.index)[:-spare]
    return filled


def _share(line: Standing) -> float:
    """Points by encounters or games, as groups may be of different size."""
    return round(line.points / line.played, 9) if line.played else 0.0


def _numbered(entries: Sequence[Entry]) -> list[Entry]:
    return [replace(entry, number=number) for number, entry in enumerate(entries, 1)]


def group_entrants(event: Event) -> list[Entry]:
    """The best seed first: all but those who have left before the first round and were never planned."""
    planned = {bot for encounter in event.encounters for bot in encounter.bots}
    return [entry for entry in event.seeds() if entry.bot in planned or entry.plays_in(1)]
