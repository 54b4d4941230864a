"""`palio ugi`: answers a GUI that takes one of our bots for a UGI engine.

It hears while it thinks: `stop` ends a search, `isready` is answered at once, `quit` always works. What it does not
know it ignores, and what it cannot do it says in an `info string`.
"""

import asyncio
import inspect
import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET

from palio_clients.engines.ugi import texts
from palio_clients.engines.ugi.texts import FEN, MOVES, STARTPOS
from palio_clients.engines.ugi.thinker import Limit, Thinker
from palio_clients.sdk.bot import Bot, arguments
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import BadBot, PlayerFailed, Resign
from palio_rules.contract.messages import Info
from palio_rules.errors import nearest, quoted
from palio_rules.game import Game

# What a GUI asks of an engine, line by line; read forgivingly.

MOST = 2**53
_CLOCKS = {  # UCI's names too, because GUIs for chess know no others
    "p1time": "p1time", "p2time": "p2time", "p1inc": "p1inc", "p2inc": "p2inc",
    "wtime": "p1time", "btime": "p2time", "winc": "p1inc", "binc": "p2inc",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Position:
    """The position to search; `fen` None is the game's first position."""

    fen: str | None
    moves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Go:
    """The limits of a search. `clocks` are p1's and p2's, in milliseconds, as `movetime` is; None: not given."""

    clocks: tuple[int | None, int | None] = (None, None)
    increments: tuple[int, int] = (0, 0)
    movetime: int | None = None
    depth: int | None = None
    nodes: int | None = None
    infinite: bool = False


@dataclass(frozen=True, slots=True)
class SetOption:
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Query:
    question: str


@dataclass(frozen=True, slots=True)
class Word:
    """A command without arguments: ugi, isready, uginewgame, stop, quit."""

    text: str


Command = Position | Go | SetOption | Query | Word
_WORDS = frozenset(("ugi", "isready", "uginewgame", "stop", "quit"))


def read_command(line: str) -> Command | None:
    """The command in a line; None for one that is unknown, which an engine ignores. Never fails."""
    words = line.split()
    at = next((i for i, word in enumerate(words) if word in _COMMANDS), len(words))
    words = words[at:]  # UCI: an unknown word is skipped, and the rest is read
    match words:
        case []:
            return None
        case ["position", *rest]:
            return _position(rest)
        case ["go", *rest]:
            return _go(rest)
        case ["setoption", *rest]:
            return _set_option(rest)
        case ["query", *rest]:
            return Query(" ".join(rest))
    return Word(words[0])


_COMMANDS = _WORDS | {"position", "go", "setoption", "query"}


def _position(words: list[str]) -> Position | None:
    at = words.index(MOVES) if MOVES in words else len(words)
    place, moves = words[:at], tuple(words[at + 1 :])
    match place:
        case [first] if first == STARTPOS:
            return Position(None, moves)
        case [first, *rest] if first == FEN and rest:
            return Position(" ".join(rest), moves)
    return None


@dataclass(slots=True)
class _Found:
    numbers: dict[str, int] = field(default_factory=dict)
    infinite: bool = False


def _go(words: list[str]) -> Go:
    found = _Found()
    for word, after in zip(words, [*words, ""][1:], strict=True):
        key = _CLOCKS.get(word, word)
        if word == "infinite":
            found.infinite = True
        elif key in _CLOCKS or key in ("movetime", "depth", "nodes"):
            number = _number(after)
            if number is not None:
                found.numbers[key] = number
    get = found.numbers.get
    return Go(
        (get("p1time"), get("p2time")),
        (get("p1inc", 0), get("p2inc", 0)),
        get("movetime"),
        get("depth"),
        get("nodes"),
        found.infinite,
    )


def _number(text: str) -> int | None:
    """A whole number, never below 0: a clock that has run out is at 0."""
    sign = text.removeprefix("-")
    if not sign.isascii() or not sign.isdecimal() or len(sign) > 16:
        return None
    return 0 if sign != text else min(int(sign), MOST)


def _set_option(words: list[str]) -> SetOption | None:
    if words[:1] != ["name"]:
        return None
    at = words.index("value") if "value" in words else len(words)
    name = " ".join(words[1:at])
    return SetOption(name, " ".join(words[at + 1 :])) if name else None


# A bot's settings as options of a UGI engine.

LOWEST, HIGHEST = -(2**31), 2**31 - 1


def offers(bot: type[Bot] | None, settings: Mapping[str, str]) -> Iterator[str]:
    """`option` lines; a program, which is no class, has none. `settings` are those that are set already, as text."""
    for name, default in ({} if bot is None else arguments(bot)).items():
        value = settings.get(name, default)
        yield f"option name {name} {_type(default, value)}"


def _type(default: Any, value: Any) -> str:
    if isinstance(default, bool):
        return f"type check default {str(value).lower()}"
    if isinstance(default, int):
        return f"type spin default {value} min {LOWEST} max {HIGHEST}"
    text = "" if value in (None, inspect.Parameter.empty) else str(value)
    return f"type string default {text or '<empty>'}"


QUIT_S = 2.0  # for a search that was given up
HUNDREDTHS = 100
NO_MOVE = "(none)"  # where a game is over
AUTHOR = "Palio"


@dataclass(slots=True)
class _Search:
    task: asyncio.Task[None]
    clock: Clock
    stopped: asyncio.Event


class Speaker:
    """One conversation. `write` takes lines; `hear` is given each line of the GUI."""

    def __init__(
        self, rules: Game[Any, Any], start: Any, thinker: Thinker, write: Callable[[str], None], version: str
    ) -> None:
        self._rules, self._start, self._thinker, self._write = rules, start, thinker, write
        self._version = version
        self._first = texts.first_player(start)
        self._base, self._moves, self._state, self._before = start, list[Any](), start, start
        self._search: _Search | None = None
        self._busy = asyncio.Lock()  # the thinker does one thing after the other
        self._tasks: set[asyncio.Task[None]] = set()
        self.failure: PlayerFailed | None = None  # what has ended the bot
        self.leaving = asyncio.Event()  # the GUI has said `quit`, even if there is more to hear before

    async def hear(self, line: str) -> bool:
        """Do what the line says; False: the conversation is over."""
        command = read_command(line)
        if command == Word("quit") or self.failure is not None:
            return False
        if command is not None:
            await self._do(command)
        return True

    async def close(self) -> None:
        """The GUI is gone, or wants us to go."""
        await self._stop()
        await self._ended(QUIT_S)
        for task in self._tasks:
            task.cancel()
        with suppress(TimeoutError):
            async with asyncio.timeout(QUIT_S):
                await self._thinker.forget()

    async def _do(self, command: Command) -> None:
        match command:
            case Word("ugi"):
                self._introduce()
            case Word("isready"):
                self._get_ready()
            case Word("uginewgame"):
                await self._stop()
                await self._ended()
                self._set(self._start, [], self._start, self._start)
                async with self._busy:
                    await self._thinker.forget()
            case Word("stop"):
                await self._stop()
            case Position(fen, moves):
                self._position(fen, moves)
            case Go():
                await self._go(command)
            case SetOption(name, value):
                await self._set_option(name, value)
            case Query(question):
                self._answer(question)

    # --- who we are ---------------------------------------------------------------------------------------------------

    def _introduce(self) -> None:
        self._write(f"id name {self._thinker.name} ({AUTHOR} {self._version}, {self._rules.title})")
        self._write(f"id author {AUTHOR}")
        for offer in offers(self._thinker.bot, self._thinker.settings):
            self._write(offer)
        self._write("ugiok")

    def _get_ready(self) -> None:
        if self._search is not None and not self._search.task.done():
            self._write("readyok")
        else:
            self._begin(self._prepare())

    async def _prepare(self) -> None:
        async with self._busy:
            try:
                await self._thinker.get_ready(self._base)
            except PlayerFailed as error:
                self._fail(error)
        self._write("readyok")

    async def _set_option(self, name: str, value: str) -> None:
        known = {each.casefold(): each for each in self._thinker.names}
        setting = known.get(name.casefold())
        if setting is None:
            self._say(f"there is no option {quoted(name)}; {nearest(name, self._thinker.names)}")
            return
        await self._ended()
        async with self._busy:
            try:
                await self._thinker.set_option(setting, value)
            except BadBot as error:
                self._say(str(error))

    # --- positions ----------------------------------------------------------------------------------------------------

    def _position(self, fen: str | None, moves: tuple[str, ...]) -> None:
        try:
            base = self._start if fen is None else texts.read_position(self._rules, fen)
            before = state = base
            read = []
            for text in moves:
                move = texts.read_move(self._rules, state, text)
                state.check(move)
                before, state = state, state.play(move)
                read.append(move)
        except ValueError as error:
            self._say(f"this position is left out: {error}")
            return
        self._set(base, read, state, before)

    def _set(self, base: Any, moves: list[Any], state: Any, before: Any) -> None:
        self._base, self._moves, self._state, self._before = base, moves, state, before

    def _answer(self, question: str) -> None:
        outcome = self._state.outcome()
        if question == "p1turn":
            to_move = self._state.to_move
            is_first = to_move == self._first if to_move is not None else self._before.to_move != self._first
            self._write(f"response {str(is_first).lower()}")
        elif question == "gameover":
            self._write(f"response {str(outcome is not None).lower()}")
        elif question == "result":
            self._write(f"response {self._result()}")

    def _result(self) -> str:
        outcome = self._state.outcome()
        if outcome is None:
            return "none"
        ours, theirs = outcome.scores[self._first], outcome.scores[1 - self._first]
        return "draw" if ours == theirs else "p1win" if ours > theirs else "p2win"

    # --- searches -----------------------------------------------------------------------------------------------------

    async def _go(self, go: Go) -> None:
        await self._stop()  # one at a time: the GUI has forgotten to stop the last one
        await self._ended()
        if self._state.to_move is None:
            self._say("the game is over")
            self._write(f"bestmove {NO_MOVE}")
            return
        limit = Limit(go.depth, go.nodes, go.infinite and go.depth is None and go.nodes is None)
        if not self._thinker.can(limit):
            self._say(f"{self._thinker.name} has no setting for this limit, and thinks as it likes")
        clock, stopped = self._clock(go), asyncio.Event()
        self._search = _Search(self._begin(self._think(clock, limit, stopped, go)), clock, stopped)

    def _clock(self, go: Go) -> Clock:
        seat = self._state.to_move
        player = 0 if seat == self._first else 1
        remaining = None if go.clocks[player] is None else max(1, go.clocks[player] or 0)
        limits = [ms for ms in (remaining, None if go.movetime is None else max(1, go.movetime)) if ms is not None]
        limit = min(limits, default=None)
        deadline = math.inf if limit is None else time.monotonic() + limit / 1000
        return Clock(remaining, go.increments[player], limit, (go.clocks[1 - player],), deadline)

    async def _think(self, clock: Clock, limit: Limit, stopped: asyncio.Event, go: Go) -> None:
        state, base, moves, begun = self._state, self._base, list(self._moves), time.monotonic()
        loop, last = asyncio.get_running_loop(), [Info()]

        def show(of: Any, info: Info) -> None:
            if of == state and info != last[0]:
                last[0] = info
                self._write(info_line(info, time.monotonic() - begun))

        try:
            async with self._busy:
                move, info = await self._thinker.think(
                    base, moves, clock, limit, lambda *told: _threadsafe(loop, show, *told)
                )
            show(state, info)
            if info.text is not UNSET and info.text:
                self._say(info.text)
        except Resign:
            self._say(f"{self._thinker.name} gives up, which UGI has no word for: any move is played")
            move = next(iter(state.legal_moves()))
        except PlayerFailed as error:
            self._fail(error)
            return
        if go.infinite and not stopped.is_set():
            await stopped.wait()  # as in UCI: no move before `stop`
        self._write(f"bestmove {texts.write_move(self._rules, state, move)}")

    async def _stop(self) -> None:
        if self._search is not None:
            self._search.stopped.set()
            self._search.clock.cancel()

    async def _ended(self, patience: float | None = None) -> None:
        """Take in that the search has ended, or wait for it no longer than `patience` seconds."""
        if self._search is None or self._search.task.done():
            return
        if patience is not None:
            await asyncio.wait([self._search.task], timeout=patience)
            return
        leaving = asyncio.ensure_future(self.leaving.wait())
        await asyncio.wait([self._search.task, leaving], return_when=asyncio.FIRST_COMPLETED)
        leaving.cancel()

    def _begin(self, work: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # --- what we say --------------------------------------------------------------------------------------------------

    def _say(self, sentence: str) -> None:
        self._write(f"info string {' '.join(sentence.split())}")

    def _fail(self, error: PlayerFailed) -> None:
        self.failure = error
        self._say(f"{self._thinker.name} has failed: {str(error).splitlines()[-1]}")


def _threadsafe(loop: asyncio.AbstractEventLoop, call: Callable[..., None], *told: Any) -> None:
    with suppress(RuntimeError):  # the loop has ended meanwhile
        loop.call_soon_threadsafe(call, *told)


def info_line(info: Info, seconds: float) -> str:
    """Return a bot's `info` as a line of UGI; scores in hundredths of its unit."""
    ms = round(seconds * 1000)
    words = ["info"]
    if info.depth is not UNSET:
        words += ["depth", str(info.depth)]
    if info.score is not UNSET:
        words += ["score", "cp", str(round(info.score * HUNDREDTHS))]
    words += ["time", str(ms)]
    if info.nodes is not UNSET:
        words += ["nodes", str(info.nodes)]
        words += ["nps", str(round(info.nodes / seconds))] if ms > 0 else []
    if info.pv is not UNSET:
        words += ["pv", *map(texts.compact, info.pv)]
    return " ".join(words)
