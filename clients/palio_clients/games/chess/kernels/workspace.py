"""The position of chess for kernels: the workspace, moves as small numbers, and how they are made and unmade.

Squares are those of the rules, 0 (a8) to 63 (h1); turn 0 is White. A piece is 1 to 6 for White's king, queen, rook,
bishop, knight and pawn, 7 to 12 for Black's; 0 is an empty square. A move is `src | dst << 6 | promotion << 12`, with
the piece promoted to as 2 to 5 (queen to knight), else 0; castling is the king's move to his rook's square. 0 is no
move.

The key of a position is a Zobrist hash: Zobrist, "A new hashing method with application for game playing" (1970). It
contains everything that the rules compare for repetition. The keys of the game and of the search stand in `past`.
"""

from collections import Counter
from functools import lru_cache
from itertools import takewhile
from random import Random
from typing import Any

import numpy as np

from palio_clients.games.chess import evaluation
from palio_clients.kernels.bits import ONE, ZERO, first_of, highest, lowest, scrambled
from palio_clients.kernels.jit import Int, Record, Truth, Word, kernel
from palio_rules.boards import chess as board
from palio_rules.games.chess_pieces import castled
from palio_rules.games.chess_position import Position

KINGS, QUEENS, ROOKS, BISHOPS, KNIGHTS, PAWNS = range(1, 7)  # kinds of pieces; 0 stands for all of them
KINDS = 6
CASTLED, PASSED = -1, -2  # in `taken`: the move was castling; the turn was passed
PROMOTED = ("", "", "q", "r", "b", "n")  # by the number in a move
DEEPEST = 96  # plies from the root that fit
PLIES = DEEPEST + 2
LONGEST = 150  # plies of the game that can be repeated: a given position's clock at most
WIDEST = 256  # moves: 218 are the most that are known
NUMBERS = 1 << 15  # of moves
FIFTY = 100  # plies without a capture or a pawn's move

WORKSPACE = np.dtype(
    [
        # The board, from `boards/chess` and `evaluation`.
        ("knight", np.uint64, (64,)),
        ("king", np.uint64, (64,)),
        ("pawn", np.uint64, (2, 64)),  # the squares that a seat's pawn attacks
        ("below", np.uint64, (4, 64)),  # the lines through a square: the part with lower numbers
        ("above", np.uint64, (4, 64)),
        ("between", np.uint64, (64, 64)),
        ("through", np.uint64, (64, 64)),
        ("dark", np.uint64),
        ("worth", np.int64, (13, 64)),  # three packed numbers, see `evaluation`
        ("column", np.uint64, (64,)),  # the column of a square, and those beside it
        ("beside", np.uint64, (64,)),
        ("ahead", np.uint64, (2, 64)),  # of a seat's pawn: where an enemy's pawn could stop or capture it
        ("passed", np.int64, (2, 64)),  # packed, like the next five
        ("isolated", np.int64),
        ("doubled", np.int64),
        ("open", np.int64),
        ("half_open", np.int64),
        ("pair", np.int64),
        ("from_middle", np.int64, (64,)),
        ("full", np.int64),  # the shares of a full board
        ("driven", np.int64),  # see `evaluation`
        ("near", np.int64),
        ("price", np.int64, (13,)),  # of pieces in exchanges
        ("piece_key", np.uint64, (13, 64)),
        ("castling_key", np.uint64, (64,)),
        ("passant_key", np.uint64, (64,)),
        ("turn_key", np.uint64),
        # The position.
        ("board", np.int64, (64,)),
        ("sets", np.uint64, (2, KINDS + 1)),  # squares by seat and kind
        ("castling", np.uint64),  # the rooks that may still castle
        ("passant", np.int64),  # -1: none
        ("clock", np.int64),  # plies since the last capture or pawn's move
        ("key", np.uint64),
        ("total", np.int64),  # the sum of `worth`
        # What unmaking a move restores, by ply.
        ("taken", np.int64, (PLIES,)),
        ("old_castling", np.uint64, (PLIES,)),
        ("old_passant", np.int64, (PLIES,)),
        ("old_clock", np.int64, (PLIES,)),
        ("old_key", np.uint64, (PLIES,)),
        ("old_total", np.int64, (PLIES,)),
        # The history.
        ("past", np.uint64, (LONGEST + PLIES + 1,)),  # keys of earlier positions, then this one's
        ("known", np.int64),  # how many
        ("game", np.int64),  # how many of them were before the root
        ("salt", np.uint64),  # of keys in the table: which positions of the game occurred twice, 0 for none
        # The search.
        ("nodes", np.int64),
        ("limit", np.int64),  # nodes at most, 0 for no limit
        ("clever", np.int64),  # 1: with quiescence, reductions and pruning; 0: plain
        ("age", np.int64),
        ("line", np.uint16, (PLIES, PLIES)),  # principal variations by ply, each ending in 0
        ("killers", np.uint16, (PLIES, 2)),
        ("history", np.int32, (2, NUMBERS)),
        ("stack", np.int64, (PLIES, WIDEST)),  # moves by ply, each with its merit
    ],
    align=True,
)

