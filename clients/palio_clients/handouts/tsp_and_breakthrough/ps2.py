"""CS2109S, problem set 2, `ps2.py`: local search for the Travelling Salesman, adversarial search for Breakthrough.

Routes are lists of cities, distances lists of (c1, c2, d). All four adversarial searches return (value, move), and the
value is from Black's view for either player to move; so are `alpha` and `beta`.
"""

import random
from collections.abc import Callable, Iterator
from itertools import combinations
from math import fsum
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from palio_clients.handouts.tsp_and_breakthrough import breakthrough
else:
    import breakthrough  # as in the course: the file beside this one

Route = list[int]
Distances = list[tuple[int, int, float]]
Transition = Callable[[Route], list[Route]]
EvaluationFunc = Callable[[int, Distances, Route], float]
HillClimbing = Callable[[int, Distances, Transition, EvaluationFunc], Route]

Score = int | float
Square = tuple[int, int]
Move = tuple[Square, Square]
Board = list[list[str]]
Player = breakthrough.Player
GenerateValidMoves = Callable[[Board, Player], list[Move]]

# --- The Travelling Salesman -----------------------------------------------------------------------------------------


def transition(route: Route) -> list[Route]:
    """Return the 2-opt neighbours: every route that differs in two edges at most, because a part of it is reversed.

    Croes, "A method for solving traveling-salesman problems", Operations Research 6 (1958).
    """
    return [route[:i] + route[i:j][::-1] + route[j:] for i, j in combinations(range(len(route) + 1), 2) if j - i >= 2]


def evaluation_func(cities: int, distances: Distances, route: Route) -> float:
    """Return the length of the round trip, negated: a shorter route has a higher score, and 0 is the best.

    Equal round trips have equal scores to the last bit, from any first city; a single city has length 0. Raises
    ValueError, naming the cities, if a distance is missing.
    """
    table = _table(distances)
    try:
        return -fsum(table[route[i - 1], route[i]] for i in range(cities if cities > 1 else 0))
    except KeyError as error:
        raise ValueError(f"no distance is given between cities {' and '.join(map(str, error.args[0]))}") from None


def hill_climbing(cities: int, distances: Distances, transition: Transition, evaluation_func: EvaluationFunc) -> Route:
    """Go from a random route to the best of its neighbours repeatedly, until none is better; return the last route."""
    route = random.sample(range(cities), cities)
    score = evaluation_func(cities, distances, route)
    while neighbours := list(transition(route)):  # any iterable will do
        scores = [evaluation_func(cities, distances, neighbour) for neighbour in neighbours]
        best = max(scores)
        if best <= score:
            break
        route, score = neighbours[scores.index(best)], best
    return route


def hill_climbing_with_random_restarts(
    cities: int,
    distances: Distances,
    transition: Transition,
    evaluation_func: EvaluationFunc,
    hill_climbing: HillClimbing,
    repeats: int = 10,
) -> Route:
    """Return the best of the routes that `repeats` climbs find. Raises ValueError without any climb."""
    if repeats < 1:
        raise ValueError(f"hill climbing must be repeated at least once, got repeats={repeats}")
    routes = [hill_climbing(cities, distances, transition, evaluation_func) for _ in range(repeats)]
    return max(routes, key=lambda route: evaluation_func(cities, distances, route))


class _Known:
    """The last distances, as a table, because a climb uses the same ones thousands of times."""

    distances: ClassVar[list[tuple[float, ...]]] = []
    table: ClassVar[dict[tuple[int, int], float]] = {}


def _table(distances: Distances) -> dict[tuple[int, int], float]:
    if _Known.distances != distances:
        _Known.distances = [tuple(distance) for distance in distances]  # a copy: the caller may change its own
        _Known.table = {edge: d for c1, c2, d in distances for edge in ((c1, c2), (c2, c1))}
    return _Known.table


# --- Breakthrough ----------------------------------------------------------------------------------------------------


def evaluate(board: Board) -> Score:
    """Return Black's pawns less White's; `breakthrough.WIN` if Black has won, `-breakthrough.WIN` if White has."""
    breakthrough.refuse_empty(board)
    blacks, whites = (sum(row.count(pawn) for row in board) for pawn in "BW")
    if "W" in board[0]:  # in the handout's order, which matters on boards that no game reaches
        return -breakthrough.WIN
    if "B" in board[-1] or whites == 0:
        return breakthrough.WIN
    if blacks == 0:
        return -breakthrough.WIN
    return blacks - whites


def generate_valid_moves(board: Board, current_player: Player) -> list[Move]:
    """Return every move of `current_player`, row by row from the top, for each pawn left, straight, right."""
    ahead = 1 if current_player is Player.BLACK else -1
    return [
        ((row, col), (row + ahead, col + side))
        for row, cells in enumerate(board)
        for col, cell in enumerate(cells)
        if cell == current_player.pawn
        for side in (-1, 0, 1)
        if breakthrough.is_valid_move(board, (row, col), (row + ahead, col + side), current_player)
    ]


