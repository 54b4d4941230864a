"""`palio ugi` and `palio uci`: answer a GUI that takes one of our bots for an engine.

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
from msgspec.structs import replace

from palio_clients.engines import texts
from palio_clients.engines.info_lines import info_line, line_of, other_lines
from palio_clients.engines.language import Language
from palio_clients.engines.texts import FEN, MOVES, STARTPOS
from palio_clients.engines.thinker import Limit, Thinker
from palio_clients.sdk.bot import Bot, arguments
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import BadBot, PlayerFailed, Resign
from palio_rules.contract.messages import Info
from palio_rules.errors import nearest, quoted
from palio_rules.game import Game

# What a GUI asks of an engine, line by line; read forgivingly.

MOST = 2**53


@dataclass(frozen=True, slots=True)
class Position:
    """The position to search; `fen` None is the game's first position."""

    fen: str | None
    moves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Go:
    """The limits of a search. `clocks` are the first and the second player's, in milliseconds; None: not given.

    `ponder`: the clocks run from `ponderhit` on, and no move is told before.
    """

    clocks: tuple[int | None, int | None] = (None, None)
    increments: tuple[int, int] = (0, 0)
    movetime: int | None = None
    depth: int | None = None
    nodes: int | None = None
    infinite: bool = False
    ponder: bool = False
    movestogo: int | None = None  # until the clock gains its time again


@dataclass(frozen=True, slots=True)
class SetOption:
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Query:
    question: str


@dataclass(frozen=True, slots=True)
class Word:
    """A command without arguments: the greeting, isready, the word for a new game, stop, ponderhit, quit."""

    text: str


Command = Position | Go | SetOption | Query | Word
ISREADY, STOP, PONDERHIT, QUIT = "isready", "stop", "ponderhit", "quit"
_WORDS = (ISREADY, STOP, PONDERHIT, QUIT)
_LONGER = ("position", "go", "setoption", "query")


def read_command(language: Language, line: str) -> Command | None:
    """The command in a line; None for one that is unknown, which an engine ignores. Never fails."""
    words = line.split()
    known = (language.hello, language.new_game, *_WORDS, *_LONGER)
    at = next((i for i, word in enumerate(words) if word in known), len(words))
    words = words[at:]  # UCI: an unknown word is skipped, and the rest is read
    match words:
        case []:
            return None
        case ["position", *rest]:
            return _position(rest)
        case ["go", *rest]:
            return _go(language, rest)
        case ["setoption", *rest]:
            return _set_option(rest)
        case ["query", *rest]:
            return Query(" ".join(rest))
    return Word(words[0])


def _position(words: list[str]) -> Position | None:
    at = words.index(MOVES) if MOVES in words else len(words)
    place, moves = words[:at], tuple(words[at + 1 :])
    match place:
        case [first] if first == STARTPOS:
            return Position(None, moves)
        case [first, *rest] if first == FEN and rest:
            return Position(" ".join(rest), moves)
    return None


_NUMBERS = ("movetime", "depth", "nodes", "movestogo")


