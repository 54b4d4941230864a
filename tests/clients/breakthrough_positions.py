"""Positions of Breakthrough on boards of many sizes, up to the one that uses all 64 bits; not yet decided."""

from functools import cache, partial
from random import Random

from hypothesis import strategies as st

from palio_rules.games.breakthrough import BLACK, Position, board_of

SIZES = ((4, 3), (5, 4), (6, 6), (7, 8), (8, 5), (8, 8))


def first(rows, cols):
    board = board_of(rows, cols)
    return Position(board, *board.home, BLACK)


def somewhere(sizes, seed, plies):
    """What random play reaches, preferring to capture and to run ahead, so that there is something to decide."""
    random = Random(seed)
    state = first(*random.choice(sizes))
    for _ in range(plies):
        moves = list(state.legal_moves())
        after = state.play(random.choice(moves[-5:] if state.turn == BLACK and seed % 2 else moves))
        if after.to_move is None:
            break
        state = after
    return state


def scattered(sizes, seed, pawns):
    """Few pawns anywhere: races, and captures at the edges."""
    random = Random(seed)
    board = board_of(*random.choice(sizes))
    inner = list(range(board.cols, (board.rows - 1) * board.cols))
    random.shuffle(inner)
    black = sum(1 << at for at in inner[: pawns // 2 + 1])
    white = sum(1 << at for at in inner[pawns // 2 + 1 : pawns + 2])
    return Position(board, black, white, random.randrange(2))


def positions(*sizes):
    chosen, seeds = sizes or SIZES, st.integers(0, 10_000)
    return st.one_of(
        st.builds(partial(somewhere, chosen), seeds, st.integers(0, 40)),
        st.builds(partial(scattered, chosen), seeds, st.integers(0, 8)),
    )


@cache
def wins(state):
    """Whether the side to move wins, by looking at every game that is left: for small boards."""
    return state.to_move is not None and any(not wins(state.play(move)) for move in state.legal_moves())
