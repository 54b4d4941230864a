"""A Swiss system for tables of three or more. The method is ours: FIDE's systems pair two.

1. If a player must be left out, it is the one with the fewest byes; among these, the one with the fewest points, then
   the last number. So no player has a second bye before every player has had one.
2. By score groups: of 3 k in a group (including those left over from the one above) table i gets the ith of the first,
   the second and the third k, as the upper half meets the lower half in a Swiss system for two. The last ones, who make
   no full table, go down to the next group.
3. Two change places as long as that makes fewer repeated meetings (every further one of the same two weighs more than
   the last), or as many with smaller differences of points at the tables. If some are left, it is tried again from
   shuffled places, a few times; the best result counts.
4. At each table the seats go to those who have sat there least.

The same cards give the same tables: the shuffles are seeded with the number of the round.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from random import Random

from palio_server.tournament.cards import Card

TableSeats = tuple[int, ...]  # starting numbers
SeatPair = tuple[int, int]
Cost = tuple[int, float]  # repeated meetings, then differences of points

TRIES = 40  # from places that were mixed up, if meetings are repeated
NEAR = 1e-9  # smaller differences of points are rounding errors: thirds add up in any order


def pair_tables(cards: Sequence[Card], seats: int, active: Collection[int]) -> list[TableSeats]:
    """Return tables for the next round, by seat, the one with most points first; then the bots with a bye, each alone.

    `active` are the starting numbers that take part; `cards` may have more. For 60 bots a round takes 0.04 s, and 0.7 s
    where repeats are unavoidable.
    """
    playing = sorted((card for card in cards if card.number in active), key=lambda card: (-_coarse(card), card.number))
    out = _left_out(playing, len(playing) % seats if len(playing) >= seats else len(playing))
    entrants = [card for card in playing if card.number not in out]
    history = _SeatingHistory.of(cards)
    points = {card.number: card.points for card in entrants}
    tables = _Tables(_by_score_groups(entrants, seats), points, _costs(points, history.met))
    tables.improve()
    best = _again(tables, Random(f"palio tables {history.rounds}"))  # noqa: S311 - a draw for a tournament, no secret
    found = sorted(best.tables, key=lambda table: (-sum(best.points[number] for number in table), min(table)))
    return [*(_seated(table, history.sat) for table in found), *((number,) for number in out)]


def _coarse(card: Card) -> float:
    return round(card.points, 6)


def _left_out(playing: Sequence[Card], count: int) -> list[int]:
    def merit(card: Card) -> tuple[int, float, int]:
        byes = {cell.round for cell in card.cells if cell.how in ("pairing-bye", "full-bye")}
        return (len(byes), _coarse(card), -card.number)

    return [card.number for card in sorted(playing, key=merit)[:count]]


def _by_score_groups(entrants: Sequence[Card], seats: int) -> list[list[int]]:
    """Return tables of `entrants`, who are in the order of points."""
    groups: dict[float, list[int]] = defaultdict(list)
    for card in entrants:
        groups[_coarse(card)].append(card.number)
    tables: list[list[int]] = []
    down: list[int] = []
    for group in groups.values():
        here = [*down, *group]
        count = len(here) // seats
        tables += [here[place : count * seats : count] for place in range(count)]
        down = here[count * seats :]
    return tables


@dataclass(frozen=True, slots=True)
class _SeatingHistory:
    """The history of all rounds: their number, how often two have met, and how often each has sat in each seat."""

    rounds: int
    met: Counter[frozenset[int]]
    sat: Counter[tuple[int, int]]  # by number and seat

    @classmethod
    def of(cls, cards: Sequence[Card]) -> "_SeatingHistory":
        met = {
            (frozenset((card.number, other)), cell.round)
            for card in cards
            for cell in card.cells
            for other in cell.opponents
        }
        rounds = max((cell.round for card in cards for cell in card.cells), default=0)
        return cls(rounds, Counter(pair for pair, _ in met), _seats_of(cards))


def _seats_of(cards: Sequence[Card]) -> Counter[tuple[int, int]]:
    """Return the count; a cell has its opponents in the order of seats: so each two are in order in the cell of any
    third.
    """
    games: dict[tuple[int, frozenset[int], int], dict[int, TableSeats]] = defaultdict(dict)
    for card in cards:
        counted: Counter[tuple[int, frozenset[int]]] = Counter()
        for cell in card.cells:
            if len(cell.opponents) > 1:
                key = (cell.round, frozenset((card.number, *cell.opponents)))
                games[*key, counted[key]][card.number] = cell.opponents
                counted[key] += 1
    sat: Counter[tuple[int, int]] = Counter()
    for listed in games.values():
        for number, opponents in listed.items():
            sat[number, sum(_before(other, number, listed) for other in opponents)] += 1
    return sat


def _before(one: int, other: int, listed: dict[int, TableSeats]) -> bool:
    third = next((each for each in listed if each not in (one, other)), None)
    if third is None or one not in listed[third] or other not in listed[third]:
        return False
    return listed[third].index(one) < listed[third].index(other)


def _seated(table: Iterable[int], sat: Counter[tuple[int, int]]) -> TableSeats:
    """Return the order in which those sit who have sat there least; the lower number first where it does not matter."""

    def cost(order: TableSeats) -> int:
        return sum((sat[number, seat] + 1) ** 2 - sat[number, seat] ** 2 for seat, number in enumerate(order))

    return min(permutations(sorted(table)), key=cost)


def _costs(points: dict[int, float], met: Counter[frozenset[int]]) -> dict[SeatPair, Cost]:
    """Return the cost of each two at one table, in both orders."""
    costs: dict[SeatPair, Cost] = {}
    for a, b in combinations(points, 2):
        apart = (points[a] - points[b]) ** 2
        times = met[frozenset((a, b))]
        costs[a, b] = costs[b, a] = (times * times, apart if apart > NEAR else 0.0)
    return costs


class _Tables:
    """Tables that are improved by exchanges."""

    def __init__(self, tables: list[list[int]], points: dict[int, float], pairs: dict[SeatPair, Cost]) -> None:
        self.tables, self.points, self._pairs = tables, points, pairs

    @property
    def cost(self) -> Cost:
        costs = [self._cost(table) for table in self.tables]
        return sum(repeated for repeated, _ in costs), round(sum(apart for _, apart in costs), 6)

    def improve(self) -> None:
        """Exchange two until no exchange makes it better."""
        places = [(table, seat) for table in self.tables for seat in range(len(table))]
        better = True
        while better:
            better = False
            for (one, seat), (other, place) in combinations(places, 2):
                if one is not other and self._better(one, seat, other, place):
                    one[seat], other[place] = other[place], one[seat]
                    better = True

    def mixed(self, random: Random) -> "_Tables":
        """Return the tables after every third of all places has been exchanged with another one."""
        places = [(table, seat) for table, seats in enumerate(self.tables) for seat in range(len(seats))]
        mixed = [list(table) for table in self.tables]
        for _ in range(1 + len(places) // 3):
            (one, seat), (other, place) = random.sample(places, 2)
            mixed[one][seat], mixed[other][place] = mixed[other][place], mixed[one][seat]
        return _Tables(mixed, self.points, self._pairs)

    def _better(self, one: list[int], seat: int, other: list[int], place: int) -> bool:
        a, b = one[seat], other[place]
        lost = [self._pairs[a, each] for each in one if each != a] + [
            self._pairs[b, each] for each in other if each != b
        ]
        won = [self._pairs[b, each] for each in one if each != a] + [
            self._pairs[a, each] for each in other if each != b
        ]
        repeated = sum(times for times, _ in won) - sum(times for times, _ in lost)
        apart = sum(apart for _, apart in won) - sum(apart for _, apart in lost)
        return repeated < 0 or (repeated == 0 and apart < -NEAR)

    def _cost(self, table: Sequence[int]) -> Cost:
        costs = [self._pairs[pair] for pair in combinations(table, 2)]
        return sum(repeated for repeated, _ in costs), sum(apart for _, apart in costs)


def _again(tables: _Tables, random: Random) -> _Tables:
    best = tables
    for _ in range(TRIES if len(tables.tables) > 1 else 0):
        if best.cost[0] == 0:
            break
        other = best.mixed(random)
        other.improve()
        best = min(best, other, key=lambda each: each.cost)
    return best
