"""Instances of the travelling salesman for tests, and the searches that improve their tours."""

from itertools import combinations, pairwise

from hypothesis import strategies as st


@st.composite
def instances(draw, least=3, most=12):
    """(distances, a tour): of points on a grid, many of which coincide, or of any numbers at all."""
    size = draw(st.integers(least, most))
    if draw(st.booleans()):
        points = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=size, max_size=size))
        table = [[round(((a - c) ** 2 + (b - d) ** 2) ** 0.5) for c, d in points] for a, b in points]
    else:
        numbers = st.integers(0, 50) | st.floats(0, 50)
        table = [[0] * size for _ in range(size)]
        for a, b in combinations(range(size), 2):
            table[a][b] = table[b][a] = draw(numbers)
    return table, tuple(draw(st.permutations(range(size))))


seeds = st.integers(0, 1000)


def held_karp(distance):
    """The length of the best tour: Held and Karp, "A dynamic programming approach to sequencing problems" (1962)."""
    size = len(distance)
    best = {(1 << city, city): distance[0][city] for city in range(1, size)}
    for count in range(2, size):
        for cities in combinations(range(1, size), count):
            seen = sum(1 << city for city in cities)
            for last in cities:
                rest = seen & ~(1 << last)
                best[seen, last] = min(best[rest, city] + distance[city][last] for city in cities if city != last)
    return min(length + distance[last][0] for (seen, last), length in best.items() if seen == 2**size - 2)


def legs(tour):
    return {frozenset(leg) for leg in pairwise((*tour, tour[0]))}


class Bits:
    """All words of so many bits, a change being one bit; the cost is how many differ from a hidden word."""

    def __init__(self, hidden, size):
        self.hidden, self.size = hidden, size

    def cost(self, state):
        return (state ^ self.hidden).bit_count()

    def somewhere(self, random):
        return random.getrandbits(self.size)

    def changes(self, state):
        for bit in range(self.size):
            yield 1 - 2 * ((state ^ self.hidden) >> bit & 1), bit

    def change(self, state, random):
        bit = random.randrange(self.size)
        return 1 - 2 * ((state ^ self.hidden) >> bit & 1), bit

    def changed(self, state, change):
        return state ^ 1 << change


class Walk:
    """A way through states of these costs, where the only change is the next step."""

    def __init__(self, *costs):
        self.costs = costs

    def cost(self, state):
        return self.costs[state]

    def changes(self, state):
        yield self.change(state, None)

    def change(self, state, random):
        after = min(state + 1, len(self.costs) - 1)
        return self.costs[after] - self.costs[state], after

    def changed(self, state, change):
        return change
