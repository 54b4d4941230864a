"""`palio gtp`: answer a controller, as GoGui or twogtp, that takes one of our bots for a program of Go.

GTP is one command after the other: while the bot thinks, the next command waits. Every command gets its answer, with
its number where it has one; one that cannot be done is refused with the reason.
"""

import asyncio
import math
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from palio_clients.engines.gtp_commands import COLOURS, LEAST_HANDICAP
from palio_clients.engines.thinker import Limit, Thinker
from palio_clients.games.go import GoCompanion
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import PlayerFailed, Resign
from palio_rules.boards.go import COLS, LARGEST, PASS, board_of
from palio_rules.byoyomi import MOST_PERIODS, MOST_STONES, Byoyomi, Stage
from palio_rules.errors import quoted
from palio_rules.games.go import Compensation, GoOptions, compensated, komi_of
from palio_rules.games.go_position import SIDES, WHITE, placed, told
from palio_rules.records.sgf import SgfGame, read_sgf, text_of
from palio_rules.records.sgf_records import played_in_sgf

QUIT_S = 2.0  # for a bot that still thinks when the controller is gone
LONGEST = 1000  # characters of a command that is read
MOST_KOMI = 400
HIGHEST_MS = 24 * 3600 * 1000
NO_HANDICAP = "invalid number of stones"
KGS_RULES: dict[str, tuple[Compensation, bool]] = {  # points for handicap stones, and whether suicide is legal
    "chinese": ("N", False),
    "aga": ("N-1", False),
    "new_zealand": ("none", True),
}


class Refused(Exception):  # the word of the protocol's own
    """A command that cannot be done; str() is the reason that the controller reads."""


class SeatTime:
    """The time of one colour, as the controller has told it; milliseconds."""

    def __init__(self, main_ms: int, byoyomi: Byoyomi | None = None) -> None:
        """Start with main time, then `byoyomi`."""
        self.byoyomi = byoyomi
        self.left_ms, self.stones = main_ms, 0  # until the flag; moves to play in a Canadian period
        if byoyomi is not None:
            self.left_ms, self.stones = main_ms + byoyomi.reserve_ms, byoyomi.first_stones

    def told(self, left_ms: int, count: int) -> None:
        """Take over what `time_left` says: main time, or a period with so many stones to play, or periods left."""
        byoyomi = self.byoyomi
        if byoyomi is None and count:  # moves in a time that no settings have told of
            self.byoyomi = byoyomi = Byoyomi(max(1, left_ms), stones=min(count, MOST_STONES))
        if byoyomi is None:
            self.left_ms = left_ms
        else:
            stage = Stage(0, left_ms, count) if count else Stage(left_ms, byoyomi.period_ms, byoyomi.most)
            self.left_ms, self.stones = byoyomi.left_of(stage)

    def spend(self, ms: int) -> None:
        """Take off a move's time, for a controller that tells none."""
        if self.byoyomi is None:
            self.left_ms = max(0, self.left_ms - ms)
        else:
            self.left_ms, self.stones = self.byoyomi.after(self.left_ms, ms, self.stones)

    def clock(self) -> Clock:
        left = max(1, self.left_ms)
        canadian = self.stones > 0 and self.byoyomi is not None and left <= self.byoyomi.reserve_ms
        until = self.stones if canadian else None
        return Clock(left, 0, left, (), time.monotonic() + left / 1000, until, self.byoyomi)


