"""A cut cable between a bot and its broker: both sides know within one and a half keepalives, and play goes on."""

import asyncio
import time

import pytest
from cable import Cable
from serving import connected, server_in, until

from palio_clients import Bot
from palio_clients.sdk import mqtt
from palio_clients.sdk.events import Disconnected, Welcomed
from palio_clients.sdk.join import join
from palio_clients.sdk.loader import entrant_of

pytestmark = [pytest.mark.mosquitto, pytest.mark.slow, pytest.mark.timeout(90)]

SHORT_S = 4  # so that a test need not last
ROOM_S = 0.5  # on a busy machine


class First(Bot):
    games = ("breakthrough",)

    def choose(self, state, clock):
        return next(state.legal_moves())


async def test_a_cut_cable_is_noticed_in_time_on_both_sides_and_the_bot_comes_back(tmp_path, mosquitto, monkeypatch):
    monkeypatch.setattr(mqtt, "KEEPALIVE_S", SHORT_S)
    seen: asyncio.Queue = asyncio.Queue()
    async with Cable(mosquitto.port) as cable, server_in(tmp_path, mqtt=mosquitto.url) as server:
        url = f"mqtt://127.0.0.1:{cable.port}"
        playing = asyncio.create_task(join(url, entrant_of(First), name="ann", notify=seen.put_nowait))
        await connected(server, "ann")
        await asyncio.sleep(SHORT_S * 1.6)  # quiet, but there
        assert [each.name for each in server.lobby.connected()] == ["ann"]
        cut_at = time.monotonic()
        cable.cut()
        await until(lambda: not server.lobby.connected(), "that it is missed")
        assert time.monotonic() - cut_at <= 1.5 * SHORT_S + ROOM_S
        while not isinstance(await seen.get(), Disconnected):
            pass
        assert time.monotonic() - cut_at <= 1.5 * SHORT_S + ROOM_S
        cable.mend()
        await connected(server, "ann")
        while not isinstance(back := await seen.get(), Welcomed):
            pass
        assert back.resumed
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
