"""A clock that tests can afford, games small enough to see through, and a channel that says what it is told to say.

`@pytest.mark.virtual_clock` runs an async test on a loop whose time jumps to the next timer when nothing is ready:
minutes of a match pass in milliseconds, and always in the same order. It knows no other threads: where they work
(SQLite does), use the real clock. `virtually(coroutine)` does the same for synchronous tests, as hypothesis needs it.
"""

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, TypeVar

import msgspec
import pytest

from palio_rules import registry
from palio_rules.contract.messages import GameMessage, Move, Ready, ServerMessage, Turn
from palio_rules.errors import BadPosition, IllegalMove, MalformedMove
from palio_rules.game import Game, Options, Outcome
from palio_server.match.channel import Incoming, Said

T = TypeVar("T")
EPOCH = 1000.0  # where virtual time begins: not at 0, which is too easily taken for "no time"


class JumpingSelector(selectors.DefaultSelector):
    """Instead of waiting for `timeout`, sets the clock forward by it."""

    def __init__(self) -> None:
        super().__init__()
        self.now = EPOCH

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if timeout is None:
            raise RuntimeError("every task waits, and no timer will ever wake one: a deadlock")
        self.now += timeout
        return []


class VirtualClockLoop(asyncio.SelectorEventLoop):
    """An event loop whose `time()` only passes when nothing else is left to do."""

    def __init__(self) -> None:
        self._clock = JumpingSelector()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "virtual_clock: the async test runs on a loop whose time jumps")


def pytest_asyncio_loop_factories(config, item):
    if item.get_closest_marker("virtual_clock"):
        return {"virtual": VirtualClockLoop}
    return {"asyncio": asyncio.new_event_loop}


@pytest.fixture(scope="session")
def virtually() -> Callable[[Coroutine[Any, Any, T]], T]:
    def run(coroutine: Coroutine[Any, Any, T]) -> T:
        with asyncio.Runner(loop_factory=VirtualClockLoop) as runner:
            return runner.run(coroutine)

    return run


# --- a small game ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Heap:
    """Take one to three stones; the player that takes the last one wins. `seats` are those who still play, first to
    move.
    """

    stones: int
    seats: tuple[int, ...]
    of: int  # seats at the beginning

    @property
    def to_move(self) -> int | None:
        return self.seats[0] if self.stones and len(self.seats) > 1 else None

    def legal_moves(self) -> Iterator[int]:
        return iter(range(1, min(3, self.stones) + 1) if self.to_move is not None else ())

    def check(self, move: int) -> None:
        if move not in tuple(self.legal_moves()):
            raise IllegalMove("wrong-count", f"cannot take {move} of {self.stones} stones")

    def play(self, move: int) -> "Heap":
        return replace(self, stones=self.stones - move, seats=(*self.seats[1:], self.seats[0]))

    def outcome(self) -> Outcome | None:
        if self.to_move is not None:
            return None
        winner = self.seats[-1]  # the last to have moved, or the only one who is left
        scores = tuple(float(seat == winner) for seat in range(self.of))
        return Outcome("last-seat" if len(self.seats) == 1 else "last-stone", scores)


class HeapOptions(Options, frozen=True):
    stones: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 21


class HeapForTwo(Game[Heap, int]):
    name = "heap2"
    title = "Heap"
    seats = ("first", "second")
    options_type = HeapOptions

    def start(self, options: HeapOptions, seed: int = 0) -> Heap:
        return Heap(options.stones, tuple(range(len(self.seats))), len(self.seats))

    def move_from_wire(self, value: object) -> int:
        if type(value) is not int:
            raise MalformedMove("not-a-number", f"a move is a number of stones, got {value!r}")
        return value

    def move_to_wire(self, move: int) -> int:
        return move

    def notation(self, state: Heap, move: int) -> str:
        return str(move)

    def parse_notation(self, state: Heap, text: str) -> int:
        return int(text)

    def format_state(self, state: Heap) -> str:
        return f"{state.stones} {','.join(map(str, state.seats))} {state.of}"

    def parse_state(self, text: str) -> Heap:
        try:
            stones, seats, of = text.split()
            return Heap(int(stones), tuple(map(int, seats.split(","))), int(of))
        except ValueError:
            raise BadPosition(f"no heap: {text!r}") from None

    def render(self, state: Heap) -> str:
        return f"{state.stones} stones"


class HeapForThree(HeapForTwo):
    """Plays on without a seat that forfeits."""

    name = "heap3"
    seats = ("red", "green", "blue")

    def forfeit(self, state: Heap, seat: int) -> Heap | Outcome:
        left = replace(state, seats=tuple(other for other in state.seats if other != seat))
        return left.outcome() or left