class GtpSpeaker:
    """One conversation. `write` takes lines; `hear` is given each line of the controller."""

    def __init__(
        self, options: GoOptions, start: Any, thinker: Thinker, write: Callable[[str], None], version: str
    ) -> None:
        self._options, self._thinker, self._write, self._version = options, thinker, write, version
        self._said_komi, self._compensation = komi_of(options), options.compensation
        self._said_komi -= compensated(options.compensation, options.handicap)
        self._stones = options.handicap  # for which White gets points by some rules
        self._states = [start]  # after each move that was played; what `undo` goes back to
        self._times: list[SeatTime] | None = None
        self.failure: PlayerFailed | None = None  # what has ended the bot
        self.leaving = asyncio.Event()  # it ends nothing: what was asked before `quit` is answered
        self._commands: dict[str, Callable[[list[str]], str | Awaitable[str]]] = {
            "boardsize": self._boardsize,
            "clear_board": self._clear_board,
            "cputime": lambda _: f"{sum(os.times()[:4]):.2f}",
            "final_score": self._final_score,
            "final_status_list": self._final_status_list,
            "fixed_handicap": self._fixed_handicap,
            "genmove": lambda words: self._genmove(words, play=True),
            "kgs-rules": self._kgs_rules,
            "kgs-time_settings": self._kgs_time_settings,
            "known_command": lambda words: str(words[:1] != [] and words[0] in self._commands).lower(),
            "komi": self._komi,
            "list_commands": lambda _: "\n".join(sorted(self._commands)),
            "loadsgf": self._loadsgf,
            "name": lambda _: f"{self._thinker.name} (Palio)",
            "place_free_handicap": self._place_free_handicap,
            "play": self._play,
            "protocol_version": lambda _: "2",
            "quit": lambda _: "",
            "reg_genmove": lambda words: self._genmove(words, play=False),
            "set_free_handicap": self._set_free_handicap,
            "showboard": self._showboard,
            "time_left": self._time_left,
            "time_settings": self._time_settings,
            "undo": self._undo,
            "version": lambda _: self._version,
        }

    async def hear(self, line: str) -> bool:
        """Do what the line says; False: the conversation is over."""
        words = line.replace("\t", " ").partition("#")[0][:LONGEST].split()
        number = words.pop(0) if words and words[0].isascii() and words[0].isdecimal() else ""
        if not words:
            return True
        try:
            sign, text = "=", await self._done(words[0], words[1:])
        except Refused as error:
            sign, text = "?", " ".join(str(error).split())
        self._write(f"{sign}{number} {text}".rstrip(" "))
        self._write("")
        return words[0] != "quit" and self.failure is None

    async def _done(self, command: str, words: list[str]) -> str:
        do = self._commands.get(command)
        if do is None:
            raise Refused("unknown command")
        said = do(words)
        return said if isinstance(said, str) else await said

    async def close(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(QUIT_S):
                await self._thinker.forget()

    # --- the board ----------------------------------------------------------------------------------------------------

    @property
    def _state(self) -> Any:
        return self._states[-1]

    def _boardsize(self, words: list[str]) -> str:
        size = _whole(words, 1, "unacceptable size")
        if not 1 <= size <= LARGEST:
            raise Refused("unacceptable size")
        return self._restart(size)

    def _clear_board(self, _: list[str]) -> str:
        return self._restart(self._options.size)

    def _restart(self, size: int) -> str:
        """Begin a new game on an empty board; the komi stays."""
        self._stones = 0
        self._options = msgspec.structs.replace(self._options, size=size, handicap=0)
        self._states = [placed(size)]
        return self._play_by()

    def _loadsgf(self, words: list[str]) -> str:
        """Set up the position of a file's first game, before a move if its number is said."""
        if not words:
            raise Refused("cannot load file")
        before = _whole(words, 2, "syntax error") if len(words) > 1 else None
        try:
            data = Path(words[0]).read_bytes()
            game = next(iter(read_sgf(text_of(data))), None)
            if not isinstance(game, SgfGame):
                raise Refused(f"cannot load file: {game.sentence if game else 'no game in SGF begins in it'}")
            options, states = played_in_sgf(game)
        except (OSError, ValueError) as error:
            raise Refused(f"cannot load file: {error}") from None
        kept = states if before is None else states[: max(1, before)]
        first = states[0]
        self._stones = 0 if first.white else first.black.bit_count()
        self._said_komi, self._compensation = komi_of(options), "none"
        self._options, self._states = options, kept
        return "black" if kept[-1].turn == 0 else "white"

    def _komi(self, words: list[str]) -> str:
        try:
            komi = float(words[0])
        except (IndexError, ValueError):
            raise Refused("komi not a float") from None
        if not (abs(komi) <= MOST_KOMI and (komi * 4).is_integer()):
            raise Refused(f"komi {komi:g} is no multiple of 0.25 up to {MOST_KOMI}")
        self._said_komi = komi
        return self._play_by()

    def _kgs_rules(self, words: list[str]) -> str:
        """Take over rules by their name on KGS: what they give White for handicap stones, and whether suicide is legal.

        All of them forbid the same board again, for the same side to move at least.
        """
        if words == ["japanese"]:
            raise Refused("area is counted here, not territory; say chinese, aga or new_zealand")
        if len(words) != 1 or words[0] not in KGS_RULES:
            raise Refused(f"unknown rules; say {', '.join(KGS_RULES)}")
        self._compensation, suicide = KGS_RULES[words[0]]
        self._options = msgspec.structs.replace(self._options, suicide=suicide)
        return self._play_by()

    def _play_by(self) -> str:
        """Count by the komi and the rules that were said last, in the positions so far too."""
        komi = self._said_komi + compensated(self._compensation, self._stones)
        self._options = msgspec.structs.replace(self._options, komi=komi, compensation="none")
        self._states = [_by_rules(state, komi, suicide=self._options.suicide) for state in self._states]
        return ""

    def _fixed_handicap(self, words: list[str]) -> str:
        stones = _whole(words, 1, NO_HANDICAP)
        board = self._state.board
        if not LEAST_HANDICAP <= stones <= board.most_handicap():
            raise Refused(NO_HANDICAP)
        return self._handicap([board.names[bit] for bit in board.points(board.handicap(stones))], fixed=stones)

    def _place_free_handicap(self, words: list[str]) -> str:
        """Place the stones on the fixed points: as many as there are, if more are asked for."""
        stones = min(_whole(words, 1, NO_HANDICAP), self._state.board.most_handicap())
        return self._fixed_handicap([str(stones)])

    def _set_free_handicap(self, words: list[str]) -> str:
        points = [self._point(text) for text in words]
        if not LEAST_HANDICAP <= len(points) < self._options.size**2 or len({*points} - {PASS}) < len(points):
            raise Refused("bad vertex list")
        self._handicap(points)
        return ""

    def _handicap(self, points: list[str], fixed: int = 0) -> str:
        first = self._state
        if first.black or first.white:
            raise Refused("board not empty")
        stones = sum(first.board.bits[point] for point in points)
        self._stones = len(points)
        self._options = msgspec.structs.replace(self._options, handicap=fixed)
        self._states = [placed(first.board.size, stones, 0, WHITE)]
        self._play_by()
        return " ".join(points)

    # --- moves --------------------------------------------------------------------------------------------------------

    def _play(self, words: list[str]) -> str:
        if len(words) != 2:
            raise Refused("invalid color or coordinate")
        seat, move = _seat(words), self._point(words[1])
        state = _turned(self._state, seat)
        try:
            state.check(move)
        except ValueError as error:
            raise Refused(f"illegal move: {error}") from None
        self._states.append(state.play(move))
        return ""

    def _undo(self, _: list[str]) -> str:
        if len(self._states) == 1:
            raise Refused("cannot undo")
        self._states.pop()
        return ""

    async def _genmove(self, words: list[str], *, play: bool) -> str:
        seat = _seat(words)
        state = _turned(self._state, seat)
        clock = Clock() if self._times is None else self._times[seat].clock()
        base = state.origin or state
        begun = time.monotonic()
        self._thinker.play_with(self._options)
        try:
            move, _ = await self._thinker.think(base, list(state.moves), clock, Limit(), lambda *_: None)
        except Resign:
            return "resign"
        except PlayerFailed as error:
            self.failure = error
            raise Refused(f"{self._thinker.name} has failed: {str(error).splitlines()[-1]}") from None
        if self._times is not None:
            self._times[seat].spend(math.ceil((time.monotonic() - begun) * 1000))
        if play:
            self._states.append(state.play(move))
        return str(move)

    # --- time ---------------------------------------------------------------------------------------------------------

    def _time_settings(self, words: list[str]) -> str:
        main, period, stones = (_whole(words, at, "syntax error") for at in (1, 2, 3))
        self._set_time(main, period, stones)
        return ""

    def _kgs_time_settings(self, words: list[str]) -> str:
        match words:
            case ["none", *_]:
                self._times = None
            case ["absolute", _]:
                self._set_time(_whole(words, 2, "syntax error"), 0, 0)
            case ["byoyomi", _, _, _]:
                main, period, periods = (_whole(words, at, "syntax error") for at in (2, 3, 4))
                self._set_time(main, period, periods, japanese=True)
            case ["canadian", _, _, _]:
                self._set_time(*(_whole(words, at, "syntax error") for at in (2, 3, 4)))
            case _:
                raise Refused("syntax error")
        return ""

    def _set_time(self, main: int, period: int, count: int, *, japanese: bool = False) -> None:
        """Set both clocks, in seconds, with so many stones or periods. A period without any means no limit."""
        main_ms, period_ms = (min(seconds * 1000, HIGHEST_MS) for seconds in (main, period))
        byoyomi = None
        if period and japanese:
            byoyomi = Byoyomi(period_ms, max(1, min(count, MOST_PERIODS)))
        elif period and count:
            byoyomi = Byoyomi(period_ms, stones=min(count, MOST_STONES))
        self._times = None if period and not byoyomi else [SeatTime(main_ms, byoyomi) for _ in SIDES]

    def _time_left(self, words: list[str]) -> str:
        seat = _seat(words)
        left, stones = (_whole(words, at, "syntax error") for at in (2, 3))
        if self._times is None:
            self._set_time(left, 0, 0)
        assert self._times is not None
        self._times[seat].told(min(left * 1000, HIGHEST_MS), stones)
        return ""

    # --- the score ----------------------------------------------------------------------------------------------------

    def _final_score(self, _: list[str]) -> str:
        """Return the score without dead stones."""
        state = self._state
        living = ~GoCompanion().dead(state)
        black, white = state.board.areas(state.black & living, state.white & living)
        margin = black.bit_count() - white.bit_count() - state.komi
        return f"{'BW'[margin < 0]}+{abs(margin):g}" if margin else "0"

    def _final_status_list(self, words: list[str]) -> str:
        state = self._state
        match words:
            case ["seki"]:
                return ""
            case ["alive" | "dead" as wanted]:
                board, dead = state.board, GoCompanion().dead(state)
                found = [side & (dead if wanted == "dead" else ~dead) for side in (state.black, state.white)]
                groups = [group for side in found for group in board.groups(side)]
                return "\n".join(" ".join(board.names[bit] for bit in board.points(group)) for group in groups)
        raise Refused("syntax error")

    def _showboard(self, _: list[str]) -> str:
        state = self._state
        return "\n".join(["", *self._rows(), state.status() if state.to_move is not None else told(state.margin())])

    def _rows(self) -> Iterator[str]:
        board = self._state.board
        yield f"   {' '.join(COLS[: board.size])}"
        for number, row in zip(range(board.size, 0, -1), self._state.rows(), strict=True):
            yield f"{number:2} {' '.join(row)} {number}"
        yield f"   {' '.join(COLS[: board.size])}"

    def _point(self, text: str) -> str:
        """Read a vertex; of another board too, for the sentence of the rules. Raises Refused."""
        if text.casefold() == PASS:
            return PASS
        if text.upper() not in board_of(LARGEST).bits:
            raise Refused(f"invalid coordinate {quoted(text[:20])}")
        if text.upper() not in self._state.board.bits:
            raise Refused(f"illegal move: {text.upper()} is off the board")
        return text.upper()


def _turned(state: Any, seat: int) -> Any:
    """Return the position with `seat` to move, as a controller may ask for: also after two passes, or out of turn.

    Then its history is unknown.
    """
    if state.to_move == seat:
        return state
    stones = (state.board.size, state.black, state.white, seat, 0, state.komi)
    return placed(*stones, suicide=state.suicide, captures=state.captures)


def _by_rules(state: Any, komi: float, *, suicide: bool) -> Any:
    origin = None if state.origin is None else replace(state.origin, komi=komi, suicide=suicide)
    return replace(state, komi=komi, suicide=suicide, origin=origin)


def _seat(words: list[str]) -> int:
    word = words[0].casefold() if words else ""
    for seat, (short, long) in enumerate(zip(COLOURS, SIDES, strict=True)):
        if word in (short, long):
            return seat
    raise Refused("invalid color")


def _whole(words: list[str], place: int, refusal: str) -> int:
    """Return the whole number at `place`, from 1. Raises Refused."""
    text = words[place - 1] if len(words) >= place else ""
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise Refused(refusal)
    return int(text)