def _go(language: Language, words: list[str]) -> Go:
    numbers: dict[str, int] = {}
    first, second = language.players
    known = {f"{player}{kind}" for player in language.players for kind in ("time", "inc")} | set(_NUMBERS)
    for word, after in zip(words, [*words, ""][1:], strict=True):
        key = language.clock_names.get(word, word)
        if key in known and (number := _number(after)) is not None:
            numbers[key] = number
    get = numbers.get
    return Go(
        (get(f"{first}time"), get(f"{second}time")),
        (get(f"{first}inc", 0), get(f"{second}inc", 0)),
        get("movetime"),
        get("depth"),
        get("nodes"),
        "infinite" in words,
        "ponder" in words,
        get("movestogo") or None,
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


# A bot's settings as options of an engine.

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


PONDER = "Ponder"  # the option that a GUI switches on if it lets engines ponder
MULTIPV, MOST_LINES = "MultiPV", 256  # the option for how many lines a GUI wants to see
QUIT_S = 2.0  # for a search that was given up
NO_MOVE = "(none)"  # where a game is over
AUTHOR = "Palio"


@dataclass(slots=True)
class _Search:
    go: Go
    clock: Clock
    task: asyncio.Task[None] | None = None
    wanted: asyncio.Event = field(default_factory=asyncio.Event)  # set when its move may be told

    @property
    def runs(self) -> bool:
        return self.task is not None and not self.task.done()


class Speaker:
    """One conversation. `write` takes lines; `hear` is given each line of the GUI."""

    def __init__(
        self,
        language: Language,
        rules: Game[Any, Any],
        start: Any,
        thinker: Thinker,
        write: Callable[[str], None],
        version: str,
    ) -> None:
        self._language = language
        self._rules, self._start, self._thinker, self._write = rules, start, thinker, write
        self._version = version
        self._first = language.first(rules, start)
        self._base, self._moves, self._state, self._before = start, list[Any](), start, start
        self._search: _Search | None = None
        self._chess960 = False  # castling is written as in chess960
        self._lines = 1  # that the GUI wants to see
        self._ponders = False  # the GUI wants to know the answer that the bot expects
        self._busy = asyncio.Lock()  # the thinker does one thing after the other
        self._tasks: set[asyncio.Task[None]] = set()
        self.failure: PlayerFailed | None = None  # what has ended the bot
        self.leaving = asyncio.Event()  # the GUI has said `quit`, even if there is more to hear before

    async def hear(self, line: str) -> bool:
        """Do what the line says; False: the conversation is over."""
        command = read_command(self._language, line)
        if command == Word(QUIT) or self.failure is not None:
            return False
        if command is not None:
            await self._do(command)
        return True

    async def close(self) -> None:
        """The GUI is gone, or wants us to go."""
        await self._stop()
        await self._ended(QUIT_S)
        if self._tasks:  # `isready` before `quit`, as in a script, is still answered
            await asyncio.wait(self._tasks, timeout=QUIT_S)
        for task in self._tasks:
            task.cancel()
        with suppress(TimeoutError):
            async with asyncio.timeout(QUIT_S):
                await self._thinker.forget()

    async def _do(self, command: Command) -> None:
        match command:
            case Word(word):
                await self._do_word(word)
            case Position(fen, moves):
                self._position(fen, moves)
            case Go():
                await self._go(command)
            case SetOption(name, value):
                await self._set_option(name, value)
            case Query(question):
                self._answer(question)

    async def _do_word(self, word: str) -> None:
        if word == self._language.hello:
            self._introduce()
        elif word == self._language.new_game:
            await self._stop()
            await self._ended()
            self._set(self._start, [], self._start, self._start)
            async with self._busy:
                await self._thinker.forget()
        elif word == ISREADY:
            self._get_ready()
        elif word == STOP:
            await self._stop()
        elif word == PONDERHIT:
            self._ponderhit()

    # --- who we are ---------------------------------------------------------------------------------------------------

    def _introduce(self) -> None:
        self._write(f"id name {self._thinker.name} ({AUTHOR} {self._version}, {self._rules.title})")
        self._write(f"id author {AUTHOR}")
        ponder = [f"option name {PONDER} type check default false"] if self._language.ponders else []
        searches = self._thinker.bot is not None  # a program has lines of its own
        lines = [f"option name {MULTIPV} type spin default 1 min 1 max {MOST_LINES}"] if searches else []
        own = offers(self._thinker.bot, self._thinker.settings)
        for offer in (*ponder, *lines, *own, *self._language.offers(self._rules)):
            self._write(offer)
        self._write(self._language.hello_answer)

    def _get_ready(self) -> None:
        if self._search is not None and self._search.runs:
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
        if name.casefold() == PONDER.casefold() and self._language.ponders:
            self._ponders = value == "true"
            return
        if name.casefold() == MULTIPV.casefold():
            self._lines = max(1, min(_number(value) or 1, MOST_LINES))
            return
        if any(offer.split()[2].casefold() == name.casefold() for offer in self._language.offers(self._rules)):
            self._chess960 = value == "true"  # `UCI_Variant` can only be the game that is played
            return
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
            if self._chess960:
                base = texts.as_chess960(self._rules, base)
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
        self._search = search = _Search(go, Clock() if go.ponder else self._clock(go))
        if self._state.to_move is None:
            self._say("the game is over")
            search.task = self._begin(self._answer_none(search))
            return
        limit = Limit(go.depth, go.nodes, go.infinite and go.depth is None and go.nodes is None)
        if not self._thinker.can(limit):
            self._say(f"{self._thinker.name} has no setting for this limit, and thinks as it likes")
        search.task = self._begin(self._think(search, limit))

    def _ponderhit(self) -> None:
        """Let a search that was begun by `go ponder` go on as a usual one: its share of the clock begins now."""
        search = self._search
        if search is None or not search.go.ponder or search.wanted.is_set():
            return
        search.wanted.set()
        clock = self._clock(search.go)
        if (seconds := min(clock.share(), clock.seconds())) < math.inf:
            asyncio.get_running_loop().call_later(seconds, search.clock.cancel)

    def _clock(self, go: Go) -> Clock:
        seat = self._state.to_move
        player = 0 if seat == self._first else 1
        remaining = None if go.clocks[player] is None else max(1, go.clocks[player] or 0)
        limits = [ms for ms in (remaining, None if go.movetime is None else max(1, go.movetime)) if ms is not None]
        limit = min(limits, default=None)
        deadline = math.inf if limit is None else time.monotonic() + limit / 1000
        return Clock(remaining, go.increments[player], limit, (go.clocks[1 - player],), deadline, go.movestogo)

    async def _answer_none(self, search: _Search) -> None:
        if search.go.ponder:
            await search.wanted.wait()
        self._write(f"bestmove {NO_MOVE}")

    async def _think(self, search: _Search, limit: Limit) -> None:
        state, base, moves, begun = self._state, self._base, list(self._moves), time.monotonic()
        loop, last, lines = asyncio.get_running_loop(), list[Info](), self._lines
        others = await asyncio.to_thread(other_lines, self._rules, state, lines, search.clock) if lines > 1 else []

        def show(of: Any, info: Info) -> None:
            if of == state and info not in last[-1:]:
                last.append(info)
                seconds = time.monotonic() - begun
                for each in info_line(self._language, self._rules, state, info, seconds, others, lines):
                    self._write(each)

        try:
            async with self._busy:
                move, info = await self._thinker.think(
                    base, moves, search.clock, limit, lambda *told: _threadsafe(loop, show, *told)
                )
            if info.pv is UNSET:  # a GUI reads the move of each search from a line, too
                info = replace(info, pv=[self._rules.notation(state, move)])
            show(state, info)
            if info.text is not UNSET and info.text:
                self._say(info.text)
        except Resign:
            self._say(
                f"{self._thinker.name} gives up, which {self._language.title} has no word for: any move is played"
            )
            move, info = next(iter(state.legal_moves())), Info()
        except PlayerFailed as error:
            self._fail(error)
            return
        if search.go.infinite or search.go.ponder:
            await search.wanted.wait()  # as in UCI: no move before `stop` or `ponderhit`
        self._write(f"bestmove {texts.write_move(self._rules, state, move)}{self._expected(state, move, info)}")

    def _expected(self, state: Any, move: Any, info: Info) -> str:
        """Return ` ponder MOVE` for a GUI that lets engines ponder, if the bot has told which answer it expects."""
        if not self._ponders or info.pv is UNSET or len(info.pv) < 2:
            return ""
        line = line_of(self._rules, state, info.pv[:2])
        return f" ponder {line[1]}" if line[0] == texts.write_move(self._rules, state, move) else ""

    async def _stop(self) -> None:
        if self._search is not None:
            self._search.wanted.set()
            self._search.clock.cancel()

    async def _ended(self, patience: float | None = None) -> None:
        """Take in that the search has ended, or wait for it no longer than `patience` seconds."""
        if self._search is None or self._search.task is None or self._search.task.done():
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
