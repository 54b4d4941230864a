"""A part of an event as an event of its own: a group, or the bracket after the groups.

So one format can be made of others: each sees a part with rounds, boards, openings and numbers from the start, and what
it plans is put back into the whole.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from palio_db.event_values import Entry, Plan
from palio_server.tournament.event import Encounter, Event


class GroupPlace(NamedTuple):
    """Where an encounter stands in a part: its number there, and which of how many groups that is."""

    number: int
    name: str
    group: int
    groups: int


@dataclass(frozen=True, slots=True)
class EventPart:
    event: Event
    numbers: dict[int, int]  # of its encounters in the whole, by those here

    def here(self, encounter: Encounter) -> Encounter:
        """An encounter of the whole, as it is in this part."""
        found = next(here for here, whole in self.numbers.items() if whole == encounter.number)
        return self.event.encounter(found)


class GroupCopies:
    """Encounters of an event as they are in its groups. Each is copied once, and again only when it has changed."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Encounter, GroupPlace, Encounter]] = {}  # by number in the whole

    def copy_of(self, encounter: Encounter, place: GroupPlace) -> Encounter:
        made = self._made.get(encounter.number)
        if made is None or made[0] is not encounter or made[1] != place:
            self._made[encounter.number] = made = (encounter, place, _in_group(encounter, place))
        return made[2]


def by_group(event: Event) -> dict[str, list[Encounter]]:
    """The encounters of each group, by its name; those of the bracket are under the names of their parts."""
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
    """A group, of which these are entries and encounters. `place` is (0, 4) for the first of four: in the whole the
    groups' boards alternate.
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
    """What a group has planned, for the whole."""
    number, groups = place
    return [
        replace(plan, board=(plan.board - 1) * groups + number + 1, part=f"{name}, {plan.part}" if plan.part else name)
        for plan in plans
    ]


def _in_part(event: Event, entry: Entry, planned: Sequence[Encounter]) -> Entry:
    """An entry that has left is gone from the next round of its group, though other groups may be rounds ahead."""
    if entry.left is None or entry.left > event.last_round + 1:
        return entry
    seen = (each.plan.round for each in planned if entry.bot in each.bots and each.plan.kind != "absent")
    return replace(entry, left=min(entry.left, max(seen, default=0) + 1))


def later_part(event: Event, entries: Iterable[Entry], first: Plan, encounters: Sequence[Encounter]) -> EventPart:
    """The encounters of a part whose round 1 and opening 0 are those of `first` in the whole."""
    numbered = (encounter.numbered(number) for number, encounter in enumerate(encounters, 1))
    return _part(event, encounters, entries, [replace(each, plan=_moved(each.plan, first, -1)) for each in numbered])


def later(plans: Iterable[Plan], first: Plan) -> list[Plan]:
    """What such a part has planned, for the whole."""
    return [_moved(plan, first, 1) for plan in plans]


def _moved(plan: Plan, first: Plan, sign: int) -> Plan:
    opening = plan.opening + sign * first.opening if plan.kind == "played" else 0
    return replace(plan, round=plan.round + sign * (first.round - 1), opening=opening)
