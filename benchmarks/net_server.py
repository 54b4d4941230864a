"""The server's side of bench_network: a bare echo, or a server's work for matches that never end.

    python benchmarks/net_server.py echo|play|bare PORT MATCHES CORE [PROFILE]

`play` is the whole path of a ply: gateway, bus, channel, referee, running match, journal into a SQLite file, feed;
`bare` leaves the last three out. `GET /stats` gives the process's CPU time.
"""

import asyncio
import contextlib
import cProfile
import json
import os
import sys
import tempfile
import time

import uvicorn
import uvloop

from palio_db.store import Store
from palio_rules import registry
from palio_rules.contract.codec import MAX_BYTES
from palio_rules.games.breakthrough import Breakthrough, Position
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl
from palio_server.arena.bus_channel import BusChannel
from palio_server.arena.journal import Journal
from palio_server.arena.running_match import RunningMatch, Services
from palio_server.bus.local import LocalBus
from palio_server.garbage import infrequent_collection
from palio_server.live.feed import Feed
from palio_server.lobby.access import Access
from palio_server.lobby.lobby import Lobby
from palio_server.match.referee import Referee
from palio_server.network.gateway import BotEndpoint
from palio_server.network.handshake import Handshake

TIME = TimeControl(base_ms=600_000, increment_ms=100)


class Endless(Position):
    """Breakthrough that starts again after a win, so that a match lasts as long as a run."""

    def play(self, move):
        after = super().play(move)
        if after.to_move is not None:
            return after
        board = self.board
        return Endless(board, board.home[0], board.home[1], after.turn)


class EndlessBreakthrough(Breakthrough):
    name = "endless"

    def start(self, options, seed: int = 0) -> Endless:
        first = super().start(options, seed)
        return Endless(first.board, first.black, first.white, first.turn)


class Installed:
    def load(self):
        return EndlessBreakthrough


async def echo(_scope, receive, send) -> None:
    """Do the minimum that ASGI requires."""
    await receive()
    await send({"type": "websocket.accept"})
    while (event := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "bytes": event["bytes"]})


async def stats(send) -> None:
    body = json.dumps({"cpu": time.process_time()}).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


def app_of(websocket):
    async def app(scope, receive, send) -> None:
        if scope["type"] == "http":
            await stats(send)
        else:
            await websocket(scope, receive, send)

    return app


async def referee_only(number: int, bus: LocalBus, lobby: Lobby) -> None:
    """Run the referee for one pair of bots, with neither journal nor feed."""
    setup = setup_of(number)
    with BusChannel(bus, lobby, f"m{number}", "endless", setup.bots) as channel:
        refereed = Referee().take_up(f"m{number}", setup, channel)

        def hear(heard) -> None:
            refereed.hear(heard)
            channel.wake_at(refereed.wake)

        refereed.begin()
        channel.listen(hear)
        channel.wake_at(refereed.wake)
        await asyncio.Event().wait()


def setup_of(number: int) -> Setup:
    names = (f"bot{2 * number}", f"bot{2 * number + 1}")
    return Setup(game="endless", bots=names, options={"rows": 8, "cols": 8}, time=TIME, max_plies=100_000)


async def play(lobby: Lobby, bus: LocalBus, matches: int, *, bare: bool) -> None:
    while len(lobby.connected()) < 2 * matches:
        await lobby.changed()
    async with asyncio.TaskGroup() as group:
        if bare:
            for number in range(matches):
                group.create_task(referee_only(number, bus, lobby))
            return
        folder = tempfile.TemporaryDirectory()
        with folder:
            async with await Store.open(f"sqlite:///{folder.name}/palio.db") as store:
                await play_whole(store, lobby, bus, matches)


async def play_whole(store: Store, lobby: Lobby, bus: LocalBus, matches: int) -> None:
    """Play like an arena; its matches are scheduled and claimed before the measurement."""
    journal, feed = Journal(store), Feed(bus)
    services = Services(store, feed, journal, Referee(), [], [])
    for number in range(matches):
        await store.schedule(setup_of(number))

    async def one(claim) -> None:
        with BusChannel(bus, lobby, claim.match, "endless", claim.setup.bots) as channel:
            await RunningMatch(claim, channel, services).play()

    async with asyncio.TaskGroup() as group:
        group.create_task(journal.run())
        names = [f"bot{number}" for number in range(2 * matches)]
        claims = [await store.claim("bench", 3600.0, free={"endless": names}) for _ in range(matches)]
        for claim in claims:  # all at once
            group.create_task(one(claim))


async def serve(kind: str, port: int, matches: int) -> None:
    bus = LocalBus()
    registry._entries()["endless"] = Installed()  # noqa: SLF001  # for this process only
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
    # Like a server, but its matches never end, so their data is never dropped.
    collecting = contextlib.nullcontext() if kind == "echo" else infrequent_collection()
    with collecting:
        await serve_until_ended(config, kind, lobby, bus, matches)


async def serve_until_ended(config: uvicorn.Config, kind: str, lobby: Lobby, bus: LocalBus, matches: int) -> None:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(play(lobby, bus, matches, bare=kind == "bare"))] if kind != "echo" else []
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