_RANDOM = Random(960)  # noqa: S311 - keys, no secrets
_PIECE_KEYS = [[_RANDOM.getrandbits(64) for _ in range(64)] for _ in board.PIECES]
_CASTLING_KEYS = [_RANDOM.getrandbits(64) for _ in range(64)]
_PASSANT_KEYS = [_RANDOM.getrandbits(64) for _ in range(64)]
_TURN_KEY = _RANDOM.getrandbits(64)
_NUMBER = {board.EMPTY: 0, **{piece: number for number, piece in enumerate(board.PIECES, 1)}}
_WAYS = ((0, 1), (1, 0), (1, 1), (1, -1))  # to higher numbers: along a row, a column, and both diagonals


def workspace() -> Any:
    """Return an array of one record, with the tables of the board."""
    made = np.zeros(1, WORKSPACE)
    space = made[0]
    space["knight"], space["king"], space["pawn"] = board.KNIGHT, board.KING, board.PAWN
    for line, (down, right) in enumerate(_WAYS):
        for square in range(64):
            space["above"][line, square] = board.Reach(square, ((down, right),)).lines
            space["below"][line, square] = board.Reach(square, ((-down, -right),)).lines
    space["between"], space["through"], space["dark"] = board.BETWEEN, board.THROUGH, board.DARK
    for number, piece in enumerate(board.PIECES, 1):
        space["worth"][number] = [evaluation.WORTH[square][piece] for square in range(64)]
        space["piece_key"][number] = _PIECE_KEYS[number - 1]
        space["price"][number] = evaluation.VALUE[piece]
    space["column"], space["beside"], space["ahead"] = evaluation.COLUMN, evaluation.BESIDE, evaluation.AHEAD
    space["passed"], space["isolated"], space["doubled"] = evaluation.PASSED, evaluation.ISOLATED, evaluation.DOUBLED
    space["open"], space["half_open"], space["pair"] = evaluation.OPEN, evaluation.HALF_OPEN, evaluation.PAIR
    space["from_middle"], space["full"] = evaluation.FROM_MIDDLE, evaluation.FULL_BOARD
    space["driven"], space["near"] = evaluation.DRIVEN, evaluation.NEAR
    space["castling_key"], space["passant_key"], space["turn_key"] = _CASTLING_KEYS, _PASSANT_KEYS, _TURN_KEY
    return made


def set_up(space: Any, state: Position) -> None:
    """Put a position and its history into the workspace, for a search that begins there."""
    space["board"] = [_NUMBER[piece] for piece in state.board]
    queens = state.diagonals & state.straights
    kinds = (state.kings, queens, state.straights ^ queens, state.diagonals ^ queens, state.knights, state.pawns)
    for seat, own in enumerate((state.white, state.black)):
        space["sets"][seat] = (own, *(own & squares for squares in kinds))
    space["castling"], space["passant"], space["clock"] = state.castling, state.passant, state.clock
    space["total"] = sum(evaluation.WORTH[square][piece] for square, piece in enumerate(state.board))
    rights = 0
    for square in board.squares_of(state.castling):
        rights ^= _CASTLING_KEYS[square]
    passant = _PASSANT_KEYS[state.passant] if state.passant >= 0 else 0
    earlier = state.earlier[-LONGEST:]
    past = [
        _key_of(pieces) ^ rights ^ (_TURN_KEY if (state.turn + len(earlier) - place) % 2 else 0)
        for place, pieces in enumerate((*earlier, state.board))
    ]
    space["salt"] = 0
    for key, times in Counter(past).items():
        if times > 1:
            space["salt"] ^= scrambled(np.uint64(key))
    past[-1] ^= passant
    space["past"][: len(past)] = past
    space["known"], space["game"], space["key"] = len(past), len(past) - 1, past[-1]


@lru_cache(maxsize=4096)
def _key_of(pieces: str) -> int:
    """Return the part of a key that the pieces make."""
    key = 0
    for square, piece in enumerate(pieces):
        if piece != board.EMPTY:
            key ^= _PIECE_KEYS[_NUMBER[piece] - 1][square]
    return key


