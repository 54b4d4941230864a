"""A picture of every algorithm of the search library, drawn from what it does: docs/explanation/search/*.svg.

One module a picture, by the name of the algorithm's own; each really runs it, and watches what it asks its callbacks
(see `watching`). `drawing` knows of ink and paper only. Nothing here depends on the machine: what is drawn twice is the
same.
"""

from importlib import import_module

NAMES = (
    "minimax",
    "negamax",
    "alpha_beta_minimax",
    "alpha_beta",
    "ordering",
    "transposition",
    "deepening",
    "proof_number",
    "mcts",
    "max_n",
    "paranoid",
    "breadth_first",
    "bidirectional",
    "a_star",
    "ida_star",
    "rbfs",
    "hill_climbing",
    "random_restarts",
    "late_acceptance",
    "simulated_annealing",
    "two_opt",
    "or_opt",
    "double_bridge",
)


def drawn(name: str) -> str:
    """The picture of this algorithm, as the text of an SVG file."""
    return import_module(f"{__name__}.{name}").picture().svg()
