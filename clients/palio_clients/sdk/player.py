"""What plays one match: a `Bot` in this process, or a program of any kind; here the interface, and the former."""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, cast

from msgspec import UNSET, UnsetType

from palio_clients.sdk import worker
from palio_clients.sdk.bot import Bot, Told
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.events import MatchOver, MovePlayed, MoveRejected
from palio_clients.sdk.failures import PlayerFailed, Resign, traceback_text
from palio_clients.sdk.worker import Worker
from palio_rules.contract import codec as wire
from palio_rules.contract import messages
from palio_rules.contract.messages import GameMessage, Info, Turn
from palio_rules.errors import WireError
from palio_rules.game import Game
from palio_rules.registry import game as game_named

T = TypeVar("T")
Report = Callable[[str], None]  # takes a sentence about a fault; the match goes on
News = MovePlayed | MoveRejected | MatchOver
_OURS = (__file__, worker.__file__)
MAX_PV = 64  # moves of a principal variation that are sent


@dataclass(frozen=True, slots=True)
class Thought:
    """An answer to a turn: the move as it goes on the wire, and what viewers may read of it."""

    move: Any
    info: Info | UnsetType = UNSET


class Player(Protocol):
    """One match's player. Every method may be cancelled, and then the next call is answered afresh."""

    async def prepare(self, game: GameMessage) -> None:
        """Get ready for the match. Raises PlayerFailed."""

    async def think(self, turn: Turn, clock: Clock) -> Thought:
        """Find a move. Raises PlayerFailed or Resign."""

    async def hear(self, news: News) -> None:
        """Take note of an event. Raises PlayerFailed."""

    async def close(self) -> None:
        """The match is over or abandoned: free everything."""


class BotPlayer:
    """Lets a `Bot` play: translates between its values and the wire, and keeps its plain methods in one thread."""

    _rules: Game[Any, Any]  # there after `prepare`

    def __init__(self, make: Callable[[], Bot], report: Report) -> None:
        self._make = make
        self._report = report
        self._bot: Bot | None = None
        self._worker = Worker("palio-bot")
        self._seat = 0
        self._last: Any = None

    async def prepare(self, game: GameMessage) -> None:
        try:
            self._rules = game_named(game.game)
            options = self._rules.parse_options(game.options)
        except ValueError as error:
            raise PlayerFailed(f"these rules do not know what the server plays: {error}") from error
        self._seat = game.seat
        self._bot = bot = await self._call(self._make)
        bot.game, bot.options, bot.seat = self._rules, options, game.seat
        await self._call(bot.prepare, self._rules, options, game.seat)

    async def think(self, turn: Turn, clock: Clock) -> Thought:
        rules, bot = self._rules, self._bot
        assert bot is not None, "prepare comes first"
        try:
            state = rules.parse_state(turn.state)
        except ValueError as error:
            raise PlayerFailed(f"these rules do not understand the server's position: {error}") from error
        bot.told()  # forget what a cancelled thought has told
        move = await self._call(bot.choose, state, clock)
        answer = self._to_wire(move)
        self._last = move
        told = bot.told()
        if told is None:
            return Thought(answer)
        try:
            return Thought(answer, _plain(answer, info_of(rules, state, told)).info)
        except Exception as error:  # noqa: BLE001  # whatever an author shows the viewers must not cost the match
            self._report(f"what tell() was given cannot be sent: {type(error).__name__}: {error}")
            return Thought(answer)

    async def hear(self, news: News) -> None:
        rules, bot = self._rules, self._bot
        if bot is None:
            return  # the match ended before the bot was made
        match news:
            case MovePlayed(_, played) if played.seat != self._seat:
                await self._call(bot.opponent_moved, played.seat, rules.move_from_wire(played.move))
            case MovePlayed():
                return
            case MoveRejected(_, rejected):
                await self._call(bot.move_rejected, self._last, rejected.code, rejected.reason)
            case MatchOver(_, result):
                await self._call(bot.game_over, result)

    async def close(self) -> None:
        self._worker.close()

    def _to_wire(self, move: Any) -> Any:
        try:
            return _plain(self._rules.move_to_wire(move)).move
        except Exception as error:
            detail = f"{type(error).__name__}: {error}"
            raise PlayerFailed(
                f"choose() returned {move!r:.200}, which is no move of {self._rules.name}: {detail}; "
                "return one of state.legal_moves()"
            ) from error

    async def _call(self, method: Callable[..., T | Awaitable[T]], *args: Any) -> T:
        """Call an author's method, plain or async, where it belongs."""
        if inspect.iscoroutinefunction(method):
            return await _author_failures(method(*args))
        ended = await self._worker.run(method, *args)
        if ended.error is not None:
            raise _failure(ended.error) from ended.error
        return cast("T", await _author_failures(ended.result) if inspect.isawaitable(ended.result) else ended.result)


async def _author_failures(work: Awaitable[T]) -> T:
    try:
        return await work
    except (Exception, SystemExit) as error:
        raise _failure(error) from error


def _failure(error: BaseException) -> BaseException:
    """What an author's exception means for the match."""
    return error if isinstance(error, Resign | PlayerFailed) else PlayerFailed(traceback_text(error, _OURS))


def _plain(move: Any, info: Info | UnsetType = UNSET) -> messages.Move:
    """The message as the server will read it. Raises TypeError or WireError where it could not."""
    message = wire.decode_from_bot(wire.encode(messages.Move("m", 0, move, info)))
    if not isinstance(message, messages.Move):
        raise WireError("bad-message", "not a move")
    return message


def info_of(rules: Game[Any, Any], state: Any, told: Told | None) -> Info | UnsetType:
    """What a bot has said about `state`, as it goes on the wire; the moves of its line in notation."""
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
    )
