"""How fast a machine is at what bots do: a fixed search, counted in nodes a second.

A worker is measured before its first game, and its clocks are scaled by how much slower it is than the machine that the
time control was meant for, as fishtest does. Then bots think as far everywhere.
"""

from random import Random
from time import perf_counter
from typing import Any

from palio_rules.registry import game

ROUNDS = 3  # the fastest one counts: a machine is slowed down by others, never sped up
SEED, GAMES, DEPTH = 1, 12, 3
SLOWEST, FASTEST = 4.0, 0.25  # factors beyond are no clock any more, but another game
NO_SCALING = 0.02  # a difference that measuring makes by itself


def nodes_per_second() -> float:
    """The speed of this machine; takes a second or so. Bots of others that run meanwhile make it slower."""
    best = 0.0
    for _ in range(ROUNDS):
        began = perf_counter()
        nodes = workload()
        best = max(best, nodes / (perf_counter() - began))
    return best


def workload() -> int:
    """The same positions on every machine: random games of Breakthrough, each searched; the nodes that were seen."""
    rules = game("breakthrough")
    random = Random(SEED)  # noqa: S311  # no secret
    nodes = 0
    for number in range(GAMES):
        state = rules.start(rules.parse_options({}), 0)
        for _ in range(number):
            state = state.play(random.choice(list(state.legal_moves())))
        nodes += _perft(state, DEPTH)
    return nodes


def factor(reference: float, speed: float) -> float:
    """By what the clocks of a machine of this `speed` are multiplied, with two decimals.

    >>> factor(1000.0, 500.0), factor(1000.0, 1001.0)
    (2.0, 1.0)
    """
    found = reference / speed
    return 1.0 if abs(found - 1) <= NO_SCALING else round(found, 2)


def _perft(state: Any, depth: int) -> int:
    if depth == 0 or state.to_move is None:
        return 1
    return 1 + sum(_perft(state.play(move), depth - 1) for move in state.legal_moves())
