"""Who meets whom, and when: the circle method for pairs, and every combination of three or more.

Kirkman, "On a problem in combinations", Cambridge and Dublin Mathematical Journal 2 (1847); as chess knows it from the
Berger tables: one player sits still, the others move round the table by one place a round. With an odd number, whoever
faces the empty place has a bye. In every round each bot meets at most one other, so that matches can run side by side.

For tables of three or more, combinations are taken in their order into the first round in which all of them are free:
rounds of disjoint tables again, if not always the fewest.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

Pair = tuple[str, str]
Lineup = tuple[str, ...]


def cycle(bots: Sequence[str]) -> list[list[Pair]]:
    """Every pair once, in rounds of disjoint pairs: n - 1 rounds for an even number of bots, n for an odd one.

    >>> cycle(["a", "b", "c", "d"])
    [[('a', 'd'), ('b', 'c')], [('c', 'a'), ('d', 'b')], [('a', 'b'), ('c', 'd')]]
    """
    still, *circle = [*bots, None] if len(bots) % 2 else bots
    rounds = []
    for number in range(len(circle)):
        table = [still, *circle[-number:], *circle[:-number]] if number else [still, *circle]
        half = len(table) // 2
        facing = zip(table[:half], reversed(table[half:]), strict=True)
        pairs = [(a, b) for a, b in facing if a is not None and b is not None]
        # who sits still would always be named first; in every other round it is named second
        rounds.append([(b, a) if still == a and number % 2 else (a, b) for a, b in pairs])
    return rounds


def tables(bots: Sequence[str], seats: int) -> list[list[Lineup]]:
    """Every combination of `seats` bots once, in rounds of disjoint ones.

    >>> tables(["a", "b", "c", "d"], 3)
    [[('a', 'b', 'c')], [('a', 'b', 'd')], [('a', 'c', 'd')], [('b', 'c', 'd')]]
    """
    rounds: list[list[Lineup]] = []
    sitting: list[int] = []  # in each round, as bits
    for places in combinations(range(len(bots)), seats):
        bits = sum(1 << place for place in places)
        number = next((number for number, busy in enumerate(sitting) if not busy & bits), len(rounds))
        if number == len(rounds):
            rounds.append([])
            sitting.append(0)
        rounds[number].append(tuple(bots[place] for place in places))
        sitting[number] |= bits
    return rounds


def encounters(bots: Sequence[str], cycles: int, seats: int = 2) -> Iterator[tuple[int, int, Lineup]]:
    """`cycles` round robins in a row, as (round from 1, cycle from 0, bots); in each cycle another one has the lead."""
    rounds: Sequence[Sequence[Lineup]] = cycle(bots) if seats == 2 else tables(bots, seats)
    for number in range(cycles):
        for place, groups in enumerate(rounds):
            for group in groups:
                yield number * len(rounds) + place + 1, number, _rotated(group, number)


def orders(bots: Lineup) -> list[Lineup]:
    """Every order of the seats, so arranged that after each `len(bots)` of them all have sat equally often everywhere.

    >>> ["".join(order) for order in orders(("a", "b", "c"))]
    ['abc', 'bca', 'cab', 'acb', 'cba', 'bac']
    """
    first, *others = bots
    return [_rotated((first, *rest), turn) for rest in permutations(others) for turn in range(len(bots))]


def _rotated(group: Lineup, turn: int) -> Lineup:
    turn %= len(group)
    return (*group[turn:], *group[:turn])
