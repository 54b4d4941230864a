"""A tiny game and a scripted server, so that the bot author's side is tested without a referee."""

import asyncio
import random
import sys
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from websockets.asyncio.server import ServerConnection, serve

from palio_clients import kernels
from palio_clients.agents.thinking_time import remark
from palio_clients.sdk.bot import Bot
from palio_clients.sdk.join import join
from palio_clients.sdk.loader import entrant_of
from palio_rules import registry
from palio_rules.contract import codec as wire
from palio_rules.contract import messages
from palio_rules.contract.codec import Encoding
from palio_rules.contract.messages import GameMessage, Result, SeatOf, Turn
from palio_rules.errors import BadPosition, IllegalMove, MalformedMove
from palio_rules.game import Game, Options, Outcome
from palio_rules.time_control import TimeControl


class Take(NamedTuple):
    heap: int
    stones: int


@dataclass(frozen=True, slots=True)
class Nim:
    """Take any number of stones from one heap; whoever takes the last one wins."""

    heaps: tuple[int, ...]
    seat: int = 0

    @property
    def to_move(self):
        return self.seat if any(self.heaps) else None

    def legal_moves(self):
        for heap, size in enumerate(self.heaps):
            for stones in range(1, size + 1):
                yield Take(heap, stones)

    def check(self, move):
        if move not in set(self.legal_moves()):
            raise IllegalMove("wrong-count", f"cannot take {move.stones} from heap {move.heap}")

    def play(self, move):
        heaps = list(self.heaps)
        heaps[move.heap] -= move.stones
        return replace(self, heaps=tuple(heaps), seat=1 - self.seat)

    def outcome(self):
        if any(self.heaps):
            return None
        return Outcome("no-stones", (0.0, 1.0) if self.seat == 0 else (1.0, 0.0))


class NimOptions(Options, frozen=True):
    heaps: int = 3


class NimGame(Game):
    name = "nim"
    title = "Nim"
    seats = ("first", "second")
    options_type = NimOptions

    def start(self, options, seed=0):
        return Nim(tuple(range(1, options.heaps + 1)))

    def move_from_wire(self, value):
        match value:
            case [int(heap), int(stones)]:
                return Take(heap, stones)
        raise MalformedMove("not-a-take", f"a move is [heap, stones], got {value!r}")

    def move_to_wire(self, move):
        return [move.heap, move.stones]

    def notation(self, state, move):
        return f"{move.heap}-{move.stones}"

    def parse_notation(self, state, text):
        heap, _, stones = text.partition("-")
        return Take(int(heap), int(stones))

    def format_state(self, state):
        return f"{','.join(map(str, state.heaps))} {state.seat}"

    def parse_state(self, text):
        heaps, space, seat = text.partition(" ")
        if not space:
            raise BadPosition(f"{text!r} is no position of nim")
        return Nim(tuple(map(int, heaps.split(","))), int(seat))

    def render(self, state):
        return self.format_state(state)


class _Entry:
    name = "nim"

    def load(self):
        return NimGame


@pytest.fixture
def nim(monkeypatch):
    """Installs nim, as if a third-party package had registered it, for the length of a test."""
    installed = dict(registry._entries())
    monkeypatch.setattr(registry, "_entries", lambda: {**installed, "nim": _Entry()})
    registry.game.cache_clear()
    yield NimGame()
    registry.game.cache_clear()


class FirstMove(Bot):
    """A bot that plays the first legal move and remembers what it was told."""

    games = ("nim",)

    def __init__(self):
        self.heard = []

    def choose(self, state, clock):
        return next(state.legal_moves())

    def prepare(self, game, options, seat):
        self.heard.append(("prepare", game.name, options.heaps, seat))

    def opponent_moved(self, seat, move):
        self.heard.append(("opponent", seat, move))

    def move_rejected(self, move, code, reason):
        self.heard.append(("rejected", move, code))

    def game_over(self, result):
        self.heard.append(("over", result.reason))


