"""The ladder on real sockets and a real broker: bots that do not come to their matches are rested, and not rated."""

import asyncio
import json

import aiomqtt
import msgpack
import pytest
from msgspec import structs
from raw_bot import Bot
from serving import bots, connected, server_in, until
from websockets.asyncio.client import connect

from palio_rules.contract import topics
from palio_server.tournament.ladder_pairing import LadderEncounters

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch):
    """Matches of the ladder wait for half a second, not for thirty, until their bots are ready or back."""
    usual = LadderEncounters.setups

    def setups(self, *args, **more):
        return [structs.replace(setup, ready_ms=500, grace_ms=500) for setup in usual(self, *args, **more)]

    monkeypatch.setattr(LadderEncounters, "setups", setups)


async def _board(server, game="breakthrough"):
    return {leader.bot: leader.games for leader in (await server.store.leaderboard(game)).leaders}


async def test_a_websocket_bot_that_never_says_ready_is_rested_and_its_opponent_gains_nothing(palio, tmp_path):
    async with server_in(tmp_path, ladder=True) as server:
        ends = []
        server.arena.on_result.append(ends.append)
        async with bots(palio, server.url, "greedy"), connect(f"{server.url.replace('http', 'ws')}/ws/bot") as socket:
            await socket.send(json.dumps({"type": "hello", "name": "mute", "games": ["breakthrough"]}))
            await connected(server, "greedy", "mute")
            await until(lambda: server.lobby.is_rested("mute"), "the rest of the mute bot")
            assert [record.result.reason for record in ends] == ["never-ready"] * 3
            assert await _board(server) == {}
            assert [(await server.store.match(record.match)).rated for record in ends] == [False] * 3
            listed = {bot.name: bot.rested for bot in server.lobby.connected()}
            assert listed == {"greedy": False, "mute": True}
            await socket.send(json.dumps({"type": "ready", "match": ends[0].match}))
            await until(lambda: not server.lobby.is_rested("mute"), "its next match after a sign of life")
        async with bots(palio, server.url, "greedy"), connect(f"{server.url.replace('http', 'ws')}/ws/bot") as socket:
            task = asyncio.create_task(Bot("mute").play(socket, until=999))
            await until(lambda: any(record.plies for record in ends), "a match that is played")
            task.cancel()
        assert await server.store.recount() == []


@pytest.mark.mosquitto
async def test_an_mqtt_client_that_disconnects_cleanly_is_gone_after_one_match(palio, tmp_path, mosquitto, monkeypatch):
    monkeypatch.setattr("palio_server.addons.shared.mqtt_gateway.ANSWER_S", 1.0)
    async with server_in(tmp_path, ladder=True, mqtt=mosquitto.url) as server:
        ends = []
        server.arena.on_result.append(ends.append)
        async with aiomqtt.Client("127.0.0.1", mosquitto.port, identifier="gone") as client:
            await client.subscribe(topics.bot_in("gone", "#"), qos=1)
            await client.publish(topics.presence("gone"), json.dumps({"online": True}), qos=1, retain=True)
            hello = {"type": "hello", "name": "gone", "games": ["breakthrough"]}
            await client.publish(topics.bot_out("gone", "lobby"), msgpack.packb(hello), qos=1)
            await connected(server, "gone")
        async with bots(palio, server.url, "greedy"):
            await until(lambda: not server.lobby.is_here("gone"), "the end of a session without a client")
            assert len(ends) == 1
            assert ends[0].absent == (ends[0].setup.bots.index("gone"),)
            assert await _board(server) == {}
        assert await server.store.recount() == []
