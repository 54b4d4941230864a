"""Breakthrough: the compiled engine, which knows won races; without numba proof-number search. There are no draws."""

from palio_clients.kernels import available
from palio_clients.solving.proof import ProofSolver
from palio_clients.solving.solver import Solver
from palio_rules.games.breakthrough import Board, Position
from palio_rules.registry import game


def solver() -> Solver:
    if not available():
        return ProofSolver(game("breakthrough"), draws=False)
    from palio_clients.kernels.breakthrough import BreakthroughEngine, warm_up  # noqa: PLC0415 - numba may be missing
    from palio_clients.solving.compiled import Engines, EngineSolver  # noqa: PLC0415 - with it

    warm_up()
    engines: dict[Board, Engines] = {}

    def engines_for(state: Position) -> Engines:
        """Those for this size of board, kept: what they have seen helps with the next position."""
        if state.board not in engines:
            clever, plain = (BreakthroughEngine(state.board, clever=clever) for clever in (True, False))
            engines[state.board] = Engines(clever, plain)
        return engines[state.board]

    return EngineSolver(engines_for)