def nim_game(match="m1", seat=0, heaps=2, time=None, game="nim"):
    state = NimGame().start(NimOptions(heaps=heaps))
    seats = [SeatOf("first", "a"), SeatOf("second", "b")]
    setup = NimGame().format_state(state)
    return GameMessage(match, game, {"heaps": heaps}, setup, seat, seats, time or TimeControl(), 3)


def nim_turn(match="m1", id_=1, state="1,2 0", limit_ms=None):
    return Turn(match, id_, 0, state, None, [None, None], limit_ms)


WON = Result("rule", "no-stones", [1.0, 0.0])


@dataclass
class Peer:
    """The server's end of one connection."""

    socket: ServerConnection
    encoding: Encoding

    async def say(self, *said):
        for message in said:
            await self.socket.send(wire.encode(message, self.encoding), text=self.encoding is Encoding.JSON)

    async def hear(self, kind=None):
        async with asyncio.timeout(10):
            data = await self.socket.recv(decode=False)
        message = wire.decode_from_bot(data, self.encoding)
        assert kind is None or isinstance(message, kind), message
        return message

    async def welcome(self, session="s1"):
        hello = await self.hear(messages.Hello)
        await self.say(messages.Welcome(session, "palio test"))
        return hello


@dataclass
class Script:
    """A server whose connections are handed to a test one after the other."""

    url: str = ""
    peers: asyncio.Queue = field(default_factory=asyncio.Queue)

    async def peer(self):
        async with asyncio.timeout(10):
            return await self.peers.get()


@pytest.fixture
def kit(nim):
    """What tests build with: tests are not a package, so they cannot import it."""
    return SimpleNamespace(
        NimGame=NimGame, Nim=Nim, Take=Take, FirstMove=FirstMove, game=nim_game, turn=nim_turn, play=play_nim, WON=WON
    )


@pytest.fixture
async def script(nim):
    script = Script()

    async def handler(socket):
        script.peers.put_nowait(Peer(socket, Encoding(wire.SUBPROTOCOLS[socket.subprotocol])))
        await socket.wait_closed()

    protocols = list(wire.SUBPROTOCOLS)
    async with serve(handler, "127.0.0.1", 0, subprotocols=protocols, compression=None, close_timeout=1) as server:
        script.url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield script


@pytest.fixture
async def joined(script):
    """Joins bots to the scripted server; they leave at the end of the test."""
    tasks = []

    def start(bot=FirstMove, **options):
        entrant = bot if not isinstance(bot, type) else entrant_of(bot)
        task = asyncio.create_task(join(script.url, entrant, **options))
        tasks.append(task)
        return task

    yield start
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def play_nim(peer, match="m1", seat=0, heaps=2, seed=0):
    """Play a whole game against the bot at `peer`; the moves that were played."""
    rng, rules = random.Random(seed), NimGame()
    state = rules.start(NimOptions(heaps=heaps))
    played = []
    await peer.say(nim_game(match, seat, heaps))
    assert (await peer.hear(messages.Ready)).match == match
    while state.to_move is not None:
        mover = state.to_move
        if mover == seat:
            await peer.say(nim_turn(match, len(played) + 1, rules.format_state(state)))
            answer = await peer.hear(messages.Move)
            assert answer.id == len(played) + 1
            move = rules.read_move(state, answer.move)
        else:
            move = rng.choice(list(state.legal_moves()))
        state = state.play(move)
        played.append(move)
        await peer.say(messages.Played(match, len(played), mover, list(move), [None, None]))
    outcome = state.outcome()
    await peer.say(messages.Over(match, Result("rule", outcome.reason, list(outcome.scores))))
    return played


@pytest.fixture
def no_numba(monkeypatch):
    """As on a machine where nobody has installed it."""
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.setattr(kernels, "find_spec", lambda _name: None)
    remark.cache_clear()


@pytest.fixture(params=["readable", pytest.param("compiled", marks=pytest.mark.slow)])
def solvers(request, monkeypatch):
    """Which searches solve duels: the readable ones; in the full run the compiled ones, too, as that takes long."""
    if request.param == "readable":
        for module in ("breakthrough.solver", "chess", "dominoes.solver", "end_of_the_track.solver"):
            monkeypatch.setattr(f"palio_clients.games.{module}.available", lambda: False)
    return request.param
