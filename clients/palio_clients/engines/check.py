"""The checks of an engine for `palio check-bot`: each step of its language, with what was asked and answered.

They come before the checks of the protocol, which sees an engine only behind `palio join`. A step that fails does not
end the check, unless the engine is gone or has never answered.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import Any

from palio_clients.checks.subject import CheckFailed
from palio_clients.engines import texts
from palio_clients.engines.language import Language, Offered, commands
from palio_clients.engines.lines import READYOK, BestMove, Named, Said, Told, Word, is_of_the_language, read_line
from palio_clients.engines.player import NO_MOVES, STOP_S, Settings
from palio_clients.engines.steps import SHOWN, WIDTH, StepCheck
from palio_rules.errors import quoted
from palio_rules.game import Game
from palio_rules.registry import game as game_named

MOVE_MS, LATE_MS = 200, 500  # of a search by time, and how much later its answer may come
INFINITE_S = 0.4  # in which a search without end must not answer
UNKNOWN_OPTION = "palio no such option"
PLIES = 6  # of the game that a position with moves has
# Chess that engines get wrong: a mate in one, a promotion as the only kind of move, black to move, one legal move.
CHESS_POSITIONS = (
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
    "8/P6k/8/8/8/8/7p/1K6 w - - 0 1",
    "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 3 3",
    "7k/8/8/8/8/8/1q6/K7 w - - 0 1",
)
CHECKMATE = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"


def flush_remedy(language: Language) -> str:
    """Return what to do about an engine that does not answer."""
    return f"read stdin line by line, answer as {language.title} says, and flush stdout after each line"


class EngineCheck(StepCheck):
    """The check of one engine for one game, with rules that judge its moves."""

    def __init__(
        self, language: Language, argv: Sequence[str], called: str, settings: Settings, game: str, patience: float
    ) -> None:
        """Prepare a check; `patience`: seconds for each answer."""
        super().__init__(argv, called, patience)
        self._language, self._settings = language, settings
        self._rules: Game[Any, Any] = game_named(game)
        self._options = self._rules.options_type()
        self._start = self._rules.start(self._options)
        self._offered: list[Offered] = []

    def _steps(self) -> Iterator[tuple[str, Callable[[], Any], bool]]:
        """Yield the name of each step, the step, and whether nothing can follow its failure."""
        hello = self._language.hello
        yield "the engine starts", self._starts, True
        yield f"answers {hello}", self._greets, True
        yield "says who it is", self._names_itself, False
        yield "offers well-formed options", self._offers, False
        yield "takes the options of the spec and of the game", self._takes_options, True
        yield "is ready after an option that it does not have", self._unknown_option, True
        yield "begins a new game", self._new_game, True
        yield "moves within movetime", self._movetime, False
        yield "moves by the clocks", self._clocks, False
        yield "ends at a depth", self._depth, False
        yield "ends at a number of nodes", self._nodes, False
        yield "thinks until stop", self._infinite, False
        yield "answers isready while it thinks", self._ready_while_thinking, False
        yield "knows the position after moves", self._after_moves, False
        if texts.moves_as_on_the_wire(self._rules):
            yield "knows positions by FEN", self._by_fen, False
            yield "survives a position that is over", self._checkmate, False
        yield "says info as its language has it", self._info, False
        yield "says only lines of its language", self._only_its_lines, False
        yield "ends on quit", self._quits, False

    def remedy(self) -> str:
        return flush_remedy(self._language)

    async def calm(self) -> None:
        if self._engine is not None and self._engine.asked.startswith("go"):
            self._engine.send("stop")
            await self._until(lambda said: isinstance(said, BestMove), STOP_S)

    # --- the language -------------------------------------------------------------------------------------------------

    async def _until(self, wanted: Callable[[Said], bool], seconds: float | None = None) -> Said:
        """Return the first wanted line. Raises CheckFailed if it does not come in time."""
        patience = self._patience if seconds is None else seconds
        try:
            async with asyncio.timeout(patience):
                while not wanted(said := await self.engine.said()):
                    pass
                return said
        except TimeoutError:
            asked = f"`{self.engine.asked}` is not answered within {patience:g} s"
            raise CheckFailed(asked, flush_remedy(self._language)) from None

    async def _ready(self) -> None:
        self.engine.ask("isready")
        await self._until(lambda said: said == Word(READYOK))

    async def _search(self, position: str, go: str, seconds: float | None = None) -> str:
        self.engine.forget()
        self.engine.send(position)
        self.engine.ask(go)
        best = await self._until(lambda said: isinstance(said, BestMove), seconds)
        assert isinstance(best, BestMove)
        return best.move

    def _position(self, state: Any, moves: list[str]) -> str:
        return texts.position(self._rules, state, moves, self._start, self._start, self._settings.writing)

    def _check_move(self, state: Any, text: str) -> None:
        """Raise CheckFailed unless `text` is a legal move in this position."""
        try:
            state.check(texts.read_move(self._rules, state, text))
        except ValueError as error:
            legal = ", ".join(texts.write_move(self._rules, state, move) for move in state.legal_moves())
            raise CheckFailed(
                f"`bestmove {text[:40]}` is no legal move: {error}", f"answer one of these: {legal[:400]}"
            ) from None

    async def _move_at_start(self, go: str, seconds: float | None = None) -> str:
        began = monotonic()
        move = await self._search(self._position(self._start, []), go, seconds)
        took = monotonic() - began
        self._check_move(self._start, move)
        return f"{self._exchange}, after {took:.2f} s"

    # --- the steps ----------------------------------------------------------------------------------------------------

    async def _greets(self) -> str:
        began = monotonic()
        self.engine.ask(self._language.hello)

        def heard(said: Said) -> bool:
            if isinstance(said, Offered):
                self._offered.append(said)
            return said == Word(self._language.hello_answer)

        await self._until(heard)
        return f"{self._exchange}, after {monotonic() - began:.2f} s"

    async def _names_itself(self) -> str:
        named = [said.name for line in self._all if isinstance(said := read_line(line), Named)]
        author = [line for line in self._all if line.split()[:2] == ["id", "author"] and len(line.split()) > 2]
        hello = self._language.hello
        if not named:
            raise CheckFailed("there is no `id name`", f"print `id name NAME VERSION` after `{hello}`")
        if not author:
            raise CheckFailed("there is no `id author`", f"print `id author NAME` after `{hello}`")
        return f"{named[0]}, {author[0].strip().removeprefix('id author ')}"

    async def _offers(self) -> str:
        lines = [line for line in self._all if line.split()[:1] == ["option"]]
        faults = [f"`{line.strip()[:WIDTH]}` cannot be read" for line in lines if read_line(line) is None]
        faults += [fault for option in self._offered if (fault := _fault_of(option))]
        names = [option.name.casefold() for option in self._offered]
        faults += [f"{name!r} is offered twice" for name in sorted(set(names)) if names.count(name) > 1]
        if faults:
            raise CheckFailed("; ".join(faults), "option name NAME type TYPE default VALUE min N max N var VALUE")
        return f"{len(self._offered)} options: {', '.join(option.name for option in self._offered)[:300]}"

    async def _takes_options(self) -> str:
        wanted = dict(self._settings.options)
        wanted |= self._language.needs(self._rules, self._options, self._called, self._offered)
        for line in commands(self._called, wanted, self._offered):
            self.engine.send(line)
        await self._ready()
        return str(self._exchange)

    async def _unknown_option(self) -> str:
        self.engine.send(f"setoption name {UNKNOWN_OPTION} value 1")
        await self._ready()
        return str(self._exchange)

    async def _new_game(self) -> str:
        self.engine.send(self._language.new_game)
        await self._ready()
        return str(self._exchange)

    async def _movetime(self) -> str:
        began = monotonic()
        detail = await self._move_at_start(f"go movetime {MOVE_MS}")
        late = round((monotonic() - began) * 1000) - MOVE_MS
        if late > LATE_MS:
            raise CheckFailed(f"the answer came {late} ms after movetime {MOVE_MS}", "end the search at movetime")
        return detail

    async def _clocks(self) -> str:
        first, second = self._language.players
        return await self._move_at_start(f"go {first}time 2000 {second}time 2000 {first}inc 100 {second}inc 100", 2.5)

    async def _depth(self) -> str:
        return await self._move_at_start("go depth 2")

    async def _nodes(self) -> str:
        return await self._move_at_start("go nodes 500")

    async def _infinite(self) -> str:
        self.engine.forget()
        self.engine.send(self._position(self._start, []))
        self.engine.ask("go infinite")
        try:
            async with asyncio.timeout(INFINITE_S):
                while not isinstance(await self.engine.said(), BestMove):
                    pass
        except TimeoutError:
            pass
        else:
            raise CheckFailed("there is a bestmove before `stop`", "after `go infinite`, answer when `stop` comes")
        self.engine.ask("stop")
        best = await self._until(lambda said: isinstance(said, BestMove))
        assert isinstance(best, BestMove)
        self._check_move(self._start, best.move)
        return str(self._exchange)

    async def _ready_while_thinking(self) -> str:
        self.engine.forget()
        self.engine.send(self._position(self._start, []))
        self.engine.ask("go infinite")
        await self._ready()
        self.engine.ask("stop")
        await self._until(lambda said: isinstance(said, BestMove))
        return str(self._exchange)

    async def _after_moves(self) -> str:
        state, moves = self._start, list[str]()
        for _ in range(PLIES):
            if (move := next(state.legal_moves(), None)) is None:
                break
            after = state.play(move)
            if after.to_move is None:
                break
            moves.append(texts.write_move(self._rules, state, move))
            state = after
        self._check_move(state, await self._search(self._position(self._start, moves), f"go movetime {MOVE_MS}"))
        return str(self._exchange)

    async def _by_fen(self) -> str:
        for fen in CHESS_POSITIONS:
            move = await self._search(f"position fen {fen}", f"go movetime {MOVE_MS}")
            self._check_move(texts.read_position(self._rules, fen), move)
        return str(self._exchange)

    async def _checkmate(self) -> str:
        move = await self._search(f"position fen {CHECKMATE}", f"go movetime {MOVE_MS}")
        strange = "" if move.casefold() in NO_MOVES else "a move, where `bestmove (none)` is usual: "
        return f"{strange}{self._exchange}"

    async def _info(self) -> str:
        infos = [line for line in self._all if line.split()[:1] == ["info"]]
        told = [said for line in infos if isinstance(said := read_line(line), Told)]
        if not infos:
            return "it says none, which viewers miss"
        scores = sum(said.score is not None or said.mate is not None for said in told)
        lines = sum(bool(said.pv) for said in told)
        bad = [line.strip()[:WIDTH] for line in infos if _is_bad_info(line)]
        if bad:
            raise CheckFailed(f"`{bad[0]}` cannot be read", "info depth N score cp N|mate N nodes N pv MOVE …")
        last = infos[-1].strip()[:WIDTH]
        return f"{len(infos)} lines, {scores} with a score, {lines} with a line; the last: `{last}`"

    async def _only_its_lines(self) -> str:
        strange = [line.strip() for line in self._all if not is_of_the_language(line)]
        ends = "; its lines end as in Windows, which is read" if any(line.endswith("\r") for line in self._all) else ""
        if not strange:
            return f"{len(self._all)} lines{ends}"
        shown = ", ".join(quoted(line[:WIDTH]) for line in strange[:SHOWN])
        return f"{len(strange)} others, which are ignored: {shown}{ends}"


def _fault_of(option: Offered) -> str:
    """Return what is wrong with an option, as a sentence; "" if nothing is."""
    where = f"option {option.name}"
    if option.kind not in ("check", "spin", "combo", "button", "string"):
        return f"{where} has the type {option.kind!r}"
    if option.kind == "check" and option.default not in ("true", "false"):
        return f"{where} has the default {option.default!r}, which is neither true nor false"
    if option.kind == "combo" and option.default not in option.choices:
        return f"{where} has the default {option.default!r}, which is no var"
    if option.kind != "spin":
        return ""
    try:
        number = int(option.default)
    except ValueError:
        return f"{where} has the default {option.default!r}, which is no number"
    below, above = option.least is not None and number < option.least, option.most is not None and number > option.most
    return f"{where} has the default {number} outside of min and max" if below or above else ""


def _is_bad_info(line: str) -> bool:
    """Return True for an `info` whose score has no number: viewers would miss it."""
    words = line.split()
    if "string" in words:
        words = words[: words.index("string")]
    if "score" not in words:
        return False
    said = read_line(" ".join(words))
    if not {"lowerbound", "upperbound"}.isdisjoint(words):  # which is no score
        return False
    return not isinstance(said, Told) or (said.score is None and said.mate is None and said.best_line)
