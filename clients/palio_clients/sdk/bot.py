"""The class that a bot author subclasses.

    class Mine(Bot):
        def choose(self, state, clock):
            return next(state.legal_moves())

One instance plays one match, so a bot may keep data in `self`, and concurrent matches share nothing. A plain method
runs in the match's own worker thread, where it may take long, unless the bot declares that it is `quick`; an `async
def` runs in the event loop.

**Types.** `Bot` is generic in the position and the move of a game: with `class Mine(Bot[Position, Move])` and the
classes of `palio_rules.games.<game>`, a type checker knows `state`, `self.game` and every move. Without brackets, as
above, both are `Any`, under `mypy --strict` too: right for a bot for many games.
"""

import inspect
import typing
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic

import msgspec

from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import BadBot
from palio_rules.contract.messages import Result
from palio_rules.errors import nearest, sentence
from palio_rules.game import Game, Options, State

if TYPE_CHECKING:
    # Defaults make plain `Bot` mean `Bot[Any, Any]`. Type checkers know `typing_extensions` without its installation;
    # before Python 3.13 the interpreter has no defaults, and needs none.
    from typing_extensions import TypeVar

    StateT = TypeVar("StateT", bound=State[Any], default=Any)
    MoveT = TypeVar("MoveT", default=Any)
else:
    from typing import TypeVar

    StateT = TypeVar("StateT", bound=State[Any])
    MoveT = TypeVar("MoveT")

Hook = Awaitable[None] | None  # a hook may be plain or async


@dataclass(frozen=True, slots=True)
class Told:
    """A bot's report to viewers about one thought; see `Bot.tell`."""

    depth: int | None = None
    nodes: int | None = None
    score: float | None = None
    pv: tuple[Any, ...] = ()
    text: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    latency_ms: int | None = None


class Bot(ABC, Generic[StateT, MoveT]):
    """A player of one match. Only `choose` must be written.

    Settings are keyword arguments of the constructor, typed int, float, str or bool: with
    `def __init__(self, depth: int = 4)` the bot can be named as `mine.py:depth=6`.
    """

    games: ClassVar[tuple[str, ...]] = ()  # names of the games it plays; empty: every installed game

    about: ClassVar[str] = ""  # a line on the bot's page: how it plays, who wrote it; 200 characters at most

    # Whether `choose` and the hooks answer within a millisecond or so. Then they are called at once, without a thread
    # (`prepare` still has one): the connection waits for them, its pings too. After one slow call, the rest get a
    # thread. In an anytime race, where a move is a whole solution, it is ignored.
    quick: ClassVar[bool] = False

    game: Game[StateT, MoveT]  # these four are set after the constructor, before `prepare`
    options: Options  # an instance of `game.options_type`
    seat: int
    setup: str = ""  # the first position, as `game.parse_state` reads it
    strikes_left: int = 1  # how many more rejected moves lose the match; kept up to date, before `move_rejected`

    _told: Told | None = None
    _listener: Callable[[Told], None] | None = None

    @classmethod
    def warm_up(cls, game: Game[Any, Any]) -> None:
        """Compile or load what every match of `game` needs. Called once for each game, before the bot joins a server.

        The time that a server gives for `prepare` may be too short to compile.
        """

    @abstractmethod
    def choose(self, state: StateT, clock: Clock) -> MoveT | Awaitable[MoveT]:
        """Return the move to play in `state`, where this bot's seat is to move. May be `async def`.

        An exception resigns the match; raise `Resign` to do that on purpose. A move that the rules forbid is rejected
        and costs a strike, and `choose` is called again.
        """

    def prepare(self, game: Game[StateT, MoveT], options: Options, seat: int) -> Hook:
        """Prepare before any clock runs: load tables, warm up. Called once; `options` is a `game.options_type`."""
        return None

    def opponent_moved(self, seat: int, move: MoveT) -> Hook:
        """Handle a `move` of another seat. The next `state` has it too: this is for bots that keep a tree."""
        return None

    def move_rejected(self, move: MoveT, code: str, reason: str) -> Hook:
        """Handle the referee's rejection of `move`, for `reason`; `choose` is called again next. The clock runs on."""
        return None

    def game_over(self, result: Result) -> Hook:
        """Handle the end of the match; `result.scores[self.seat]` is this bot's score.

        The last call for this instance.
        """
        return None

    def tell(
        self,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        score: float | None = None,
        pv: Sequence[MoveT] = (),
        text: str | None = None,
        tokens_in: int | None = None,
        tokens_out: int | None = None,
        cost: float | None = None,
        latency_ms: int | None = None,
    ) -> None:
        """Report the bot's thinking to viewers; it is sent with the move that `choose` returns. The last call counts.

        `depth` is in plies, `score` from this bot's view and in its own unit, `pv` the expected line: moves, of which
        this bot's own is first. The last four are of a language model: tokens that it has read and written for this
        move, their cost in US dollars, and how long its answers took.
        """
        self._told = Told(depth, nodes, score, tuple(pv), text, tokens_in, tokens_out, cost, latency_ms)
        if self._listener is not None:
            self._listener(self._told)

    def told(self) -> Told | None:
        """Return the last `tell` since the previous call of this method; None if there was none."""
        told, self._told = self._told, None
        return told

    def heard_by(self, listener: Callable[[Told], None] | None) -> None:
        """Call `listener` with every `tell`, at once and in the same thread; None removes it."""
        self._listener = listener


