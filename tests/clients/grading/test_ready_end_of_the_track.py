"""The ready assignment on End of the Track: right files get all points, wrong ones lose those of what they break."""

import pytest
from ready_grading import changed, graded, promised

from palio_clients.handouts.courses import COURSES

GAME = """
    import numpy as np

    class BoardState:
        def __init__(self):
            self.N_ROWS = 8
            self.N_COLS = 7
            self.state = np.array([1, 2, 3, 4, 5, 3, 50, 51, 52, 53, 54, 52])
            self.decode_state = [self.decode_single_pos(d) for d in self.state]

        def update(self, idx, val):
            self.state[idx] = val
            self.decode_state[idx] = self.decode_single_pos(self.state[idx])

        def make_state(self):
            return [self.decode_single_pos(d) for d in self.state]

        def encode_single_pos(self, cr: tuple):
            return cr[1] * self.N_COLS + cr[0]

        def decode_single_pos(self, n: int):
            return (n % self.N_COLS, n // self.N_COLS)

        def is_termination_state(self):
            return self.is_valid() and bool(self.decode_state[5][1] == 7 or self.decode_state[11][1] == 0)

        def is_valid(self):
            if (self.state < 0).any() or (self.state > 55).any():
                return False
            blocks = list(self.state[:5]) + list(self.state[6:11])
            if len(set(blocks)) != 10:
                return False
            return self.state[5] in self.state[:5] and self.state[11] in self.state[6:11]

    class Rules:
        @staticmethod
        def single_piece_actions(board_state, piece_idx):
            first = piece_idx // 6 * 6
            here = board_state.state[piece_idx]
            if board_state.state[first + 5] == here:
                return set()
            col, row = board_state.decode_single_pos(here)
            found = set()
            for dc, dr in [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]:
                c, r = col + dc, row + dr
                if 0 <= c < 7 and 0 <= r < 8 and board_state.encode_single_pos((c, r)) not in board_state.state:
                    found.add(board_state.encode_single_pos((c, r)))
            return found

        @staticmethod
        def single_ball_actions(board_state, player_idx):
            first = player_idx * 6
            own = [tuple(board_state.decode_single_pos(n)) for n in board_state.state[first:first + 5]]
            enemies = [tuple(board_state.decode_single_pos(n)) for n in board_state.state[6 - first:11 - first]]
            start = tuple(board_state.decode_single_pos(board_state.state[first + 5]))

            def sees(a, b):
                dc, dr = b[0] - a[0], b[1] - a[1]
                if not (dc == 0 or dr == 0 or abs(dc) == abs(dr)):
                    return False
                steps = max(abs(dc), abs(dr))
                between = [(a[0] + dc // steps * n, a[1] + dr // steps * n) for n in range(1, steps)]
                return not any(square in enemies for square in between)

            reached, waiting = {start}, [start]
            while waiting:
                here = waiting.pop()
                for there in own:
                    if there not in reached and sees(here, there):
                        reached.add(there)
                        waiting.append(there)
            return {board_state.encode_single_pos(cr) for cr in reached - {start}}

    class GameSimulator:
        def __init__(self, players):
            self.game_state = BoardState()
            self.current_round = -1
            self.players = players

        def generate_valid_actions(self, player_idx):
            actions = set()
            for i in range(5):
                for to in Rules.single_piece_actions(self.game_state, player_idx * 6 + i):
                    actions.add((i, to))
            for to in Rules.single_ball_actions(self.game_state, player_idx):
                actions.add((5, to))
            return actions

        def validate_action(self, action, player_idx):
            if action in self.generate_valid_actions(player_idx):
                return True
            raise ValueError("this action is not valid")
"""
SEARCH = """
    import heapq
    import itertools

    import numpy as np
    from game import BoardState, GameSimulator, Rules

    class Problem:
        def __init__(self, initial_state, goal_state_set: set):
            self.initial_state = initial_state
            self.goal_state_set = goal_state_set

        def is_goal(self, state):
            return state in self.goal_state_set

    class GameStateProblem(Problem):
        def __init__(self, initial_board_state, goal_board_state, player_idx):
            self.goal = tuple(goal_board_state.state)
            super().__init__((tuple(initial_board_state.state), player_idx), {(self.goal, 0), (self.goal, 1)})
            self.sim = GameSimulator(None)
            self.search_alg_fnc = None
            self.set_search_alg()

        def set_search_alg(self, alg=""):
            self.search_alg_fnc = self.a_star

        def get_actions(self, state):
            s, p = state
            self.sim.game_state.state = np.array(s)
            self.sim.game_state.decode_state = self.sim.game_state.make_state()
            return self.sim.generate_valid_actions(p)

        def execute(self, state, action):
            s, p = state
            k, v = action
            offset = p * 6
            return tuple((*s[:offset + k], v, *s[offset + k + 1:])), (p + 1) % 2

        def h(self, state):
            return sum(a != b for a, b in zip(state[0], self.goal))

        def a_star(self):
            order = itertools.count()
            frontier = [(self.h(self.initial_state), next(order), 0, self.initial_state, [])]
            seen = {}
            while frontier:
                _, _, g, state, path = heapq.heappop(frontier)
                if seen.get(state, 99) <= g:
                    continue
                seen[state] = g
                if self.is_goal(state):
                    return path + [(state, None)]
                for action in self.get_actions(state):
                    after = self.execute(state, action)
                    f = g + 1 + self.h(after)
                    heapq.heappush(frontier, (f, next(order), g + 1, after, path + [(state, action)]))
            return []
"""
VARIANTS = {
    "as it is": [],
    "prints": [("class BoardState:", "print('loading')\n\n    class BoardState:")],
    "Python's integers": [
        ("return {board_state.encode_single_pos(cr) for", "return {int(board_state.encode_single_pos(cr)) for")
    ],
    "lists of actions": [("return actions\n", "return sorted(actions)\n")],
}
PLANS = "test_hidden::test_game_state_problem"
HIDDEN_BALLS = {"test_hidden::test_single_ball_actions", "test_hidden::test_generate_valid_actions"}
BLOCKS = {
    f"test_{a}::test_{b}" for a in ("examples", "hidden") for b in ("single_piece_actions", "generate_valid_actions")
}
REFUSED = "test_examples::test_validate_action_that_is_not_valid"
VALIDATED = {"test_hidden::test_validate_action"}
WRONG = {
    "a ball on anything": (
        [("return self.state[5] in self.state[:5] and self.state[11] in self.state[6:11]", "return True")],
        {"test_examples::test_is_valid", "test_hidden::test_is_valid"},
    ),
    "off the board": (
        [("if (self.state < 0).any() or (self.state > 55).any():", "if False:")],
        {"test_examples::test_is_valid", "test_hidden::test_is_valid"},
    ),
    "only white wins": (
        [(" or self.decode_state[11][1] == 0", "")],
        {"test_examples::test_is_termination_state", "test_hidden::test_is_termination_state"},
    ),
    "moves with the ball": (
        [("if board_state.state[first + 5] == here:", "if False:")],
        BLOCKS - {"test_examples::test_single_piece_actions"} | VALIDATED | {REFUSED},
    ),
    "one pass": ([("waiting.append(there)", "pass")], HIDDEN_BALLS | VALIDATED | {PLANS}),
    "passes through enemies": (
        [("return not any(square in enemies for square in between)", "return True")],
        HIDDEN_BALLS,
    ),
    "no error": ([('raise ValueError("this action is not valid")', "return False")], VALIDATED | {REFUSED}),
    "an estimate too high": ([("return sum(a != b", "return 9 * sum(a != b")], {PLANS}),
    "no action at the goal": (
        [("return path + [(state, None)]", "return path")],
        {PLANS, "test_examples::test_game_state_goal_state"}
        | {"test_examples::test_game_state_problem", "test_examples::test_game_state_problem_of_two_actions"},
    ),
    "white begins": (
        [("(tuple(initial_board_state.state), player_idx)", "(tuple(initial_board_state.state), 0)")],
        {PLANS},
    ),
    "no last row": (
        [("0 <= r < 8", "0 <= r < 7")],
        {each for each in BLOCKS if "hidden" in each} | VALIDATED | {PLANS},
    ),
}


def files(changes):
    texts = {"game.py": GAME, "search.py": SEARCH}
    return {name: changed(text, *[change for change in changes if change[0] in text]) for name, text in texts.items()}


@pytest.mark.parametrize("name", ["ours", *VARIANTS])
def test_right_files_get_all_points(right, name):
    assert (right[name].points, right[name].extra) == promised("end_of_the_track") == (208, 10), right[name].said


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_wrong_files_lose_what_they_break(wrong, name):
    assert wrong[name].lost == WRONG[name][1], wrong[name].said


@pytest.fixture(scope="module")
def right():
    handed_in = {name: files(changes) for name, changes in VARIANTS.items()}
    return graded("end_of_the_track", {"ours": COURSES["end_of_the_track"].path, **handed_in})


@pytest.fixture(scope="module")
def wrong():
    return graded("end_of_the_track", {name: files(changes) for name, (changes, _) in WRONG.items()}, most=3)
