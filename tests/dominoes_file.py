"""A student's small file on Dominoes, for tests of courses: it plays its first legal move."""

FILE = "adversarial_search.py"
DOMINOES = """
class DominoesGame:
    def __init__(self, board):
        self.board = board

    def legal_moves(self, vertical):
        rows, cols = len(self.board), len(self.board[0])
        for r in range(rows):
            for c in range(cols):
                other = (r + 1, c) if vertical else (r, c + 1)
                inside = other[0] < rows and other[1] < cols
                if inside and not self.board[r][c] and not self.board[other[0]][other[1]]:
                    yield r, c

    def get_best_move(self, vertical, limit):
        moves = list(self.legal_moves(vertical))
        return moves[0], len(moves), 1

def create_dominoes_game(rows, cols):
    return DominoesGame([[False] * cols for _ in range(rows)])
"""