def line_of(state: Position, numbers: Any) -> tuple[str, ...]:
    """Return a line of moves from `state`, up to the first 0."""
    line = []
    for number in takewhile(bool, map(int, numbers)):
        src, dst = number & 63, number >> 6 & 63
        if state.board[src] in "Kk" and state.castling & board.BITS[dst] and state.own & board.BITS[dst]:
            move = board.MOVES[src][dst if state.chess960 else castled(src, dst)[0]]
        else:
            move = board.MOVES[src][dst] + PROMOTED[number >> 12]
        line.append(move)
        state = state.play(move)
    return tuple(line)


# Attacks. A line is attacked up to the first piece on either side: what remains of the occupied squares after a
# subtraction shows where these are.


@kernel
def along(space: Record, line: Int, square: Int, occupied: Word) -> Word:
    below, above = space.below[line, square], space.above[line, square]
    nearest = np.uint64(63 - highest((below & occupied) | ONE))  # 0, too, if there is none: the line ends there
    return (below | above) & ((first_of(above & occupied) << ONE) - (ONE << nearest))


@kernel
def straight(space: Record, square: Int, occupied: Word) -> Word:
    return along(space, 0, square, occupied) | along(space, 1, square, occupied)


@kernel
def diagonal(space: Record, square: Int, occupied: Word) -> Word:
    return along(space, 2, square, occupied) | along(space, 3, square, occupied)


@kernel
def attackers(space: Record, square: Int, seat: Int, occupied: Word) -> Word:
    """Return the pieces of `seat` that attack a square if `occupied` are the squares that hold a piece."""
    sets = space.sets[seat]
    return (
        (space.knight[square] & sets[KNIGHTS])
        | (space.king[square] & sets[KINGS])
        | (space.pawn[1 - seat, square] & sets[PAWNS])
        | (straight(space, square, occupied) & (sets[ROOKS] | sets[QUEENS]))
        | (diagonal(space, square, occupied) & (sets[BISHOPS] | sets[QUEENS]))
    )


@kernel
def checkers_of(space: Record, turn: Int) -> Word:
    """Return the pieces that give check to `turn`."""
    occupied = space.sets[0, 0] | space.sets[1, 0]
    return attackers(space, lowest(space.sets[turn, KINGS]), 1 - turn, occupied)


@kernel
def safe_passant(space: Record, turn: Int, src: Int, passant: Int) -> Truth:
    """Return whether the king of `turn` is not attacked after its pawn on `src` captures en passant on `passant`."""
    captured = ONE << np.uint64(passant + 8 if turn == 0 else passant - 8)
    occupied = (space.sets[0, 0] | space.sets[1, 0]) & ~captured & ~(ONE << np.uint64(src))
    king = lowest(space.sets[turn, KINGS])
    return attackers(space, king, 1 - turn, occupied | ONE << np.uint64(passant)) & ~captured == ZERO


# Making and unmaking a move.


@kernel
def put(space: Record, seat: Int, piece: Int, square: Int) -> None:
    bit = ONE << np.uint64(square)
    space.board[square] = piece
    space.sets[seat, 0] |= bit
    space.sets[seat, piece - KINDS * seat] |= bit


@kernel
def lift(space: Record, seat: Int, piece: Int, square: Int) -> None:
    bit = ~(ONE << np.uint64(square))
    space.board[square] = 0
    space.sets[seat, 0] &= bit
    space.sets[seat, piece - KINDS * seat] &= bit


@kernel
def keep_old(space: Record, ply: Int) -> None:
    space.old_castling[ply] = space.castling
    space.old_passant[ply] = space.passant
    space.old_clock[ply] = space.clock
    space.old_key[ply] = space.key
    space.old_total[ply] = space.total


@kernel
def make(space: Record, turn: Int, move: Int, ply: Int) -> None:
    """Make a legal move of `turn`; `unmake` with the same `ply` takes it back."""
    keep_old(space, ply)
    src, dst, promotion = move & 63, (move >> 6) & 63, move >> 12
    piece, taken = space.board[src], space.board[dst]
    kind = piece - KINDS * turn
    space.key ^= space.turn_key
    if space.passant >= 0:
        space.key ^= space.passant_key[space.passant]
    passed = space.passant
    space.passant = -1
    space.clock += 1
    move_out(space, turn, piece, src)
    if kind == KINGS and taken == ROOKS + KINDS * turn:
        king_to = (src & 56) + (6 if dst > src else 2)
        move_out(space, turn, taken, dst)
        move_in(space, turn, piece, king_to)
        move_in(space, turn, taken, king_to - 1 if dst > src else king_to + 1)
        taken = CASTLED
    else:
        at = dst
        if kind == PAWNS and dst == passed:
            at = dst + 8 if turn == 0 else dst - 8
            taken = space.board[at]
        if taken != 0:
            move_out(space, 1 - turn, taken, at)
        if taken != 0 or kind == PAWNS:
            space.clock = 0
        move_in(space, turn, promotion + KINDS * turn if promotion else piece, dst)
        if kind == PAWNS and abs(dst - src) == 16:
            settle_passant(space, turn, (src + dst) >> 1)
    space.taken[ply] = taken
    lost = space.castling & lost_rights(turn, src, dst, kind)
    space.castling ^= lost
    while lost != ZERO:
        space.key ^= space.castling_key[lowest(lost)]
        lost &= lost - ONE
    space.past[space.known] = space.key
    space.known += 1


