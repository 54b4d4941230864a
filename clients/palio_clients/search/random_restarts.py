"""Random restarts: climb again and again, each time from somewhere else, and keep the best.

Russell and Norvig, "Artificial Intelligence: A Modern Approach", "Local Search and Optimization Problems":
random-restart hill climbing, "if at first you don't succeed, try, try again".
"""

from random import Random

from palio_clients.search.hill_climbing import hill_climbing
from palio_clients.search.improved import C, Improved, Landscape, S, Stop


def random_restarts(start: S, landscape: Landscape[S, C], random: Random, *, stop: Stop) -> Improved[S]:
    """Climb from `start`, then from random states, until `stop(best cost)` returns True.

    `stop` gets the cost of the best so far, that of the present climb included, before each step of a climb.

    Returns an Improved: the best state of all climbs, of equals the first, its cost, and the steps of all climbs.
    """
    best = hill_climbing(start, landscape, stop=stop)
    while not stop(best.cost):
        found = hill_climbing(landscape.somewhere(random), landscape, stop=_told_the_best(stop, best.cost))
        steps = best.steps + found.steps
        best = (found if found.cost < best.cost else best)._replace(steps=steps)
    return best


def _told_the_best(stop: Stop, best: float) -> Stop:
    return lambda cost: stop(min(cost, best))
