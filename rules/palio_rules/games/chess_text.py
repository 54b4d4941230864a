"""Chess in writing: positions as FEN, moves in standard algebraic notation (SAN).

    rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
    rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 2 2 after g1f3 g8f6

The six fields of a FEN describe the position that is on the board. A position repeated three times is a draw, so the
boards before it count as well: they follow as the moves since the last capture, pawn's move or loss of a castling
right. Only these are needed, because no earlier board can occur again, and there are fewer than a hundred. A program
that knows FEN only reads the first six words, and has the current position. For UCI's `position` command,
`uci_position` turns the line round.

Castling rights are `KQkq` in standard chess, and the files of the rooks (`HAha`, Shredder-FEN) in chess960; so the
text tells the two apart for as long as they differ. `format_fen` has one way to write a position, and `parse_fen` reads
only that. `read_fen` reads what other programs write as well: X-FEN's `KQkq` in chess960, an en passant square behind
every pawn that moved two squares, and the first four fields without the counters.
"""

import re
from functools import cache

from palio_rules.boards.chess import BITS, EMPTY, MOVES, PAWN, PIECES, SQUARES, STEPS, squares_of
from palio_rules.errors import BadPosition, IllegalMove, MalformedMove, quoted
from palio_rules.games.chess_pieces import HOME_ROWS
from palio_rules.games.chess_position import Position, placed
from palio_rules.games.chess_refusals import SIDES

LONGEST = 1000  # characters of a position
AFTER = " after "
_NUMBER = re.compile(r"0|[1-9][0-9]{0,3}")
_PASSANT = re.compile(r"[a-h][36]")
_SAN = re.compile(r"([KQRBN])?([a-h])?([1-8])?x?([a-h][1-8])(?:=?([QRBN]))?")
_HOMES = (7, 0)  # the row of each seat's king at the start
_CASTLING = {"O-O": 1, "0-0": 1, "O-O-O": -1, "0-0-0": -1}


# --- FEN --------------------------------------------------------------------------------------------------------------


def format_fen(state: Position) -> str:
    """Return the six fields, and the moves that led from the first board that could be repeated."""
    fen = (
        f"{'/'.join([_short(state.board[at : at + 8]) for at in range(0, 64, 8)])} {'wb'[state.turn]} "
        f"{_rights(state)} {'-' if state.passant < 0 else SQUARES[state.passant]} {state.clock} {state.number}"
    )
    return f"{fen}{AFTER}{' '.join(state.trail)}" if state.trail else fen


@cache
def _short(row: str) -> str:
    return re.sub(r"\.+", lambda found: str(len(found[0])), row)


def _rights(state: Position) -> str:
    if not state.castling:
        return "-"
    found = []
    for seat in (0, 1):
        for rook in reversed(squares_of(state.castling & HOME_ROWS[seat])):
            letter = "ABCDEFGH"[rook & 7] if state.chess960 else "QK"[rook & 7 > 4]
            found.append(letter.lower() if seat else letter)
    return "".join(found)


def parse_fen(text: str) -> Position:
    """Read what `format_fen` wrote. Raises BadPosition with the place and the reason."""
    state = read_fen(text)
    if (written := format_fen(state)) != text:
        raise BadPosition(f"the position is written {written!r}, got {quoted(text)}")
    return state


