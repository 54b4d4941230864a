"""Files in the style of each course, as students submit them; indented, see `write` in the handouts' conftest."""

DOMINOES = """
    import random

    print("loading")

    def create_dominoes_game(rows, cols):
        return DominoesGame([[False] * cols for i in range(rows)])

    class DominoesGame(object):
        def __init__(self, board):
            self.board = board
            self.rows = len(board)
            self.cols = len(board[0])

        def is_legal_move(self, row, col, vertical):
            r, c = (row + 1, col) if vertical else (row, col + 1)
            return r < self.rows and c < self.cols and not self.board[row][col] and not self.board[r][c]

        def legal_moves(self, vertical):
            return [(r, c) for r in range(self.rows) for c in range(self.cols) if self.is_legal_move(r, c, vertical)]

        def get_random_move(self, vertical):
            return random.choice(list(self.legal_moves(vertical)))

        def get_best_move(self, vertical, limit):
            print("searching to", limit)
            moves = self.legal_moves(vertical)
            return (moves[-1], len(moves), limit)
"""
RANDOM_ONLY = DOMINOES[: DOMINOES.index("        def get_best_move")]

PLAYER_AI = """
    import breakthrough

    class PlayerAI:
        def __init__(self):
            self.moves = 0

        def make_move(self, board):
            self.moves += 1
            print(self.moves)
            for r, row in enumerate(board):
                for c, tile in enumerate(row):
                    for side in (0, -1, 1):
                        src, dst = (r, c), (r + 1, c + side)
                        if breakthrough.is_valid_move(board, src, dst, breakthrough.Player.BLACK):
                            return src, dst
"""

PS2 = """
    from typing import Callable
    import copy
    import breakthrough

    def evaluate(board):
        return sum(row.count("B") for row in board) - sum(row.count("W") for row in board)

    def generate_valid_moves(board, current_player):
        cells = [(r, c) for r in range(len(board)) for c in range(len(board[0]))]
        near = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        return [((r, c), (r + i, c + j)) for r, c in cells for i, j in near
                if breakthrough.is_valid_move(board, (r, c), (r + i, c + j), current_player)]

    def minimax(board, depth, max_depth, current_player, generate_valid_moves: Callable):
        if depth == max_depth or breakthrough.is_game_over(board):
            return evaluate(board), breakthrough.MOVE_NONE
        best = None
        for src, dst in generate_valid_moves(board, current_player):
            after = breakthrough.make_move(board, src, dst, current_player, False)
            value, _ = minimax(after, depth + 1, max_depth, current_player.get_opponent(), generate_valid_moves)
            if best is None or (value > best[0]) == (current_player == breakthrough.Player.BLACK) and value != best[0]:
                best = value, (src, dst)
        return best

    def minimax_alpha_beta(board, depth, max_depth, alpha, beta, current_player, generate_valid_moves):
        assert (alpha, beta) == (-breakthrough.INF, breakthrough.INF)
        return minimax(board, depth, max_depth, current_player, generate_valid_moves)
"""

POLICIES = """
    import numpy as np
    from game import BoardState, GameSimulator, Rules

    class Player:
        def policy(self, decode_state):
            raise NotImplementedError

    class Lowest(Player):
        def __init__(self, gsp, player_idx):
            self.sim, self.player_idx = GameSimulator(None), player_idx
            assert gsp.initial_state[1] == player_idx

        def policy(self, decode_state):
            board = self.sim.game_state
            for i, cr in enumerate(decode_state):
                board.update(i, board.encode_single_pos(cr))
            idx, pos = sorted(self.sim.generate_valid_actions(self.player_idx))[0]
            return (np.int64(idx), np.int64(pos)), 0.5
"""

CLIMBER = """
    import random

    def hill_climbing(cities, distances, transition, evaluation_func):
        route = random.sample(range(cities), cities)
        return max(transition(route), key=lambda near: evaluation_func(cities, distances, near))
"""
