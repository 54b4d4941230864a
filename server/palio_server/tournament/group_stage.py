"""The state of an event of groups and a bracket: its groups, and the bots that went on into the bracket."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from palio_db.event_values import Entry, Plan
from palio_server.tournament.bracket import separated_groups, snake
from palio_server.tournament.event import Encounter, Event
from palio_server.tournament.format import Format
from palio_server.tournament.played_bracket import seats_of
from palio_server.tournament.standing import Standing

# A part of an event as an event of its own: a group, or the bracket after the groups.
#
# So one format can be made of others: each sees a part with rounds, boards, openings and numbers from the start, and
# its plans are converted back into the whole.


class GroupPlace(NamedTuple):
    """The place of an encounter in a part: its number there, and the number of the group out of all groups."""

    number: int
    name: str
    group: int
    groups: int


@dataclass(frozen=True, slots=True)
class EventPart:
    event: Event
    numbers: dict[int, int]  # of its encounters in the whole, by their number here

    def here(self, encounter: Encounter) -> Encounter:
        """Return an encounter of the whole as part of this event."""
        found = next(here for here, whole in self.numbers.items() if whole == encounter.number)
        return self.event.encounter(found)


class GroupCopies:
    """Encounters of an event as copies in its groups. Each is copied once, and again only when it has changed."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Encounter, GroupPlace, Encounter]] = {}  # by number in the whole

    def copy_of(self, encounter: Encounter, place: GroupPlace) -> Encounter:
        made = self._made.get(encounter.number)
        if made is None or made[0] is not encounter or made[1] != place:
            self._made[encounter.number] = made = (encounter, place, _in_group(encounter, place))
        return made[2]


def by_group(event: Event) -> dict[str, list[Encounter]]:
    """Return the encounters of each group, by its name; those of the bracket are under the names of their parts."""
    found: dict[str, list[Encounter]] = {}
    for encounter in event.encounters:
        found.setdefault(encounter.plan.part.partition(", ")[0], []).append(encounter)
    return found


def group_part(
    event: Event,
    encounters: Sequence[Encounter],
    entries: Iterable[Entry],
    name: str,
    place: tuple[int, int],
    copies: GroupCopies,
) -> EventPart:
    """Return a group of these entries and encounters. `place` is (0, 4) for the first of four: in the whole the groups'
    boards alternate.
    """
    planned = [
        copies.copy_of(encounter, GroupPlace(number, name, *place)) for number, encounter in enumerate(encounters, 1)
    ]
    return _part(event, encounters, [_in_part(event, entry, planned) for entry in entries], planned)


def _in_group(encounter: Encounter, place: GroupPlace) -> Encounter:
    plan = encounter.plan
    board = (plan.board - 1 - place.group) // place.groups + 1
    here = replace(plan, board=board, part=plan.part[len(place.name) + 2 :])
    return replace(encounter.numbered(place.number), plan=here)


def _part(event: Event, whole: Iterable[Encounter], entries: Iterable[Entry], here: Iterable[Encounter]) -> EventPart:
    part = EventPart(Event(event.game, entries), {number: each.number for number, each in enumerate(whole, 1)})
    part.event.broken = event.broken
    for encounter in here:
        part.event.add_whole(encounter)
    return part


def in_group(plans: Iterable[Plan], name: str, place: tuple[int, int]) -> list[Plan]:
    """Return the plans of a group for the whole."""
    number, groups = place
    return [
        replace(plan, board=(plan.board - 1) * groups + number + 1, part=f"{name}, {plan.part}" if plan.part else name)
        for plan in plans
    ]


def _in_part(event: Event, entry: Entry, planned: Sequence[Encounter]) -> Entry:
    """Return an entry; if it has left, it is gone from the next round of its group, though other groups may be rounds
    ahead.
    """
    if entry.left is None or entry.left > event.last_round + 1:
        return entry
    seen = (each.plan.round for each in planned if entry.bot in each.bots and each.plan.kind != "absent")
    return replace(entry, left=min(entry.left, max(seen, default=0) + 1))


def later_part(event: Event, entries: Iterable[Entry], first: Plan, encounters: Sequence[Encounter]) -> EventPart:
    """Return the encounters of a part whose round 1 and opening 0 are those of `first` in the whole."""
    numbered = (encounter.numbered(number) for number, encounter in enumerate(encounters, 1))
    return _part(event, encounters, entries, [replace(each, plan=_moved(each.plan, first, -1)) for each in numbered])


def later(plans: Iterable[Plan], first: Plan) -> list[Plan]:
    """Return the plans of such a part for the whole."""
    return [_moved(plan, first, 1) for plan in plans]


def _moved(plan: Plan, first: Plan, sign: int) -> Plan:
    opening = plan.opening + sign * first.opening if plan.kind == "played" else 0
    return replace(plan, round=plan.round + sign * (first.round - 1), opening=opening)


GroupLine = tuple[str, int, Standing]  # name of the group, place in it, line of its standings


class GroupStage:
    """The state of such an event. `bracket` is None until all groups are over."""

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
        """Return the standings of each group."""
        return [within.standings(part.event) for _, part in self.groups]

    def lines(self, within: Format) -> dict[str, GroupLine]:
        return {
            line.bot: (name, place, line)
            for name, table in zip(self._names, self.tables(within), strict=True)
            for place, line in enumerate(table, 1)
        }

    def _first_of_bracket(self) -> Plan:
        """Return round and opening with which the bracket begins: those after the groups'."""
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
        for _, part in self.groups:  # a bot that leaves now has played its group to the end
            for entry in part.event.entries:
                if entry.bot in going:
                    part.event.enter(replace(entry, left=None))
        seeds = separated_groups(going, {bot: lines[bot][0] for bot in going}, seats)
        return later_part(
            self._event, [self._seeded(bot, seed) for seed, bot in enumerate(seeds, 1)], self.first, after
        )

    def _seeded(self, bot: str, seed: int) -> Entry:
        left = self._event.entry(bot).left
        return Entry(bot, seed, left=None if left is None else left - self.first.round + 1)


def _places(bots: Sequence[str], lines: dict[str, GroupLine]) -> dict[str, int]:
    """Return the place of each in its group, among these."""
    places: dict[str, int] = {}
    seen: dict[str, int] = {}
    for bot in bots:  # `lines` has each group's in order of place, and so has `bots`
        group = lines[bot][0]
        seen[group] = seen.get(group, 0) + 1
        places[bot] = seen[group]
    return places


def _filled(first: Sequence[str], going: Sequence[str], wanted: int, seats: int) -> list[str]:
    """Fill the places of those who have left with the next best of any group, until every table is full."""
    more = [bot for bot in going if bot not in first]
    filled = [*first, *more[: wanted - len(first)]]
    if filled and (spare := (len(filled) - 1) % (seats - 1)):
        return sorted(filled, key=going.index)[:-spare]
    return filled


def _share(line: Standing) -> float:
    """Return the points by encounters or games, as groups may be of different size."""
    return round(line.points / line.counted, 9) if line.counted else 0.0


def _numbered(entries: Sequence[Entry]) -> list[Entry]:
    return [replace(entry, number=number) for number, entry in enumerate(entries, 1)]


def group_entrants(event: Event) -> list[Entry]:
    """Return the entries, best seed first, without those who have left before the first round and were
    never planned.
    """
    planned = {bot for encounter in event.encounters for bot in encounter.bots}
    return [entry for entry in event.seeds() if entry.bot in planned or entry.plays_in(1)]
