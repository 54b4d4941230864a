"""Search algorithms as a textbook would print them, one a file, each with its source and its contract.

    from palio_clients.search import alpha_beta
    best = alpha_beta(state, depth=4, evaluate=evaluate)

They work on any `State` of `palio_rules.game`, are plain Python, and need neither numpy nor numba.

- **Game trees**: `minimax`, `negamax`, `alpha_beta_minimax`, `alpha_beta` (with `Order`, `History`, `Table`), `max_n`
  and `paranoid` for several seats; `deepening` runs them within a time; `mcts` with `Playout`; `proof_number`.
- **Paths**: `breadth_first`, `bidirectional`, `a_star`, `ida_star`, `rbfs`.
- **Solutions that become better**: `hill_climbing`, `random_restarts`, `late_acceptance` and `simulated_annealing` on
  any `Landscape`; `two_opt`, `or_opt` and `iterated_local_search` for tours.

A name here is the function or class, also where its module has the same name: `palio_clients.search.alpha_beta` is the
function, and `from palio_clients.search.alpha_beta import alpha_beta` finds it in its module.
"""

from palio_clients.search.a_star import Plan, Problem, a_star
from palio_clients.search.alpha_beta import alpha_beta
from palio_clients.search.alpha_beta_minimax import alpha_beta_minimax
from palio_clients.search.bidirectional import bidirectional
from palio_clients.search.breadth_first import Route, breadth_first
from palio_clients.search.deepening import deepening
from palio_clients.search.double_bridge import iterated_local_search
from palio_clients.search.game_tree import Best, Stopped, worth
from palio_clients.search.hill_climbing import hill_climbing
from palio_clients.search.ida_star import ida_star
from palio_clients.search.improved import Improved, Landscape, Patience, Steps
from palio_clients.search.late_acceptance import late_acceptance
from palio_clients.search.max_n import max_n
from palio_clients.search.mcts import mcts
from palio_clients.search.minimax import minimax
from palio_clients.search.negamax import negamax
from palio_clients.search.or_opt import or_opt
from palio_clients.search.ordering import History, Order
from palio_clients.search.paranoid import paranoid
from palio_clients.search.playout import Playout
from palio_clients.search.proof_number import Verdict, proof_number
from palio_clients.search.random_restarts import random_restarts
from palio_clients.search.rbfs import rbfs
from palio_clients.search.simulated_annealing import simulated_annealing
from palio_clients.search.tour_descent import Tours
from palio_clients.search.tours import length_of, near_cities, nearest_neighbour
from palio_clients.search.transposition import Table
from palio_clients.search.two_opt import two_opt

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
