"""Chexers Solo compiled: shortest plans by A*, with a better estimate than the readable searches."""

from palio_clients.games.chexers_solo.kernels.search import fits, solve
from palio_clients.search.game_tree import Stop, never
from palio_clients.search.planning import Plan
from palio_rules.boards.chexers import EMPTY, HEXES, LETTERS
from palio_rules.games.chexers_solo import Position

__all__ = ["fits", "plan", "solve", "warm_up"]


def plan(state: Position, stop: Stop = never) -> Plan | None:
    """Return a shortest plan for a match, None if it has more pieces than fit. Raises Stopped."""
    return solve(state.cells, state.colour, stop) if fits(state.cells, state.colour) else None


def warm_up() -> None:
    solve(LETTERS[0] + EMPTY * (len(HEXES) - 1), 0)
