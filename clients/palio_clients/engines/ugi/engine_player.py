"""Lets a UGI engine play one match: we are its GUI, and the referee judges every move that it answers.

What the engine is told: `ugi`, its options, `isready`, `uginewgame`; then for each turn `position` with all moves and
`go` with the clocks. When its time is nearly up it hears `stop`.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET, UnsetType

from palio_clients.engines.ugi import texts
from palio_clients.engines.ugi.texts import READYOK, UGIOK, BestMove, Offered, Said, Told, Word, read_line
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.events import MatchOver, MovePlayed, MoveRejected
from palio_clients.sdk.failures import PlayerFailed, ProgramDied, Resign
from palio_clients.sdk.player import MAX_PV, News, Report, Thought
from palio_clients.sdk.program import TalkingProcess, start_talking
from palio_clients.sdk.stdio import TERM_S, end_program, how_it_ended
from palio_rules.contract.messages import GameMessage, Info, Turn
from palio_rules.errors import MalformedMove, nearest, quoted
from palio_rules.game import Game
from palio_rules.registry import game as game_named

__all__ = ["Settings", "UgiPlayer"]


# The options of an engine: those that a spec sets, held against those that the engine says it has.


def commands(called: str, wanted: Mapping[str, str], offered: Iterable[Offered]) -> list[str]:
    """`setoption` lines. Raises PlayerFailed, naming option and remedy, for what the engine `called` so cannot be told.

    Names are compared without case. `EvalFile=` sets an empty text, and presses a button.
    """
    known = {option.name.casefold(): option for option in offered}
    lines = []
    for name, value in wanted.items():
        option = known.get(name.casefold())
        if option is None:
            names = [each.name for each in known.values()]
            raise PlayerFailed(f"{called} has no option {quoted(name)}; {nearest(name, names)}")
        _check(called, option, value)
        lines.append(f"setoption name {option.name}" + ("" if option.kind == "button" else f" value {value}".rstrip()))
    return lines


def _check(called: str, option: Offered, value: str) -> None:
    where = f"{called} option {option.name}={quoted(value)}"
    if option.kind == "check" and value not in ("true", "false"):
        raise PlayerFailed(f"{where}: it is switched by true or false")
    if option.kind == "combo" and option.choices and value not in option.choices:
        raise PlayerFailed(f"{where}: {nearest(value, option.choices)}")
    if option.kind != "spin":
        return
    try:
        number = int(value)
    except ValueError:
        raise PlayerFailed(f"{where}: it is a whole number") from None
    if option.least is not None and number < option.least:
        raise PlayerFailed(f"{where}: the least is {option.least}")
    if option.most is not None and number > option.most:
        raise PlayerFailed(f"{where}: the most is {option.most}")


# An engine as our child process: lines in, lines out. What it writes on stderr is copied to ours.
#
# Of what it prints only the lines that matter are kept. While none is awaited few are read: the rest waits in its
# pipe, so that an engine that prints without end costs nothing.

BACKLOG = 256  # lines that were not awaited, before the engine has to wait


class EngineProcess(TalkingProcess):
    """One process. `start_engine` makes it."""

    def __init__(self, called: str) -> None:
        super().__init__(called)
        self._said: deque[Said] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._unread = 0  # lines since the last one was awaited, noise included

    def send(self, line: str) -> None:
        """Write a line; nothing happens if the engine has stopped listening, which `said` tells."""
        if not self.stdin_closed:
            self._stdin.write(f"{line}\n".encode())

    async def said(self) -> Said:
        """The next line that matters. Raises ProgramDied or PlayerFailed when there is none to come."""
        while not self._said:
            if self._paused:
                self._pause(False)
            if self.stdout_closed:
                raise await self._why()
            self._unread = 0
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        return self._said.popleft()

    def forget(self) -> None:
        """Drop the lines that came while none was awaited."""
        self._said.clear()

    async def end_program(self) -> None:
        """Ask it to quit; on return it has ended."""
        self.send("quit")
        await end_program(self)

    def hang_up(self) -> None:
        self.stdin_closed = True
        self._stdin.close()
        if self._paused:
            self._pause(False)  # it may wait for us to read

    async def _why(self) -> PlayerFailed:
        try:
            async with asyncio.timeout(TERM_S):
                status = await self.wait_for_output()
        except TimeoutError:
            return PlayerFailed(f"{self.called} closed its stdout but runs on; it must keep stdout open to play")
        return ProgramDied(f"{self.called} {how_it_ended(status)} in mid-match", tuple(self.last_lines))

    # --- inside -------------------------------------------------------------------------------------------------------

    def _take(self, lines: Sequence[bytes | None]) -> None:
        for line in lines:
            said = None if line is None else read_line(line.decode(errors="replace"))
            if said is not None:
                self._said.append(said)
        if self._said:
            self._wake()
        self._unread += len(lines)
        waited_for = self._waiter is not None and not self._waiter.done()
        if self._unread > BACKLOG and not waited_for and not self._paused and not self.stdin_closed:
            self._pause(True)

    def _output_ended(self) -> None:
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


async def start_engine(argv: Sequence[str], called: str) -> EngineProcess:
    """Start the engine. Raises PlayerFailed."""
    return await start_talking(EngineProcess, argv, called)


READY_S = 25.0  # for an engine's start and `isready`; a server waits 30 s for a bot that gets ready
STOP_S = 3.0  # for the `bestmove` of a search that was given up
LEAST_STOP_MS = 30  # `stop` is sent so long before the time is up, or a tenth of it if that is less
WITHOUT_LIMIT_MS = 1000  # for a move, where neither a clock nor the spec ends the search
DECIDED = 1000.0  # what viewers see of a game that is certainly won, as of our own searches
HUNDREDTHS = 100


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a spec beside the command. `go` replaces the clocks: ("depth", 4)."""

    options: Mapping[str, str] = field(default_factory=dict)
    go: tuple[str, int] | None = None
    writing: texts.Writing = "text"


