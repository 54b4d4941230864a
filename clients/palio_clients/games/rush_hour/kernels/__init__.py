"""Rush Hour compiled: twins of the rules' own solver and survey, for boards that fit into a word."""

from palio_clients.games.rush_hour.kernels.search import Positions, Survey, fits, solve
from palio_clients.search.game_tree import Stop, never
from palio_clients.search.planning import Plan
from palio_rules.boards.rush_hour import read_board
from palio_rules.games.rush_hour import Move, Position

__all__ = ["Positions", "Survey", "fits", "plan", "solve", "warm_up"]


def plan(state: Position, stop: Stop = never) -> Plan | None:
    """Return a shortest plan, None if the board does not fit into a word. Raises Stopped and TooManyPositions."""
    if not fits(state.garage):
        return None
    found, vehicles = solve(state.garage, state.at, stop), state.garage.vehicles
    return found._replace(moves=tuple(Move(vehicles[index].letter, amount) for index, amount in found.moves))


def warm_up() -> None:
    board = read_board(["bb..", "aac.", "..c.", "..c."])
    solve(*board)
    Survey(*board).distance(board[1])