def read_fen(text: str, *, chess960: bool = False) -> Position:
    """Read a FEN in any form that programs write: see the head of this module. Raises BadPosition.

    `chess960`: the position is one of chess960 even if its rights could be those of standard chess.
    """
    if len(text) > LONGEST:
        raise BadPosition(f"a position has at most {LONGEST:,} characters, got {len(text):,}")
    fen, after, trail = text.partition(AFTER)
    fields = fen.split(" ")
    if len(fields) == 4:
        fields += ["0", "1"]
    if len(fields) != 6:
        raise BadPosition(f"a FEN has 6 fields with one space between them, as in {_START!r}, got {quoted(fen)}")
    board = _board(fields[0])
    if fields[1] not in {"w", "b"}:
        raise BadPosition(f"field 2 is the side to move, w or b, got {quoted(fields[1])}")
    turn = "wb".index(fields[1])
    castling, shuffled = _castling(fields[2], board)
    clock, number = _count(fields[4], 5, "plies without a capture or pawn's move"), _count(fields[5], 6, "the move")
    if number == 0:
        raise BadPosition("field 6 is the move's number, from 1, got '0'")
    state = placed(board, turn, castling, -1, clock, number, chess960=chess960 or shuffled)
    _check_kings(state)
    if fields[3] != "-":
        state = _with_passant(state, fields[3])
    return _after(state, trail) if after else state


_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def _board(text: str) -> str:
    rows = text.split("/")
    if len(rows) != 8:
        raise BadPosition(f"field 1 has 8 rows with / between them, got {len(rows)} in {quoted(text)}")
    board = "".join(_row(rank, row) for rank, row in zip(range(8, 0, -1), rows, strict=True))
    for seat, letters in enumerate((PIECES[:6], PIECES[6:])):
        if (kings := board.count(letters[0])) != 1:
            raise BadPosition(f"{SIDES[seat]} has {kings} kings instead of one")
        if (men := sum(board.count(each) for each in letters)) > 16:
            raise BadPosition(f"{SIDES[seat]} has {men} pieces; no side has more than 16")
        if (pawns := board.count(letters[-1])) > 8:
            raise BadPosition(f"{SIDES[seat]} has {pawns} pawns; no side has more than 8")
    for index in (*range(8), *range(56, 64)):
        if board[index] in "Pp":
            raise BadPosition(f"a pawn stands on {SQUARES[index]}; none can stand on the first or last row")
    return board


def _row(rank: int, text: str) -> str:
    cells = ""
    for letter in text[:9]:
        if letter in PIECES:
            cells += letter
        elif letter in "12345678":
            cells += EMPTY * int(letter)
        else:
            raise BadPosition(f"row {rank}: {quoted(letter)} is none of {' '.join(PIECES)}, and no number from 1 to 8")
    if len(cells) != 8:
        raise BadPosition(f"row {rank} has another number of squares than 8, got {quoted(text)}")
    return cells


def _castling(text: str, board: str) -> tuple[int, bool]:
    """Return the rooks that may castle, and whether these are rights of chess960."""
    castling, chess960 = 0, False
    if text == "-":
        return castling, chess960
    if not text:
        raise BadPosition("field 3 has the castling rights as in KQkq, the files of rooks, or -, got ''")
    for letter in text:
        seat = 1 if letter.islower() else 0
        index = _rook_of_right(letter, board, text)
        king = board.find("Kk"[seat])
        same_side = [each for each in squares_of(castling & HOME_ROWS[seat]) if (each > king) == (index > king)]
        if same_side:
            raise BadPosition(f"field 3: {SIDES[seat]} has two rights on one side of the king, got {quoted(text)}")
        castling |= BITS[index]
        usual = king & 7 == 4 and index & 7 == (7 if letter in "Kk" else 0)
        chess960 = chess960 or letter not in "KQkq" or not usual
    return castling, chess960


def _rook_of_right(letter: str, board: str, text: str) -> int:
    """Return the square of the rook that a letter of the castling rights names: of K and Q the outermost one."""
    seat = 1 if letter.islower() else 0
    king, home, right = board.find("Kk"[seat]), 8 * _HOMES[seat], letter.upper()
    rooks = [home + col for col in range(8) if board[home + col] == "Rr"[seat]]
    if right in {"K", "Q"}:
        found = [rook for rook in rooks if (rook > king) == (right == "K")]
    elif right in set("ABCDEFGH"):
        found = [rook for rook in rooks if rook - home == ord(right) - ord("A")]
    else:
        raise BadPosition(f"field 3 has the castling rights as in KQkq, the files of rooks, or -, got {quoted(text)}")
    if king >> 3 != _HOMES[seat] or not found:
        raise BadPosition(f"field 3: {letter!r} is no right of {SIDES[seat]}: king or rook is not at home")
    return found[-1] if right == "K" else found[0]


