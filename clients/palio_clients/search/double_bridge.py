"""Iterated local search for tours: change a good tour at random a little, improve it again, keep it if not longer.

Martin, Otto and Felten, "Large-step Markov chains for the traveling salesman problem", Complex Systems 5 (1991), whose
double bridge no 2-opt or Or-opt move can simply take back; with all that changes close together: Applegate, Cook and
Rohe, "Chained Lin-Kernighan for large traveling salesman problems", INFORMS Journal on Computing 15 (2003).
"""

from collections.abc import Sequence
from random import Random

from palio_clients.search.improved import Improved, Stop, never
from palio_clients.search.or_opt import or_opt_from
from palio_clients.search.tour_descent import Tours, descend, settle
from palio_clients.search.tours import Cycle, length_of
from palio_clients.search.two_opt import two_opt_at

CHANGES = (two_opt_at, or_opt_from)
FEWEST = 5  # cities of which a double bridge makes another tour
STRETCH = 50  # cities of each of the three stretches, at most


def iterated_local_search(
    start: Sequence[int], tours: Tours, random: Random, *, stop: Stop = never
) -> Improved[tuple[int, ...]]:
    """Improve a tour by 2-opt and Or-opt, and then again after each double bridge, until `stop(length)` returns True.

    `start` has each city's index once; `tours` is the instance. `stop` is asked at each city at first, then before each
    bridge; either is a step. With fewer than five cities the first descent finds the best tour, and the search ends.

    Returns an Improved: the best tour, its length, and the steps.
    """
    found = descend(start, tours, CHANGES, stop)
    cycle, length, steps = Cycle(found.state), found.cost, found.steps
    while len(start) >= FEWEST and not stop(length):
        steps += 1
        spoilt, cities = double_bridge(cycle, tours, random)
        improved = settle(cycle, tours, CHANGES, cities, length + spoilt, never).length
        if improved <= length:
            length = improved
            cycle.keep()
        else:
            cycle.take_back()
    tour = tuple(cycle.order)
    return Improved(tour, length_of(tour, tours.distance), steps)


def double_bridge(cycle: Cycle, tours: Tours, random: Random) -> tuple[float, tuple[int, ...]]:
    """Put three stretches in a row, each left as it is, in the opposite order.

    Returns by how much the tour is longer then, and the cities where its legs are new.

    before [a...b] [c...d] [e...f] after    becomes    before [e...f] [c...d] [a...b] after.
    """
    order, size, distance = cycle.order, len(cycle.order), tours.distance
    most = min(STRETCH, (size - 2) // 3)
    ends, place = [0], int(random.random() * size)
    for _ in range(3):
        ends += [ends[-1] + 1, ends[-1] + 1 + int(random.random() * most)]
    before, a, b, c, d, e, f, after = (order[(place + end) % size] for end in (*ends, ends[-1] + 1))
    cycle.turn(before, a, f)
    cycle.turn(before, f, e)
    cycle.turn(f, d, c)
    cycle.turn(d, b, a)
    old = distance[before][a] + distance[b][c] + distance[d][e] + distance[f][after]
    new = distance[before][e] + distance[f][c] + distance[d][a] + distance[b][after]
    return new - old, (before, a, b, c, d, e, f, after)
