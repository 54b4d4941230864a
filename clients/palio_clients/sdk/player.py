"""The player of one match: a `Bot` in this process, or a program of any kind; here the interface, and the former."""

import asyncio
import inspect
import queue
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter, thread_time
from typing import Any, NamedTuple, Protocol, TypeVar

from msgspec import UNSET, UnsetType

from palio_clients.sdk.bot import Bot, Told
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.events import MatchOver, MovePlayed, MoveRejected
from palio_clients.sdk.failures import PlayerFailed, Resign, traceback_text
from palio_rules.contract import codec as wire
from palio_rules.contract import messages
from palio_rules.contract.messages import GameMessage, Info, Turn
from palio_rules.errors import WireError
from palio_rules.game import Game
from palio_rules.registry import game as game_named

# One thread for one match, in which an author's plain methods may be slow while the connection stays alive.


class Job(NamedTuple):
    future: asyncio.Future[Any]
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    certain: bool  # it is done even if its result is no longer needed


class Worker:
    """A thread that calls functions one after the other.

    The thread is a daemon: an endless search cannot keep the program from ending. That is why this is no
    ThreadPoolExecutor, which the interpreter waits for.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._unfinished = 0

    @property
    def busy(self) -> bool:
        """Return whether a call is running or waiting, even one whose result is no longer needed."""
        return self._unfinished > 0

    def call(self, function: Callable[..., Any], *arguments: Any) -> asyncio.Future[Any]:
        """Call `function` in the thread, even if the future is cancelled."""
        return self._queue(function, arguments, certain=True)

    def ask(self, function: Callable[..., Any], *arguments: Any) -> asyncio.Future[Any]:
        """Call `function` in the thread, unless the future is cancelled before the call begins."""
        return self._queue(function, arguments, certain=False)

    def _queue(self, function: Callable[..., Any], arguments: tuple[Any, ...], *, certain: bool) -> asyncio.Future[Any]:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._thread.start()
        self._unfinished += 1
        self._jobs.put(Job(future, function, arguments, certain))
        return future

    def close(self) -> None:
        """End the thread after the waiting calls."""
        if self._thread is not None:
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            result, error = _done(job)
            with suppress(RuntimeError):  # the loop has been closed: the result is not needed
                job.future.get_loop().call_soon_threadsafe(self._deliver, job.future, result, error)
            del job, result, error  # they may be large, and the next job may be late

    def _deliver(self, future: asyncio.Future[Any], result: Any, error: Exception | None) -> None:
        self._unfinished -= 1
        if future.cancelled():
            if inspect.iscoroutine(result):
                result.close()
        elif error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)


def _done(job: Job) -> tuple[Any, Exception | None]:
    """Return the result of a call, or its error; one that a future cannot carry as a PlayerFailed."""
    if job.future.cancelled() and not job.certain:
        return None, None
    try:
        return job.function(*job.arguments), None
    except StopIteration as error:
        return None, PlayerFailed(traceback_text(error, (__file__,)))
    except Exception as error:  # noqa: BLE001  # the waiting caller gets it
        return None, error
    except BaseException as error:  # noqa: BLE001  # as above
        return None, PlayerFailed(traceback_text(error, (__file__,)))


T = TypeVar("T")
Report = Callable[[str], None]  # takes a sentence about an error; the match goes on
News = MovePlayed | MoveRejected | MatchOver
_OURS = (__file__, __file__)
SLOW_S = 0.05  # the limit for a call of a quick bot; pings, other matches and the end of its own wait for it
STUCK_S = 0.5  # the limit if other programs had the processor for most of that time
MAX_PV = 64  # moves of a principal variation that are sent


@dataclass(frozen=True, slots=True)
class Thought:
    """An answer to a turn: the move in its wire form, and the information for viewers."""

    move: Any
    info: Info | UnsetType = UNSET


class PromptAnswer(asyncio.Future[Thought]):
    """An answer that its waiter hears when it is given, and not a turn of the event loop later."""

    _waiter: Callable[[asyncio.Future[Any]], None] | None = None

    def when_done(self, call: Callable[[asyncio.Future[Any]], None]) -> None:
        """Call `call` with the answer as soon as it is given or cancelled."""
        self._waiter = call
        if self.done():
            self._tell()

    def set_result(self, result: Thought) -> None:
        super().set_result(result)
        self._tell()

    def set_exception(self, exception: type[BaseException] | BaseException) -> None:
        super().set_exception(exception)
        self._tell()

    def cancel(self, msg: Any = None) -> bool:
        cancelled = super().cancel(msg)
        if cancelled:
            self._tell()
        return cancelled

    def _tell(self) -> None:
        call, self._waiter = self._waiter, None
        if call is not None:
            call(self)


class Player(Protocol):
    """The player of one match. Each method answers at once or with an awaitable; see `settled`.

    An awaitable may be cancelled, and then the next call is answered independently.
    """

    def prepare(self, game: GameMessage) -> Awaitable[None] | None:
        """Prepare for the match. Raises PlayerFailed."""

    def think(self, turn: Turn, clock: Clock) -> Awaitable[Thought] | Thought:
        """Find a move. Raises PlayerFailed or Resign."""

    def hear(self, news: News) -> Awaitable[None] | None:
        """Handle an event. Raises PlayerFailed."""

    async def close(self) -> None:
        """Free everything after the end of the match."""


async def settled(answer: Awaitable[T] | T) -> T:
    """Return the final answer of a player's method; an awaitable may return another one."""
    while inspect.isawaitable(answer):
        answer = await answer
    return answer


