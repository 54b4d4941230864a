"""Legal moves of chess, compiled: the same as the rules list, in the same order, and the count of playable games."""

import numpy as np

from palio_clients.games.chess.kernels.workspace import (
    BISHOPS,
    FIFTY,
    KINDS,
    KINGS,
    KNIGHTS,
    PAWNS,
    QUEENS,
    ROOKS,
    attackers,
    checkers_of,
    dead,
    diagonal,
    line_of,
    make,
    repeats,
    safe_passant,
    set_up,
    straight,
    unmake,
    workspace,
)
from palio_clients.kernels.bits import ONE, ZERO, highest, lowest
from palio_clients.kernels.jit import Array, Int, Record, Truth, Word, kernel
from palio_rules.games.chess_position import Position

ROW = np.uint64(0xFF)


@kernel
def collect(space: Record, turn: Int, checkers: Word, loud: Truth, moves: Array) -> Int:
    """List the legal moves of `turn`, to whom `checkers` give check; return their number.

    If `loud`, only captures and promotions to a queen.
    """
    own, enemy = space.sets[turn, 0], space.sets[1 - turn, 0]
    occupied, king, count = own | enemy, lowest(space.sets[turn, KINGS]), 0
    movers, open_ = own, ~own
    if checkers & (checkers - ONE) != ZERO:
        movers = space.sets[turn, KINGS]  # in check from two pieces
    elif checkers != ZERO:
        open_ &= checkers | space.between[king, lowest(checkers)]
    target = open_ & enemy if loud else open_
    pinned = pinned_to(space, turn, king, occupied)
    while movers != ZERO:
        src = lowest(movers)
        movers &= movers - ONE
        kind = space.board[src] - KINDS * turn
        if kind == KINGS:
            count = of_king(space, turn, src, checkers, loud, moves, count)
            continue
        if kind == PAWNS:
            reach = of_pawn(space, turn, src, occupied, enemy, open_, loud)
        else:
            reach = of_piece(space, kind, src, occupied) & target
        if (pinned >> np.uint64(src)) & ONE != ZERO:
            reach &= space.through[king, src]
        if kind == PAWNS:
            reach |= to_passant(space, turn, src)
        if kind == PAWNS and src >> 3 == (1 if turn == 0 else 6):
            count = promote(src, reach, loud, moves, count)
            continue
        while reach != ZERO:
            moves[count] = src | lowest(reach) << 6
            reach &= reach - ONE
            count += 1
    return count


@kernel
def of_piece(space: Record, kind: Int, src: Int, occupied: Word) -> Word:
    """Return what a queen, rook, bishop or knight attacks."""
    if kind == KNIGHTS:
        return space.knight[src]
    reach = ZERO
    if kind != BISHOPS:
        reach |= straight(space, src, occupied)
    if kind != ROOKS:
        reach |= diagonal(space, src, occupied)
    return reach


@kernel
def to_passant(space: Record, turn: Int, src: Int) -> Word:
    """Return the square that the pawn on `src` may enter by capturing en passant, if it may."""
    if space.passant < 0 or (space.pawn[turn, src] >> np.uint64(space.passant)) & ONE == ZERO:
        return ZERO
    return ONE << np.uint64(space.passant) if safe_passant(space, turn, src, space.passant) else ZERO


@kernel
def pinned_to(space: Record, turn: Int, king: Int, occupied: Word) -> Word:
    """Return the pieces of `turn` that alone stand between its king and a piece that would give check."""
    enemy, pinned = space.sets[1 - turn], ZERO
    snipers = straight(space, king, enemy[0]) & (enemy[ROOKS] | enemy[QUEENS])
    snipers |= diagonal(space, king, enemy[0]) & (enemy[BISHOPS] | enemy[QUEENS])
    while snipers != ZERO:
        between = space.between[king, lowest(snipers)] & occupied
        snipers &= snipers - ONE
        if between & (between - ONE) == ZERO:
            pinned |= between
    return pinned & space.sets[turn, 0]


