"""A match of Go as SGF, FF[4]: https://www.red-bean.com/sgf/.

Beside the moves stand the time that each side had left (BL, WL) and, as comments, what the bots told of their searches.
A pass that claims stones dead marks them (MA). The private property PALIO has the complete record in JSON, which
`palio import` reads.
"""

import re
from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from palio_rules.boards.go import CLAIM, PASS, is_pass
from palio_rules.byoyomi import Stage
from palio_rules.records.pgn_text import UNDATED, Clocks, comment_text, thinking
from palio_rules.records.record import Record
from palio_rules.time_control import TimeControl

OWN, APPLICATION = "PALIO", "Palio"
COLOURS = "BW"  # by seat
LETTERS = "abcdefghijklmnopqrs"
_AGREED = re.compile(r"(?:Black|White) wins by (\d{1,3}(?:\.\d{1,2})?) points?\b")
_FORFEITS = {"resigned": "R", "time": "T"}  # ends of a match in the property RE; others are F
_AREA, _WITH_SUICIDE = "Chinese", "Tromp-Taylor"  # both count area and forbid a position that was there before


def record_to_sgf(record: Record, *, whole: str = "") -> str:
    """Return a match of Go as SGF. `whole`: the record in JSON, to be written beside the game.

    Raises ValueError if the rules do not allow its plies.
    """
    setup = record.setup
    rules, state = setup.rules(), setup.first()
    root = "".join(f"{name}[{value}]" for name, value in _root(record, state))
    own = f"\n{OWN}[{escaped(whole)}]" if whole else ""
    lines = [f"(;{root}"]
    clocks = Clocks(setup.clocks())
    for value in setup.opening:
        move = rules.read_move(state, value)
        lines.append(f";{COLOURS[state.turn]}[{point(state.board.size, move)}]C[book]")
        state = state.play(move)
    for ply in record.plies:
        move = rules.read_move(state, ply.move)
        colour, left = COLOURS[state.turn], clocks.after(ply)
        time = "" if left is None else _left(colour, left, clocks.stage(ply.seat))
        dead = claimed(state.board.size, move)
        lines.append(f";{colour}[{point(state.board.size, move)}]{time}{dead}C[{escaped(comment_text(thinking(ply)))}]")
        state = state.play(move)
    lines[0] += f"RE[{_result(record, state)}]{own}"
    return "\n".join(lines) + ")\n"


def point(size: int, move: str) -> str:
    """Return a move as SGF has it: column and row as letters from the top left corner, nothing for a pass.

    >>> point(9, "C3"), point(19, "Q16"), point(9, "pass")
    ('cg', 'pd', '')
    """
    if is_pass(move):
        return ""
    column = ord(move[0]) - ord("A") - (move[0] > "I")
    return LETTERS[column] + LETTERS[size - int(move[1:])]


def claimed(size: int, move: str) -> str:
    """Return the marks (MA) of the stones that a pass claims dead; nothing for other moves."""
    if move == PASS or not is_pass(move):
        return ""
    return f"MA[{']['.join([point(size, name) for name in move.removeprefix(CLAIM).split(',')])}]"


def escaped(text: str) -> str:
    """Return a text as it stands in the value of a property."""
    return text.replace("\\", "\\\\").replace("]", "\\]")


def _line(text: str) -> str:
    return escaped("".join(each if each.isprintable() else " " for each in text))


def _left(colour: str, left_ms: int, stage: Stage | None) -> str:
    """Return the time left of main time or of the period; in byo-yomi also the stones or periods left (OB, OW)."""
    if stage is None:
        return f"{colour}L[{left_ms / 1000:.3f}]"
    if stage.main_ms:
        return f"{colour}L[{stage.main_ms / 1000:.3f}]"
    return f"{colour}L[{stage.period_ms / 1000:.3f}]O{colour}[{stage.number}]"


def _root(record: Record, first: Any) -> Iterator[tuple[str, str]]:
    setup = record.setup
    size = first.board.size
    yield from (
        ("FF", "4"),
        ("GM", "1"),
        ("CA", "UTF-8"),
        ("AP", APPLICATION),
        ("SZ", str(size)),
        ("KM", f"{first.komi:g}"),
    )
    yield "RU", _WITH_SUICIDE if first.suicide else _AREA
    if handicap := setup.options.get("handicap"):
        yield "HA", str(handicap)
    names = first.board.names
    for name, stones in (("AB", first.black), ("AW", first.white)):
        if stones:
            yield name, "][".join(point(size, names[bit]) for bit in first.board.points(stones))
    if first.turn or first.black or first.white:
        yield "PL", COLOURS[first.turn]
    yield from zip(("PB", "PW"), map(_line, setup.bots), strict=True)
    if record.started_at != UNDATED:
        yield "DT", f"{record.started_at:%Y-%m-%d}"
    if record.event:
        yield "EV", _line(record.event)
    if setup.times is UNSET:
        yield from _time(setup.time)
    yield "GN", record.match


def _time(time: TimeControl) -> Iterator[tuple[str, str]]:
    """Yield main time in seconds, and what follows it, in words."""
    if isinstance(time.moves, int):
        yield "TM", "0"
        yield "OT", f"{time.moves}/{(time.base_ms or 0) / 1000:g} Canadian"
    elif time.base_ms is not None:
        yield "TM", f"{time.base_ms / 1000:g}"
        if time.byoyomi is not UNSET:
            count, period = str(time).split(" ")[0].partition("+")[2].replace("/", "x").split("x")
            yield "OT", f"{count}/{period} Canadian" if time.byoyomi.periods is UNSET else f"{count}x{period} byo-yomi"
        if time.increment_ms:
            yield "OT", f"{time.increment_ms / 1000:g} fischer"
    elif time.move_ms is not None:
        yield "TM", "0"
        yield "OT", f"1x{time.move_ms / 1000:g} byo-yomi"


def _result(record: Record, last: Any) -> str:
    """Return RE: `B+3.5`, `W+R`, `B+T`, `W+F`, `0` for a draw, `Void`."""
    result = record.result
    if record.void is not UNSET:
        return "Void"
    black, white = result.scores
    if black == white:
        return "0" if black else "Void"
    winner = COLOURS[black < white]
    if result.termination == "rule":
        return f"{winner}+{abs(last.margin()):g}"
    if result.termination == "adjudicated":
        agreed = _AGREED.match(result.detail)
        return f"{winner}+{agreed[1] if agreed else ''}"
    if result.reason == "illegal-move":
        return f"{winner}+Illegal"
    return f"{winner}+{_FORFEITS.get(result.termination, 'F')}"
