"""Waiting for a turn, in virtual time: nobody waits longer than asked for, and nothing that happens is missed."""

import asyncio

import pytest

from palio_rules.contract.codec import encode
from palio_rules.contract.endpoints import POLICY
from palio_rules.contract.messages import (
    GameMessage,
    Move,
    Over,
    Played,
    Ready,
    Rejected,
    Result,
    SeatOf,
    ServerStopping,
    Turn,
)
from palio_rules.errors import BadOption
from palio_rules.registry import game
from palio_rules.time_control import TimeControl
from palio_server.addons.mcp.player import Player, news, until
from palio_server.bus import Envelope
from palio_server.bus.local import LocalBus

RULES = game("breakthrough")
FIRST = RULES.start(RULES.parse_options({}))
STATE = RULES.format_state(FIRST)
MOVES = [RULES.move_to_wire(move) for move in FIRST.legal_moves()]


class World:
    """A player, whoever calls for it, and what it says on the bus."""

    def __init__(self):
        self.bus = LocalBus()
        self.player = Player("ann", self.bus)
        self.said = []
        self.bus.subscribe("palio/bot/ann/out/+", lambda _topic, envelope: self.said.append(envelope.message))

    def tell(self, message):
        self.player.post("palio/bot/ann/in/x", Envelope(encode(message), message))

    def begin(self, match="m1"):
        seats = [SeatOf("black", "ann"), SeatOf("white", "bob")]
        self.tell(GameMessage(match, "breakthrough", {}, STATE, 0, seats, TimeControl(), 3))

    def turn(self, match="m1", number=1):
        self.tell(Turn(match, number, 0, STATE, MOVES, [None, None], None))

    def over(self, match="m1"):
        self.tell(Over(match, Result("rule", "reached-far-row", [1.0, 0.0])))


@pytest.fixture
async def world():
    return World()


def later(seconds, do, *arguments):
    asyncio.get_running_loop().call_later(seconds, do, *arguments)


def now():
    return asyncio.get_running_loop().time()


@pytest.mark.virtual_clock
async def test_nothing_happens_and_the_wait_ends_in_time(world):
    began = now()
    assert await news(world.player, None, 25) is None
    assert now() - began == 25


@pytest.mark.virtual_clock
async def test_a_turn_ends_the_wait_at_once(world):
    later(7, world.begin)
    later(9, world.turn)
    began = now()
    seat = await news(world.player, None, 25)
    assert (seat.match, now() - began) == ("m1", 9)
    assert await news(world.player, None, 25) is seat, "it is still open"


@pytest.mark.virtual_clock
async def test_a_match_begins_only_while_somebody_looks(world):
    world.begin()
    assert world.said == [], "its clock shall not run yet"
    later(1, world.turn)
    await news(world.player, None, 5)
    assert world.said == [Ready("m1")]
    world.begin()  # taken up again, after an absence
    await news(world.player, None, 0)
    assert world.said == [Ready("m1"), Ready("m1")]


@pytest.mark.virtual_clock
async def test_the_end_is_told_once(world):
    world.begin()
    world.over()
    seat = await news(world.player, None, 5)
    assert seat.outcome.scores == [1.0, 0.0]
    seat.told = True
    assert await news(world.player, None, 5) is None


@pytest.mark.virtual_clock
async def test_of_several_matches_the_one_that_waits_the_longest_comes_first(world):
    world.begin("m1")
    world.begin("m2")
    later(1, world.turn, "m2")
    later(2, world.turn, "m1")
    await asyncio.sleep(3)
    assert (await news(world.player, None, 5)).match == "m2"
    assert (await news(world.player, "m1", 5)).match == "m1"


@pytest.mark.virtual_clock
@pytest.mark.parametrize("how", ["stops", "closed"])
async def test_whoever_waits_hears_that_the_player_is_out(world, how):
    end = {
        "stops": lambda: world.tell(ServerStopping("the server stops, come back in 5 s")),
        "closed": lambda: world.player.close(POLICY, "the token of ann has been revoked"),
    }[how]
    later(4, end)
    began = now()
    with pytest.raises(BadOption, match=r"ann is not in the lobby any more: the (server stops|token of ann)"):
        await news(world.player, None, 60)
    assert now() - began == 4


@pytest.mark.virtual_clock
async def test_a_cancelled_wait_leaves_nothing_behind(world):
    waiting = asyncio.create_task(news(world.player, None, 60))
    await asyncio.sleep(1)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    world.begin()
    assert world.said == [], "nobody looks any more"
    assert not world.player._waiters


@pytest.mark.virtual_clock
async def test_an_answer_is_given_once_and_again_where_it_was_lost(world):
    world.begin()
    world.turn()
    seat = world.player.seat("m1")
    world.player.answer(seat, MOVES[0])
    assert seat.to_move is None
    world.turn()  # the referee has not heard it
    assert world.said == [Move("m1", 1, MOVES[0])] * 2
    world.tell(Rejected("m1", 1, "occupied", "there is a piece", 2, [None, None]))
    assert (seat.strikes_left, seat.refused.reason) == (2, "there is a piece")
    assert seat.to_move is seat.turn, "it may try another one"
    world.player.answer(seat, MOVES[1])
    later(3, world.tell, Played("m1", 1, 0, MOVES[1], [None, None]))
    assert await until(world.player, lambda: seat.played or None, 10) == seat.played


@pytest.mark.virtual_clock
async def test_what_is_over_is_forgotten_after_a_while(world):
    for number in range(40):
        world.begin(f"m{number}")
        world.over(f"m{number}")
    assert len(world.player.seats) <= 18
    assert world.player.seat("m39") is not None
