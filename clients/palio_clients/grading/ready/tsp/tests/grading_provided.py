"""The functions that the course provides for a climb. They run beside the student's code, and beside the tests."""

from itertools import combinations, pairwise

from palio_clients.handouts.adapters.tsp import FORMS
from palio_clients.handouts.signatures import form_of

RESTARTS = [
    form._replace(names=(*form.names, *(("hill_climbing",) if len(form.names) > 2 else ()), "repeats"))
    for form in FORMS
]


def arguments(function, *, restarts):
    """The names of what a function takes, by its term."""
    return form_of(function, RESTARTS if restarts else FORMS, "ps2.py").names


def length(distances, route):
    """The length of the round trip."""
    table = {edge: d for a, b, d in distances for edge in ((a, b), (b, a))}
    return sum(table[edge] for edge in pairwise([*route, route[0]]))


def transition(route):
    """Every route of which one part is reversed."""
    return [route[:i] + route[i:j][::-1] + route[j:] for i, j in combinations(range(len(route) + 1), 2) if j - i >= 2]


def evaluation(cities, distances, route):
    return -float(length(distances, route))