@dataclass(slots=True)
class _Line:
    """The match as the engine knows it: where it began, the moves since then as text, and where they lead."""

    base: Any
    state: Any
    moves: list[str]


class UgiPlayer:
    """Lets an engine play one match; see `Player`."""

    _rules: Game[Any, Any]  # these are there after `prepare`
    _line: _Line
    _time: Any

    def __init__(self, argv: Sequence[str], settings: Settings, report: Report, called: str = "") -> None:
        """`called`: the engine's name in sentences."""
        self._argv, self._settings, self._report = argv, settings, report
        self._called = called or argv[0]
        self._engine: EngineProcess | None = None
        self._searching = False
        self._complained = False

    # --- the match ----------------------------------------------------------------------------------------------------

    async def prepare(self, game: GameMessage) -> None:
        self._begin(game)
        try:
            async with asyncio.timeout(READY_S):
                await self._start()
        except TimeoutError:
            raise PlayerFailed(
                f"{self._called} has not answered `{self._asked}` within {READY_S:g} s; "
                "it must read stdin while it starts, and flush what it prints"
            ) from None

    def _begin(self, game: GameMessage) -> None:
        try:
            self._rules = rules = game_named(game.game)
            chosen = rules.parse_options(game.options)
            base = rules.parse_state(game.setup)
        except ValueError as error:
            raise PlayerFailed(f"these rules do not know what the server plays: {error}") from error
        if not texts.is_for(rules):
            raise PlayerFailed(f"{self._called} speaks UGI, which is for two players; {rules.name} is a {rules.kind}")
        self._own, self._default = rules.start(chosen), rules.start(rules.options_type())
        self._first = texts.first_player(self._own)
        self._time, self._seat = game.time, game.seat
        self._line = _Line(base, base, [])

    async def _start(self) -> None:
        self._asked = "ugi"
        self._engine = engine = await start_engine(self._argv, self._called)
        engine.send("ugi")
        offered: list[Offered] = []
        while (said := await engine.said()) != Word(UGIOK):
            if isinstance(said, Offered):
                offered.append(said)
        for line in commands(self._called, self._settings.options, offered):
            engine.send(line)
        await self._be_ready(engine)
        engine.send("uginewgame")
        await self._be_ready(engine)

    async def _be_ready(self, engine: EngineProcess) -> None:
        self._asked = "isready"
        engine.send("isready")
        while await engine.said() != Word(READYOK):
            pass

    async def think(self, turn: Turn, clock: Clock) -> Thought:
        engine = self._engine
        assert engine is not None, "prepare comes first"
        if self._searching:  # a search whose result is not awaited
            await self._end_search(engine)
        engine.forget()
        self._catch_up(turn)
        line = self._line
        engine.send(
            texts.position(self._rules, line.base, line.moves, self._own, self._default, self._settings.writing)
        )
        engine.send(self._go(turn))
        self._searching = True
        told, best = await self._listen(engine, clock)
        self._searching = False
        return Thought(self._move(best), self._info(told))

    def hear(self, news: News) -> Awaitable[None] | None:
        match news:
            case MovePlayed(_, played):
                self._play(played.ply, played.move)
            case MoveRejected(_, rejected):
                self._report(f"{self._called} played what the rules forbid: {rejected.reason}")
            case MatchOver():
                pass
        return None

    async def close(self) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            await engine.end_program()

    # --- positions ----------------------------------------------------------------------------------------------------

    def _play(self, ply: int, wire: Any) -> None:
        """Follow the match. What does not fit is made good by the next turn, which has the whole position."""
        line, rules = self._line, self._rules
        with suppress(ValueError):
            move = rules.read_move(line.state, wire)
            line.moves.append(texts.write_move(rules, line.state, move))
            line.state = line.state.play(move)

    def _catch_up(self, turn: Turn) -> None:
        """After a lost connection some moves are unknown: then the engine is told of the position, not of the way."""
        rules = self._rules
        if rules.format_state(self._line.state) == turn.state:
            return
        try:
            state = rules.parse_state(turn.state)
        except ValueError as error:
            raise PlayerFailed(f"these rules do not understand the server's position: {error}") from error
        self._line = _Line(state, state, [])

    # --- a search -----------------------------------------------------------------------------------------------------

    def _go(self, turn: Turn) -> str:
        """The clocks as the referee has them, p1 being who moves first where the game begins."""
        if self._settings.go is not None:
            return "go {} {}".format(*self._settings.go)
        own = turn.clocks_ms[self._seat] if self._seat < len(turn.clocks_ms) else None
        if own is None or self._time.move_ms is not None:
            return f"go movetime {max(1, WITHOUT_LIMIT_MS if turn.limit_ms is None else turn.limit_ms)}"
        clocks = [turn.clocks_ms[seat] for seat in (self._first, 1 - self._first)]
        times = " ".join(f"p{player}time {own if ms is None else ms}" for player, ms in enumerate(clocks, 1))
        increment = self._time.increment_ms
        return f"go {times} p1inc {increment} p2inc {increment}"

    async def _listen(self, engine: EngineProcess, clock: Clock) -> tuple[Told, str]:
        """Return the engine's newest `info` of its best line, and its move. `stop` is sent in good time."""
        told = Told()
        limit_ms = clock.limit_ms
        early = 0.0 if limit_ms is None else min(LEAST_STOP_MS, limit_ms / 10) / 1000
        patience: float | None = None if limit_ms is None else max(0.0, clock.seconds() - early)
        try:
            async with asyncio.timeout(patience):
                while not isinstance(said := await engine.said(), BestMove):
                    told = _merged(told, said)
                return told, said.move
        except TimeoutError:
            engine.send("stop")
        while not isinstance(said := await engine.said(), BestMove):  # for as long as the referee waits
            told = _merged(told, said)
        return told, said.move

    async def _end_search(self, engine: EngineProcess) -> None:
        engine.send("stop")
        try:
            async with asyncio.timeout(STOP_S):
                while not isinstance(await engine.said(), BestMove):
                    pass
        except TimeoutError:
            raise PlayerFailed(f"{self._called} has not answered `stop` with a bestmove within {STOP_S:g} s") from None
        self._searching = False

    # --- answers ------------------------------------------------------------------------------------------------------

    def _move(self, text: str) -> Any:
        """Return the move for the referee. A text that is no move goes there unchanged: it is refused, and counted."""
        if text.casefold() == "resign":
            raise Resign
        try:
            return self._rules.move_to_wire(texts.read_move(self._rules, self._line.state, text))
        except MalformedMove as error:
            if not self._complained:
                self._complained = True
                legal = next(iter(self._line.state.legal_moves()))
                example = texts.write_move(self._rules, self._line.state, legal)
                self._report(f"{self._called} answers `bestmove {text[:60]}`: {error}; here one is {example}")
            return text[:100] or "(none)"

    def _info(self, told: Told) -> Info | UnsetType:
        """For viewers: scores in units, not hundredths; the line in the game's notation, as far as it can be read."""
        if told == Told():
            return UNSET
        score: float | UnsetType = UNSET
        text: str | UnsetType = UNSET
        if told.score is not None:
            score = told.score / HUNDREDTHS
        elif told.mate is not None:
            score = DECIDED if told.mate > 0 else -DECIDED
            text = f"{'wins' if told.mate > 0 else 'loses'} in {quoted(abs(told.mate))} plies"
        return Info(
            depth=UNSET if told.depth is None else told.depth,
            nodes=UNSET if told.nodes is None else told.nodes,
            score=score,
            pv=self._notations(told.pv[:MAX_PV]) or UNSET,
            text=text,
        )

    def _notations(self, pv: Sequence[str]) -> list[str]:
        state, line = self._line.state, []
        for text in pv:
            try:
                move = texts.read_move(self._rules, state, text)
                state.check(move)
            except ValueError:
                break
            line.append(self._rules.notation(state, move))
            state = state.play(move)
        return line


def _merged(told: Told, said: Said) -> Told:
    """The newest of each; a line that tells only a number of nodes leaves the rest unchanged."""
    if not isinstance(said, Told) or not said.best_line:
        return told
    score, mate = (told.score, told.mate) if said.score is None and said.mate is None else (said.score, said.mate)
    return Told(
        told.depth if said.depth is None else said.depth,
        told.nodes if said.nodes is None else said.nodes,
        score,
        mate,
        said.pv or told.pv,
    )
