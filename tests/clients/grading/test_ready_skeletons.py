"""The skeletons of the five handouts, handed in as they were given out: they earn no point of a ready assignment."""

import pytest
from ready_grading import graded

INSTRUCTIONS = (
    '"""\nType your response here.\nYour response may span multiple lines.\nDo not include these instructions.\n"""'
)
DOMINOES = f"""
student_name = "Type your full name here."
def create_dominoes_game(rows, cols):
    pass
class DominoesGame(object):
    def __init__(self, board):
        pass
    def get_board(self):
        pass
    def reset(self):
        pass
    def is_legal_move(self, row, col, vertical):
        pass
    def legal_moves(self, vertical):
        pass
    def perform_move(self, row, col, vertical):
        pass
    def game_over(self, vertical):
        pass
    def copy(self):
        pass
    def successors(self, vertical):
        pass
    def get_best_move(self, vertical, limit):
        pass
feedback_question_1 = 0
feedback_question_2 = {INSTRUCTIONS.replace("instructions.", "instructions in your response.")}
feedback_question_3 = {INSTRUCTIONS.replace("instructions.", "instructions in your response.")}
"""
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
        raise NotImplementedError("TODO: Implement this function")
    def decode_single_pos(self, n: int):
        raise NotImplementedError("TODO: Implement this function")
    def is_termination_state(self):
        raise NotImplementedError("TODO: Implement this function")
    def is_valid(self):
        raise NotImplementedError("TODO: Implement this function")
class Rules:
    @staticmethod
    def single_piece_actions(board_state, piece_idx):
        raise NotImplementedError("TODO: Implement this function")
    @staticmethod
    def single_ball_actions(board_state, player_idx):
        raise NotImplementedError("TODO: Implement this function")
class GameSimulator:
    def __init__(self, players):
        self.game_state = BoardState()
        self.current_round = -1
        self.players = players
    def generate_valid_actions(self, player_idx: int):
        raise NotImplementedError("TODO: Implement this function")
    def validate_action(self, action: tuple, player_idx: int):
        if False:
            return True
        raise ValueError("For each case that an action is not valid, specify the reason")
"""
PLANNER = """
from game import BoardState, GameSimulator, Rules
class Problem:
    def __init__(self, initial_state, goal_state_set: set):
        self.initial_state = initial_state
        self.goal_state_set = goal_state_set
class GameStateProblem(Problem):
    def __init__(self, initial_board_state, goal_board_state, player_idx):
        super().__init__(tuple((tuple(initial_board_state.state), player_idx)), set())
        self.sim = GameSimulator(None)
        self.search_alg_fnc = None
        self.set_search_alg()
    def set_search_alg(self, alg=""):
        self.search_alg_fnc = None
"""
RUSH_HOUR = """
class BFSHeuristic:
    def compute(self, b):
        return 0
class DirectHeuristic(BFSHeuristic):
    pass
class IndirectHeuristic(BFSHeuristic):
    pass
class Solver:
    def __init__(self, b, heur):
        self.expansions = 0
    def run(self):
        return False
    def solution(self):
        return []
"""
PS2 = """
import breakthrough
def transition(route):
    raise NotImplementedError
def evaluation_func(cities, distances, route):
    raise NotImplementedError
def hill_climbing(cities, distances, transition, evaluation_func):
    raise NotImplementedError
def hill_climbing_with_random_restarts(cities, distances, transition, evaluation_func, hill_climbing, repeats=10):
    raise NotImplementedError
def generate_valid_moves(board, current_player):
    raise NotImplementedError
def minimax(board, depth, max_depth, current_player, generate_valid_moves):
    raise NotImplementedError
def negamax(board, depth, max_depth, current_player, generate_valid_moves):
    raise NotImplementedError
def minimax_alpha_beta(board, depth, max_depth, alpha, beta, current_player, generate_valid_moves):
    raise NotImplementedError
def negamax_alpha_beta(board, depth, max_depth, alpha, beta, current_player, generate_valid_moves):
    raise NotImplementedError
def improved_evaluate(board):
    raise NotImplementedError
class PlayerAI:
    def make_move(self, board):
        raise NotImplementedError
"""
PLAYER = """
class ExamplePlayer:
    def __init__(self, colour):
        pass
    def action(self):
        return ("PASS", None)
    def update(self, colour, action):
        pass
"""
SEARCH = """
import json
import sys
def main():
    with open(sys.argv[1]) as file:
        data = json.load(file)
if __name__ == "__main__":
    main()
"""
SKELETONS = {
    "dominoes": {"adversarial_search.py": DOMINOES},
    "end_of_the_track": {"game.py": GAME, "search.py": PLANNER},
    "rush_hour": {"rh.py": RUSH_HOUR},
    "tsp": {"ps2.py": PS2},
    "breakthrough": {"ps2.py": PS2},
    "chexers": {"player.py": PLAYER},
    "chexers_solo": {"search.py": SEARCH},
}


@pytest.mark.parametrize("name", SKELETONS)
def test_a_skeleton_earns_nothing(name):
    found = graded(name, {"skeleton": SKELETONS[name]})["skeleton"]
    assert (found.points, found.extra) == (0, 0), found.said
