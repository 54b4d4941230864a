"""Who meets whom, and when: the circle method.

Kirkman, "On a problem in combinations", Cambridge and Dublin Mathematical Journal 2 (1847); as chess knows it from the
Berger tables: one player sits still, the others move round the table by one place a round. With an odd number, whoever
faces the empty chair has a rest. In every round each bot meets at most one other, so that matches can run side by side.
"""

from collections.abc import Iterator, Sequence

Pair = tuple[str, str]


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
        rounds.append([_fair(pair, number if still in pair else 0) for pair in pairs])
    return rounds


def encounters(bots: Sequence[str], cycles: int) -> Iterator[tuple[int, int, Pair]]:
    """`cycles` round robins in a row, as (round from 1, cycle from 0, pair); every other cycle swaps the first seat."""
    rounds = cycle(bots)
    for number in range(cycles):
        for place, pairs in enumerate(rounds):
            for first, second in pairs:
                pair = (second, first) if number % 2 else (first, second)
                yield number * len(rounds) + place + 1, number, pair


def _fair(pair: Pair, number: int) -> Pair:
    """The bot that sits still would always be named first; in every other round it is named second."""
    return (pair[1], pair[0]) if number % 2 else pair
