"""Moves and positions as engines write them.

Chess is written as in UCI: `e2e4`, `e7e8q`, and FEN. A move of another game is written in the game's own notation
without the sign between two squares: `b5b4`, `@d1b1`; `c5v` stays unchanged, and a pass is `0000`, as UCI's null move.
Read is also what other engines write: the notation itself, a capture with its `x` or without, capital letters, a domino
by its two squares, a pass of the ball without its sign.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

from palio_rules.errors import BadPosition, MalformedMove, quoted
from palio_rules.game import Game
from palio_rules.games import chess_text
from palio_rules.games.chess_position import placed

Writing = Literal["text", "startpos", "fen"]  # how positions are written, see `position`
STARTPOS, FEN, MOVES = "startpos", "fen", "moves"
PLAYERS = 2

_BETWEEN = re.compile(r"(@?[a-z][0-9]+)[-x]([a-z][0-9]+)")
_SIGNS = re.compile(r"[-x:=+#!?]")
_DOMINO = re.compile(r"([a-z])([0-9]+)([a-z])([0-9]+)")
_PAWNS = {"p": "B", "b": "B", "P": "W", "W": "W", "w": "W", "B": "B", ".": "."}


_WIRE_MOVE = re.compile(r"[a-h][1-8][a-h][1-8][qrbn]?", re.IGNORECASE)
PASS, NULL_MOVE = "pass", "0000"


def is_for(rules: Game[Any, Any]) -> bool:
    """Return whether engines can play this game: their languages know two players."""
    return len(rules.seats) == PLAYERS


def moves_as_on_the_wire(rules: Game[Any, Any]) -> bool:
    """Return whether the game's moves travel as engines write them, and its positions are FEN."""
    return rules.name == "chess"


def is_wire_move(text: str) -> bool:
    """Return whether a text has the form of a move of chess, as `e2e4` or `e7e8q`."""
    return _WIRE_MOVE.fullmatch(text) is not None


def fen_and_moves(rules: Game[Any, Any], text: str) -> tuple[str, list[str]]:
    """Return a FEN of chess and the moves from there to the position `text`, for an engine that looks for repetitions.

    Raises BadPosition. A text without moves, as most matches have it, is its own FEN.
    """
    if chess_text.AFTER not in text:
        return text, []
    fen, moves = chess_text.uci_position(rules.parse_state(text))
    return fen, list(moves)


def board_of(rules: Game[Any, Any], text: str) -> Any:
    """Return a position of chess without the moves before it, which only repetitions need. Raises BadPosition."""
    return rules.parse_state(text.partition(chess_text.AFTER)[0])


def without_earlier(state: Any) -> Any:
    """Return a position of chess without the positions before it, which only repetitions need."""
    return replace(state, earlier=(), trail=(), seen=0) if state.trail else state


def as_chess960(rules: Game[Any, Any], state: Any) -> Any:
    """Return a position of chess in which castling is written as in chess960, also from the usual arrangement."""
    if not moves_as_on_the_wire(rules) or state.chess960:
        return state
    return placed(state.board, state.turn, state.castling, state.passant, state.clock, state.number, chess960=True)


def first_player(_rules: Game[Any, Any], start: Any) -> int:
    """Return the seat that UGI calls p1: the one that moves first where the game begins."""
    seat: int | None = start.to_move
    return 0 if seat is None else seat


def write_move(rules: Game[Any, Any], state: Any, move: Any) -> str:
    """Return the move for an engine or a GUI."""
    if moves_as_on_the_wire(rules):
        return str(rules.move_to_wire(move))
    return compact(rules.notation(state, move))


def compact(notation: str) -> str:
    """Return a notation without the sign between two squares; a pass as a null move.

    >>> compact("b5xc4"), compact("c5v"), compact("pass")
    ('b5c4', 'c5v', '0000')
    """
    if notation == PASS:
        return NULL_MOVE
    found = _BETWEEN.fullmatch(notation)
    return found[1] + found[2] if found else notation


def read_move(rules: Game[Any, Any], state: Any, text: str) -> Any:
    """Return the move that `text` means, legal or not. Raises MalformedMove if it is none in any form that is known."""
    if moves_as_on_the_wire(rules) and is_wire_move(text):
        return rules.read_move(state, text.casefold())
    wanted = _plain(text)
    for move in state.legal_moves():
        notation = rules.notation(state, move)
        if text == notation or wanted in set(_forms(rules, notation)):
            return move
    for form in _guesses(text):  # no legal one: the rules shall say why it is not
        try:
            return rules.parse_notation(state, form)
        except MalformedMove:
            continue
    raise MalformedMove("not-a-move", f"{quoted(text)} is no move of {rules.name}")


