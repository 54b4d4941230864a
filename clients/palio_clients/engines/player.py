"""Lets an engine play one match: we are its GUI, and the referee judges every move that it answers.

What the engine is told: `uci` (or `ugi`), its options, `isready`, `ucinewgame`; then for each turn `position` with all
moves and `go` with the clocks. When its time is nearly up it gets `stop`. With the option Ponder switched on it thinks
on while its opponent does: `go ponder`, and `ponderhit` if the expected move was played.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET, UnsetType

from palio_clients.engines import texts
from palio_clients.engines.language import Language, Offered, commands
from palio_clients.engines.lines import NOTHING, BestMove, Told
from palio_clients.engines.own_book import OwnBook
from palio_clients.engines.positions import Positions, positions_of
from palio_clients.engines.process import EngineProcess, Start, start_engine
from palio_clients.engines.started import StartedEngine, be_ready, greet
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.events import MatchOver, MovePlayed, MoveRejected
from palio_clients.sdk.failures import PlayerFailed, Resign
from palio_clients.sdk.player import MAX_PV, News, PromptAnswer, Report, Thought
from palio_clients.sdk.traffic import overhearing
from palio_rules.contract.messages import GameMessage, Info, Turn
from palio_rules.errors import MalformedMove, quoted
from palio_rules.game import Game
from palio_rules.registry import game as game_named

READY_S = 25.0  # for an engine's start and `isready`; a server waits 30 s for a bot that gets ready
STOP_S = 3.0  # for the `bestmove` of a search that was given up
SILENT_S = 120.0  # without a line, in a search that no clock ends
LEAST_STOP_MS = 30  # `stop` is sent so long before the time is up, or a tenth of it if that is less
WITHOUT_LIMIT_MS = 1000  # for a move, where neither a clock nor the spec ends the search
DECIDED = 1000.0  # what viewers see of a game that is certainly won, as of our own searches
HUNDREDTHS = 100
THOUSAND = 1000  # the whole of `hashfull` and `wdl`
MAX_TEXT = 256  # characters of `Info.text`
SHOWN_MOVES = 8  # moves that a sentence about a fault lists
PONDER = "ponder"
RESIGN = "resign"
NO_MOVES = ("", "(none)", "0000", "none", "null")  # by which engines say that they see no legal move


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a spec beside the command. `go` replaces the clocks: ("depth", 4)."""

    options: Mapping[str, str] = field(default_factory=dict)
    go: tuple[str, int] | None = None
    writing: texts.Writing = "text"
    stays: bool = True  # for the next match
    book: OwnBook | None = None

    @property
    def ponders(self) -> bool:
        return any(name.casefold() == PONDER and value == "true" for name, value in self.options.items())


