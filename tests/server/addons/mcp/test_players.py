"""Players of models: who is found by what, who is absent when, how many there may be."""

import asyncio

import pytest

from palio_rules.errors import BadOption
from palio_server.addons.mcp.handle import Handle
from palio_server.addons.mcp.players import AWAY_S, IDLE_S, KEPT_S, OF_ONE, Players
from palio_server.bus.local import LocalBus
from palio_server.edge.budgets import TooMuch
from palio_server.lobby.access import Access
from palio_server.lobby.lobby import Lobby

HERE = "203.0.113.9"


class World:
    def __init__(self):
        bus = LocalBus()
        self.lobby = Lobby(bus, games=["breakthrough"])
        self.players = Players(self.lobby, Access(None, "open"), bus)

    async def join(self, name="ann", owner="session s1", address=HERE):
        kept = self.players.new(Handle.of(name, ["breakthrough"]), owner, address)
        await self.players.enter(kept, None)
        return kept


@pytest.fixture
async def world():
    return World()


@pytest.mark.virtual_clock
async def test_a_player_is_found_by_its_session_or_by_its_handle(world):
    kept = await world.join()
    assert await world.players.find("session s1", None, None, HERE) is kept
    assert await world.players.find("", str(kept.handle), None, HERE) is kept
    with pytest.raises(BadOption, match="you have not joined; call `join` first"):
        await world.players.find("session s2", None, None, HERE)
    with pytest.raises(BadOption, match="give `player` as `join` returned it"):
        await world.players.find("", None, None, HERE)
    with pytest.raises(BadOption, match="player 'nonsense' is none of this server"):
        await world.players.find("", "nonsense", None, HERE)


@pytest.mark.virtual_clock
async def test_a_handle_brings_a_player_back_that_nobody_knows_any_more(world):
    handle = str((await world.join()).handle)
    other = World()
    kept = await other.players.find("", handle, None, HERE)
    assert kept.handle.name == "ann"
    assert other.lobby.is_here("ann")


@pytest.mark.virtual_clock
async def test_who_asks_for_nothing_for_too_long_is_absent_and_its_next_call_brings_it_back(world):
    kept = await world.join()
    await asyncio.sleep(IDLE_S - 1)
    assert world.lobby.is_here("ann")
    with world.players.busy(kept):
        await asyncio.sleep(2 * IDLE_S)
        assert world.lobby.is_here("ann"), "a long poll counts"
    await asyncio.sleep(IDLE_S + 1)
    assert not world.lobby.is_here("ann")
    assert await world.players.find("session s1", None, None, HERE) is kept
    assert world.lobby.is_here("ann")
    assert kept.player.ended == ""


@pytest.mark.virtual_clock
async def test_a_session_with_a_stream_is_absent_soon_after_that_has_ended(world):
    await world.join()
    with world.players.stream("session s1"):
        await asyncio.sleep(2 * IDLE_S)
        assert world.lobby.is_here("ann")
    await asyncio.sleep(AWAY_S - 1)
    assert world.lobby.is_here("ann"), "clients open a new one"
    await asyncio.sleep(2)
    assert not world.lobby.is_here("ann")


@pytest.mark.virtual_clock
async def test_an_ended_session_is_absent_at_once_and_forgotten_after_a_while(world):
    kept = await world.join()
    world.players.owner_left("session s1")
    assert not world.lobby.is_here("ann")
    assert await world.players.find("", str(kept.handle), None, HERE) is kept
    world.players.owner_left("session s1")
    await asyncio.sleep(IDLE_S + KEPT_S + 1)
    assert len(world.players) == 0


@pytest.mark.virtual_clock
async def test_one_address_has_so_many_players_and_room_again_when_one_leaves(world):
    kept = [await world.join(f"bot{number}", f"session {number}") for number in range(OF_ONE)]
    with pytest.raises(TooMuch, match="from your address"):
        await world.join("more", "session more")
    await world.join("other", "session other", "198.51.100.7")
    world.players.leave(kept[0])
    await world.join("more", "session more")
    world.players.close()
    assert list(world.lobby.connected()) == []


async def test_a_call_is_a_sign_of_life_to_the_ladder(world):
    kept = await world.join()
    before = kept.session.asides
    with world.players.busy(kept):
        assert kept.session.asides == before + 1