@kernel
def move_out(space: Record, seat: Int, piece: Int, square: Int) -> None:
    lift(space, seat, piece, square)
    space.key ^= space.piece_key[piece, square]
    space.total -= space.worth[piece, square]


@kernel
def move_in(space: Record, seat: Int, piece: Int, square: Int) -> None:
    put(space, seat, piece, square)
    space.key ^= space.piece_key[piece, square]
    space.total += space.worth[piece, square]


@kernel
def lost_rights(turn: Int, src: Int, dst: Int, kind: Int) -> Word:
    """Return the squares of the rooks that can no longer castle after a move."""
    home = np.uint64(0xFF) << np.uint64(56 if turn == 0 else 0)
    return (home if kind == KINGS else ONE << np.uint64(src)) | ONE << np.uint64(dst)


@kernel
def settle_passant(space: Record, turn: Int, passant: Int) -> None:
    """Note that a pawn of `turn` passed a square, if it can be captured there."""
    pawns = space.pawn[turn, passant] & space.sets[1 - turn, PAWNS]
    while pawns != ZERO:
        if safe_passant(space, 1 - turn, lowest(pawns), passant):
            space.passant = passant
            space.key ^= space.passant_key[passant]
            return
        pawns &= pawns - ONE


@kernel
def unmake(space: Record, turn: Int, move: Int, ply: Int) -> None:
    src, dst, promotion = move & 63, (move >> 6) & 63, move >> 12
    taken = space.taken[ply]
    space.castling = space.old_castling[ply]
    space.passant = space.old_passant[ply]
    space.clock = space.old_clock[ply]
    space.key = space.old_key[ply]
    space.total = space.old_total[ply]
    space.known -= 1
    if taken == CASTLED:
        king_to = (src & 56) + (6 if dst > src else 2)
        king, rook = KINGS + KINDS * turn, ROOKS + KINDS * turn
        lift(space, turn, king, king_to)
        lift(space, turn, rook, king_to - 1 if dst > src else king_to + 1)
        put(space, turn, king, src)
        put(space, turn, rook, dst)
        return
    piece = space.board[dst]
    lift(space, turn, piece, dst)
    if promotion:
        piece = PAWNS + KINDS * turn
    put(space, turn, piece, src)
    if taken != 0:
        at = dst
        if piece - KINDS * turn == PAWNS and dst == space.passant:
            at = dst + 8 if turn == 0 else dst - 8
        put(space, 1 - turn, taken, at)


@kernel
def pass_turn(space: Record, ply: Int) -> None:
    """Let the other side move, as no rule allows; `unpass` takes it back. Repetition does not look past it."""
    keep_old(space, ply)
    space.key ^= space.turn_key
    if space.passant >= 0:
        space.key ^= space.passant_key[space.passant]
    space.passant = -1
    space.clock = 0
    space.taken[ply] = PASSED
    space.past[space.known] = space.key
    space.known += 1


@kernel
def unpass(space: Record, ply: Int) -> None:
    space.passant = space.old_passant[ply]
    space.clock = space.old_clock[ply]
    space.key = space.old_key[ply]
    space.known -= 1


# Draws.


@kernel
def repeats(space: Record, within: Truth) -> Truth:
    """Return whether the position occurs for the third time; or, `within`, for the second time since the root."""
    at = space.known - 1
    first, times = max(at - space.clock, 0), 0
    for earlier in range(at - 4, first - 1, -2):
        if space.past[earlier] == space.key:
            times += 1
            if times == 2 or (within and earlier >= space.game):
                return True
    return False


@kernel
def dead(space: Record) -> Truth:
    """Return whether no moves can lead to mate: bare kings, one minor piece, or bishops of one colour."""
    white, black = space.sets[0], space.sets[1]
    if (white[PAWNS] | black[PAWNS] | white[ROOKS] | black[ROOKS] | white[QUEENS] | black[QUEENS]) != ZERO:
        return False
    knights, bishops = white[KNIGHTS] | black[KNIGHTS], white[BISHOPS] | black[BISHOPS]
    if knights != ZERO:
        return bishops == ZERO and knights & (knights - ONE) == ZERO
    return bishops & space.dark == ZERO or bishops & ~space.dark == ZERO
