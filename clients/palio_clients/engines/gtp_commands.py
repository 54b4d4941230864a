"""The commands of GTP that tell an engine of a match of Go: the board, the moves, the time."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from palio_rules.boards.go import PASS, board_of, is_pass
from palio_rules.byoyomi import Byoyomi
from palio_rules.games.go import Compensation, GoOptions, compensated
from palio_rules.time_control import TimeControl

COLOURS = ("b", "w")  # by seat
NEEDED = ("play", "genmove", "boardsize", "clear_board", "komi")  # of the standard, without which no game is played
LEAST_HANDICAP = 2  # stones of GTP's handicap commands


class RulesWord(NamedTuple):
    """A command for the rules, what an engine then gives White for handicap stones, and how these rules differ."""

    command: str
    compensation: Compensation
    differs: str = ""


def rules_words(options: GoOptions, known: Collection[str]) -> list[RulesWord]:
    """Return what tells an engine the rules, the most exact one first: it may refuse some.

    https://github.com/lightvector/KataGo/blob/master/docs/GTP_Extensions.md, and of KGS the names of rules.
    """
    compensation, suicide = options.compensation, options.suicide
    words = []
    if "kata-set-rules" in known:
        rules = {
            "ko": "POSITIONAL",
            "scoring": "AREA",
            "tax": "NONE",
            "suicide": suicide,
            "hasButton": False,
            "whiteHandicapBonus": "0" if compensation == "none" else compensation,
        }
        newer = {**rules, "friendlyPassOk": options.cleanup != "none"}  # older ones have no such field
        words += [
            RulesWord(f"kata-set-rules {msgspec.json.encode(each).decode()}", compensation) for each in (newer, rules)
        ]
    if "kgs-rules" in known:
        if suicide:
            differs = "in its rules, new_zealand, a board may return with the other side to move; here it may not"
            words.append(RulesWord("kgs-rules new_zealand", "none", differs))
        else:
            words.append(RulesWord("kgs-rules chinese", "N"))
    return words


def board_commands(first: Any, options: GoOptions, known: Collection[str], rules: RulesWord | None) -> list[str]:
    """Return the commands that put an engine at `first`, the position in which a match begins; `rules` hold in it.

    Its score has to be the referee's: the komi makes up for what it gives White for handicap stones by itself. If it
    was told no rules, that is unknown, and the stones are moves.
    """
    black, white = (list(first.board.points(stones)) for stones in (first.black, first.white))
    names = first.board.names
    fixed = options.handicap if board_of(first.board.size).handicap(options.handicap) == first.black else 0
    stones = [f"play {COLOURS[seat]} {names[bit]}" for seat, bits in enumerate((black, white)) for bit in bits]
    given = 0
    if rules is not None and not white and len(black) >= LEAST_HANDICAP:
        free = [f"set_free_handicap {' '.join(names[bit] for bit in black)}"] if "set_free_handicap" in known else []
        if handicap := [f"fixed_handicap {fixed}"] if fixed and "fixed_handicap" in known else free:
            stones, given = handicap, compensated(rules.compensation, len(black))
    return [f"boardsize {first.board.size}", "clear_board", f"komi {first.komi - given:g}", *stones]


def move_commands(first: Any, moves: Sequence[str], begin: int = 0) -> list[str]:
    """Return `play` for the moves from number `begin` on; `first` is the position before all of them."""
    return [f"play {COLOURS[(first.turn + at) % 2]} {move}" for at, move in enumerate(moves[begin:], begin)]


def plain(move: str) -> str:
    """Return the move as GTP knows it: a pass without its claim."""
    return PASS if is_pass(move) else move


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
