"""Positions of dominoes: boards of all shapes with squares filled anywhere, small enough to be played to every end."""

from functools import cache, partial
from random import Random

from hypothesis import strategies as st

from palio_rules.games.dominoes import Position, board_of

SMALL = ((1, 6), (2, 5), (3, 3), (4, 4), (5, 3), (4, 5), (5, 4), (2, 8), (8, 2))
SPARSE = ((6, 6), (8, 8), (3, 16), (16, 4))
WIDE = ((9, 8), (9, 9), (11, 11), (16, 8), (16, 16))  # words of 128 and of 256 bits


def empty(rows, cols, turn=0):
    return Position(board_of(rows, cols), 0, turn)


def scattered(sizes, seed, tenths):
    """About so many tenths of the squares are free."""
    random = Random(seed)
    board = board_of(*random.choice(sizes))
    filled = sum(1 << at for at in range(board.rows * board.cols) if random.randrange(10) >= tenths)
    return Position(board, filled, seed % 2)


def stretched(seed, count):
    """A wide board where two patches are free, in opposite corners: the same game as one on a small board."""
    random = Random(seed)
    board = board_of(*random.choice(WIDE[:3]))
    squares = [(row, col) for row in range(3) for col in range(3)]
    free = {(row, col) for row, col in squares if random.randrange(5)}
    far = {(board.rows - 1 - row, board.cols - 1 - col) for row, col in squares[:count] if random.randrange(5)}
    return Position(board, board.full & ~sum(board.bit(*at) for at in free | far), seed % 2)


def positions(*sizes, least=3):
    return st.builds(partial(scattered, sizes or SMALL), st.integers(0, 100_000), st.integers(least, 10))


def sparse(seed, count):
    """Patches of free squares, so many in all, on a larger board."""
    random = Random(seed)
    board = board_of(*random.choice(SPARSE))
    free = {(random.randrange(board.rows), random.randrange(board.cols))}
    while len(free) < count:
        row, col = random.choice(sorted(free))
        beside = row + random.choice((-1, 0, 0, 1)), col + random.choice((-1, 0, 0, 1))
        if 0 <= beside[0] < board.rows and 0 <= beside[1] < board.cols:
            free.add(beside)
    return Position(board, board.full & ~sum(board.bit(*at) for at in free), seed % 2)


sparse_positions = st.builds(sparse, st.integers(0, 100_000), st.integers(6, 16))
stretched_positions = st.builds(stretched, st.integers(0, 100_000), st.integers(0, 8))


@cache
def wins(state):
    """Whether the side to move has the last move, by trying everything."""
    return any(not wins(state.play(move)) for move in state.legal_moves())
