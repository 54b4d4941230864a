"""Who of the idle bots meets whom on the ladder.

Those who have waited and those with few games come first, near ratings meet, the same ones not twice in a row, and
everybody sits equally often in each seat.

`groups` is for duels and tables, `heats` for races. Both know nothing but what they are given, and give the same for
the same `rng`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations
from random import Random

from palio_db.values import START_RATING
from palio_server.tournament.rating_index import RatingIndex

REPEAT_ELO = 150.0  # an opponent of late is as good as one so much further away
HEAT = 8  # entrants; more would have to share too few cores

Group = tuple["Idle", ...]


@dataclass(frozen=True, slots=True)
class Idle:
    """A bot that could play now. `recent`: its opponents of late, newest last; `waited`: rounds it was left out."""

    name: str
    rating: float = START_RATING
    games: int = 0
    recent: tuple[str, ...] = ()
    waited: int = 0
    sat: tuple[int, ...] = ()  # how often in each seat

    def times_in(self, seat: int) -> int:
        return self.sat[seat] if seat < len(self.sat) else 0


def groups(idle: Sequence[Idle], seats: int, rng: Random) -> list[Group]:
    """As many groups of `seats` different bots as there are, each in the order of its seats; the rest is left out.

    Whoever has waited longest chooses first, then whoever has fewest games, and the last of these are left out: so
    nobody is left out twice in a row.
    Those who have just met meet again only if nobody else is there for them.
    """
    order = sorted(idle, key=lambda bot: (-bot.waited, bot.games, rng.random()))
    del order[len(order) // seats * seats :]  # who have played most, of those who have waited least
    left = RatingIndex(order)
    gone: set[str] = set()
    found = []
    for bot in order:
        if bot.name in gone:
            continue
        left.remove(bot)
        group = [bot]
        while len(group) < seats:
            best = left.nearest(group, lambda other: _distance(group, other, seats - 1))  # noqa: B023  # called at once
            left.remove(best)
            gone.add(best.name)
            group.append(best)
        found.append(tuple(group))
    _part_repeats(found)
    return [_seated(group, rng) for group in found]


def heats(idle: Sequence[Idle], rng: Random) -> list[Group]:
    """All of them in as few heats of like size as have room for them, near ratings together; nobody runs alone."""
    if len(idle) < 2:
        return []
    order = sorted(idle, key=lambda bot: (bot.rating, rng.random()))
    count = -(-len(order) // HEAT)
    ends = [len(order) * number // count for number in range(count + 1)]
    return [tuple(order[start:end]) for start, end in pairwise(ends)]


def just_met(group: Sequence[Idle]) -> bool:
    """Whether these are the ones whom one of them has met last, and nobody else."""
    names = {bot.name for bot in group}
    others = len(names) - 1
    return any(len(bot.recent) >= others and {*bot.recent[-others:]} == names - {bot.name} for bot in group)


def _distance(group: Sequence[Idle], other: Idle, others: int) -> tuple[int, float, int]:
    """Small for good company: not of the last `others`, of near rating, not met of late, with few games."""
    again = sum(other.name in one.recent[-others:] or one.name in other.recent[-others:] for one in group)
    apart = sum(abs(one.rating - other.rating) + REPEAT_ELO * one.recent.count(other.name) for one in group)
    return again, apart, other.games


def _part_repeats(found: list[Group]) -> None:
    """Where those who have just met were left over for each other, swap one with another group if that helps."""
    for here, group in enumerate(found):
        if just_met(group):
            for there, other in enumerate(found):
                swaps = _swaps(group, other) if there != here else []
                if better := next((swap for swap in swaps if not any(map(just_met, swap))), None):
                    found[here], found[there] = better
                    break


def _swaps(one: Group, other: Group) -> list[tuple[Group, Group]]:
    return [
        ((*one[:a], other[b], *one[a + 1 :]), (*other[:b], one[a], *other[b + 1 :]))
        for a in range(len(one))
        for b in range(len(other))
    ]


def _seated(group: Group, rng: Random) -> Group:
    """The order in which everybody sits where it has sat least, all taken together."""
    lineups = [*permutations(group)]
    rng.shuffle(lineups)  # the first of equals is a random one
    return min(lineups, key=lambda lineup: sum(bot.times_in(seat) for seat, bot in enumerate(lineup)))
