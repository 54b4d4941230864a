"""Hill climbing: take the best of all small changes for as long as one makes the state better.

Russell and Norvig, "Artificial Intelligence: A Modern Approach", "Local Search and Optimization Problems":
HILL-CLIMBING, the steepest-ascent version; here costs go down.
"""

from palio_clients.search.improved import C, Improved, Landscape, S, Stop, never

LEAST_GAIN = 1e-9  # of the cost at the start: less may be what rounding leaves of nothing


def hill_climbing(start: S, landscape: Landscape[S, C], *, stop: Stop = never) -> Improved[S]:
    """Climb from `start` to a local optimum: a state that no change makes better. The first of equal changes wins.

    `stop(best cost)` is asked before each step, which looks at all changes of one state; True ends the search.

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
