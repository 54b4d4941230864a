"""Local search, after Russell and Norvig, "Artificial Intelligence": one solution, and a better neighbour."""

from math import exp
from random import Random

from palio_clients.search.tours import C, Improved, Landscape, S, Stop, never

# Hill climbing: take the best of all small changes while one improves the state.
#
# Russell and Norvig, "Artificial Intelligence: A Modern Approach", "Local Search and Optimization Problems":
# HILL-CLIMBING, the steepest-ascent version; here costs go down.

LEAST_GAIN = 1e-9  # of the cost at the start: a smaller gain may be a rounding error


def hill_climbing(start: S, landscape: Landscape[S, C], *, stop: Stop = never) -> Improved[S]:
    """Climb from `start` to a local optimum: a state that no change makes better. The first of equal changes wins.

    `stop(best cost)` is called before each step, which tries all changes of one state; True ends the search.

    Returns an Improved: the state in which it ended, its cost, and the steps.
    """
    state, cost, steps = start, landscape.cost(start), 0
    least = LEAST_GAIN * abs(cost)
    while not stop(cost):
        steps += 1
        added, change = min(landscape.changes(state), key=lambda each: each[0], default=(0.0, None))
        if change is None or added >= -least:
            break
        state, cost = landscape.changed(state, change), cost + added
    return Improved(state, landscape.cost(state), steps)


# Late acceptance: a change may make the state worse, if it is no worse than the state was some steps ago.
#
# Burke and Bykov, "The late acceptance Hill-Climbing heuristic", European Journal of Operational Research 258 (2017).
# Its one parameter is the number of these steps: longer means slower and better.


def late_acceptance(
    start: S, landscape: Landscape[S, C], random: Random, *, stop: Stop, memory: int = 50
) -> Improved[S]:
    """Try one random change after the other until `stop(best cost)`, called before each of them, returns True.

    A change is accepted if it makes the state no worse than it is now, or than it was `memory` steps ago.

    Returns an Improved: the best state so far, its cost, and the steps; a step is one change that is tried.
    """
    state, cost, steps = start, landscape.cost(start), 0
    best, least = state, cost
    costs = [cost] * memory
    while not stop(least):
        added, change = landscape.change(state, random)
        if added <= 0 or cost + added <= costs[steps % memory]:
            state, cost = landscape.changed(state, change), cost + added
            if cost < least:
                best, least = state, cost
        costs[steps % memory] = min(cost, costs[steps % memory])
        steps += 1
    return Improved(best, landscape.cost(best), steps)


# Random restarts: climb repeatedly, each time from another state, and keep the best.
#
# Russell and Norvig, "Artificial Intelligence: A Modern Approach", "Local Search and Optimization Problems":
# random-restart hill climbing, "if at first you don't succeed, try, try again".


def random_restarts(start: S, landscape: Landscape[S, C], random: Random, *, stop: Stop) -> Improved[S]:
    """Climb from `start`, then from random states, until `stop(best cost)` returns True.

    `stop` gets the cost of the best so far, that of the current climb included, before each step of a climb.

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


# Simulated annealing: changes for the worse are often accepted at first, then more and more rarely, as a metal cools.
#
# Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", Science 220 (1983), with the acceptance rule of
# Metropolis and others, "Equation of state calculations by fast computing machines" (1953).


def simulated_annealing(
    start: S, landscape: Landscape[S, C], random: Random, *, steps: int, hot: float, cold: float, stop: Stop = never
) -> Improved[S]:
    """Try `steps` random changes, or fewer if `stop(best cost)`, called before each of them, returns True.

    The temperature, in the unit of the cost, falls from `hot` to `cold` by the same factor at each step. A change that
    adds c to the cost is accepted with probability exp(-c / temperature).

    Returns an Improved: the best state so far, its cost, and the changes tried. Raises ValueError unless hot >= cold >
    0.
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
