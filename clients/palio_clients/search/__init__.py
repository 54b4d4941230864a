"""Search algorithms as a textbook would print them, one a file, each with its source and its contract.

    from palio_clients.search import alpha_beta
    best = alpha_beta(state, depth=4, evaluate=evaluate)

They work on any `State` of `palio_rules.game`, are plain Python, and need neither numpy nor numba.

- **Game trees**: `minimax`, `negamax`, `alpha_beta_minimax`, `alpha_beta` (with `Order`, `History`, `Table`), `max_n`
  and `paranoid` for several seats; `deepening` runs them within a time; `mcts` with `Playout`; `proof_number`.
- **Paths**: `breadth_first`, `bidirectional`, `a_star`, `ida_star`, `rbfs`.
- **Solutions that become better**: `hill_climbing`, `random_restarts`, `late_acceptance` and `simulated_annealing` on
  any `Landscape`; `two_opt`, `or_opt` and `iterated_local_search` for tours.

A name here is the function or class, also where its module has the same name: `palio_clients.search.minimax` is the
function, and `from palio_clients.search.minimax import alpha_beta` finds it in its module.
"""

from palio_clients.search.game_tree import Best, History, Order, Stopped, Table, deepening, worth
from palio_clients.search.local_search import hill_climbing, late_acceptance, random_restarts, simulated_annealing
from palio_clients.search.mcts import Playout, mcts
from palio_clients.search.minimax import alpha_beta, alpha_beta_minimax, max_n, minimax, negamax, paranoid
from palio_clients.search.planning import Plan, Problem, Route, a_star, bidirectional, breadth_first, ida_star, rbfs
from palio_clients.search.proof_number import Verdict, proof_number
from palio_clients.search.tours import (
    Improved,
    Landscape,
    Patience,
    Steps,
    Tours,
    iterated_local_search,
    length_of,
    near_cities,
    nearest_neighbour,
    or_opt,
    two_opt,
)

__all__ = [
    "Best",
    "History",
    "Improved",
    "Landscape",
    "Order",
    "Patience",
    "Plan",
    "Playout",
    "Problem",
    "Route",
    "Steps",
    "Stopped",
    "Table",
    "Tours",
    "Verdict",
    "a_star",
    "alpha_beta",
    "alpha_beta_minimax",
    "bidirectional",
    "breadth_first",
    "deepening",
    "hill_climbing",
    "ida_star",
    "iterated_local_search",
    "late_acceptance",
    "length_of",
    "max_n",
    "mcts",
    "minimax",
    "near_cities",
    "nearest_neighbour",
    "negamax",
    "or_opt",
    "paranoid",
    "proof_number",
    "random_restarts",
    "rbfs",
    "simulated_annealing",
    "two_opt",
    "worth",
]
