"""A part of an event as an event of its own: a group, or the bracket after the groups.

So one format can be made of others: each sees a part with rounds, boards, openings and numbers from the start, and what
it plans is put back into the whole.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from palio_db.event_values import Entry, Plan
from palio_server.tournament.event import Encounter, Event


@dataclass(frozen=True, slots=True)
class EventPart:
    event: Event
    numbers: dict[int, int] = field(default_factory=dict)  # of its encounters in the whole, by those here

    def here(self, encounter: Encounter) -> Encounter:
        """An encounter of the whole, as it is in this part."""
        found = next(here for here, whole in self.numbers.items() if whole == encounter.number)
        return self.event.encounter(found)


def part_of(event: Event, entries: Iterable[Entry], planned: Sequence[tuple[Encounter, Plan]]) -> EventPart:
    """These entries, and these encounters in their order, each with its plan as the part has it."""
    part = EventPart(Event(event.game, entries))
    for number, (encounter, plan) in enumerate(planned, 1):
        part.numbers[number] = encounter.number
        part.event.add_whole(replace(encounter.numbered(number), plan=plan))
    return part


def group_part(event: Event, entries: Iterable[Entry], name: str, place: tuple[int, int]) -> EventPart:
    """The encounters of a group. `place` is (0, 4) for the first of four: in the whole the groups' boards alternate."""
    number, groups = place
    planned = []
    for encounter in event.encounters:
        plan = encounter.plan
        if _is_in(plan.part, name):
            board = (plan.board - 1 - number) // groups + 1
            planned.append((encounter, replace(plan, board=board, part=plan.part[len(name) + 2 :])))
    return part_of(event, [_in_part(event, entry, planned) for entry in entries], planned)


def in_group(plans: Iterable[Plan], name: str, place: tuple[int, int]) -> list[Plan]:
    """What a group has planned, for the whole."""
    number, groups = place
    return [
        replace(plan, board=(plan.board - 1) * groups + number + 1, part=f"{name}, {plan.part}" if plan.part else name)
        for plan in plans
    ]


def _in_part(event: Event, entry: Entry, planned: Sequence[tuple[Encounter, Plan]]) -> Entry:
    """An entry that has left is gone from the next round of its group, though other groups may be rounds ahead."""
    if entry.left is None or entry.left > event.last_round + 1:
        return entry
    seen = (plan.round for _, plan in planned if entry.bot in plan.bots and plan.kind != "absent")
    return replace(entry, left=min(entry.left, max(seen, default=0) + 1))


def later_part(event: Event, entries: Iterable[Entry], first: Plan, encounters: Sequence[Encounter]) -> EventPart:
    """The encounters of a part whose round 1 and opening 0 are those of `first` in the whole."""
    return part_of(event, entries, [(encounter, _moved(encounter.plan, first, -1)) for encounter in encounters])


def later(plans: Iterable[Plan], first: Plan) -> list[Plan]:
    """What such a part has planned, for the whole."""
    return [_moved(plan, first, 1) for plan in plans]


def _moved(plan: Plan, first: Plan, sign: int) -> Plan:
    opening = plan.opening + sign * first.opening if plan.kind == "played" else 0
    return replace(plan, round=plan.round + sign * (first.round - 1), opening=opening)


def _is_in(part: str, name: str) -> bool:
    return part == name or part.startswith(f"{name}, ")
