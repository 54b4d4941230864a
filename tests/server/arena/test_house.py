"""The server's own bots, on a virtual clock, with processes that end when they are told."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from palio_server.arena.house import CRASHES, IDLE_S, House, house_entry
from palio_server.processes import Entrant

pytestmark = pytest.mark.virtual_clock
GREEDY = "house-greedy"


class FakeProcess:
    def __init__(self, entrant: Entrant) -> None:
        self.entrant, self.gone = entrant, False
        self.code = asyncio.get_running_loop().create_future()

    async def ended(self) -> int:
        return await self.code

    async def end(self) -> None:
        self.gone = True

    def last_lines(self) -> str:
        return "its last lines"


class Processes(list):
    async def start(self, entrant: Entrant) -> FakeProcess:
        self.append(FakeProcess(entrant))
        return self[-1]


@asynccontextmanager
async def running(house):
    task = asyncio.create_task(house.run())
    await asyncio.sleep(0)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def settled():
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_bot_is_started_once_when_it_is_wanted_and_ends_with_the_house():
    processes = Processes()
    house = House(processes.start)
    async with running(house):
        house.want(GREEDY)
        house.want(GREEDY)
        house.want("house-nobody")
        await settled()
        assert [process.entrant for process in processes] == [Entrant(GREEDY, "greedy")]
        assert not processes[0].gone
    assert processes[0].gone


async def test_a_bot_ends_a_while_after_nobody_has_wanted_it():
    processes = Processes()
    house = House(processes.start)
    async with running(house):
        house.want(GREEDY)
        await settled()
        house.sweep([])
        await asyncio.sleep(IDLE_S - 1)
        house.sweep([GREEDY])  # a person plays again
        await asyncio.sleep(IDLE_S)
        house.sweep([])
        house.sweep([])
        assert house.running == [GREEDY]
        await asyncio.sleep(IDLE_S)
        house.sweep([])
        await settled()
        assert (house.running, processes[0].gone) == ([], True)


async def test_a_bot_that_crashes_is_started_again_until_it_is_given_up():
    processes, given_up = Processes(), []
    house = House(processes.start)
    house.on_failure = lambda *said: given_up.append(said)
    async with running(house):
        house.want(GREEDY)
        for _ in range(CRASHES):
            assert given_up == []
            await settled()
            processes[-1].code.set_result(1)
            await asyncio.sleep(1)
        assert len(processes) == CRASHES
        [(name, reason)] = given_up
        assert name == GREEDY
        assert "ended with exit code 1; its last lines" in reason
        house.want(GREEDY)
        assert house.running == []
        house.failed.clear()
        house.want(GREEDY)
        assert house.running == [GREEDY]


async def test_a_program_that_cannot_be_started_is_given_up_at_once():
    async def start(entrant):
        raise OSError("no memory")

    house = House(start)
    async with running(house):
        house.want(GREEDY)
        await settled()
    assert house.failed == {GREEDY: "house-greedy could not be started: no memory"}


async def test_names_are_numbered_where_they_are_taken():
    house, entry = House(Processes().start), house_entry("greedy")
    assert house.name_for(entry, []) == GREEDY
    assert house.name_for(entry, [GREEDY, "house-greedy.3"]) == "house-greedy.2"
