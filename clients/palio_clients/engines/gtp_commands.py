"""The commands of GTP that tell an engine of a match of Go: the board, the moves, the time."""

from collections.abc import Collection, Sequence
from typing import Any

from msgspec import UNSET

from palio_rules.boards.go import board_of
from palio_rules.byoyomi import Byoyomi
from palio_rules.games.go import GoOptions
from palio_rules.games.go_position import BLACK
from palio_rules.time_control import TimeControl

COLOURS = ("b", "w")  # by seat
NEEDED = ("play", "genmove", "boardsize", "clear_board", "komi")  # of the standard, without which no game is played
LEAST_HANDICAP = 2  # stones of GTP's handicap commands


def rules_commands(known: Collection[str]) -> list[str]:
    """Return what tells an engine to count area, as far as it has a command for that."""
    if "kata-set-rules" in known:
        return ["kata-set-rules tromp-taylor"]
    return ["kgs-rules chinese"] if "kgs-rules" in known else []


def board_commands(first: Any, options: GoOptions, known: Collection[str]) -> list[str]:
    """Return the commands that put an engine at `first`, the position in which a match begins."""
    commands = [f"boardsize {first.board.size}", "clear_board", f"komi {first.komi:g}"]
    black, white = (list(first.board.points(stones)) for stones in (first.black, first.white))
    names = first.board.names
    if white or len(black) < LEAST_HANDICAP:
        return commands + [
            f"play {COLOURS[seat]} {names[bit]}" for seat, bits in enumerate((black, white)) for bit in bits
        ]
    fixed = board_of(first.board.size).handicap(options.handicap)
    if options.handicap >= LEAST_HANDICAP and fixed == first.black and "fixed_handicap" in known:
        return [*commands, f"fixed_handicap {options.handicap}"]
    if "set_free_handicap" in known:
        return [*commands, f"set_free_handicap {' '.join(names[bit] for bit in black)}"]
    return commands + [f"play {COLOURS[BLACK]} {names[bit]}" for bit in black]


def move_commands(first: Any, moves: Sequence[str], begin: int = 0) -> list[str]:
    """Return `play` for the moves from number `begin` on; `first` is the position before all of them."""
    return [f"play {COLOURS[(first.turn + at) % 2]} {move}" for at, move in enumerate(moves[begin:], begin)]


def time_commands(time: TimeControl, known: Collection[str]) -> list[str]:
    """Return the command for a time control; none if the engine has no clock, or the time has no word there.

    Canadian byo-yomi is main time, then so many stones in a time, again and again: `40/60` is 40 stones in 60 seconds
    without main time. Japanese byo-yomi has a word of KGS; an engine without it is told one stone a period, and all
    periods but the last as main time. GTP counts whole seconds, and has no increment: it is told
    by `time_left` before each move.
    """
    base = None if time.base_ms is None else time.base_ms // 1000
    if time.base_ms is not None and time.increment_ms and "kata-time_settings" in known:
        return [f"kata-time_settings fischer {time.base_ms / 1000:g} {time.increment_ms / 1000:g}"]
    if "time_settings" not in known:
        return []
    if base is None:
        seconds = None if time.move_ms is None else time.move_ms // 1000
        if seconds is None:
            return ["time_settings 0 1 0"]  # no limit: a period without stones
        if "kgs-time_settings" in known:
            return [f"kgs-time_settings byoyomi 0 {max(1, seconds)} 1"]
        return [f"time_settings 0 {max(1, seconds)} 1"]
    if time.byoyomi is not UNSET:
        assert time.base_ms is not None
        period = max(1, time.byoyomi.period_ms // 1000)
        if isinstance(time.byoyomi.stones, int):
            return [f"time_settings {base} {period} {time.byoyomi.stones}"]
        if "kgs-time_settings" in known:
            return [f"kgs-time_settings byoyomi {base} {period} {time.byoyomi.most}"]
        main = time.base_ms + time.byoyomi.reserve_ms - time.byoyomi.period_ms
        return [f"time_settings {main // 1000} {period} 1"]
    if isinstance(time.moves, int):
        return [f"time_settings 0 {max(1, base)} {time.moves}"]
    return [f"time_settings {max(1, base)} 0 0"]


def byoyomi_left(seat: int, byoyomi: Byoyomi, ms: int, stones: int | None, known: Collection[str]) -> str | None:
    """Return `time_left` for a clock that flags in `ms`: main time with 0, then the period with its stones, or the
    number of periods, as KGS has it. None for the stones of the opponent, which are not known.
    """
    if byoyomi.periods is not UNSET and "kgs-time_settings" not in known:  # as `time_commands` has told it
        main = ms - byoyomi.period_ms
        return time_left(seat, main) if main > 0 else time_left(seat, ms, 1)
    main, period, count = byoyomi.stage(ms, stones or 0)
    if main:
        return time_left(seat, main)
    return None if byoyomi.periods is UNSET and stones is None else time_left(seat, period, count)


def time_left(seat: int, ms: int, moves_to_go: int | None = None) -> str:
    """Return `time_left` for the clock of a seat: whole seconds, and the stones until it gains its time again."""
    return f"time_left {COLOURS[seat]} {ms // 1000} {moves_to_go or 0}"
