"""Lets an engine that speaks GTP play one match of Go: we are its controller, and the referee judges every move.

Before a match it is told the board, komi, rules and time; then for each turn the moves that it has not seen (`play`),
the clocks (`time_left`), and `genmove`. A position that does not continue the one on its board is played again from the
first one. GTP has no word that ends a search: the referee's clock does.

With `cleanup=final_status_list` the engine's pass claims the stones that it calls dead; it is told of any claim as a
pass. After a dispute it takes dead stones by `kgs-genmove_cleanup`.
"""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET, UnsetType

from palio_clients.engines.gtp_commands import (
    COLOURS,
    RulesWord,
    board_commands,
    byoyomi_left,
    move_commands,
    plain,
    time_commands,
    time_left,
)
from palio_clients.engines.gtp_talk import GtpTalk
from palio_clients.engines.process import Start, start_engine
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.events import MatchOver, MovePlayed, MoveRejected
from palio_clients.sdk.failures import PlayerFailed, Resign
from palio_clients.sdk.player import News, Report, Thought
from palio_clients.sdk.traffic import overhearing
from palio_rules.boards.go import PASS
from palio_rules.contract.messages import GameMessage, Info, Turn
from palio_rules.errors import IllegalMove, MalformedMove, quoted
from palio_rules.registry import game as game_named

GO = "go"
READY_S = 25.0  # for an engine's start; a server waits 30 s for a bot that gets ready
SILENT_S = 120.0  # for a move that no clock limits
MAX_TEXT = 256  # characters of `Info.text`
SHOWN = 40  # characters of an answer that a sentence quotes
RESIGN = "resign"
GFX, VARIATION, TEXT = "gogui-gfx:", "VAR", "TEXT"  # what engines tell GoGui while they think


@dataclass(frozen=True, slots=True)
class GtpSettings:
    """The settings of a spec beside the command."""

    stays: bool = True  # for the next match
    shows: bool = False  # viewers see what it writes on stderr