@kernel
def of_pawn(space: Record, turn: Int, src: Int, occupied: Word, enemy: Word, open_: Word, loud: Truth) -> Word:
    """Return where among the `open_` squares the pawn can go, en passant left out, pins not regarded."""
    bit, free = ONE << np.uint64(src), ~occupied
    if turn == 0:
        step = (bit >> np.uint64(8)) & free
        steps = step | (((step & (ROW << np.uint64(40))) >> np.uint64(8)) & free)
    else:
        step = (bit << np.uint64(8)) & free
        steps = step | (((step & (ROW << np.uint64(16))) << np.uint64(8)) & free)
    if loud:  # a promotion is loud without a capture
        steps &= ROW | ROW << np.uint64(56)
    return (steps | (space.pawn[turn, src] & enemy)) & open_


@kernel
def of_king(space: Record, turn: Int, king: Int, checkers: Word, loud: Truth, moves: Array, count: Int) -> Int:
    own, enemy = space.sets[turn, 0], space.sets[1 - turn, 0]
    rest = (own | enemy) ^ (ONE << np.uint64(king))
    reach = space.king[king] & (enemy if loud else ~own)
    while reach != ZERO:
        dst = lowest(reach)
        reach &= reach - ONE
        if attackers(space, dst, 1 - turn, rest) == ZERO:
            moves[count] = king | dst << 6
            count += 1
    if loud or checkers != ZERO:
        return count
    rooks = space.castling & (ROW << np.uint64(56 if turn == 0 else 0))
    while rooks != ZERO:  # the rook on White's right first
        rook = 63 - highest(rooks)
        rooks ^= ONE << np.uint64(rook)
        if may_castle(space, turn, king, rook, rest):
            moves[count] = king | rook << 6
            count += 1
    return count


@kernel
def may_castle(space: Record, turn: Int, king: Int, rook: Int, rest: Word) -> Truth:
    """Return whether a king that is not in check may castle; `rest` are the occupied squares but his."""
    king_to = (king & 56) + (6 if rook > king else 2)
    rook_to = king_to - 1 if rook > king else king_to + 1
    rook_bit, rook_lands, king_lands = ONE << np.uint64(rook), ONE << np.uint64(rook_to), ONE << np.uint64(king_to)
    way = space.between[king, king_to]
    path = way | king_lands | space.between[rook, rook_to] | rook_lands | space.between[king, rook]
    if path & rest & ~rook_bit != ZERO:
        return False
    while way != ZERO:
        if attackers(space, lowest(way), 1 - turn, rest) != ZERO:
            return False
        way &= way - ONE
    return attackers(space, king_to, 1 - turn, (rest & ~rook_bit) | rook_lands) == ZERO


@kernel
def promote(src: Int, reach: Word, loud: Truth, moves: Array, count: Int) -> Int:
    while reach != ZERO:
        move = src | lowest(reach) << 6
        reach &= reach - ONE
        for piece in range(QUEENS, QUEENS + 1 if loud else PAWNS):
            moves[count] = move | piece << 12
            count += 1
    return count


# Counting of playable games: the twin of counting with the rules, draws included.


def perft(state: Position, depth: int) -> int:
    """Return how many games of `depth` more plies there are. The last ply is counted without playing its moves."""
    if depth == 0:
        return 1
    if state.to_move is None:
        return 0
    spaces = workspace()
    set_up(spaces[0], state)
    return int(_perft(spaces, state.turn, depth))


def legal_moves(state: Position) -> tuple[str, ...]:
    """Return the legal moves of a position that is not over, as the kernel lists them."""
    spaces = workspace()
    set_up(spaces[0], state)
    count = _listed(spaces, state.turn)
    return tuple(line_of(state, (number, 0))[0] for number in spaces[0]["stack"][0][:count])


@kernel
def _listed(spaces: Array, turn: Int) -> Int:
    return collect(spaces[0], turn, checkers_of(spaces[0], turn), False, spaces[0].stack[0])


@kernel
def _perft(spaces: Array, turn: Int, depth: Int) -> Int:
    return _count(spaces[0], turn, depth, np.int64(0))


@kernel
def _count(space: Record, turn: Int, depth: Int, ply: Int) -> Int:
    """Count from a position that is not drawn, though it may have no moves."""
    moves, leaves = space.stack[ply], np.int64(0)
    count = collect(space, turn, checkers_of(space, turn), False, moves)
    if depth == 1:
        return np.int64(count)
    for number in range(count):
        move = moves[number]
        make(space, turn, move, ply)
        if space.clock < FIFTY and not repeats(space, False) and not dead(space):
            leaves += _count(space, 1 - turn, depth - 1, ply + 1)
        unmake(space, turn, move, ply)
    return leaves