class BotPlayer:
    """A player for a `Bot`: converts between its values and the wire.

    The plain methods of a quick bot are called at once, those of others in a thread. Async ones run in the event loop.
    """

    _rules: Game[Any, Any]  # set by `prepare`
    _loop: asyncio.AbstractEventLoop  # set by `prepare`

    def __init__(self, make: Callable[[], Bot], report: Report, kind: type[Bot] = Bot) -> None:
        """Prepare a player; `kind` is the class of `make`'s instances, as far as known."""
        self._make = make
        self._report = report
        self._bot: Bot | None = None
        self._worker = Worker("palio-bot")
        self._quick = kind.quick is True
        self._async = False  # whether `choose` is async
        self._hears_moves = True
        self._seat = 0
        self._setup = ""
        self._strikes = 1
        self._last: Any = None
        # Called with a position and the bot's report on it, during its thinking and in its thread.
        self.listener: Callable[[Any, Told], None] | None = None

    def prepare(self, game: GameMessage) -> Awaitable[None] | None:
        self._loop = asyncio.get_running_loop()
        try:
            self._rules = game_named(game.game)
            options = self._rules.parse_options(game.options)
        except ValueError as error:
            raise PlayerFailed(f"these rules do not know what the server plays: {error}") from error
        self._seat, self._setup, self._strikes = game.seat, game.setup, game.strikes
        if self._rules.anytime:
            self._quick = False  # a move there is a whole solution, which may take time
        if not self._quick:
            return self._worker.call(self._begin, options)
        bot = self._made(self._call_quick(self._make), options)
        if not _overridden(bot, "prepare"):
            return None
        return self._worker.call(self._prepare, bot, options)

    def think(self, turn: Turn, clock: Clock) -> Awaitable[Thought] | Thought:
        if self._quick:
            return self._answer(turn, clock, self._call_quick)
        if self._async:
            return self._answer(turn, clock, _call)  # calling an `async def` takes no time
        return self._worker.ask(self._answer, turn, clock, _call)

    def hear(self, news: News) -> Awaitable[None] | None:
        rules, bot = self._rules, self._bot
        if bot is None:
            return None  # the match ended before the bot was made
        match news:
            case MovePlayed(_, played):
                if self._hears_moves and played.seat != self._seat:
                    return self._tell(bot, "opponent_moved", played.seat, rules.move_from_wire(played.move))
                return None
            case MoveRejected(_, rejected):
                bot.strikes_left = rejected.strikes_left
                return self._tell(bot, "move_rejected", self._last, rejected.code, rejected.reason)
            case MatchOver(_, result):
                return self._tell(bot, "game_over", result)

    async def close(self) -> None:
        self._worker.close()

    # --- what runs in the worker thread, or at once -------------------------------------------------------------------

    def _begin(self, options: Any) -> Awaitable[None] | None:
        return self._prepare(self._made(_call(self._make), options), options)

    def _made(self, bot: Bot, options: Any) -> Bot:
        bot.game, bot.options, bot.seat = self._rules, options, self._seat
        bot.setup, bot.strikes_left = self._setup, self._strikes
        self._async = inspect.iscoroutinefunction(bot.choose)
        self._hears_moves = _overridden(bot, "opponent_moved")
        self._bot = bot
        return bot

    def _prepare(self, bot: Bot, options: Any) -> Awaitable[None] | None:
        done = _call(bot.prepare, self._rules, options, self._seat) if _overridden(bot, "prepare") else None
        return _author_failures(done) if inspect.isawaitable(done) else None

    def _answer(self, turn: Turn, clock: Clock, call: Callable[..., Any]) -> Awaitable[Thought] | Thought:
        bot = self._bot
        assert bot is not None, "prepare comes first"
        try:
            state = self._rules.parse_state(turn.state)
        except ValueError as error:
            raise PlayerFailed(f"these rules do not understand the server's position: {error}") from error
        bot.told()  # drop the reports of a cancelled thought
        if (listener := self.listener) is not None:
            bot.heard_by(lambda told: listener(state, told))
        move = call(bot.choose, state, clock)
        return self._later(bot, state, move) if inspect.isawaitable(move) else self._thought(bot, state, move)

    async def _later(self, bot: Bot, state: Any, move: Awaitable[Any]) -> Thought:
        return self._thought(bot, state, await _author_failures(move))

    def _thought(self, bot: Bot, state: Any, move: Any) -> Thought:
        answer = self._to_wire(state, move)
        self._last = move
        told = bot.told()
        if told is None:
            return Thought(answer)
        try:
            return Thought(answer, _plain(answer, info_of(self._rules, state, told)).info)
        except Exception as error:  # noqa: BLE001  # an author's bad report must not cost the match
            sentence = f"what tell() was given cannot be sent: {type(error).__name__}: {error}"
            self._loop.call_soon_threadsafe(self._report, sentence)
            return Thought(answer)

    def _to_wire(self, state: Any, move: Any) -> Any:
        if type(move) is str:  # notation, as people read it on the screen
            try:
                move = self._rules.parse_notation(state, move)
            except ValueError as error:
                if not self._is_text_of_a_move(move):
                    raise PlayerFailed(
                        f"choose() returned {move!r:.200}, which is no move of {self._rules.name}: {error}; "
                        "return one of state.legal_moves()"
                    ) from error
        try:
            return _plain(self._rules.move_to_wire(move)).move
        except Exception as error:
            detail = f"{type(error).__name__}: {error}"
            raise PlayerFailed(
                f"choose() returned {move!r:.200}, which is no move of {self._rules.name}: {detail}; "
                "return one of state.legal_moves()"
            ) from error

    def _is_text_of_a_move(self, move: str) -> bool:
        """Return whether moves of the game are texts, as in chess: then the referee says why it rejects this one."""
        try:
            self._rules.move_from_wire(self._rules.move_to_wire(move))
        except Exception:  # noqa: BLE001  # a game's own code, given what is no move of it
            return False
        return True

    # --- how an author's methods are called ---------------------------------------------------------------------------

    def _tell(self, bot: Bot, hook: str, *arguments: Any) -> Awaitable[None] | None:
        """Call a hook in the right thread. One that is not overridden is not called, but a running thought counts."""
        if not _overridden(bot, hook):
            return self._worker.call(_nothing) if self._worker.busy else None
        method = getattr(bot, hook)
        if self._quick or inspect.iscoroutinefunction(method):
            return _hook(self._call_quick if self._quick else _call, method, *arguments)
        return self._worker.call(_hook, _call, method, *arguments)

    def _call_quick(self, method: Callable[..., Any], *arguments: Any) -> Any:
        """Call a method of a quick bot; after a slow call the bot is no longer quick."""
        began, worked = perf_counter(), thread_time()
        try:
            return _call(method, *arguments)
        finally:
            took = perf_counter() - began
            if took > SLOW_S and (took > STUCK_S or thread_time() - worked > SLOW_S / 2):
                self._quick = False
                name = getattr(method, "__name__", "the constructor")
                self._report(
                    f"{name}() took {took * 1000:.0f} ms though the bot says `quick = True`; meanwhile nothing else "
                    "could happen, so that it plays on in a thread; take that line away, or answer sooner"
                )