# A bot's settings: from text on a command line to typed keyword arguments of its constructor.


def maker(bot: type[Bot], settings: Mapping[str, str]) -> Callable[[], Bot]:
    """Return a factory of `bot` instances with `settings`. Raises BadBot, naming the setting and the remedy."""
    parameters = _parameters(bot)
    for name in settings:
        if name not in parameters:
            raise BadBot(f"{bot.__name__} has no setting {name!r}; {nearest(name, parameters)}")
    for name, (_, default) in parameters.items():
        if default is inspect.Parameter.empty and name not in settings:
            raise BadBot(f"{bot.__name__} needs the setting {name!r}; add {name}=VALUE to its spec")
    values = {name: _value(bot, name, text, parameters[name][0]) for name, text in settings.items()}
    make = partial(bot, **values)
    if values:  # invalid values are refused now, when the author reads the error, not in every match
        try:
            make()
        except ValueError as error:
            raise BadBot(f"{bot.__name__} refuses its settings: {error}") from error
        except Exception:  # noqa: BLE001, S110 - it may need what only a match has; other errors come up there
            pass
    return make


def _parameters(bot: type[Bot]) -> dict[str, tuple[Any, Any]]:
    """Return the constructor's keyword arguments: name to (type, default)."""
    try:
        hints = typing.get_type_hints(bot.__init__)
    except NameError as error:
        raise BadBot(
            f"the annotations of {bot.__name__}.__init__ cannot be read: {error}; import what they name"
        ) from None
    found = {}
    for name, default in arguments(bot).items():
        untyped = str if default in (inspect.Parameter.empty, None) else type(default)
        found[name] = (hints.get(name, untyped), default)
    return found


def games_of(bot: type[Bot[Any, Any]]) -> tuple[str, ...]:
    """Return the names in `bot.games`; a single text is one name, because `("breakthrough")` is no tuple."""
    return (bot.games,) if isinstance(bot.games, str) else tuple(bot.games)


def arguments(kind: Any) -> dict[str, Any]:
    """Return a constructor's parameters with their defaults; `inspect.Parameter.empty` for none."""
    if kind.__init__ is object.__init__:
        return {}
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = list(inspect.signature(kind.__init__).parameters.values())[1:]
    return {each.name: each.default for each in parameters if each.kind in by_name}


def _value(bot: type[Bot], name: str, text: str, kind: Any) -> Any:
    if typing.get_origin(kind) is typing.Literal and all(isinstance(each, int) for each in typing.get_args(kind)):
        text = f"{int(text)}" if text.isascii() and text.isdigit() else text  # 02 is 2
    try:
        return msgspec.convert(text, kind, strict=False)  # reads int, float, bool, None and Literal from text
    except msgspec.ValidationError as error:
        if typing.get_origin(kind) is typing.Literal:
            known = nearest(text, map(str, typing.get_args(kind)))
            raise BadBot(f"{bot.__name__} has no setting {name}={text!r}; {known}") from None
        reason = sentence(error)
        raise BadBot(f"{bot.__name__} setting {name}={text!r}: {reason[:1].lower()}{reason[1:]}") from None
    except UnicodeError:
        raise BadBot(f"{bot.__name__} setting {name}={text!r} is no text: half a character") from None
    except TypeError:
        raise BadBot(f"{bot.__name__} setting {name!r} is a {kind}, which cannot be given as text") from None
