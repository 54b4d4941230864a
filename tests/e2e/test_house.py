"""The whole server: bots on different transports, an audience, a broker that dies, a leaderboard that remembers."""

import asyncio
import json

import aiomqtt
import pytest
from houses import connected, house_in, joining, played, program, until
from websockets.asyncio.client import connect

from palio_rules.record import Setup, fault
from palio_rules.time_control import TimeControl

TIME = TimeControl(base_ms=60_000)


async def test_a_match_is_played_watched_remembered_and_ranked(tmp_path):
    async with house_in(tmp_path) as house:
        greedy, chance = joining(house.url, "greedy", "greedy"), joining(house.url, "random", "chance", "--json")
        async with program(*greedy), program(*chance):
            await connected(house, "greedy", "chance")
            async with connect(house.url.replace("http", "ws") + "/ws/live") as lobby:
                assert json.loads(await lobby.recv())["type"] == "lobby"
                record = await played(house, Setup("dominoes", ("greedy", "chance"), time=TIME))
                assert fault(record) is None
                async with asyncio.timeout(10):
                    while record.match not in {view["match"] for view in json.loads(await lobby.recv())["matches"]}:
                        pass
        board = await house.store.leaderboard("dominoes")
        assert {(leader.bot, leader.games) for leader in board.leaders} == {("greedy", 1), ("chance", 1)}
    async with house_in(tmp_path) as house:
        assert await house.store.record(record.match) == record
        assert await house.store.leaderboard("dominoes") == board or len(board.leaders) == 2


@pytest.mark.mosquitto
async def test_a_match_over_mqtt_outlives_its_broker_and_is_watched_there(tmp_path, mosquitto):
    async with house_in(tmp_path, mqtt=mosquitto.url) as house:
        one = joining(mosquitto.url, "alpha_beta:seconds=0.05", "over-mqtt")
        other = joining(house.url, "alpha_beta:seconds=0.05", "over-websocket")
        async with program(*one), program(*other):
            await connected(house, "over-mqtt", "over-websocket")
            seen: list[dict] = []
            watching = asyncio.create_task(_watch(mosquitto.port, "palio/match/+/event", seen))
            game = asyncio.create_task(
                played(house, Setup("breakthrough", ("over-mqtt", "over-websocket"), time=TIME), seconds=90)
            )
            await until(lambda: sum(event["type"] == "played" for event in seen) >= 4, "four plies on the broker")
            watching.cancel()
            mosquitto.kill()
            await asyncio.sleep(1)
            mosquitto.start()
            record = await game
            assert record.result.termination == "rule"
            assert fault(record) is None
        boards: list[dict] = []
        watching = asyncio.create_task(_watch(mosquitto.port, "palio/leaderboard/breakthrough", boards))
        await until(lambda: boards and len(boards[-1]["leaders"]) == 2, "the leaderboard, retained by the new broker")
        watching.cancel()


async def _watch(port: int, topic: str, seen: list[dict]) -> None:
    async with aiomqtt.Client("127.0.0.1", port) as client:
        await client.subscribe(topic)
        async for message in client.messages:
            seen.append(json.loads(message.payload))  # noqa: PERF401  # it never ends; others look on