def _overridden(bot: Bot, hook: str) -> bool:
    return getattr(getattr(bot, hook), "__func__", None) is not getattr(Bot, hook)


def _nothing() -> None:
    """Do nothing: a job that shows when a worker has finished the others."""


def _hook(call: Callable[..., Any], method: Callable[..., Any], *arguments: Any) -> Awaitable[None] | None:
    done = call(method, *arguments)
    return _author_failures(done) if inspect.isawaitable(done) else None


def _call(method: Callable[..., Any], *arguments: Any) -> Any:
    """Call an author's method. Its exceptions are converted to their meaning for the match."""
    try:
        return method(*arguments)
    except (Exception, SystemExit) as error:
        raise _failure(error) from error


async def _author_failures(work: Awaitable[T]) -> T:
    try:
        return await work
    except (Exception, SystemExit) as error:
        raise _failure(error) from error


def _failure(error: BaseException) -> BaseException:
    """Return the meaning of an author's exception for the match."""
    return error if isinstance(error, Resign | PlayerFailed) else PlayerFailed(traceback_text(error, _OURS))


def _plain(move: Any, info: Info | UnsetType = UNSET) -> messages.Move:
    """Return the message as the server will read it. Raises TypeError or WireError if it could not."""
    message = wire.decode_from_bot(wire.encode(messages.Move("m", 0, move, info)))
    if not isinstance(message, messages.Move):
        raise WireError("bad-message", "not a move")
    return message


def info_of(rules: Game[Any, Any], state: Any, told: Told | None) -> Info | UnsetType:
    """Return a bot's report on `state` in wire form; the moves of its line in notation."""
    if told is None:
        return UNSET
    line = []
    for move in told.pv[:MAX_PV]:
        line.append(rules.notation(state, move))
        state = state.play(move)
    return Info(
        depth=UNSET if told.depth is None else int(told.depth),
        nodes=UNSET if told.nodes is None else int(told.nodes),
        score=UNSET if told.score is None else float(told.score),
        pv=line or UNSET,
        text=UNSET if told.text is None else told.text,
        tokens_in=UNSET if told.tokens_in is None else int(told.tokens_in),
        tokens_out=UNSET if told.tokens_out is None else int(told.tokens_out),
        cost=UNSET if told.cost is None else float(told.cost),
        latency_ms=UNSET if told.latency_ms is None else int(told.latency_ms),
    )
