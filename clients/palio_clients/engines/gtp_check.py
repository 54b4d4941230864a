"""The check of an engine that speaks GTP, for `palio check-bot`: each step, with what was asked and answered."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from time import monotonic
from typing import Any

from palio_clients.checks.subject import CheckFailed
from palio_clients.engines.gtp_commands import (
    COLOURS,
    RulesWord,
    board_commands,
    move_commands,
    rules_words,
    time_commands,
    time_left,
)
from palio_clients.engines.gtp_talk import GtpTalk, missing_commands
from palio_clients.engines.lines import Answer
from palio_clients.engines.steps import SHOWN, WIDTH, StepCheck
from palio_rules.boards.go import PASS
from palio_rules.errors import quoted
from palio_rules.registry import game_from_spec
from palio_rules.time_control import TimeControl

UNKNOWN = "palio-no-such-command"
RESIGN = "resign"
PLIES = 6  # of the game that the engine is asked to go on with
SMALLEST_SETTLED = 7  # size of a board on which both sides can have columns to live in
CLOCK = TimeControl(base_ms=2000)
CANADIAN = TimeControl(base_ms=10_000, moves=5)


class GtpCheck(StepCheck):
    """The check of one engine for Go, with rules that judge its moves."""

    def __init__(self, argv: Sequence[str], called: str, game: str, patience: float) -> None:
        """Prepare a check; `patience`: seconds for each answer."""
        super().__init__(argv, called, patience)
        rules, options = game_from_spec(game)
        self._rules, self._options = rules, options
        self._start: Any = rules.start(options)
        self._talk: GtpTalk
        self._rules_word: RulesWord | None = None  # by which the engine counts

    def _steps(self) -> Iterator[tuple[str, Callable[[], Any], bool]]:
        yield "the engine starts", self._starts, True
        yield "answers protocol_version", self._version, True
        yield "says who it is", self._names_itself, False
        yield "lists its commands", self._lists, True
        yield "refuses an unknown command", self._unknown, False
        yield "sets up the board", self._board, True
        yield "ends each answer with an empty line", self._empty_lines, False
        yield "plays a legal move", self._moves, False
        yield "refuses an illegal move", self._illegal, False
        yield "knows the position after moves", self._after_moves, False
        yield "passes are moves", self._passes, False
        yield "moves by the clock", self._clock, False
        yield "moves by Canadian byo-yomi", self._canadian, False
        yield "tells dead stones", self._dead, False
        yield "says only lines of its language", self._only_its_lines, False
        yield "ends on quit", self._quits, False

    def remedy(self) -> str:
        return "read stdin line by line, answer `=` or `?` and an empty line, and flush stdout after each answer"

    # --- asking -------------------------------------------------------------------------------------------------------

    async def _asked(self, *commands: str) -> Answer:
        """Return the answer to the last command. Raises CheckFailed if it does not come in time."""
        try:
            async with asyncio.timeout(self._patience):
                return await self._talk.ask(*commands)
        except TimeoutError:
            cut = self._talk.reader.is_cut_off
            how = "is answered without an empty line at the end" if cut else "is not answered"
            raise CheckFailed(f"`{self.engine.asked}` {how} within {self._patience:g} s", self.remedy()) from None

    async def _done(self, *commands: str) -> str:
        """Ask for what has to succeed. Raises CheckFailed."""
        answer = await self._asked(*commands)
        if not answer.good:
            raise CheckFailed(
                f"`{commands[-1]}` is refused", f"answer `=`, then do what {commands[-1].split()[0]} says"
            )
        return answer.text

    async def _move(self, state: Any, *commands: str) -> str:
        """Ask for a move in `state`, which the engine knows after `commands`. Raises CheckFailed if it is none."""
        began = monotonic()
        text = await self._done(*commands, f"genmove {COLOURS[state.to_move]}")
        took = monotonic() - began
        if text.casefold() != RESIGN:
            try:
                self._rules.read_move(state, text)
            except ValueError as error:
                raise CheckFailed(f"`{text[:40]}` is no legal move: {error}", "answer a point as D4, or pass") from None
        return f"{self._exchange}, after {took:.2f} s"

    def _set_up(self) -> list[str]:
        return board_commands(self._start, self._options, self._talk.commands, self._rules_word)

    def _played(self) -> tuple[Any, list[str]]:
        """Return the position after some moves, and the moves."""
        state, moves = self._start, list[str]()
        for _ in range(PLIES):
            legal = list(state.legal_moves())
            move = legal[len(legal) // 2]
            state = state.play(move)
            moves.append(move)
        return state, moves

    # --- the steps ----------------------------------------------------------------------------------------------------

    async def _version(self) -> str:
        self._talk = GtpTalk(self.engine)
        answer = await self._asked("protocol_version")
        if not answer.good or answer.text != "2":
            raise CheckFailed(f"the version is {quoted(answer.text)}", "answer `= 2`, the version that is spoken here")
        return str(self._exchange)

    async def _names_itself(self) -> str:
        name = await self._done("name")
        version = await self._done("version")
        if not name:
            raise CheckFailed("`name` is answered with nothing", "answer `= NAME`")
        return f"{name}, {version or 'no version'}"

    async def _lists(self) -> str:
        listed = (await self._done("list_commands")).split()
        if missing := missing_commands(listed):
            raise CheckFailed(f"{', '.join(missing)} is not listed", "list each command, and have what a match needs")
        self._talk.commands = frozenset(listed)
        return f"{len(listed)} commands"

    async def _unknown(self) -> str:
        if (await self._asked(UNKNOWN)).good:
            raise CheckFailed(f"`{UNKNOWN}` succeeds", "answer `? unknown command`")
        return str(self._exchange)

    async def _board(self) -> str:
        for word in rules_words(self._options, self._talk.commands):
            if (await self._asked(word.command)).good:
                self._rules_word = word
                break
        for command in self._set_up():
            await self._done(command)
        return str(self._exchange)

    async def _empty_lines(self) -> str:
        """Count the answers of one line that the next answer follows at once."""
        said = [line.strip("\r ") for line in self._all]
        bare = [line for line, after in pairwise(said) if line[:1] in ("=", "?") and after[:1] == "="]
        if bare:
            raise CheckFailed(f"`{bare[0][:WIDTH]}` has no empty line behind it", "end each answer with an empty line")
        return f"{len(said)} lines"

    async def _moves(self) -> str:
        return await self._move(self._start, *self._set_up())

    async def _illegal(self) -> str:
        state, moves = self._played()
        move = next(move for move in reversed(moves) if move != PASS)
        await self._done(*self._set_up(), *move_commands(self._start, moves))
        if (await self._asked(f"play {COLOURS[state.to_move]} {move}")).good:
            raise CheckFailed(f"a stone on {move}, which is taken, is accepted", "answer `? illegal move`")
        return str(self._exchange)

    async def _after_moves(self) -> str:
        state, moves = self._played()
        return await self._move(state, *self._set_up(), *move_commands(self._start, moves))

    async def _passes(self) -> str:
        seat = self._start.to_move
        return await self._move(self._start.play(PASS), *self._set_up(), f"play {COLOURS[seat]} {PASS}")

    async def _clock(self) -> str:
        return await self._timed(CLOCK, None)

    async def _canadian(self) -> str:
        return await self._timed(CANADIAN, 5)

    async def _timed(self, time: TimeControl, moves: int | None) -> str:
        if not (commands := time_commands(time, self._talk.commands - {"kata-time_settings"})):
            return "it has no time_settings: the author sets its time by its command"
        left = [time_left(self._start.to_move, time.base_ms or 0, moves)] if "time_left" in self._talk.commands else []
        return await self._move(self._start, *self._set_up(), *commands, *left)

    async def _dead(self) -> str:
        if "final_status_list" not in self._talk.commands:
            return "it has no final_status_list, which `cleanup=final_status_list` asks"
        await self._asked(*self._settled(), "final_status_list dead")  # an engine may find it too early
        return str(self._exchange)

    def _settled(self) -> list[str]:
        """Return the commands for a game that is over but for a dead stone of White.

        An engine that plays on to tell what is dead, as GNU Go, takes a minute for an empty board.
        """
        board, size = self._start.board, self._start.board.size
        if size < SMALLEST_SETTLED:
            return self._set_up()
        cols = [[board.names[board.bit(row, col)] for row in range(size)] for col in range(size)]
        half = size // 2
        black = [*range(0, half, 2), half - 1]  # with columns between them to live in
        white = [*range(size - 1, half, -2), half]
        walls = [(seat, name) for seat, side in enumerate((black, white)) for col in set(side) for name in cols[col]]
        stones = [f"play {COLOURS[seat]} {name}" for seat, name in [*walls, (1, cols[1][half])]]
        return [f"boardsize {size}", "clear_board", *stones, *(f"play {each} {PASS}" for each in COLOURS)]

    async def _only_its_lines(self) -> str:
        """Name the lines outside of answers, which are ignored."""
        strange, inside = [], False
        for each in self._all:
            line = each.strip("\r ")
            begins = line[:1] in ("=", "?")
            if line and not begins and not inside:
                strange.append(line)
            inside = bool(line) and (begins or inside)
        ends = "; its lines end as in Windows, which is read" if any(line.endswith("\r") for line in self._all) else ""
        if not strange:
            return f"{len(self._all)} lines{ends}"
        shown = ", ".join(quoted(line[:WIDTH]) for line in strange[:SHOWN])
        return f"{len(strange)} others, which are ignored: {shown}{ends}"
