"""Positions of Go as text.

    9/9/9/9/9/9/9/9/9 b 0 0 0 7
    9/9/6X2/9/4O4/9/9/9/9 b 0 0 0 7 after G7 E5
    9/9/6X2/9/4O4/9/2X3X2/9/9 w 0 0 0 0.5 after E5 G3 from 9/9/6X2/9/9/9/2X6/9/9 w 0 0 0

The first five fields after the rows are: the side to move, the passes in a row, the stones taken by Black and by White,
and the komi; then `suicide` and `cleanup` if the rules have them. No earlier board may come back, so the moves from the
first position follow, and that position, unless it is the empty board with Black to move. Without them a position has
no history.
"""

import re
from itertools import groupby

from palio_rules.boards.go import LARGEST, Board, board_of
from palio_rules.errors import BadPosition, IllegalMove, quoted
from palio_rules.games.go_position import BLACK, EMPTY, STONES, Position, placed

LONGEST = 8000  # characters of a position
TURNS = "bw"
SUICIDE, CLEANUP = "suicide", "cleanup"
_COUNT = "0|[1-9][0-9]{0,3}"
_KOMI = r"0|-?0\.(?:25|5|75)|-?[1-9][0-9]{0,2}(?:\.(?:25|5|75))?"
_BOARD = rf"[^ ]+ [bw] [012] (?:{_COUNT}) (?:{_COUNT})"
_TEXT = re.compile(
    rf"(?P<board>{_BOARD}) (?P<komi>{_KOMI})(?: (?P<suicide>{SUICIDE}))?(?: (?P<cleanup>{CLEANUP}))?"
    rf"(?: after (?P<moves>[A-Za-z0-9 :,]+?)(?: from (?P<first>{_BOARD}))?)?"
)
_SHORT = re.compile(rf"(?P<board>[^ ]+ [bw](?: [012] (?:{_COUNT}) (?:{_COUNT}))?)")
_RUN = re.compile(r"[1-9][0-9]?|.", re.DOTALL)


def format_position(state: Position) -> str:
    """Return the position with its rules and history."""
    rules = f"{state.komi:g}{f' {SUICIDE}' if state.suicide else ''}{f' {CLEANUP}' if state.cleanup else ''}"
    text = f"{_written(state)} {rules}"
    if not state.moves or state.origin is None:
        return text
    first = "" if _is_usual(state.origin) else f" from {_written(state.origin)}"
    return f"{text} after {' '.join(state.moves)}{first}"


def _written(state: Position) -> str:
    rows = "/".join(["".join([_run("".join(cells)) for _, cells in groupby(row)]) for row in state.rows()])
    return f"{rows} {TURNS[state.turn]} {state.passes} {state.captures[0]} {state.captures[1]}"


def _run(cells: str) -> str:
    return str(len(cells)) if cells[0] == EMPTY else cells


def _is_usual(first: Position) -> bool:
    return not (first.black | first.white or first.turn != BLACK or first.passes or any(first.captures))


def parse_position(text: str) -> Position:
    """Read what `format_position` wrote. Raises BadPosition with the place and the reason."""
    if len(text) > LONGEST:
        raise BadPosition(f"a position has at most {LONGEST:,} characters, got {len(text):,}")
    found = _TEXT.fullmatch(text)
    if found is None:
        raise BadPosition(
            "a position is rows, side to move, passes, stones taken by each side, komi and the moves so far, as in "
            f"9/9/9/9/9/9/9/9/9 b 0 0 0 7 after E5, got {quoted(text)}"
        )
    komi, suicide, cleanup = float(found["komi"]), found["suicide"] is not None, found["cleanup"] is not None
    last = _read(found["board"], komi, suicide=suicide, cleanup=cleanup)
    if found["moves"] is not None:
        first = placed(last.board.size, komi=komi, suicide=suicide, cleanup=cleanup)
        if found["first"] is not None:
            first = _read(found["first"], komi, suicide=suicide, cleanup=cleanup)
        replayed = _replayed(first, found["moves"].split(" "))
        if _written(replayed) != found["board"]:
            raise BadPosition(
                f"the moves lead to {quoted(_written(replayed))}, the position is {quoted(found['board'])}"
            )
        last = replayed
    if format_position(last) != text:
        raise BadPosition(f"the position is written {quoted(format_position(last))}, got {quoted(text)}")
    return last


def read_position(text: str, komi: float, *, suicide: bool) -> Position:
    """Read a position as `parse_position`, or only rows and side to move, to which other rules are added.

    The latter may have a "." for each empty point. Raises BadPosition.
    """
    if (found := _SHORT.fullmatch(text)) is None:
        return parse_position(text)
    board = found["board"]
    return _read(board if board.count(" ") > 1 else f"{board} 0 0 0", komi, suicide=suicide)


def _read(text: str, komi: float, *, suicide: bool, cleanup: bool = False) -> Position:
    rows, turn, passes, *captures = text.split(" ")
    board, stones = _read_rows(rows)
    taken = (int(captures[0]), int(captures[1]))
    fields = (board.size, stones[0], stones[1], TURNS.index(turn), int(passes), komi)
    return placed(*fields, suicide=suicide, cleanup=cleanup, captures=taken)


def _read_rows(text: str) -> tuple[Board, list[int]]:
    """Return the stones of each side. Raises BadPosition with the place."""
    rows = text.split("/")
    size = len(rows)
    if size > LARGEST:
        raise BadPosition(f"a board has at most {LARGEST} rows, got {size}")
    board, stones = board_of(size), [0, 0]
    for row, cells in enumerate(rows):
        name, col = f"row {size - row}", 0
        for run in _RUN.findall(cells):
            if run in STONES and col < size:
                stones[STONES.index(run)] |= board.bit(row, col)
            elif run not in STONES and run != EMPTY and not run.isdecimal():
                raise BadPosition(f"{name}: {quoted(run)} is neither X nor O, nor a number of empty points")
            col += int(run) if run.isdecimal() else 1
        if col != size:
            raise BadPosition(f"{name} has {col} points, and the board {size} rows")
    empty = board.full ^ stones[0] ^ stones[1]
    for side in stones:
        for group in board.groups(side):
            if not board.spread(group) & empty:
                first = board.names[group & -group]
                raise BadPosition(f"the group of {group.bit_count()} at {first} has no liberty")
    return board, stones


def _replayed(first: Position, moves: list[str]) -> Position:
    found = first
    for move in moves:
        try:
            found.check(move)
        except IllegalMove as error:
            raise BadPosition(f"a move that follows 'after' is illegal: {error}") from None
        found = found.play(move)
    return found
