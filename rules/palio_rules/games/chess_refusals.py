"""The reasons why a move of chess cannot be played: a code for programs, and a sentence that names the pieces."""

from palio_rules.boards.chess import BETWEEN, BITS, EMPTY, MOVES, NAMES, PAWN, PROMOTIONS, SQUARES, STEPS, squares_of
from palio_rules.errors import IllegalMove, quoted
from palio_rules.games.chess_pieces import Pieces, castled

SIDES = ("White", "Black")
Reason = tuple[str, str]  # a code, and a reason without the move's name


def refusal(pieces: Pieces, move: object) -> IllegalMove:
    """Return the first reason why `move` is illegal while the game goes on."""
    step = STEPS.get(move) if isinstance(move, str) else None
    if step is None:
        return IllegalMove("not-a-step", f"no piece ever makes the move {quoted(move)}; write e2e4, or e7e8q")
    code, reason = _reason(pieces, *step)
    return IllegalMove(code, f"{move}: {reason}")


def _reason(pieces: Pieces, src: int, dst: int, promotion: str) -> Reason:
    piece = pieces.board[src]
    if piece == EMPTY:
        return "no-piece", f"{SQUARES[src]} is empty"
    if not pieces.own & BITS[src]:
        return "not-your-piece", f"the {_told(pieces, src)} is your opponent's"
    if promotion and piece not in "Pp":
        return "not-a-promotion", f"the {_told(pieces, src)} is no pawn; leave out the {promotion!r}"
    if (rook := pieces.castling_rook(src, dst)) is not None:
        return _against_castling(pieces, rook)
    if pieces.own & BITS[dst]:
        castles = f"; to castle, write {_castling(src, dst)}" if pieces.castling & BITS[dst] and piece in "Kk" else ""
        return "own-piece", f"your own {_told(pieces, dst)} stands there{castles}"
    against = _against_pawn(pieces, src, dst, promotion) if piece in "Pp" else _against_piece(pieces, src, dst)
    return against or _against_safety(pieces, src, dst)


def _against_piece(pieces: Pieces, src: int, dst: int) -> Reason | None:
    if pieces.reach(src, pieces.occupied) & BITS[dst]:
        return None
    if pieces.reach(src, 0) & BITS[dst]:
        found = squares_of(BETWEEN[src][dst] & pieces.occupied)
        return "path-blocked", f"the {_told(pieces, found[0])} stands in the way"
    piece = pieces.board[src].lower()
    if piece == "k" and src >> 3 == dst >> 3 and pieces.chess960:
        return "not-a-step", "the king moves by one square; to castle, write that he takes his rook"
    return "not-a-step", f"a {NAMES[piece]} does not move from {SQUARES[src]} to {SQUARES[dst]}"


def _against_pawn(pieces: Pieces, src: int, dst: int, promotion: str) -> Reason | None:
    turn = pieces.turn
    ahead, first_row, last_row = (8, 1, 7) if turn else (-8, 6, 0)
    if PAWN[turn][src] & BITS[dst]:
        if pieces.board[dst] == EMPTY and dst != pieces.passant:
            beside = pieces.board[dst - ahead] == "pP"[turn] and dst >> 3 == (5 if turn else 2)
            also = ", and no capture en passant is legal there" if beside else ""
            return "nothing-to-capture", f"a pawn moves diagonally only to capture, {SQUARES[dst]} is empty{also}"
    elif dst - src != ahead and (dst - src != 2 * ahead or src >> 3 != first_row):
        return "not-a-step", f"a pawn does not move from {SQUARES[src]} to {SQUARES[dst]}"
    elif blocked := squares_of((BETWEEN[src][dst] | BITS[dst]) & pieces.occupied):
        nearest = blocked[0 if turn else -1]
        return "path-blocked", f"the {_told(pieces, nearest)} stands in the way, and a pawn captures diagonally only"
    if dst >> 3 == last_row and not promotion:
        choices = ", ".join(MOVES[src][dst] + each for each in PROMOTIONS)
        return "no-promotion", f"a pawn on the last row becomes another piece; write one of {choices}"
    return None


def _against_castling(pieces: Pieces, rook: int) -> Reason:
    king = pieces.king
    king_to, _ = castled(king, rook)
    if not pieces.castling & BITS[rook]:
        side = "king" if rook > king else "queen"
        return "no-castling", f"{SIDES[pieces.turn]} has no right to castle on the {side}'s side"
    if blocked := squares_of(pieces.castling_obstacles(rook)):
        return "path-blocked", f"the {_told(pieces, blocked[0])} stands in the way of castling"
    attacked = pieces.attackers_of_castling(rook)
    assert attacked is not None  # nothing else forbids it
    index, attackers = attacked
    attacker = _told(pieces, squares_of(attackers)[0])
    if pieces.checkers():
        return "castling-attacked", f"the king is in check from the {attacker}, and cannot castle out of check"
    does = "comes to" if index == king_to else "passes"
    return "castling-attacked", f"the king {does} {SQUARES[index]}, which the {attacker} attacks"


def _against_safety(pieces: Pieces, src: int, dst: int) -> Reason:
    found = pieces.attackers_after(src, dst)
    attacker = _told(pieces, squares_of(found)[0])
    if src == pieces.king:
        return "king-attacked", f"the {attacker} attacks {SQUARES[dst]}"
    king = SQUARES[pieces.king]
    if found & pieces.checkers():
        return "king-attacked", f"your king on {king} stays in check from the {attacker}"
    return "king-attacked", f"it leaves your king on {king} in check from the {attacker}"


def _castling(king: int, rook: int) -> str:
    """Return how castling with this rook is written in standard chess."""
    return MOVES[king][king + 2 if rook > king else king - 2]


def _told(pieces: Pieces, index: int) -> str:
    return f"{NAMES[pieces.board[index].lower()]} on {SQUARES[index]}"
