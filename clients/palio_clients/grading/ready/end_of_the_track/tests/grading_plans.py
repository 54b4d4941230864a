"""Boards as a student's `game.py` has them, and the check of a plan by the rules."""

from itertools import pairwise

from palio_rules.games.end_of_track import Position

SIDE = 6  # pieces of a side: five blocks, and the ball last


class Course:
    """A student's two modules."""

    def __init__(self, student):
        self.student, self.game, self.search = student, student.module("game"), student.module("search")

    def board(self, state):
        """A BoardState of twelve encoded squares."""
        board = self.game.BoardState()
        board.state = self.student.new(self.student.module("numpy").array, list(state))
        board.decode_state = self.student.new(board.make_state)
        return board

    def simulator(self, state):
        simulator = self.game.GameSimulator(None)
        simulator.game_state = self.board(state)
        return simulator

    def actions(self, state, player):
        """The valid actions of a player, in Python's own integers."""
        return {(int(piece), int(to)) for piece, to in self.simulator(state).generate_valid_actions(player)}

    def plan(self, start, goal, player):
        """The plan of the student's own search, in Python's own integers: pairs ((pieces, player), action)."""
        problem = self.search.GameStateProblem(self.board(start), self.board(goal), player)
        return [(plain_state(state), plain_action(action)) for state, action in problem.search_alg_fnc()]


def plain_state(state):
    pieces, player = state
    return tuple(int(square) for square in pieces), int(player)


def plain_action(action):
    return None if action is None else (int(action[0]), int(action[1]))


def check_plan(plan, start, goal, player):
    """Fail unless a plan leads from `start` to `goal` by actions that the rules allow."""
    assert plan[0][0] == (tuple(start), player), "the plan does not begin with the initial state"
    for (state, action), (after, _) in pairwise(plan):
        assert action in [(move.piece, move.to) for move in Position(*state).legal_moves()], "an action is not valid"
        assert after == executed(state, action), "a state does not follow from the action before it"
    (pieces, _), nothing = plan[-1]
    assert pieces == tuple(goal), "the plan does not end on the goal"
    assert nothing is None, "the last state of a plan has the action None"


def executed(state, action):
    """The state after an action."""
    (pieces, player), (piece, to) = state, action
    after = list(pieces)
    after[SIDE * player + piece] = to
    return tuple(after), 1 - player