class GtpPlayer:
    """Lets an engine play one match; see `Player`."""

    _talk: GtpTalk  # these are there after `prepare`
    _game: GameMessage
    _first: Any  # the position before the first of `_moves`
    _rules_word: RulesWord | None  # by which the engine counts
    _moves: list[str]  # as the engine is told them: passes without claims

    def __init__(
        self,
        argv: Sequence[str],
        settings: GtpSettings,
        report: Report,
        called: str = "",
        waiting: list[GtpTalk] | None = None,
        start: Start = start_engine,
    ) -> None:
        """Prepare a player; `called`: the engine's name in sentences; `waiting`: engines that stay for a next match."""
        self._argv, self._settings, self._report = argv, settings, report
        self._called, self._waiting, self._launch = called or argv[0], waiting, start
        self._engine: Any = None
        self._ready = self._cleans_up = False
        self._searching = 0  # the number of a `genmove` without an answer
        self._board: list[str] | None = None  # the moves on the engine's board; None: unknown
        self._plies = 0  # that `_moves` are up to date with
        self._sent = ("", "")  # the last command for a move, and its answer
        self._complaints: set[str] = set()

    # --- the match ----------------------------------------------------------------------------------------------------

    async def prepare(self, game: GameMessage) -> None:
        self._begin(game)
        try:
            async with asyncio.timeout(READY_S):
                await self._start()
        except TimeoutError:
            late = f"{self._called} could not be started within {READY_S:g} s"
            raise PlayerFailed(late if self._engine is None else self._talk.not_ready(READY_S)) from None

    def _begin(self, game: GameMessage) -> None:
        if game.game != GO:
            raise PlayerFailed(f"{self._called} speaks GTP, which is for {GO}; the game is {game.game}")
        try:
            self._rules = game_named(game.game)
            self._options = self._rules.parse_options(game.options)
        except ValueError as error:
            raise PlayerFailed(f"these rules do not know what the server plays: {error}") from error
        self._read(game.setup)
        self._game = game

    async def _start(self) -> None:
        while self._waiting:
            stayed = self._waiting.pop()
            if stayed.usable:
                self._talk, self._engine = stayed, stayed.engine
                self._engine.overheard = overhearing(self._game.match)
                self._engine.forget()
                break
            await stayed.engine.end_program()
        if self._engine is None:
            self._engine = await self._launch(self._argv, self._called)
            self._engine.overheard = overhearing(self._game.match)
            self._talk = GtpTalk(self._engine)
            await self._talk.greet()
        known, time = self._talk.commands, self._game.time
        self._rules_word, differs = await self._talk.tell_rules(self._options)
        if differs:  # the referee's rules hold
            self._complain("rules", differs)
        await self._talk.do(*self._all_moves())
        self._board = self._moves.copy()
        await self._talk.do(*time_commands(time, known))
        period = (time.move_ms, "move") if time.byoyomi is UNSET else (time.byoyomi.period_ms, "period of byo-yomi")
        if (period[0] or 0) % 1000 and "time_settings" in known:
            self._complain(
                "time", f"{self._called} is told whole seconds, as GTP has them, not {period[0]} ms a {period[1]}"
            )
        self._ready = True

    def think(self, turn: Turn, clock: Clock) -> Awaitable[Thought]:
        return self._think(turn, clock)

    async def _think(self, turn: Turn, clock: Clock) -> Thought:
        if turn.ply != self._plies:
            self._read(turn.state)
            self._plies = turn.ply
        if self._searching:  # for a turn that is over
            await self._talk.answer(self._searching)
            self._searching, self._board = 0, None
        seat = self._game.seat
        text = await self._asked_for_move(turn, f"genmove {COLOURS[seat]}", clock)
        if text == PASS and self._options.cleanup == "final_status_list":
            text = await self._claim(turn, clock)
        return self._thought(turn, text)

    async def _asked_for_move(self, turn: Turn, command: str, clock: Clock) -> str:
        """Return the engine's move in small letters, after it was told of all moves. Raises PlayerFailed."""
        talk = self._talk
        command = f"kgs-{command.replace(' ', '_cleanup ', 1)}" if self._cleans_up else command
        self._engine.forget()
        if self._settings.shows:
            self._engine.last_lines.clear()
        self._sent = (command, "")
        self._searching = talk.tell(*self._missing(), *self._clocks(turn), command)
        self._board = None  # until it has answered
        try:
            async with asyncio.timeout(None if clock.limit_ms is not None else SILENT_S):
                answer = await talk.answer(self._searching)
        except TimeoutError:
            raise PlayerFailed(
                f"{self._called} stalled: no answer to `{command}` for {SILENT_S:g} s; {self._engine.words}"
            ) from None
        self._searching = 0
        if not answer.good:
            raise talk.refused(command, answer.text)
        words = answer.text.split()
        text = words[0] if words else ""
        self._sent = (command, text)
        self._board = [*self._moves, text.upper() if text.casefold() != PASS else PASS]
        if self._settings.shows:
            await asyncio.sleep(0)  # what stands in the pipe of stderr by now is read before
        return PASS if text.casefold() == PASS else text

    async def _claim(self, turn: Turn, clock: Clock) -> str:
        """Return the pass with the engine's claim; after a dispute a move that goes on with taking dead stones."""
        state = self._position(turn.state)
        claim = await self._dead(state)
        if claim == PASS or not state.disputed or self._cleans_up:
            return claim
        if "kgs-genmove_cleanup" not in self._talk.commands:
            stones = claim.partition(":")[2][:SHOWN]
            self._complain(
                "cleanup", f"{self._called} sees dead stones, {stones}, and has no kgs-genmove_cleanup to take them"
            )
            return claim
        self._cleans_up, self._board = True, None
        text = await self._asked_for_move(turn, f"genmove {COLOURS[self._game.seat]}", clock)
        return claim if text == PASS else text  # the board is the same

    async def _dead(self, state: Any) -> str:
        """Return the pass that claims the stones which the engine calls dead."""
        if "final_status_list" not in self._talk.commands:
            self._complain("dead", f"{self._called} has no final_status_list: its passes call no stones dead")
            return PASS
        answer = await self._talk.ask("final_status_list dead")
        points = answer.text.upper().split() if answer.good else []
        stones = state.black | state.white
        wrong = [name for name in points if not state.board.bits.get(name, 0) & stones]
        if wrong:
            self._complain("dead", f"{self._called} calls {quoted(wrong[0])} dead, where no stone stands")
        claim: str = state.claiming(points)
        try:
            state.check(claim)
        except IllegalMove as error:
            self._complain("claim", f"{self._called} passes without its claim: {error}")
            return PASS
        return claim

    def hear(self, news: News) -> Awaitable[None] | None:
        match news:
            case MovePlayed(_, played):
                if played.ply == self._plies + 1 and isinstance(played.move, str):
                    self._moves.append(plain(played.move))
                    self._plies = played.ply
            case MoveRejected(_, rejected):
                command, text = self._sent
                self._board = None
                self._report(
                    f"{self._called} played what the rules forbid: {rejected.reason}; it answered `{command}` with "
                    f"`{text[:SHOWN]}`, after {self._last_moves()}"
                )
            case MatchOver() if self._searching and self._engine is not None:
                asked = self._sent[0]
                self._report(f"{self._called} had not answered `{asked}` when the match was over; {self._engine.words}")
        return None

    async def close(self) -> None:
        engine = self._engine
        if engine is None:
            return
        if self._waiting is not None and self._ready and not self._searching:
            self._waiting.append(self._talk)
        else:
            await engine.end_program()
        self._engine = None

    # --- the board ----------------------------------------------------------------------------------------------------

    def _position(self, text: str) -> Any:
        """Read a position. Raises PlayerFailed."""
        try:
            return self._rules.parse_state(text)
        except ValueError as error:
            raise PlayerFailed(f"these rules do not understand the server's position: {error}") from error

    def _read(self, text: str) -> None:
        """Take over a position with its history. Raises PlayerFailed."""
        state = self._position(text)
        way = self._rules.way(state)
        first, moves = (state, ()) if way is None else way
        if getattr(self, "_first", None) != first:
            self._first, self._board = first, None
        self._moves = [plain(move) for move in moves]

    def _all_moves(self) -> list[str]:
        """Return the commands from an empty board to this position."""
        known = self._talk.commands
        board = board_commands(self._first, self._options, known, self._rules_word)
        return [*board, *move_commands(self._first, self._moves)]

    def _missing(self) -> list[str]:
        """Return the commands that bring the engine's board up to date."""
        board, moves = self._board, self._moves
        if board is None or board != moves[: len(board)]:
            return self._all_moves()
        return move_commands(self._first, moves, len(board))

    def _clocks(self, turn: Turn) -> list[str]:
        """Return `time_left` for both clocks, as far as they are known."""
        if "time_left" not in self._talk.commands:
            return []
        own, move_ms = self._game.seat, self._game.time.move_ms
        if move_ms is not None:  # a period of one stone, as `time_commands` has told it
            return [time_left(own, max(1000, move_ms), 1)]
        clocks = []
        for seat in (1 - own, own):
            ms = turn.clocks_ms[seat]
            until = turn.moves_to_go if seat == own and isinstance(turn.moves_to_go, int) else None
            if ms is not None and self._game.time.byoyomi is not UNSET:
                told = byoyomi_left(seat, self._game.time.byoyomi, ms, until, self._talk.commands)
                clocks += [] if told is None else [told]
            elif ms is not None and (seat == own or self._game.time.moves is UNSET):
                clocks.append(time_left(seat, ms, until))
        return clocks

    # --- answers ------------------------------------------------------------------------------------------------------

    def _thought(self, turn: Turn, text: str) -> Thought:
        """Return the answer for the referee, who refuses and counts a text that is no move."""
        if text.casefold() == RESIGN:
            raise Resign
        try:
            move = self._rules.move_from_wire(text)
        except MalformedMove as error:
            self._board = None
            self._complain("text", f"{self._called} answers `{self._sent[0]}` with `{text[:SHOWN]}`: {error}")
            move = text[:100] or "(none)"
        return Thought(move, self._info(turn) if self._settings.shows else UNSET)

    def _info(self, turn: Turn) -> Info | UnsetType:
        """Return what viewers see of the engine's stderr: its last line, or what it tells GoGui."""
        variation: list[str] = []
        text = ""
        for line in self._engine.last_lines:
            words = line.split()
            if words[:1] == [GFX]:
                words = words[1:]
                if words[:1] == [VARIATION]:
                    variation = words[1:]
                    continue
                if words[:1] != [TEXT]:
                    continue
                words = words[1:]
            if words:
                text = " ".join(words)
        line_ = self._line(turn, variation)
        if not text and not line_:
            return UNSET
        return Info(text=text[:MAX_TEXT] or UNSET, pv=line_ or UNSET)

    def _line(self, turn: Turn, variation: Sequence[str]) -> list[str]:
        """Return the moves of `b D4 w E5`, as far as they can be played."""
        line: list[str] = []
        try:
            state: Any = self._rules.parse_state(turn.state) if variation else None
            for text in variation[1::2]:
                move = self._rules.read_move(state, text)
                state = state.play(move)
                line.append(move)
        except ValueError:
            return line
        return line

    def _last_moves(self) -> str:
        commands = move_commands(self._first, self._moves)[-2:]
        return " and ".join(f"`{command}`" for command in commands) or "no move"

    def _complain(self, kind: str, sentence: str) -> None:
        """Report a fault once a match."""
        if kind not in self._complaints:
            self._complaints.add(kind)
            self._report(sentence)
