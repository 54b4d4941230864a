"""Late acceptance: a change may make the state worse, as long as it is no worse than the state was some time ago.

Burke and Bykov, "The late acceptance Hill-Climbing heuristic", European Journal of Operational Research 258 (2017). Its
one parameter is the length of that time: longer means slower and better.
"""

from random import Random

from palio_clients.search.improved import C, Improved, Landscape, S, Stop


def late_acceptance(
    start: S, landscape: Landscape[S, C], random: Random, *, stop: Stop, memory: int = 50
) -> Improved[S]:
    """Try one random change after the other until `stop(best cost)`, asked before each of them, returns True.

    A change is taken if it makes the state no worse than it is now, or than it was `memory` steps ago.

    Returns an Improved: the best state that was seen, its cost, and the steps; a step is one change that is tried.
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
