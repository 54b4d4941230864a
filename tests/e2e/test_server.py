"""The whole server: bots on different transports, an audience, a broker that dies, a leaderboard that remembers."""

import asyncio
import json

import aiomqtt
import pytest
from serving import bots, connected, played, server_in, until
from websockets.asyncio.client import connect

from palio_rules.records import Setup, fault
from palio_rules.time_control import TimeControl

TIME = TimeControl(base_ms=60_000)


@pytest.mark.slow
async def test_a_match_is_played_watched_remembered_and_ranked(palio, tmp_path):
    async with server_in(tmp_path) as server:
        async with bots(palio, server.url, "greedy", "chance=random"):
            await connected(server, "greedy", "chance")
            async with connect(server.url.replace("http", "ws") + "/ws/live") as lobby:
                assert json.loads(await lobby.recv())["type"] == "lobby"
                record = await played(server, Setup("dominoes", ("greedy", "chance"), time=TIME))
                assert fault(record) is None
                async with asyncio.timeout(10):
                    while record.match not in {view["match"] for view in json.loads(await lobby.recv())["matches"]}:
                        pass
        board = await server.store.leaderboard("dominoes")
        assert {(leader.bot, leader.games) for leader in board.leaders} == {("greedy", 1), ("chance", 1)}
    async with server_in(tmp_path) as server:
        assert await server.store.record(record.match) == record
        assert await server.store.leaderboard("dominoes") == board or len(board.leaders) == 2


@pytest.mark.slow
@pytest.mark.mosquitto
async def test_a_match_over_mqtt_outlives_its_broker_and_is_watched_there(palio, tmp_path, mosquitto, caplog):
    async with server_in(tmp_path, mqtt=mosquitto.url) as server:
        one = bots(palio, mosquitto.url, "over-mqtt=alpha_beta:seconds=0.05")
        other = bots(palio, server.url, "over-websocket=alpha_beta:seconds=0.05")
        async with one, other:
            await connected(server, "over-mqtt", "over-websocket")
            seen: list[dict] = []
            watching = asyncio.create_task(_watch(mosquitto.port, "palio/match/+/event", seen))
            game = asyncio.create_task(
                played(server, Setup("breakthrough", ("over-mqtt", "over-websocket"), time=TIME), seconds=90)
            )
            await until(lambda: sum(event["type"] == "played" for event in seen) >= 4, "four plies on the broker")
            watching.cancel()
            mosquitto.kill()
            await until(lambda: "is away" in caplog.text, "the news that the broker is away")
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