class LanguagePlayer:
    """Lets an engine play one match; see `Player`."""

    _rules: Game[Any, Any]  # these are there after `prepare`
    _positions: Positions
    _game: GameMessage

    def __init__(
        self,
        language: Language,
        argv: Sequence[str],
        settings: Settings,
        report: Report,
        called: str = "",
        waiting: list[StartedEngine] | None = None,
        start: Start = start_engine,
    ) -> None:
        """Prepare a player; `called`: the engine's name in sentences; `waiting`: engines that stay for a next match."""
        self._language, self._argv, self._settings, self._report = language, argv, settings, report
        self._called = called or argv[0]
        self._waiting, self._launch = waiting, start
        self._engine: EngineProcess | None = None
        self._offered: list[Offered] = []
        self._ready = self._searching = self._stopped = False
        self._pondered: list[str] | None = None  # the moves of the position that it ponders on
        self._complaints: set[str] = set()  # kinds of faults that were reported
        self._string = ""  # the last `info string` that was shown
        self._sent = self._sent_ahead = ("", "", "")  # the last position, go and bestmove; and those of its pondering
        self._turn: Turn | None = None

    # --- the match ----------------------------------------------------------------------------------------------------

    async def prepare(self, game: GameMessage) -> None:
        self._begin(game)
        try:
            async with asyncio.timeout(READY_S):
                await self._start()
        except TimeoutError:
            engine = self._engine
            asked, words = (engine.asked, f"; {engine.words}") if engine is not None else ("", "")
            raise PlayerFailed(
                f"{self._called} has not answered `{asked}` within {READY_S:g} s; "
                f"it must read stdin while it starts, and flush what it prints{words}"
            ) from None

    def _begin(self, game: GameMessage) -> None:
        title = self._language.title
        try:
            self._rules = rules = game_named(game.game)
            self._options = rules.parse_options(game.options)
        except ValueError as error:
            raise PlayerFailed(f"these rules do not know what the server plays: {error}") from error
        if not texts.is_for(rules):
            raise PlayerFailed(
                f"{self._called} speaks {title}, which is for two players; {rules.name} is a {rules.kind}"
            )
        if self._settings.book is not None:
            self._settings.book.check_game(rules, self._called)
        self._positions = positions_of(rules, game, self._settings.writing)
        self._first = self._language.first(rules, rules.start(self._options))
        self._game = game

    async def _start(self) -> None:
        language = self._language
        while self._engine is None and self._waiting:
            stayed = self._waiting.pop()
            if stayed.usable:
                self._engine, self._offered = stayed.engine, stayed.offered
                self._engine.overheard = overhearing(self._game.match)
                self._engine.forget()
            else:
                await stayed.engine.end_program()
        if self._engine is None:
            self._engine = await self._launch(self._argv, self._called)
            self._engine.overheard = overhearing(self._game.match)
            self._offered = await greet(self._engine, language)
        engine, wanted = self._engine, dict(self._settings.options)
        for name, value in language.needs(self._rules, self._options, self._called, self._offered).items():
            if name.casefold() not in {each.casefold() for each in wanted}:
                wanted[name] = value
        for line in commands(self._called, wanted, self._offered):
            engine.send(line)
        await be_ready(engine)
        engine.send(language.new_game)
        await be_ready(engine)
        self._ready = True

    def think(self, turn: Turn, clock: Clock) -> Awaitable[Thought] | Thought:
        self._positions.catch_up(turn)
        self._turn, self._stopped = turn, False
        if (move := self._book_move(turn)) is not None:
            return Thought(move, Info(text="from its book"))
        if self._searching and (self._pondered is None or self._pondered != self._positions.moves):
            return self._think_after_another(turn, clock)
        return self._search(turn, clock)

    async def _think_after_another(self, turn: Turn, clock: Clock) -> Thought:
        """Think after a search whose result is no longer awaited, or for another move than was played."""
        await self._end_search()
        return await self._search(turn, clock)

    def _search(self, turn: Turn, clock: Clock) -> Awaitable[Thought]:
        """Let the engine search, or go on with what it ponders on."""
        engine = self._started
        if self._pondered is not None:
            engine.ask(f"{PONDER}hit")
            self._pondered, self._sent = None, self._sent_ahead
        else:
            engine.forget()
            position, go = self._positions.command(), self._go(turn, turn.clocks_ms, turn.moves_to_go)
            engine.ask(position, go)
            self._searching, self._sent = True, (position, go, "")
        answer = PromptAnswer()
        watch = SearchWatch(engine, clock, self._settings, self._stop)

        def answered(best: BestMove | PlayerFailed) -> None:
            watch.end()
            if answer.done():
                return
            try:
                answer.set_result(self._thought(turn, clock, best))
            except (PlayerFailed, Resign) as error:
                answer.set_exception(error)

        watch.begin(answered)
        answer.add_done_callback(lambda _: watch.end())  # it may be cancelled
        engine.await_best(answered)
        return answer

    def _stop(self) -> None:
        """Tell the engine that its time is nearly up."""
        self._started.send("stop")
        self._stopped = True

    def _thought(self, turn: Turn, clock: Clock, best: BestMove | PlayerFailed) -> Thought:
        """Return the answer. Raises PlayerFailed and Resign."""
        if isinstance(best, PlayerFailed):
            raise best
        engine = self._started
        self._searching = self._stopped = False
        self._sent = (*self._sent[:2], best.move)
        move, infos = self._move(turn, best.move), engine.infos
        if best.ponder and self._settings.ponders:
            self._ponder(engine, turn, clock, best)
        return Thought(move, self._info(turn, infos.told(), infos.string))

    @property
    def _started(self) -> EngineProcess:
        assert self._engine is not None, "prepare comes first"
        return self._engine

    def hear(self, news: News) -> Awaitable[None] | None:
        match news:
            case MovePlayed(_, played):
                self._positions.play(played.ply, played.move)
            case MoveRejected(_, rejected):
                position, go, best = self._sent
                self._report(
                    f"{self._called} played what the rules forbid: {rejected.reason}; it was told `{_short(position)}` "
                    f"and `{go}`, and answered `bestmove {best[:60]}`; {self._examples()}"
                )
            case MatchOver():
                if self._searching and self._stopped and self._engine is not None:
                    self._report(
                        f"{self._called} had not answered `stop` when the match was over; {self._engine.words}"
                    )
        return None

    async def close(self) -> None:
        engine = self._engine
        if engine is None:
            return
        engine.await_best(None)
        if self._waiting is not None and self._ready:
            try:
                if self._searching:
                    await self._end_search()
            except PlayerFailed:
                await engine.end_program()
            else:
                self._waiting.append(StartedEngine(engine, self._offered))
        else:
            await engine.end_program()
        self._engine = None

    def _book_move(self, turn: Turn) -> str | None:
        book, moves = self._settings.book, self._positions.moves
        if book is None:
            return None
        return book.move(self._rules, turn, moves[-1] if moves else "", lambda why: self._complain("book", why))

    # --- a search -----------------------------------------------------------------------------------------------------

    def _go(self, turn: Turn, clocks_ms: Sequence[int | None], moves_to_go: int | UnsetType, word: str = "go") -> str:
        """Return `go` with the clocks as the referee has them, or with the limit that the spec names."""
        if self._settings.go is not None:
            return "{} {} {}".format(word, *self._settings.go)
        seat, time = self._game.seat, self._game.time
        own = clocks_ms[seat] if seat < len(clocks_ms) else None
        if own is None or time.move_ms is not None:
            return f"{word} movetime {max(1, WITHOUT_LIMIT_MS if turn.limit_ms is None else turn.limit_ms)}"
        first, second = self._language.players
        clocks = [clocks_ms[seat] for seat in (self._first, 1 - self._first)]
        one, other = (own if ms is None else ms for ms in clocks)
        inc = time.increment_ms
        if time.byoyomi is not UNSET:  # which the language has no word for
            stones = 0 if moves_to_go is UNSET else moves_to_go
            own, until_gain = time.byoyomi.until_gain(own, stones)
            moves_to_go = UNSET if until_gain is None else until_gain
            one, other = (own, other) if seat == self._first else (one, own)
        until = "" if moves_to_go is UNSET else f" movestogo {moves_to_go}"
        return f"{word} {first}time {one} {second}time {other} {first}inc {inc} {second}inc {inc}{until}"

    async def _end_search(self) -> None:
        engine, self._pondered = self._started, None
        engine.await_best(None)
        engine.ask("stop")
        try:
            async with asyncio.timeout(STOP_S):
                while not isinstance(await engine.said(), BestMove):
                    pass
        except TimeoutError:
            raise PlayerFailed(
                f"{self._called} has not answered `stop` with a bestmove within {STOP_S:g} s; {engine.words}"
            ) from None
        self._searching = False

    def _ponder(self, engine: EngineProcess, turn: Turn, clock: Clock, best: BestMove) -> None:
        """Let the engine think on, about the answer that it expects: its clock after this move is known nearly."""
        moves = [*self._positions.moves, best.move, best.ponder]
        clocks = list(turn.clocks_ms)
        if clock.remaining_ms is not None and clock.limit_ms is not None:
            used = max(0, clock.limit_ms - round(clock.seconds() * 1000))
            clocks[self._game.seat] = max(1, clock.remaining_ms - used + self._game.time.increment_ms)
        after = turn.moves_to_go
        byoyomi = self._game.time.byoyomi
        if byoyomi is not UNSET and clock.remaining_ms is not None:
            stones = 0 if after is UNSET else after
            left, stones = byoyomi.after(clock.remaining_ms, used, stones)
            clocks[self._game.seat], after = left, stones if left <= byoyomi.reserve_ms and stones else UNSET
        elif after is not UNSET:
            after = after - 1 or self._game.time.moves
        position = self._positions.command().split(f" {texts.MOVES} ")[0]
        ahead, go = f"{position} {texts.MOVES} {' '.join(moves)}", self._go(turn, clocks, after, f"go {PONDER}")
        engine.forget()
        engine.ask(ahead, go)
        self._sent_ahead = (ahead, go, "")
        self._searching, self._pondered = True, moves

    # --- answers ------------------------------------------------------------------------------------------------------

    def _move(self, turn: Turn, text: str) -> Any:
        """Return the move for the referee. A text that is no move goes there unchanged: it is refused, and counted."""
        if text.casefold() == RESIGN:
            raise Resign
        try:
            return self._positions.read(text)
        except MalformedMove as error:
            position, go, _ = self._sent
            told = f"it was told `{_short(position)}` and `{go}`; {self._examples()}"
            if text.casefold() in NO_MOVES:
                self._complain(
                    "none", f"{self._called} answers `bestmove {text}`, as if it had no legal move; {told}".rstrip()
                )
            else:
                self._complain("text", f"{self._called} answers `bestmove {text[:60]}`: {error}; {told}")
            return text[:100] or "(none)"

    def _examples(self) -> str:
        if self._turn is None:
            return "no move was asked for"
        try:
            legal = self._positions.legal(self._turn)
        except ValueError:
            return "the position cannot be read here"
        more = "" if len(legal) <= SHOWN_MOVES else f" and {len(legal) - SHOWN_MOVES} more"
        return f"legal here: {', '.join(legal[:SHOWN_MOVES])}{more}"

    def _complain(self, kind: str, sentence: str) -> None:
        """Report a fault once a match."""
        if kind not in self._complaints:
            self._complaints.add(kind)
            self._report(sentence)

    def _info(self, turn: Turn, told: Told, string: str) -> Info | UnsetType:
        """Return what viewers see: scores in units, not hundredths; the line in the game's notation."""
        string = told.string or string
        if told is NOTHING and not string:
            return UNSET
        score: float | UnsetType = UNSET
        notes = []
        if told.score is not None:
            score = told.score / HUNDREDTHS
        elif told.mate is not None:
            wins = told.mate > 0
            score = DECIDED if wins else -DECIDED
            notes.append(f"{'wins' if wins else 'loses'} in {quoted(abs(told.mate))} {self._language.mate_in}")
        if string and string != self._string:  # many repeat themselves for each move
            self._string = string
            notes.append(string)
        line, illegal = self._positions.line(turn, told.pv[:MAX_PV])
        if illegal and illegal != self._sent[2]:  # an illegal answer has its own sentence
            shown = f"`pv {_short(' '.join(told.pv))}`"
            self._complain("pv", f"{self._called} shows a line with the illegal move {illegal[:20]!r}: {shown}")
        return Info(
            depth=_or_unset(told.depth),
            nodes=_or_unset(told.nodes),
            score=score,
            pv=line or UNSET,
            text="; ".join(notes)[:MAX_TEXT] or UNSET,
            seldepth=_or_unset(told.seldepth),
            nps=_or_unset(told.nps),
            hashfull=_or_unset(None if told.hashfull is None else min(told.hashfull, THOUSAND)),
            tbhits=_or_unset(told.tbhits),
            wdl=UNSET if told.wdl is None or max(told.wdl) > THOUSAND else list(told.wdl),
        )