def minimax(
    board: Board, depth: int, max_depth: int, current_player: Player, generate_valid_moves: GenerateValidMoves
) -> tuple[Score, Move]:
    """Return (value, move): Black maximises, White minimises; without a move it is `breakthrough.MOVE_NONE`."""
    black = current_player is Player.BLACK
    best_score, best_move = evaluate(board), breakthrough.MOVE_NONE
    for move, after in _ways(board, depth, max_depth, current_player, generate_valid_moves):
        score, _ = minimax(after, depth + 1, max_depth, current_player.get_opponent(), generate_valid_moves)
        if best_move == breakthrough.MOVE_NONE or (score > best_score if black else score < best_score):
            best_score, best_move = score, move
    return best_score, best_move


def negamax(
    board: Board, depth: int, max_depth: int, current_player: Player, generate_valid_moves: GenerateValidMoves
) -> tuple[Score, Move]:
    """Return the result of `minimax`; inside, each player maximises its own view, the negative of the other's."""

    def own_view(board: Board, depth: int, player: Player) -> tuple[Score, Move]:
        best_score, best_move = _sign(player) * evaluate(board), breakthrough.MOVE_NONE
        for move, after in _ways(board, depth, max_depth, player, generate_valid_moves):
            score = -own_view(after, depth + 1, player.get_opponent())[0]
            if best_move == breakthrough.MOVE_NONE or score > best_score:
                best_score, best_move = score, move
        return best_score, best_move

    score, move = own_view(board, depth, current_player)
    return _sign(current_player) * score, move


def minimax_alpha_beta(
    board: Board,
    depth: int,
    max_depth: int,
    alpha: Score,
    beta: Score,
    current_player: Player,
    generate_valid_moves: GenerateValidMoves,
) -> tuple[Score, Move]:
    """Return the result of `minimax`, without searching moves when Black has `alpha` or White `beta` already."""
    black = current_player is Player.BLACK
    best_score, best_move = evaluate(board), breakthrough.MOVE_NONE
    for move, after in _ways(board, depth, max_depth, current_player, generate_valid_moves):
        opponent = current_player.get_opponent()
        score, _ = minimax_alpha_beta(after, depth + 1, max_depth, alpha, beta, opponent, generate_valid_moves)
        if best_move == breakthrough.MOVE_NONE or (score > best_score if black else score < best_score):
            best_score, best_move = score, move
        if black:
            alpha = max(alpha, best_score)
        else:
            beta = min(beta, best_score)
        if alpha >= beta:
            break
    return best_score, best_move


def negamax_alpha_beta(
    board: Board,
    depth: int,
    max_depth: int,
    alpha: Score,
    beta: Score,
    current_player: Player,
    generate_valid_moves: GenerateValidMoves,
) -> tuple[Score, Move]:
    """Return the result of `negamax`, with the window negated for each player."""

    def own_view(board: Board, depth: int, alpha: Score, beta: Score, player: Player) -> tuple[Score, Move]:
        best_score, best_move = _sign(player) * evaluate(board), breakthrough.MOVE_NONE
        for move, after in _ways(board, depth, max_depth, player, generate_valid_moves):
            score = -own_view(after, depth + 1, -beta, -alpha, player.get_opponent())[0]
            if best_move == breakthrough.MOVE_NONE or score > best_score:
                best_score, best_move = score, move
            alpha = max(alpha, best_score)
            if alpha >= beta:
                break
        return best_score, best_move

    window = (alpha, beta) if current_player is Player.BLACK else (-beta, -alpha)
    score, move = own_view(board, depth, *window, current_player)
    return _sign(current_player) * score, move


def _ways(
    board: Board, depth: int, max_depth: int, player: Player, generate_valid_moves: GenerateValidMoves
) -> Iterator[tuple[Move, Board]]:
    """Yield the moves to search, each with the board after it: none at the greatest depth or after the end."""
    if depth < max_depth and not breakthrough.is_game_over(board):
        for move in generate_valid_moves(board, player):
            yield move, breakthrough.make_move(board, *move, player, in_place=False)


def _sign(player: Player) -> int:
    """Return the factor between Black's view and this player's."""
    return 1 if player is Player.BLACK else -1


POINTS = (10, 10, 20, 40, 50)  # for a pawn that has advanced so many rows, as in the handout's figures


def improved_evaluate(board: Board) -> Score:
    """Return points for every pawn by its advance, Black's less White's; a win as in `evaluate`.

    The handout gives points for its board of six rows only; for another one this raises ValueError.
    """
    if len(board) != len(POINTS) + 1:
        raise ValueError(f"the handout gives points for 6 rows, this board has {len(board)}")
    if breakthrough.is_game_over(board):
        return evaluate(board)
    blacks = sum(points * row.count("B") for points, row in zip(POINTS, board, strict=False))
    return blacks - sum(points * row.count("W") for points, row in zip(POINTS, reversed(board), strict=False))
