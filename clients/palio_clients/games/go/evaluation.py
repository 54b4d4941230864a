"""Go: who is nearer to more of the board, and whose groups are about to be taken. In points, the komi included.

A point counts for the side whose stones are nearer to it, along the lines; an old estimate of influence: Zobrist, "A
model of visual organization for the game of GO", AFIPS Spring Joint Computer Conference (1969).
"""

from collections.abc import Hashable

from palio_rules.boards.go import Board
from palio_rules.games.go_position import BLACK, Position

TAKEN = 2.0  # points for a stone that the side to move can take at once: it goes, and its place changes hands
THREATENED = 0.5  # for one of the side to move that the opponent could take next
LIBERTY = 0.05  # for each pair of a group and a liberty of it, up to `ENOUGH` for each group
ENOUGH = 6
ROOM = 6  # empty points in which the enemy cannot live


def evaluate(state: Position, seat: int) -> float:
    """Return the points that each side is nearer to, with its prospects of taking stones; ours less theirs."""
    board, black, white = state.board, state.black, state.white
    near = _nearer(board, black, white)
    value = near[0].bit_count() - near[1].bit_count() - state.komi
    empty = board.full ^ black ^ white
    for owner, stones in enumerate((black, white)):
        risk = THREATENED if owner == state.turn else TAKEN
        for group in board.groups(stones):
            liberties = (board.spread(group) & empty).bit_count()
            worth = LIBERTY * min(liberties, ENOUGH) - (risk * group.bit_count() if liberties == 1 else 0.0)
            value += worth if owner == BLACK else -worth
    return value if seat == BLACK else -value


def is_done(state: Position) -> bool:
    """Return whether each point is one side's, in regions too small to live in, and no group can be taken at once."""
    board, (black, white) = state.board, state.areas()
    empty = board.full ^ state.black ^ state.white
    if black | white != board.full or any(region.bit_count() > ROOM for region in board.groups(empty)):
        return False
    groups = [group for stones in (state.black, state.white) for group in board.groups(stones)]
    return all((board.spread(group) & empty).bit_count() > 1 for group in groups)


def _nearer(board: Board, black: int, white: int) -> tuple[int, int]:
    """Return the points that each side reaches first; those that both reach at once count for neither."""
    free = board.full ^ black ^ white
    new = (black, white)
    while any(new):
        reached = (board.beside(new[0]) & free, board.beside(new[1]) & free)
        free &= ~(reached[0] | reached[1])
        new = (reached[0] & ~reached[1], reached[1] & ~reached[0])
        black, white = black | new[0], white | new[1]
    return black, white


def lookback(state: Position, depth: int) -> Hashable:
    """Return the earlier boards that could come back within `depth` plies, and the plies left if they may run out."""
    board, black, white = state.board, state.black, state.white
    left = board.longest - len(state.moves)
    here, empty = black << board.width | white, board.full ^ black ^ white
    caught = any(
        (board.spread(group) & empty).bit_count() <= depth
        for stones in (black, white)
        for group in board.groups(stones)
    )
    earlier = frozenset(
        each for each in state.boards if (caught or not here & ~each) and (each & ~here).bit_count() <= depth
    )
    return (earlier, min(left, depth + 1)) if earlier or left <= depth else None
