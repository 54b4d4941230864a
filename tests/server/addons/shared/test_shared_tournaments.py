"""Who directs the tournaments of servers that share the work, when the one that did is gone."""

import asyncio
from dataclasses import replace
from types import SimpleNamespace

import pytest
from tournaments_world import World

from palio_db.errors import Unavailable
from palio_server.addons.shared.shared_tournaments import LOOK_FOR_OURS_S, SharedTournaments

pytestmark = [pytest.mark.usefixtures("small_games", "king"), pytest.mark.virtual_clock]
SOON_S = 1.5 * LOOK_FOR_OURS_S


class Node:
    """A server that shares the work with others, of which `living` are there. It is the oldest referee."""

    def __init__(self, *living):
        self.settled = asyncio.Event()
        self.settled.set()
        self.requests = SimpleNamespace(serve=lambda *_: None)
        self.roster = SimpleNamespace(beats=lambda: [SimpleNamespace(worker=worker) for worker in living])

    def leads(self):
        return True

    def process_of(self, worker):
        return None


@pytest.fixture
async def world():
    found = World()
    shared = SharedTournaments(found.store, found.service, Node(found.service.worker), runs=True)
    async with found.open():
        task = asyncio.create_task(shared.run())
        yield found
        assert not task.done()
        task.cancel()


async def orphan(world):
    """A running tournament of a server that is gone."""
    number = await world.made("ann", "bob", stage="running")
    world.store.rows[number] = replace(world.store.rows[number], worker="gone")
    return number


async def test_a_tournament_whose_server_is_gone_is_directed_here(world):
    number = await orphan(world)
    await asyncio.sleep(SOON_S)
    assert world.store.rows[number].worker == world.service.worker
    assert world.service.directed() == [number]


async def test_it_is_directed_though_the_database_goes_away_when_it_has_just_become_ours(world):
    number, taking = await orphan(world), world.store.take_worker

    async def taken_unheard(*words, **more):
        world.store.take_worker = taking
        await taking(*words, **more)
        raise Unavailable("whether it was committed, nobody has heard")

    world.store.take_worker = taken_unheard
    await asyncio.sleep(SOON_S)
    assert world.store.rows[number].worker == world.service.worker
    assert world.service.directed() == [number]


async def test_it_is_directed_though_a_director_of_ours_that_was_replaced_is_just_ending(world):
    number = await orphan(world)
    world.service._directed.begin(number)  # it has been frozen, and finds out late
    await asyncio.sleep(SOON_S / 2)
    await world.service._directed.stop(number)
    await asyncio.sleep(SOON_S)
    assert world.service.directed() == [number]
