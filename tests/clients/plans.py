"""Small graphs and puzzles, and the searches that find their shortest ways."""

from hypothesis import strategies as st
from puzzles import graph

from palio_clients.games import companion_of
from palio_rules.registry import game

# A small directed graph: from each node to some others. A move is the name of the node to which it leads.
graphs = st.lists(st.lists(st.integers(0, 7), max_size=3), min_size=8, max_size=8)


GOAL = 7


def distances(edges):
    """From each node that has a way to the goal, the length of the shortest."""
    away, wave = {GOAL: 0}, [GOAL]
    for node in wave:
        for before, after in enumerate(edges):
            if node in after and before not in away:
                away[before] = away[node] + 1
                wave.append(before)
    return away


def along(edges):
    return lambda node: [(after, after) for after in edges[node]]


def problem_at(found):
    name, board, state = found
    after, before, away = graph(name, board)
    remaining = companion_of(name).problem(game(name).start(game(name).parse_options({"board": board}))).remaining
    return state, after.__getitem__, before.__getitem__, remaining, away.get(state)