class BrokenHeap(HeapForTwo):
    """Rules with a fault of their own: reading a move of 13 or 14 stones fails in an unforeseen way."""

    name = "broken_heap"

    def move_from_wire(self, value: object) -> int:
        if value in (13, 14):
            raise (ZeroDivisionError if value == 13 else TimeoutError)("a fault in the rules")
        return super().move_from_wire(value)


@dataclass(frozen=True)
class Installed:
    kind: type[Game[Any, Any]]

    def load(self) -> type[Game[Any, Any]]:
        return self.kind


@pytest.fixture(scope="module")
def small_games() -> Iterator[None]:
    """`heap2`, `heap3` and `broken_heap` are installed for the tests of a module (`pytestmark = usefixtures(...)`)."""
    kinds = (HeapForTwo, HeapForThree, BrokenHeap)
    entries = {**registry._entries(), **{kind.name: Installed(kind) for kind in kinds}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "_entries", lambda: entries)
        registry.game.cache_clear()
        yield
    registry.game.cache_clear()


# --- a channel with a script -----------------------------------------------------------------------------------------


Bot = Callable[["ScriptedChannel", int, ServerMessage], None]


@dataclass
class ScriptedChannel:
    """A channel whose seats say what their bots tell it, when they tell it, in order of arrival; it hears all."""

    bots: Sequence[Bot] = ()
    posted: list[tuple[float, int, ServerMessage]] = field(default_factory=list)
    coming: list[tuple[float, int, Incoming]] = field(default_factory=list)
    omitted: dict[int, frozenset[str]] = field(default_factory=dict)  # by seat: what its bot need not be sent
    _told: int = 0

    def __post_init__(self) -> None:
        self._news = asyncio.Event()

    @property
    def now(self) -> float:
        return asyncio.get_running_loop().time()

    def post(self, seat: int, message: ServerMessage) -> None:
        self.posted.append((self.now, seat, message))
        if self.bots:
            self.bots[seat](self, seat, message)

    def hear(self, incoming: Incoming, at: float | None = None) -> None:
        """Something arrives, now or at a later time."""
        self._told += 1
        self.coming.append((self.now if at is None else at, self._told, incoming))
        self.coming.sort(key=lambda item: item[:2])
        self._news.set()

    def say(self, seat: int, message: Any, after: float = 0.0) -> None:
        at = self.now + after
        self.hear(Said(seat, message, at), at)

    def without(self, seat: int) -> frozenset[str]:
        return self.omitted.get(seat, frozenset())

    def time(self) -> float:
        return self.now

    async def next(self, deadline: float | None) -> Incoming | None:
        while True:
            if self.coming and self.coming[0][0] <= self.now:
                return self.coming.pop(0)[2]
            if deadline is not None and self.now >= deadline and not (self.coming and self.coming[0][0] <= deadline):
                return None
            self._news.clear()
            until = min([at for at, _, _ in self.coming[:1]] + ([] if deadline is None else [deadline]), default=None)
            try:
                async with asyncio.timeout_at(until):
                    await self._news.wait()
            except TimeoutError:
                pass

    def to(self, seat: int, kind: type[Any]) -> list[Any]:
        """The messages of a kind that a seat was sent."""
        return [message for _, to, message in self.posted if to == seat and isinstance(message, kind)]

    def kinds(self, seat: int) -> list[str]:
        return [type(message).__name__ for _, to, message in self.posted if to == seat]


def silent(channel: ScriptedChannel, seat: int, message: ServerMessage) -> None:
    """Never says a word."""


def player(choose: Callable[[Turn], Any] = lambda turn: turn.moves[0], think: float = 0.1, ready: float = 0.0) -> Bot:
    """Gets ready after `ready` seconds, and answers each turn once, after `think` seconds."""
    seen: set[int] = set()

    def bot(channel: ScriptedChannel, seat: int, message: ServerMessage) -> None:
        if isinstance(message, GameMessage):
            channel.say(seat, Ready(message.match), ready)
        elif isinstance(message, Turn) and message.id not in seen:
            seen.add(message.id)
            channel.say(seat, Move(message.match, message.id, choose(message)), think)

    return bot


class Script:
    """The helpers for tests of the referee; test files cannot import this one."""

    channel = ScriptedChannel
    player = staticmethod(player)
    silent = staticmethod(silent)

    async def events(self, play: Any, until: Callable[[Any], bool] = lambda event: False) -> list[Any]:
        """Everything that a match reports, to its end or to the first event that `until` likes."""
        events = []
        async for event in play:
            events.append(event)
            if until(event):
                await play.aclose()
                break
        return events


@pytest.fixture(scope="session")
def script() -> Script:
    return Script()
