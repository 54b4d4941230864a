"""Groups, then a knockout of the best of each. Groups play round robin or Swiss by the rules of those formats.

Seeds are dealt to the groups in a snake. When all groups are over, the best `advance` of each go on: winners of groups
are seeded first, then seconds, and so on, and bots of one group do not meet in the first round where that is possible.
A bot that has left by then is replaced by the next of its group. The rounds of the bracket follow those of the groups.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import factorial
from typing import Any, ClassVar, Literal

import msgspec

from palio_db.event_values import Plan
from palio_rules.errors import BadOption
from palio_server.tournament.bracket import check_size, pairings
from palio_server.tournament.event import Encounter, Event
from palio_server.tournament.format import Format, FormatRules, format_of
from palio_server.tournament.formats.knockout import Knockout, KnockoutRules, check_rules
from palio_server.tournament.group_stage import (
    EventPart,
    GroupCopies,
    GroupLine,
    GroupStage,
    group_entrants,
    in_group,
    later,
)
from palio_server.tournament.played_bracket import Newest, seats_of
from palio_server.tournament.standing import Bracket, BracketMatch, Details, Group, Standing

MOST_GROUPS = 26  # they are called by letters
USUAL_SIZE = 4  # of a group, at least, if the number of groups is not given


class GroupsRules(FormatRules, frozen=True, forbid_unknown_fields=True, kw_only=True):
    groups: int | None = None  # None: 2, 4, 8, ... as long as each has four bots
    within: Literal["round_robin", "swiss"] = "round_robin"
    advance: int = 2  # of each group
    best_of: int = 1  # these three are the knockout's
    extra: int = 2
    third_place: bool = True


class Groups(Format):
    name: ClassVar[str] = "groups"
    title: ClassVar[str] = "Groups then knockout"
    rules_type: ClassVar[type[FormatRules]] = GroupsRules
    rules: GroupsRules

    def __init__(self, rules: Any) -> None:
        super().__init__(rules)
        shared = {key: getattr(rules, key) for key in ("games_per_encounter", "best_of", "extra", "third_place")}
        self.knockout = Knockout(KnockoutRules(**shared))
        self._newest, self._copies = Newest(self._reached), GroupCopies()

    @cached_property
    def within(self) -> Format:
        """The format of the groups: made on demand, because all formats are found by name."""
        given = {key: getattr(self.rules, key) for key in FormatRules.__struct_fields__}
        return format_of(self.rules.within, {key: value for key, value in given.items() if value not in (None, ())})

    def check(self, event: Event) -> None:
        check_rules(self.rules, event)
        bots, count, advance = len(group_entrants(event)), self._count(event), self.rules.advance
        seats = seats_of(event)
        if not 1 <= count <= MOST_GROUPS:
            raise BadOption(f"groups: groups={count} is out of range; give 1 to {MOST_GROUPS}")
        least = max(seats, advance)
        if advance < 1 or bots // count < least:
            raise BadOption(
                f"groups: {bots} bots in {count} groups, of which {advance} each go on, do not work: a group needs "
                f"{max(least, 1)} bots at least, and one must go on; give fewer groups=, another advance=, or more bots"
            )
        _check_bracket(count, advance, seats)
        for _, part in self._stage(event).groups:
            self.within.check(part.event)

    def next(self, event: Event, most: int) -> list[Plan]:
        stage = self._stage(event)
        if stage.bracket is not None:
            return later(self.knockout.next(stage.bracket.event, most), stage.first)
        share = max(1, most // len(stage.groups))
        plans: list[Plan] = []
        for number, (name, part) in enumerate(stage.groups):
            plans += in_group(self.within.next(part.event, share), name, (number, len(stage.groups)))
        return plans

    def over(self, event: Event) -> bool:
        bracket = self._stage(event).bracket
        return bracket is not None and self.knockout.over(bracket.event)

    def standings(self, event: Event) -> list[Standing]:
        """Return those in the bracket by how far they came, then the others by their place in the group. All figures
        are of the groups, so that they can be compared.
        """
        stage = self._stage(event)
        lines = stage.lines(self.within)
        order = [] if stage.bracket is None else self.knockout.standings(stage.bracket.event)
        found = [_line(event, line.bot, line.rank, lines, line.note) for line in order]
        in_bracket = {line.bot for line in order}
        others = sorted(
            (place, group, bot) for bot, (group, place, _) in lines.items() if bot not in in_bracket
        )  # equal places of several groups share a rank
        last = 0
        for number, (place, _, bot) in enumerate(others, len(found) + 1):
            rank = found[-1].rank if place == last else number
            found.append(_line(event, bot, rank, lines, ""))
            last = place
        absent = [entry.bot for entry in event.seeds() if entry.bot not in lines]
        rank = len(found) + 1
        return found + [Standing(rank, bot, 0.0, left=True, note="withdrew before the first round") for bot in absent]

    def tie_breaks(self, event: Event) -> Sequence[str]:
        """Return the tie-breaks of the groups."""
        groups = self._stage(event).groups
        return self.within.tie_breaks(groups[0][1].event) if groups else ()

    def total(self, event: Event) -> int | None:
        """Return the total of the groups and the bracket; None where the groups' format does not know."""
        stage = self._stage(event)
        totals = [self.within.total(part.event) for _, part in stage.groups]
        known = [total for total in totals if total is not None]
        if len(known) < len(totals):
            return None
        return sum(known) + (self._expected(event) if stage.bracket is None else self._bracket_total(stage.bracket))

    def rounds_in_all(self, event: Event) -> int | None:
        """Return the rounds of the groups and of the bracket."""
        stage = self._stage(event)
        if stage.bracket is not None:
            rounds = self.knockout.rounds_in_all(stage.bracket.event)
            return None if rounds is None else stage.first.round - 1 + rounds
        known = [self.within.rounds_in_all(part.event) for _, part in stage.groups]
        drawn = pairings(self._count(event) * self.rules.advance, seats_of(event))
        if not drawn or not all(known):
            return None
        return max(number for number in known if number is not None) + drawn[-1].round

    def details(self, event: Event) -> Details:
        stage = self._stage(event)
        groups = [
            Group(name.removeprefix("group "), [entry.bot for entry in part.event.entries], lines, self.rules.advance)
            for (name, part), lines in zip(stage.groups, stage.tables(self.within), strict=True)
        ]
        if stage.bracket is None:
            return Details(groups=groups)
        shown = self.knockout.details(stage.bracket.event).bracket
        assert shown is not None
        return Details(bracket=_renumbered(shown, stage.bracket, stage.first.round - 1), groups=groups)

    def why(self, event: Event, encounter: Encounter) -> list[str]:
        stage = self._stage(event)
        for name, part in stage.groups:
            if encounter.number in part.numbers.values():
                dealt = f"They are in {name}: the seeds are dealt to {len(stage.groups)} groups to and fro."
                return [dealt, *self.within.why(part.event, part.here(encounter))]
        assert stage.bracket is not None
        lines = stage.lines(self.within)
        came = [f"{bot} came {_ordinal(lines[bot][1])} in {lines[bot][0]}." for bot in encounter.bots]
        return [*came, *self.knockout.why(stage.bracket.event, stage.bracket.here(encounter))]

    def admits_late(self, event: Event) -> str:
        return "the groups are drawn; who comes late can play in the next event" if event.encounters else ""

    def _count(self, event: Event) -> int:
        if self.rules.groups is not None:
            return self.rules.groups
        count, bots = 2, len(group_entrants(event))
        while 2 * count * USUAL_SIZE <= bots and 2 * count <= MOST_GROUPS:
            count *= 2
        return count

    def _stage(self, event: Event) -> GroupStage:
        return self._newest.of(event)

    def _reached(self, event: Event) -> GroupStage:
        return GroupStage(event, self._count(event), self.rules.advance, self.within, self._copies)

    def _expected(self, event: Event) -> int:
        """Return the number of matches of a bracket that is not drawn yet."""
        bots, seats = self._count(event) * self.rules.advance, seats_of(event)
        third = self.rules.third_place and seats == 2 and bots >= 4
        games = self.rules.games_per_encounter or (1 if event.race else factorial(seats))
        return ((bots - 1) // (seats - 1) + third) * self.rules.best_of * games

    def _bracket_total(self, bracket: EventPart) -> int:
        return self.knockout.total(bracket.event)


def _check_bracket(count: int, advance: int, seats: int) -> None:
    try:
        check_size(count * advance, seats)
    except BadOption as error:
        raise BadOption(f"groups: {count} groups with advance={advance} make {count * advance}: {error}") from None


def _line(event: Event, bot: str, rank: int, lines: dict[str, GroupLine], note: str) -> Standing:
    group, place, line = lines[bot]
    where = f"{_ordinal(place)} in {group}"
    left = event.entry(bot).left is not None
    return replace(line, rank=rank, left=left, note=f"{note}; {where}" if note else where)


def _renumbered(bracket: Bracket, part: EventPart, rounds: int) -> Bracket:
    """Return the bracket with rounds and encounters as the whole event counts them."""

    def tie(match: BracketMatch) -> BracketMatch:
        return msgspec.structs.replace(match, encounters=[part.numbers[number] for number in match.encounters])

    shown = [
        msgspec.structs.replace(each, number=each.number + rounds, matches=[tie(match) for match in each.matches])
        for each in bracket.rounds
    ]
    return Bracket(shown, None if bracket.third_place is None else tie(bracket.third_place))


def _ordinal(place: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(place, f"{place}th")
