"""A result that was lost on its way reaches both bots once they are back, over WebSocket and over a broker."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from serving import connected, server_in, until

from palio_clients import Bot
from palio_clients.sdk.events import MatchOver, ServerStops
from palio_clients.sdk.join import join
from palio_clients.sdk.loader import entrant_of
from palio_rules.records import Setup
from palio_server.match.referee import RefereedMatch

NAMES = ("ann", "bob")


class First(Bot):
    games = ("breakthrough",)

    def choose(self, state, clock):
        return next(state.legal_moves())


@asynccontextmanager
async def playing(url: str) -> AsyncIterator[tuple[dict[str, list[str]], set[str]]]:
    """Bots of the SDK; which ends each has heard, as often as it has; and who knows of a server's stop."""
    heard: dict[str, list[str]] = {name: [] for name in NAMES}

    def note(name, notice):
        if isinstance(notice, MatchOver):
            heard[name].append(notice.match)

        if isinstance(notice, ServerStops):
            stops.add(name)

    stops: set[str] = set()
    tasks = [
        asyncio.create_task(
            join(url, entrant_of(First), name=name, notify=lambda notice, name=name: note(name, notice))
        )
        for name in NAMES
    ]
    yield heard, stops
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.slow
@pytest.mark.mosquitto
async def test_a_broker_that_is_killed_with_a_result_on_its_way_loses_it_for_nobody(tmp_path, mosquitto):
    async with server_in(tmp_path, mqtt=mosquitto.url) as server, playing(mosquitto.url) as (heard, _):
        await connected(server, *NAMES)
        server.arena.on_result.append(lambda _: mosquitto.kill())  # it is committed, and about to be announced
        match = await server.arena.schedule(Setup("breakthrough", NAMES))
        await until(lambda: not server.arena.playing() and not server.bus.connected, "the end of the broker")
        assert heard == {"ann": [], "bob": []}
        server.arena.on_result.pop()
        mosquitto.start()
        await until(lambda: heard["ann"] and heard["bob"], "the word of the result")
        await server.arena.schedule(Setup("breakthrough", NAMES))
        await until(lambda: len(heard["ann"]) == len(heard["bob"]) == 2, "the next one")
        assert heard["ann"][0] == heard["bob"][0] == match


@pytest.mark.slow
@pytest.mark.parametrize("way", ["websocket", pytest.param("mqtt", marks=pytest.mark.mosquitto)])
async def test_a_server_that_died_before_it_could_announce_does_so_when_it_is_back(request, tmp_path, monkeypatch, way):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    broker = request.getfixturevalue("mosquitto").url if way == "mqtt" else None
    async with playing(broker or f"ws://127.0.0.1:{port}") as (heard, stops):
        with monkeypatch.context() as patch:
            patch.setattr(RefereedMatch, "announce", lambda _: None)  # dead by then
            async with server_in(tmp_path, mqtt=broker, port=port) as server:
                await connected(server, *NAMES)
                committed: list[str] = []
                server.arena.on_result.append(lambda record: committed.append(record.match))
                match = await server.arena.schedule(Setup("breakthrough", NAMES))
                await until(lambda: committed, "the end of the match")
            assert heard == {"ann": [], "bob": []}
        await until(lambda: stops == {*NAMES}, "the word that the server stops")
        async with server_in(tmp_path, mqtt=broker, port=port, back_in="0") as server:
            await until(lambda: heard["ann"] and heard["bob"], "the word of the result")
            await connected(server, *NAMES)
            assert heard == {"ann": [match], "bob": [match]}
