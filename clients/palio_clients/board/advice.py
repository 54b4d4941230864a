"""What a digit asks for: the best move within so many plies, by the search that belongs to the game.

For dominoes it is the course's own, `get_best_move` of `adversarial_search.py`, so that its value and its leaves can be
compared with one's own file. In the other duels it is the bot alpha_beta's, at a table of three that of max_n, and a
puzzle is solved.

An advice is a function of a position, a limit and a clock. It raises NobodyWaits, or says anything, once the clock has
expired.
"""

from collections.abc import Callable, Iterator
from math import inf
from typing import Any, NamedTuple

from palio_clients.agents.alpha_beta import AlphaBetaBot
from palio_clients.agents.max_n import MaxNBot
from palio_clients.agents.searcher import Deepener
from palio_clients.clock import Clock
from palio_clients.handouts.dominoes.adversarial_search import DominoesGame
from palio_clients.knowledge.chexers_solo import problem
from palio_clients.search.a_star import a_star
from palio_clients.search.breadth_first import breadth_first
from palio_rules.game import Game
from palio_rules.games import chexers_solo, dominoes, rush_hour

MOST = 300_000  # positions of a plan: some hundred megabytes


class Advice(NamedTuple):
    """A move and what there is to tell of it."""

    move: Any
    told: str


Adviser = Callable[[Any, int, Clock], Advice]


class Unsolvable(ValueError):
    """The puzzle has no solution from here."""


class NobodyWaits(Exception):
    """The search was stopped; what it found so far is worth nothing."""


def adviser(rules: Game[Any, Any], options: Any) -> Adviser | None:
    """Who is asked about this game; None if nothing here searches it."""
    if rules.name == "dominoes":
        return _as_the_course
    if rules.name == "rush_hour":
        return _as_a_solver
    if rules.name == "chexers_solo":
        return _as_a_planner
    if rules.kind == "race":
        return None
    return _as_the_bot(rules, options, AlphaBetaBot if rules.kind == "duel" else MaxNBot)


class _WatchedBoard(dominoes.Board):
    """A board on which no domino is looked for any more once the clock has expired."""

    def __init__(self, rows: int, cols: int, clock: Clock) -> None:
        super().__init__(rows, cols)
        self._clock = clock

    def places(self, filled: int, seat: int) -> int:
        if self._clock.expired():
            raise NobodyWaits
        return super().places(filled, seat)


class _WatchedGame(DominoesGame):
    """The course's game on such a board: its search needs to know nothing of clocks."""

    def __init__(self, state: dominoes.Position, clock: Clock) -> None:
        super().__init__([[cell != "." for cell in row] for row in state.rows()])
        self._watched = _WatchedBoard(state.board.rows, state.board.cols, clock)

    def _position(self, vertical: bool) -> dominoes.Position:  # noqa: FBT001  # the handout's own signature
        position = super()._position(vertical)
        return dominoes.Position(self._watched, position.filled, position.turn)


def _as_the_course(state: dominoes.Position, limit: int, clock: Clock) -> Advice:
    move, value, leaves = _WatchedGame(state, clock).get_best_move(state.turn == dominoes.VERTICAL, limit)
    assert move is not None, "asked where a domino can be placed"
    return Advice(dominoes.Move(*move), f"limit {limit}: value {value}, {_plural(leaves, 'leaf', 'leaves')}")


def _as_the_bot(rules: Game[Any, Any], options: Any, kind: type[Deepener]) -> Adviser:
    def advise(state: Any, limit: int, clock: Clock) -> Advice:
        bot = kind(depth=limit)
        bot.game, bot.options, bot.seat = rules, options, state.to_move
        move = bot.choose(state, clock)
        told = bot.told()
        if told is None or told.score is None or told.nodes is None:
            return Advice(move, f"limit {limit}")
        return Advice(move, f"limit {limit}: value {told.score:g}, {_plural(told.nodes, 'node', 'nodes')}")

    return advise


def _as_a_solver(state: rush_hour.Position, _limit: int, clock: Clock) -> Advice:
    """The first move of a shortest solution, whatever the limit."""

    def successors(at: rush_hour.Position) -> Iterator[tuple[rush_hour.Move, rush_hour.Position]]:
        if clock.expired():
            raise NobodyWaits
        return ((move, at.play(move)) for move in at.legal_moves())

    def solved(at: rush_hour.Position) -> bool:
        return at.garage.solved(at.at)

    route = breadth_first(state, successors, solved)
    if route is None:
        raise Unsolvable("this board has no solution")
    return Advice(route.moves[0], f"{_plural(len(route.moves), 'move', 'moves')} to go by a shortest solution")


def _as_a_planner(state: chexers_solo.Position, _limit: int, clock: Clock) -> Advice:
    """The first action of a shortest solution, whatever the limit."""
    puzzle = problem(state)
    plan = a_star(puzzle.start, puzzle.successors, puzzle.remaining, max_expanded=MOST, stop=clock.expired)
    if clock.expired():
        raise NobodyWaits
    if not plan.complete:
        raise Unsolvable("this board has no solution" if plan.at_least == inf else f"none found in {MOST:,} positions")
    return Advice(plan.moves[0], f"{_plural(len(plan.moves), 'action', 'actions')} to go by a shortest solution")


def _plural(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