class SearchWatch:
    """The watch over one search: it is told to stop in good time, and must speak where no clock ends it."""

    def __init__(self, engine: EngineProcess, clock: Clock, settings: Settings, stop: Callable[[], None]) -> None:
        """`stop` tells the engine to stop."""
        self._engine, self._clock, self._stop = engine, clock, stop
        self._patience = SILENT_S if settings.go is not None else WITHOUT_LIMIT_MS / 1000 + STOP_S
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, failed: Callable[[PlayerFailed], None]) -> None:
        """Watch until `end`; `failed` is called with the reason if the engine stalls."""
        self._failed = failed
        limit_ms = self._clock.limit_ms
        if limit_ms is None:
            self._timer = self._loop.call_later(self._patience, self._look)
        else:  # after `stop` the referee's clock decides
            early = min(LEAST_STOP_MS, limit_ms / 10) / 1000
            self._timer = self._loop.call_later(max(0.0, self._clock.seconds() - early), self._stop)

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        """Stop an engine that has been silent for too long."""
        left = self._engine.heard_at + self._patience - self._loop.time()
        if left > 0:
            self._timer = self._loop.call_later(left, self._look)
            return
        self._engine.send("stop")
        self._timer = self._loop.call_later(STOP_S, self._stall, self._engine.asked)

    def _stall(self, asked: str) -> None:
        engine = self._engine
        engine.await_best(None)
        self._failed(
            PlayerFailed(
                f"{engine.called} stalled: no line for {self._patience:g} s after `{asked}`, and no bestmove within "
                f"{STOP_S:g} s after `stop`; {engine.words}"
            )
        )


def _or_unset(number: int | None) -> int | UnsetType:
    return UNSET if number is None else number


def _short(text: str, most: int = 200) -> str:
    """Return a text whose middle is left out if it is long: its beginning and its end matter."""
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 2 :]}"