def _count(text: str, field: int, what: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise BadPosition(f"field {field} is the number of {what}, 0 to 9999 without leading zeros, got {quoted(text)}")
    return int(text)


def _check_kings(state: Position) -> None:
    other = 1 - state.turn
    enemy = state.black if other else state.white
    king = (state.kings & enemy).bit_length() - 1
    if attackers := state.attackers(king, state.turn, state.white | state.black):
        giver = SQUARES[squares_of(attackers)[0]]
        raise BadPosition(f"{SIDES[other]}'s king on {SQUARES[king]} is in check from {giver}, and it is not his turn")


def _with_passant(state: Position, text: str) -> Position:
    """Return the position with the en passant square, if a capture there is legal; else the one without."""
    turn = state.turn
    if not _PASSANT.fullmatch(text) or text[1] != "63"[turn]:
        raise BadPosition(
            f"field 4 is - or the square behind a pawn that moved two squares, on row {'63'[turn]}, got {quoted(text)}"
        )
    index = SQUARES.index(text)
    pawn, origin = (index - 8, index + 8) if turn else (index + 8, index - 8)
    if state.board[pawn] != "pP"[turn] or state.board[index] != EMPTY or state.board[origin] != EMPTY:
        raise BadPosition(f"field 4: no pawn can just have moved two squares over {text}")
    found = placed(state.board, turn, state.castling, index, state.clock, state.number, chess960=state.chess960)
    return found if found.captures_passant() else state


def _after(state: Position, trail: str) -> Position:
    """Return the position with the moves that led to it: they are taken back, then played again and checked."""
    moves = trail.split(" ")
    if len(moves) > state.clock:
        raise BadPosition(f"the moves that follow 'after' are {len(moves)}, and field 5 allows {state.clock}")
    cells, number, turn = list(state.board), state.number, state.turn
    for move in reversed(moves):
        step = STEPS.get(move)
        if step is None or cells[step.dst] == EMPTY or cells[step.src] != EMPTY:
            raise BadPosition(f"{quoted(move)} cannot be taken back: it is no move from an empty square to a piece")
        cells[step.src], cells[step.dst] = cells[step.dst], EMPTY
        turn = 1 - turn
        number -= turn
    if number < 1:
        raise BadPosition(f"the moves that follow 'after' are {len(moves)}, too many for move {state.number}")
    found = placed("".join(cells), turn, state.castling, -1, state.clock - len(moves), number, chess960=state.chess960)
    _check_kings(found)
    for move in moves:
        try:
            found.check(move)
        except IllegalMove as error:
            raise BadPosition(f"a move that follows 'after' is illegal: {error}") from None
        found = found.play(move)
    if found.trail != tuple(moves):
        raise BadPosition("a move that follows 'after' captures, or is a pawn's, or loses a right to castle")
    return found


def uci_position(state: Position) -> tuple[str, tuple[str, ...]]:
    """Return a FEN and the moves from there to `state`, as an engine needs them to see repetitions.

    The rights to castle are written as in `format_fen`: in chess960 by the rooks' files.
    """
    if not state.trail:
        return format_fen(state), ()
    number, turn = state.number, state.turn
    for _ in state.trail:
        turn = 1 - turn
        number -= turn
    first = placed(
        state.earlier[0], turn, state.castling, -1, state.clock - len(state.trail), number, chess960=state.chess960
    )
    return format_fen(first), state.trail


# --- SAN --------------------------------------------------------------------------------------------------------------


def write_san(state: Position, move: str) -> str:
    """Return a legal move in SAN, as in `Nbd7`, `exd6`, `e8=Q+`, `O-O-O#`."""
    return san_and_after(state, move)[0]


def san_and_after(state: Position, move: str) -> tuple[str, Position]:
    """Return a legal move in SAN, and the position after it."""
    src, dst, promotion = STEPS[move]
    piece = state.board[src].upper()
    rook = state.castling_rook(src, dst)
    if rook is not None:
        text = "O-O" if rook > src else "O-O-O"
    elif piece == "P":
        captures = src & 7 != dst & 7
        text = f"{SQUARES[src][0]}x{SQUARES[dst]}" if captures else SQUARES[dst]
        if promotion:
            text += f"={promotion.upper()}"
    else:
        taken = "x" if state.board[dst] != EMPTY else ""
        text = f"{piece}{_which(state, move, piece)}{taken}{SQUARES[dst]}"
    after = state.play(move)
    if after.checkers():
        text += "+" if after.has_move() else "#"
    return text, after


def _which(state: Position, move: str, piece: str) -> str:
    """Return the file, rank or square of the piece that moves, if another one like it can go there, too."""
    if piece == "K":
        return ""
    src, dst, _ = STEPS[move]
    others = [each for each in _sources(state, piece, dst) if each != src]
    if not others:
        return ""
    if all(each & 7 != src & 7 for each in others):
        return SQUARES[src][0]
    return SQUARES[src] if any(each >> 3 == src >> 3 for each in others) else SQUARES[src][1]


def _sources(state: Position, piece: str, dst: int) -> list[int]:
    """Return the squares of own pieces of a kind, no king or pawn, that can legally go to `dst`."""
    letter = piece.lower() if state.turn else piece
    near = state.attackers(dst, state.turn, state.white | state.black)
    return [each for each in squares_of(near) if state.board[each] == letter and state.is_safe(each, dst)]


def read_san(state: Position, text: str) -> str:
    """Return the legal move that a SAN names; signs for check, capture and praise may be missing. Raises Rejection."""
    bare = text[:12].rstrip("+#!?")
    found = _castlings(state, bare) if bare in _CASTLING else _candidates(state, bare)
    if len(found) == 1:
        state.check(found[0])
        return found[0]
    legal = []
    for move in found:
        try:
            state.check(move)
        except IllegalMove:
            continue
        legal.append(move)
    if len(legal) == 1:
        return legal[0]
    if legal:
        choices = " or ".join(write_san(state, move) for move in legal)
        raise MalformedMove("not-notation", f"{bare} may be {choices}; say which, got {quoted(text)}")
    raise MalformedMove(
        "not-notation", f"a legal move is written as in e4, Nbd7, exd6, e8=Q or O-O, and none is written {quoted(text)}"
    )


def _castlings(state: Position, text: str) -> list[str]:
    """Return the castling to this side, legal or not; in chess960 none if there is no right to it."""
    king, side = state.king, _CASTLING[text]
    if not state.chess960:
        return [MOVES[king][king + 2 * side]] if king & 7 == 4 else []
    rooks = squares_of(state.castling & HOME_ROWS[state.turn])
    return [MOVES[king][rook] for rook in rooks if (rook > king) == (side > 0)]


def _candidates(state: Position, text: str) -> list[str]:
    """Return the moves of pieces that the text may mean, legal or not."""
    named = _SAN.fullmatch(text)
    if named is None:
        return []
    piece, col, rank, dst, promotion = named.groups()
    letter = (piece or "P").lower() if state.turn else piece or "P"
    found = []
    for src, there in enumerate(state.board):
        if there == letter and (not col or SQUARES[src][0] == col) and (not rank or SQUARES[src][1] == rank):
            move = f"{SQUARES[src]}{dst}{(promotion or '').lower()}"
            if move in STEPS and (piece or _pawn_goes(src, STEPS[move].dst, state.turn)):
                found.append(move)
    return found


def _pawn_goes(src: int, dst: int, turn: int) -> bool:
    """Return whether a pawn could ever go from `src` to `dst`."""
    return bool(PAWN[turn][src] & BITS[dst]) or dst - src in ({8, 16} if turn else {-8, -16})
