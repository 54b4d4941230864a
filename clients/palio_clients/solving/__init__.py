"""Proofs: the exact value of a position, and a line of play that shows it.

One module a game, found by the game's name, with a function `solver()`. This is the place where a compiled search takes
over from a readable one. A game without a module is solved by what works for all of its kind: `proof` where somebody
is against you, `planning` where you race alone.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from palio_clients.knowledge import knowledge_of
from palio_clients.solving.solver import Solver
from palio_rules.errors import BadOption
from palio_rules.game import Game


def solver_of(rules: Game[Any, Any]) -> Solver:
    """A solver for the game. Raises BadOption where nothing can be proven of it."""
    if rules.anytime:
        raise BadOption(
            f"{rules.name} cannot be solved here: no search proves a tour to be the best; "
            "or_opt finds good ones (palio run), and TSPLIB lists the best that are known"
        )
    name = f"{__name__}.{rules.name}"
    if find_spec(name):
        found: Solver = import_module(name).solver()
        return found
    if rules.kind != "race":
        from palio_clients.solving.proof import ProofSolver  # noqa: PLC0415 - the searches, once they are needed

        return ProofSolver(rules)
    if hasattr(knowledge_of(rules.name), "problem"):
        from palio_clients.solving.planning import PlanSolver  # noqa: PLC0415 - as above

        return PlanSolver(rules)
    raise BadOption(f"{rules.name} cannot be solved here: nobody has written down how far a position is from its end")
