"""Pictures of every algorithm of the search library, drawn from its run: docs/explanation/search/*.svg.

One module a picture, with the name of the algorithm; each really runs it, and watches its callbacks (see `watching`).
`drawing` only draws. Nothing here depends on the machine: two drawings are equal.
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
    """Return the picture of this algorithm, as the text of an SVG file."""
    return import_module(f"{__name__}.{name}").picture().svg()
