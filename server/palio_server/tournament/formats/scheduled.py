"""The common part of round robin and gauntlet: the encounters are known beforehand, and played in cycles.

In each cycle every bot meets once every bot that it has to meet, on one opening. A late entrant makes up for the
encounters that it has missed when the cycle in progress is over, and then takes part like all others. A bot that has
left is planned no further; its unplayed games do not count.
"""

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb, factorial
from typing import Any

import msgspec

from palio_db.event_values import Entry, Plan
from palio_rules.contract.messages import MAX_ENTRANTS
from palio_rules.errors import BadOption
from palio_server.tournament.event import Encounter, Event, check_entrants
from palio_server.tournament.format import Format, FormatRules
from palio_server.tournament.round_robin import EntrantIndices, Lineup, berger, rotated, side_by_side, table_rounds
from palio_server.tournament.standing import Standing
from palio_server.tournament.tie_breaks import checked, standings_of

MAX_ROUNDS = 10_000
TIE_BREAKS = ("sonneborn_berger", "wins")
BYE = "bye"  # the part of the event that a round without a game belongs to


@dataclass(frozen=True, slots=True)
class Rounds:
    """Some rounds in a row: `lineup(n)` has the groups of the nth, from 0, by board; one bot alone has a bye."""

    length: int
    lineup: Callable[[int], Sequence[Lineup]]


@dataclass(frozen=True, slots=True)
class Block:
    """Rounds of the event that belong to one cycle, from 0; `late`: the bot that makes up for that cycle in them."""

    first: int
    rounds: Rounds
    cycle: int
    size: int  # entrants by then
    late: str = ""

    @property
    def end(self) -> int:
        """The first round after it."""
        return self.first + self.rounds.length

    def groups(self, round_: int) -> Sequence[Lineup]:
        return self.rounds.lineup(round_ - self.first)


