"""Simulated annealing: changes for the worse are often taken at first, then more and more rarely, as a metal cools.

Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", Science 220 (1983), with the acceptance rule of
Metropolis and others, "Equation of state calculations by fast computing machines" (1953).
"""

from math import exp
from random import Random

from palio_clients.search.improved import C, Improved, Landscape, S, Stop, never


def simulated_annealing(
    start: S, landscape: Landscape[S, C], random: Random, *, steps: int, hot: float, cold: float, stop: Stop = never
) -> Improved[S]:
    """Try `steps` random changes, or fewer if `stop(best cost)`, asked before each of them, returns True.

    The temperature, in the unit of the cost, falls from `hot` to `cold` by the same factor at each step. A change that
    adds c to the cost is taken with probability exp(-c / temperature).

    Returns an Improved: the best state that was seen, its cost, and the changes tried. Raises ValueError unless
    hot >= cold > 0.
    """
    if not hot >= cold > 0:
        raise ValueError(f"the temperature falls to something above 0, got hot={hot}, cold={cold}")
    state, cost, done = start, landscape.cost(start), 0
    best, least = state, cost
    temperature, factor = hot, (cold / hot) ** (1 / max(1, steps))
    while done < steps and not stop(least):
        added, change = landscape.change(state, random)
        if added <= 0 or random.random() < exp(-added / temperature):
            state, cost = landscape.changed(state, change), cost + added
            if cost < least:
                best, least = state, cost
        temperature *= factor
        done += 1
    return Improved(best, landscape.cost(best), done)
