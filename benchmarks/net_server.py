"""The server's side of bench_network: a bare echo, or the real gateway with matches that never end.

    python benchmarks/net_server.py echo|play PORT MATCHES CORE [PROFILE]

`GET /stats` gives the process's CPU time and the plies played so far.
"""

import asyncio
import contextlib
import cProfile
import json
import os
import sys
import time

import uvicorn
import uvloop

from palio_rules.contract.codec import MAX_BYTES
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl
from palio_server.arena.bus_channel import BusChannel
from palio_server.bus.local import LocalBus
from palio_server.lobby.access import Access
from palio_server.lobby.lobby import Lobby
from palio_server.match.events import Played
from palio_server.match.referee import Referee
from palio_server.network.gateway import BotEndpoint
from palio_server.network.handshake import Handshake

TIME = TimeControl(base_ms=600_000, increment_ms=100)


class Count:
    plies = 0


async def echo(_scope, receive, send) -> None:
    """The least that ASGI asks for."""
    await receive()
    await send({"type": "websocket.accept"})
    while (event := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "bytes": event["bytes"]})


async def stats(send) -> None:
    body = json.dumps({"cpu": time.process_time(), "plies": Count.plies}).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


def app_of(websocket):
    async def app(scope, receive, send) -> None:
        if scope["type"] == "http":
            await stats(send)
        else:
            await websocket(scope, receive, send)

    return app


async def play_on(number: int, bus: LocalBus, lobby: Lobby) -> None:
    """One pair of bots: match after match, refereed as anywhere, with neither journal nor audience."""
    names = (f"bot{2 * number}", f"bot{2 * number + 1}")
    setup = Setup(game="breakthrough", bots=names, time=TIME)
    referee = Referee()
    for turn in range(10**9):
        match = f"m{number}x{turn}"
        with BusChannel(bus, lobby, match, "breakthrough", names) as channel:
            async for event in referee.play(match, setup, channel):
                Count.plies += type(event) is Played


async def play(lobby: Lobby, bus: LocalBus, matches: int) -> None:
    while len(lobby.connected()) < 2 * matches:
        await lobby.changed()
    async with asyncio.TaskGroup() as group:
        for number in range(matches):
            group.create_task(play_on(number, bus, lobby))


async def serve(kind: str, port: int, matches: int) -> None:
    bus = LocalBus()
    lobby = Lobby(bus)
    websocket = echo if kind == "echo" else BotEndpoint(lobby, bus, Access(None, "open"))
    config = uvicorn.Config(
        app_of(websocket),
        port=port,
        http="h11",
        ws="websockets-sansio" if kind == "echo" else Handshake,
        ws_max_size=MAX_BYTES,
        ws_per_message_deflate=False,
        lifespan="off",
        log_config=None,
        access_log=False,
    )
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(play(lobby, bus, matches))] if kind == "play" else []
        await uvicorn.Server(config).serve()
        for task in tasks:
            task.cancel()


def main() -> None:
    kind, port, matches, core = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
    run = cProfile.Profile() if len(sys.argv) > 5 else contextlib.nullcontext()
    with run, contextlib.suppress(KeyboardInterrupt):
        uvloop.run(serve(kind, port, matches))
    if len(sys.argv) > 5:
        run.dump_stats(sys.argv[5])


if __name__ == "__main__":
    main()