class ScheduledFormat(Format):
    """The base of formats that name the encounters of one cycle, and those of a late entrant."""

    absence = "last"  # no other bot's games depend on those of an absent bot

    def __init__(self, rules: Any) -> None:
        super().__init__(rules)
        self._names = checked(rules.tie_breaks) or TIE_BREAKS
        self._kept: tuple[object, list[Block]] = (None, [])  # the blocks of the entrants of the last call

    @property
    def cycles(self) -> int:
        return 1 if self.rules.rounds is None else int(self.rules.rounds)

    @abstractmethod
    def cycle(self, event: Event, bots: Sequence[str]) -> Rounds:
        """Return one cycle of these, in the order of their numbers."""

    @abstractmethod
    def making_up(self, event: Event, earlier: Sequence[str], late: str) -> list[Lineup]:
        """Return the groups that `late` has to be in, with those who were there before it; each makes a round."""

    @abstractmethod
    def count(self, event: Event, bots: Sequence[str]) -> int:
        """Return how many encounters these have in one cycle."""

    @abstractmethod
    def least(self, event: Event) -> int:
        """Return the least number of bots."""

    def in_one_heat(self, event: Event) -> bool:
        """Return True if all race at once."""
        return False

    @abstractmethod
    def sentences(self, event: Event, encounter: Encounter, block: Block) -> list[str]:
        """Return why these meet."""

    # --- the methods of Format ---------------------------------------------------------------------------------------

    def check(self, event: Event) -> None:
        check_entrants([entry.bot for entry in event.entries], self.least(event), race=self.in_one_heat(event))
        if not 1 <= self.cycles <= MAX_ROUNDS:
            raise BadOption(f"--rounds {self.rules.rounds} is out of range; give 1 to {MAX_ROUNDS}")
        games, most = self.rules.games_per_encounter, 1 if event.race else factorial(event.seats)
        if games is not None and not 1 <= games <= most:
            remedy = f"give 1 to {most}" if most > 1 else "a heat is run once; leave it out"
            raise BadOption(f"--games-per-encounter {games} is out of range; {remedy}")

    def next(self, event: Event, most: int) -> list[Plan]:
        last = event.last_round
        there = {encounter.plan.board for encounter in event.round(last)}
        plans: list[Plan] = []
        for plan in self._plans_from(event, max(1, last)):
            if plans and len(plans) >= most and plan.round > plans[-1].round:
                break
            if plan.round > last or plan.board not in there:
                plans.append(plan)
        return plans

    def over(self, event: Event) -> bool:
        return event.all_over and not self.next(event, 1)

    def standings(self, event: Event) -> list[Standing]:
        names = self.tie_breaks(event)
        return standings_of(event, self.rules.scoring, names, predetermined=True, forfeits_count=False)

    def tie_breaks(self, event: Event) -> Sequence[str]:
        return self._names

    def total(self, event: Event) -> int:
        """Return the total. Of a bot that has left or did not start, planned games count; after the
        end, those played.
        """
        stayers = [entry.bot for entry in event.entries if entry.left is None and entry.bot not in event.broken]
        matches = self.cycles * self.count(event, stayers) * self.games(event)
        if self.in_one_heat(event) or len(stayers) == len(event.entries):
            return matches
        staying = set(stayers)
        leavers = (
            each for each in event.encounters if each.plan.kind == "played" and not staying.issuperset(each.bots)
        )
        return matches + sum(each.plan.games - (each.missing if each.over else 0) for each in leavers)

    def rounds_in_all(self, event: Event) -> int | None:
        """Return the last round in which two bots meet: of cycles, and of late entrants."""
        here = {entry.bot: entry for entry in event.entries}
        numbers = ((block, number) for block in reversed(self._blocks(event)) for number in _backwards(block))
        last = next(
            (
                number
                for block, number in numbers
                if any(plan.kind == "played" for plan in self._round(event, here, block, number))
            ),
            0,
        )
        return max(last, event.last_round) or None

    def admits_late(self, event: Event) -> str:
        full = self.in_one_heat(event) and len(event.entries) >= MAX_ENTRANTS
        return f"a race has at most {MAX_ENTRANTS} entrants" if full else ""

    def extended(self, event: Event, rounds: int) -> Format:
        block = self._block_of(event, event.last_round)
        planned = 0 if block is None else block.cycle + 1
        if not max(1, planned) <= rounds <= MAX_ROUNDS:
            remedy = f"give {max(1, planned)} to {MAX_ROUNDS}"
            raise BadOption(f"--rounds {rounds} cannot be: {planned} rounds are planned already; {remedy}")
        return type(self)(msgspec.structs.replace(self.rules, rounds=rounds))

    def why(self, event: Event, encounter: Encounter) -> list[str]:
        block = self._block_of(event, encounter.plan.round)
        if block is None:
            return super().why(event, encounter)
        if encounter.plan.kind != "played":
            why = f"of {block.size} entrants one sits out" if block.size % 2 else "who should meet it has left"
            return [f"{encounter.bots[0]} has a bye in round {encounter.plan.round}: {why}."]
        sentences = self.sentences(event, encounter, block)
        if block.late:
            sentences.append(f"{block.late} came late, and makes up for what it has missed.")
        return sentences

    def games(self, event: Event) -> int:
        """Return the games of each encounter."""
        given: int | None = self.rules.games_per_encounter
        return given or (1 if event.race else factorial(event.seats))

    # --- the schedule -------------------------------------------------------------------------------------------------

    def _plans_from(self, event: Event, round_: int) -> Iterator[Plan]:
        here = {entry.bot: entry for entry in event.entries}
        blocks = self._blocks(event)
        for block in blocks[max(0, bisect_right(blocks, round_, key=lambda block: block.first) - 1) :]:
            for number in range(max(round_, block.first), block.end):
                plans = list(self._round(event, here, block, number))
                if any(plan.kind == "played" for plan in plans):
                    yield from plans

    def _round(self, event: Event, entries: dict[str, Entry], block: Block, number: int) -> Iterator[Plan]:
        for board, group in enumerate(block.groups(number), 1):
            left = {bot: entries[bot].left for bot in group}
            here = tuple(bot for bot, gone in left.items() if gone is None or number < gone)
            if self.in_one_heat(event) and here:
                yield Plan(number, board, here, 1, block.cycle)
            elif here == group and len(group) > 1:
                seated = group if event.race else rotated(group, block.cycle)
                yield Plan(number, board, seated, self.games(event), block.cycle)
            elif len(here) == 1 and len(group) <= 2:
                yield Plan(number, board, here, 0, block.cycle, "absent", BYE)

    def _block_of(self, event: Event, round_: int) -> Block | None:
        return next((block for block in self._blocks(event) if block.first <= round_ < block.end), None)

    def _blocks(self, event: Event) -> list[Block]:
        entries = event.entries
        key = [(entry.bot, entry.joined) for entry in entries]
        if self._kept[0] != key:
            self._kept = (key, self._all_blocks(event, entries))
        return self._kept[1]

    def _all_blocks(self, event: Event, entries: Sequence[Entry]) -> list[Block]:
        bots = [entry.bot for entry in entries if entry.joined <= 1]
        waiting = [entry for entry in entries if entry.joined > 1]
        blocks: list[Block] = []
        for cycle in range(self.cycles):
            rounds = self.cycle(event, bots) if bots else Rounds(0, lambda _: ())
            blocks.append(Block(_end(blocks), rounds, cycle, len(bots)))
            last = cycle == self.cycles - 1
            while due := next((entry for entry in waiting if last or entry.joined <= _end(blocks)), None):
                waiting.remove(due)
                groups = self.making_up(event, bots, due.bot)
                bots.append(due.bot)
                blocks += _made_up(_end(blocks), groups, cycle, len(bots), due.bot)
        return blocks


