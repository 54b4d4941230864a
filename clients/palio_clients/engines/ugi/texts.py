"""Moves and positions as they travel in UGI.

A move is written in the game's own notation without the sign between two squares, as in UCI: `b5b4`, `@d1b1`; `c5v`
stays unchanged. Read is also what other engines write: the notation itself, a capture with its `x` or without, capital
letters, a domino by its two squares, a pass of the ball without its sign.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from palio_rules.errors import BadPosition, MalformedMove, quoted
from palio_rules.game import Game

Writing = Literal["text", "startpos", "fen"]  # how positions are written, see `position`
STARTPOS, FEN, MOVES = "startpos", "fen", "moves"
PLAYERS = 2

_BETWEEN = re.compile(r"(@?[a-z][0-9]+)[-x]([a-z][0-9]+)")
_SIGNS = re.compile(r"[-x:=+#!?]")
_DOMINO = re.compile(r"([a-z])([0-9]+)([a-z])([0-9]+)")
_PAWNS = {"p": "B", "b": "B", "P": "W", "W": "W", "w": "W", "B": "B", ".": "."}


def is_for(rules: Game[Any, Any]) -> bool:
    """Return whether UGI can play this game: it knows two players."""
    return len(rules.seats) == PLAYERS


def first_player(start: Any) -> int:
    """The seat that UGI calls p1: who moves first where the game begins."""
    seat: int | None = start.to_move
    return 0 if seat is None else seat


def write_move(rules: Game[Any, Any], state: Any, move: Any) -> str:
    """The move for an engine or a GUI."""
    return compact(rules.notation(state, move))


def compact(notation: str) -> str:
    """Return a notation without the sign between two squares.

    >>> compact("b5xc4"), compact("c5v")
    ('b5c4', 'c5v')
    """
    found = _BETWEEN.fullmatch(notation)
    return found[1] + found[2] if found else notation


def read_move(rules: Game[Any, Any], state: Any, text: str) -> Any:
    """The move that `text` means, legal or not. Raises MalformedMove if it is none in any form that is known."""
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
    with the writing "fen" as chess players do, where a game has such a form.
    """
    text = rules.format_state(base)
    known = own if writing == STARTPOS else default
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
    """Read a position in Palio's own text or, where a game has one, in a FEN. Raises BadPosition."""
    try:
        return rules.parse_state(text)
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


# What an engine says, line by line: read forgivingly, because engines print all kinds of
# things.
#
#     id name NAME option name NAME type TYPE default VALUE [min N max N | var V …]
#     ugiok   readyok   response ANSWER                   bestmove MOVE [ponder MOVE]
#     info depth N score cp N nodes N pv MOVE MOVE …
#
# All else is left out, and is no fault.

LARGEST = 2**53  # of a number that is believed
UGIOK, READYOK = "ugiok", "readyok"


@dataclass(frozen=True, slots=True)
class Named:
    """`id name`: what the engine calls itself."""

    name: str


@dataclass(frozen=True, slots=True)
class Offered:
    """An option that the engine has. `least` and `most` are a spin's, `choices` a combo's."""

    name: str
    kind: str
    default: str = ""
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Word:
    """`ugiok` or `readyok`."""

    text: str


@dataclass(frozen=True, slots=True)
class BestMove:
    """The end of a search; `move` is empty where the engine names none."""

    move: str


@dataclass(frozen=True, slots=True)
class Told:
    """One `info` line; None where it does not say. `score` in hundredths and `mate` in plies, as the engine sees it."""

    depth: int | None = None
    nodes: int | None = None
    score: int | None = None
    mate: int | None = None
    pv: tuple[str, ...] = ()
    best_line: bool = True  # not a second or third one of `multipv`


Said = Named | Offered | Word | BestMove | Told

_INFO_NUMBERS = ("depth", "nodes", "multipv")
_AFTER_A_LINE = frozenset(("depth", "seldepth", "time", "nodes", "multipv", "score", "hashfull", "nps", "string"))
_OPTION_WORDS = ("name", "type", "default", "min", "max", "var")


def read_line(line: str) -> Said | None:
    """Read a line; return None if nothing in it matters here. Never fails."""
    words = line.split()
    match words:
        case ["ugiok"]:
            return Word(UGIOK)
        case ["readyok"]:
            return Word(READYOK)
        case ["id", "name", *name] if name:
            return Named(" ".join(name))
        case ["option", *rest]:
            return _option(rest)
        case ["bestmove", *rest]:
            return BestMove(rest[0] if rest else "")
        case ["info", *rest]:
            return _info(rest)
    return None


def _option(words: list[str]) -> Offered | None:
    """Names and values may have several words: each ends where the next keyword stands."""
    found: dict[str, list[list[str]]] = {}
    into: list[str] | None = None
    for word in words:
        once = word in found and word != "var"
        if word in _OPTION_WORDS and not once:
            into = []
            found.setdefault(word, []).append(into)
        elif into is not None:
            into.append(word)
    name, kind = (" ".join(found.get(key, [[]])[0]) for key in ("name", "type"))
    if not name or not kind:
        return None
    default, least, most = (" ".join(found.get(key, [[]])[0]) for key in ("default", "min", "max"))
    choices = tuple(" ".join(value) for value in found.get("var", []))
    return Offered(name, kind.casefold(), default, _number(least), _number(most), choices)


def _info(words: list[str]) -> Told | None:
    """An `info` of a search; None for one that says nothing of interest, as `info string` does."""
    numbers: dict[str, int | None] = {}
    score = mate = None
    pv: tuple[str, ...] = ()
    at = 0
    while at < len(words):
        word, after = words[at], words[at + 1 : at + 3]
        at += 1
        if word == "string":
            break  # the rest is text
        if word == "pv":
            end = next((i for i in range(at, len(words)) if words[i] in _AFTER_A_LINE), len(words))
            pv, at = tuple(words[at:end]), end
        elif word == "score" and len(after) > 1 and after[0] in ("cp", "mate"):
            value = _number(after[1])
            score, mate = (value, None) if after[0] == "cp" else (None, value)
            at += 2
        elif word in _INFO_NUMBERS and after:
            numbers[word] = _number(after[0])
            at += 1
    told = Told(
        _count(numbers.get("depth")), _count(numbers.get("nodes")), score, mate, pv, numbers.get("multipv") in (None, 1)
    )
    return None if told == Told() else told


def _count(number: int | None) -> int | None:
    return number if number is not None and number >= 0 else None


def _number(text: str) -> int | None:
    """A whole number, or None. Engines write floats at times."""
    if len(text) > 20:
        return None
    try:
        number = int(float(text)) if "." in text else int(text)
    except (ValueError, OverflowError):
        return None
    return number if abs(number) <= LARGEST else None