def _plain(text: str) -> str:
    return _SIGNS.sub("", text.casefold())


def _forms(rules: Game[Any, Any], notation: str) -> Iterator[str]:
    """Return the names that a legal move may have, without signs and in small letters."""
    plain = _plain(notation)
    yield plain
    if plain == PASS:
        yield NULL_MOVE
    if rules.name == "end_of_the_track":
        yield plain.lstrip("@")  # who holds the ball stands still: the square tells that it is a pass
    if rules.name == "dominoes":
        yield from _squares(plain)


def _squares(domino: str) -> Iterator[str]:
    """`c5v` covers c5 and c4, `c5h` c5 and d5; either may be named first."""
    col, row, way = domino[0], int(domino[1:-1]), domino[-1]
    other = f"{col}{row - 1}" if way == "v" else f"{chr(ord(col) + 1)}{row}"
    yield f"{col}{row}{other}"
    yield f"{other}{col}{row}"


def _guesses(text: str) -> Iterator[str]:
    yield text
    small = text.casefold()
    yield small
    if found := _DOMINO.fullmatch(_plain(text)):
        src, dst = found[1] + found[2], found[3] + found[4]
        yield from (f"{src}-{dst}", f"{src}x{dst}", f"@{src}-{dst}")


# --- positions --------------------------------------------------------------------------------------------------------


def position(rules: Game[Any, Any], base: Any, moves: list[str], own: Any, default: Any, writing: Writing) -> str:
    """The `position` command: `moves` from `base` on.

    `own` is where the match's game begins with its options, `default` with the usual ones. `startpos` stands for
    `default`, or with the writing "startpos" for `own`; anything else is written out: as Palio writes positions, or
    with the writing "fen" as chess players do, where a game has such a form. A position that has its own moves, as in
    OpenSpiel's games, is reached from `startpos`, because no engine reads such a text.
    """
    known = own if writing == STARTPOS else default
    if (way := rules.way(base)) is not None and rules.format_state(way[0]) == rules.format_state(known):
        base, state, played = way[0], way[0], []
        for move in way[1]:
            played.append(write_move(rules, state, move))
            state = state.play(move)
        moves = [*played, *moves]
    text = rules.format_state(base)
    if writing != FEN and text == rules.format_state(known):
        place = STARTPOS
    else:
        place = f"{FEN} {write_fen(rules, text) if writing == FEN else text}"
    return " ".join(["position", place, *([MOVES, *moves] if moves else [])])


def has_fen(rules: Game[Any, Any]) -> bool:
    return rules.name == "breakthrough"


def write_fen(rules: Game[Any, Any], text: str) -> str:
    """A position as chess players write it, from Palio's own text.

    Breakthrough only, in the form that the variants of chess have for it: `pppppp/pppppp/6/6/PPPPPP/PPPPPP b 0 1`.
    """
    if not has_fen(rules):
        return text
    rows, _, turn = text.partition(" ")
    short = re.sub(r"\.+", lambda found: str(len(found[0])), rows.replace("B", "p").replace("W", "P"))
    return f"{short} {turn[0]} 0 1"


def read_position(rules: Game[Any, Any], text: str) -> Any:
    """Read a position in Palio's own text or, where a game has one, in any form of FEN. Raises BadPosition."""
    try:
        return rules.read_state(text)
    except BadPosition:
        if not has_fen(rules) or not (found := _from_fen(text)):
            raise
    return rules.parse_state(found)


def _from_fen(text: str) -> str | None:
    """A FEN of breakthrough as Palio's own text. Pawns are p and P, or b and w in either case."""
    rows, _, rest = text.partition(" ")
    turn = {"w": "white", "white": "white", "b": "black", "black": "black"}.get(rest.split(" ")[0].casefold())
    if turn is None or len(rows) > 200:
        return None
    if "p" not in rows.casefold():
        rows = rows.replace("b", "B").replace("w", "W")
    cells = re.sub(r"[1-9]", lambda found: "." * int(found[0]), rows)
    if any(cell != "/" and cell not in _PAWNS for cell in cells):
        return None
    return f"{''.join(_PAWNS.get(cell, cell) for cell in cells)} {turn}"