def _backwards(block: Block) -> range:
    return range(block.end - 1, block.first - 1, -1)


def _end(blocks: Sequence[Block]) -> int:
    return blocks[-1].end if blocks else 1


def _made_up(first: int, groups: Sequence[Lineup], cycle: int, size: int, late: str) -> list[Block]:
    """Return a block for each cycle that has begun; the late bot is not always named first."""
    rounds = Rounds(len(groups), lambda number: (rotated(groups[number], number),))
    return [Block(first + each * len(groups), rounds, each, size, late) for each in range(cycle + 1)]


# Round robin: every bot meets every other; three or more at a table meet in every combination; a race is one heat.
#
# `rounds` is the number of cycles of the Berger tables, in each of which all pairs play the same opening. In every
# other cycle the first seat changes hands. (FIDE recommends to reverse the last two rounds of the first of two cycles,
# so that no player has the same colour three times in a row. We do not: further cycles may be added at any time.)


class RoundRobinRules(FormatRules, frozen=True, kw_only=True):
    only: tuple[str, ...] = ()  # only encounters with one of these; (): all


class RoundRobin(ScheduledFormat):
    name = "round_robin"
    title = "Round robin"
    rules_type = RoundRobinRules

    def cycle(self, event: Event, bots: Sequence[str]) -> Rounds:
        entrants = tuple(bots)
        if event.race:
            return Rounds(1, lambda _: (entrants,))
        if event.seats == 2:
            size = len(entrants) - 1 + len(entrants) % 2
            return Rounds(size, lambda number: self._wanted(_pairs(entrants, number)))
        rounds = table_rounds(len(entrants), event.seats)
        return Rounds(
            len(rounds),
            lambda number: self._wanted([tuple(entrants[place] for place in group) for group in rounds[number]]),
        )

    def _wanted(self, groups: list[Lineup]) -> list[Lineup]:
        only = self.rules.only
        return groups if not only else [group for group in groups if len(group) > 1 and not {*only}.isdisjoint(group)]

    def making_up(self, event: Event, earlier: Sequence[str], late: str) -> list[Lineup]:
        if event.race:  # heats that are over are not run again
            return []
        return [(late, *others) for others in combinations(earlier, event.seats - 1)]

    def count(self, event: Event, bots: Sequence[str]) -> int:
        if event.race:
            return 1
        others = len({*bots} - {*self.rules.only}) if self.rules.only else 0
        return comb(len(bots), event.seats) - comb(others, event.seats)

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
            f"Every bot meets every other: {first} and {second} meet in round {plan.round}, {entrants}; {which}.",
            f"{first} has the first seat in the first game.",
        ]


def _pairs(bots: Lineup, number: int) -> list[Lineup]:
    """Return a round of the Berger table, the bot with a bye last."""
    size = len(bots)
    table = [tuple(bots[place] for place in pair if place < size) for pair in berger(size, number)]
    return [*table[1:], table[0]] if size % 2 else table


# Gauntlet: a few challengers against a field; neither plays among itself.
#
# At a table of three a challenger meets every pair of the field; in a race it meets each of the field in heats of two.


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
    """Return how many bots meet; in a race, two to a heat."""
    return 2 if event.race else event.seats


@lru_cache(maxsize=8)
def _rounds(challengers: int, field: int, seats: int) -> list[list[EntrantIndices]]:
    return side_by_side(_groups(challengers, field, seats))


def _groups(challengers: int, field: int, seats: int) -> Iterator[EntrantIndices]:
    """Yield groups of places. Each challenger begins with another part of the field, so that they can play at the same
    time.
    """
    others = list(combinations(range(challengers, challengers + field), seats - 1))
    for turn in range(len(others)):
        for challenger in range(challengers):
            group = (challenger, *others[(turn + challenger) % len(others)])
            yield group if (turn + challenger) % 2 == 0 else (*group[1:], challenger)
