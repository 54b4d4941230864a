"""AI388U, assignment 2, `search.py`: shortest plans from one board to another, for both players' pieces in turn.

A state is (twelve encoded squares, the player to move), an action (index within the side, square). A plan is a list of
pairs (state, action), and its last pair is (goal, None).
"""

import sys
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

import numpy as np

from palio_clients.games.end_of_the_track.evaluation import may_lead, may_take, turns_between
from palio_clients.search.planning import a_star, bidirectional, breadth_first
from palio_rules.boards.end_of_track import SIDE
from palio_rules.errors import nearest
from palio_rules.games.end_of_track import Position

if TYPE_CHECKING:
    from palio_clients.handouts.end_of_the_track.game import BoardState, GameSimulator
else:
    from game import BoardState, GameSimulator  # as in the course: the file beside this one

Action = tuple[int, int]
State = tuple[tuple[int, ...], int]
Plan = list[tuple[State, Action | None]]


class Problem:
    """A search problem: the start, and a set of goal states."""

    def __init__(self, initial_state: State, goal_state_set: Collection[State]) -> None:
        self.initial_state = initial_state
        self.goal_state_set = set(goal_state_set)

    def get_actions(self, state: State) -> set[Action]:
        """Return the actions that can be taken in `state`."""
        raise NotImplementedError

    def execute(self, state: State, action: Action) -> State:
        """Return the state after `action`."""
        raise NotImplementedError

    def is_goal(self, state: State) -> bool:
        """Return whether `state` is one of the goals."""
        return state in self.goal_state_set


class GameStateProblem(Problem):
    """From one board to another, `player_idx` first; the side to move at the goal does not matter."""

    def __init__(self, initial_board_state: BoardState, goal_board_state: BoardState, player_idx: int) -> None:
        goal = _squares(goal_board_state)
        super().__init__((_squares(initial_board_state), player_idx), {(goal, 0), (goal, 1)})
        self.sim = GameSimulator(None)
        self.search_alg_fnc: Callable[[], Plan]
        self._goal = goal
        self._valid = initial_board_state.is_valid() and goal_board_state.is_valid()
        self.set_search_alg()

    def set_search_alg(self, alg: str = "") -> None:
        """Choose the search of `search_alg_fnc`: "bidirectional" (the fastest, also for ""), "a_star" or "bfs".

        All of them find a shortest plan. Raises ValueError for another name.
        """
        algorithms = {"bidirectional": self.bidirectional, "a_star": self.a_star, "bfs": self.bfs}
        name = alg or "bidirectional"
        if name not in algorithms:
            raise ValueError(f"there is no search algorithm {alg!r}; {nearest(alg, algorithms)}")
        self.search_alg_fnc = algorithms[name]

    def get_actions(self, state: State) -> set[Action]:
        """Return the actions of the player to move in `state`."""
        pieces, player_idx = state
        board = self.sim.game_state
        board.state = np.array(pieces)
        board.decode_state = board.make_state()
        return self.sim.generate_valid_actions(player_idx)

    def execute(self, state: State, action: Action) -> State:
        """Return the state after `action`, which is not checked."""
        pieces, player_idx = state
        piece, square = action
        at = SIDE * player_idx + piece
        return (*pieces[:at], square, *pieces[at + 1 :]), 1 - player_idx

    def bidirectional(self) -> Plan:
        """Return a shortest plan, searched from both ends at once."""
        self._check()
        (start, first), goal = self.initial_state, self._goal

        def may_begin(state: State, turns: int) -> bool:
            pieces, turn = state
            if turn != (first + turns) % 2:
                return False
            return may_take(start, pieces, first, (turns + 1) // 2) and may_take(start, pieces, 1 - first, turns // 2)

        route = bidirectional(
            self.initial_state,
            sorted(self.goal_state_set),
            _successors,
            _predecessors,
            may_end=lambda state, turns: may_lead(state, goal, turns),
            may_begin=may_begin,
        )
        return self._plan(None if route is None else route.moves)

    def a_star(self) -> Plan:
        """Return a shortest plan, by A* with an admissible estimate of the remaining turns."""
        self._check()
        goal = self._goal
        plan = a_star(
            self.initial_state, _successors, lambda state: turns_between(state, goal), max_expanded=sys.maxsize
        )
        return self._plan(plan.moves if plan.complete else None)

    def bfs(self) -> Plan:
        """Return a shortest plan, by breadth-first search: for up to four moves; more take minutes and much memory."""
        self._check()
        route = breadth_first(self.initial_state, _successors, self.is_goal)
        return self._plan(None if route is None else route.moves)

    def _check(self) -> None:
        """Raise ValueError if no plan can exist, because the search would then never end."""
        if not self._valid and not self.is_goal(self.initial_state):
            raise ValueError(
                "no plan leads from or to a board where pieces cannot stand like this; see BoardState.is_valid"
            )

    def _plan(self, actions: Collection[Action] | None) -> Plan:
        if actions is None:
            raise ValueError("no plan leads from the initial board to the goal")
        plan: Plan = []
        state = self.initial_state
        for action in actions:
            plan.append((state, action))
            state = self.execute(state, action)
        return [*plan, (state, None)]


def _squares(board_state: BoardState) -> tuple[int, ...]:
    return tuple(np.asarray(board_state.state).tolist())


def _successors(state: State) -> Iterator[tuple[Action, State]]:
    """Yield each action and the state after it; the course lets a game that is won go on."""
    pieces, turn = state
    first = SIDE * turn
    for piece, to in Position(pieces, turn).legal_moves():
        at = first + piece
        yield (piece, to), ((*pieces[:at], to, *pieces[at + 1 :]), 1 - turn)


def _predecessors(state: State) -> Iterator[tuple[Action, State]]:
    """Yield each action that leads to `state`, and the state before it. Every move of this game can be taken back."""
    pieces, turn = state
    mover = 1 - turn
    for piece, came_from in Position(pieces, mover).legal_moves():
        at = SIDE * mover + piece
        yield (piece, pieces[at]), ((*pieces[:at], came_from, *pieces[at + 1 :]), mover)
