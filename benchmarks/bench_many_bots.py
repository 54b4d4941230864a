"""Ten thousand bots on one server, without sockets: the server's own cost of so many bots.

Lobby, bus, arena, referee, journal and a SQLite file are the real ones, on one core and in one process. Each bot is a
link like the gateway's, which answers in the loop's next turn with the first legal move. Measured: the time to admit
all, the memory of one more bot, and how fast a match for every pair is begun, played and committed, all at once. The
cost of sockets is measured by `bench_crowd.py`.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

import uvloop
from figures import Figure, keep, table

from palio_db.store import Store
from palio_rules.contract.codec import decode_from_server, encode
from palio_rules.contract.messages import GameMessage, Hello, Move, Over, Ready, Turn
from palio_rules.contract.topics import bot_out
from palio_rules.records.record import Setup
from palio_server.addons.shared.messages import Card, Changes, Whole
from palio_server.addons.shared.sessions import OtherSessions
from palio_server.arena.arena import Arena
from palio_server.bus import Bus, Envelope
from palio_server.bus.local import LocalBus
from palio_server.garbage import infrequent_collection
from palio_server.live.feed import Feed
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.register import LobbyLimits
from palio_server.metrics import LoopLag

IN_S, MEMORY_KIB, MATCHES_S = 5.0, 20.0, 200.0  # goals
SMALL = {"rows": 5, "cols": 3}


class Bot:
    """The gateway's end of a bot's connection."""

    __slots__ = ("bus", "name")
    over = 0

    def __init__(self, bus: Bus, name: str) -> None:
        self.bus, self.name = bus, name

    def post(self, _topic: str, envelope: Envelope) -> None:
        match envelope.read(decode_from_server):
            case GameMessage(match=match):
                self.say(match, Ready(match))
            case Turn() as turn:
                self.say(turn.match, Move(turn.match, turn.id, turn.moves[0]))
            case Over():
                Bot.over += 1

    def say(self, match: str, message: Ready | Move) -> None:
        data = encode(message)
        asyncio.get_running_loop().call_soon(self.bus.publish, bot_out(self.name, match), data, message)

    def close(self, code: int, reason: str) -> None: ...


def memory_kib() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024


def memory_elsewhere_kib(bots: int) -> float:
    """Return the memory of one bot that is connected to another server: each server knows all bots."""
    bus = LocalBus()
    others = OtherSessions(bus, Lobby(bus, now=time.monotonic), "us", lambda *_: None, lambda _: None)
    others.begin("them")
    before = memory_kib()
    for key in range(1, bots + 1):
        card = Card(key, f"{key:022}", f"bot{key}", ["breakthrough"], 1, "websocket", [], [], "", "")
        others.hear("them", Changes(key, [card], [])) if key > 1 else others.take("them", Whole(1, 1, 1, [card]))
    return (memory_kib() - before) / bots


async def measure(bots: int, folder: Path) -> list[Figure]:
    lag = LoopLag()
    async with await Store.open(f"sqlite:///{folder}/palio.db") as store:
        bus = LocalBus()
        lobby, feed = Lobby(bus, limits=LobbyLimits(sessions=bots + 1)), Feed(bus)
        arena = Arena(store, bus, lobby, feed, worker="bench", concurrency=bots)
        tasks = [asyncio.create_task(arena.run()), asyncio.create_task(lag.run())]
        await asyncio.sleep(0.2)
        names = [f"bot{number}" for number in range(bots)]
        before, began = memory_kib(), time.monotonic()
        for number, name in enumerate(names):
            lobby.join(Hello(name, ["breakthrough"]), Bot(bus, name), "websocket")
            if number % 50 == 0:
                await asyncio.sleep(0)  # as with sockets
        entered, memory = time.monotonic() - began, memory_kib() - before
        setups = [Setup("breakthrough", pair, options=SMALL) for pair in zip(names[::2], names[1::2], strict=True)]
        began, cpu = time.monotonic(), time.process_time()
        for begin in range(0, len(setups), 500):
            await arena.schedule_many(setups[begin : begin + 500])
        while Bot.over < bots // 2 * 2:  # it waits for thousands of events
            await asyncio.sleep(0.01)
            if tasks[0].done():
                tasks[0].result()
        took, cpu = time.monotonic() - began, time.process_time() - cpu
        plies, worst = arena.counts.plies, lag.worst_s
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    matches = len(setups)
    return [
        Figure(f"{bots:,} bots: to let all in", entered, "s", IN_S, less_is_better=True),
        Figure("memory of one bot", memory / bots, "KiB", MEMORY_KIB, less_is_better=True),
        Figure("memory of one bot of another server", memory_elsewhere_kib(bots), "KiB"),
        Figure(f"{matches:,} matches at once, scheduled to told", matches / took, "matches/s", MATCHES_S),
        Figure("plies", plies / took, "plies/s"),
        Figure("CPU of a match, its plies included", cpu / matches, "s"),
        Figure("the loop was late by at most", worst, "s"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bots", type=int, default=10_000)
    args = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder, infrequent_collection():
        figures = uvloop.run(measure(args.bots, Path(folder)))
    keep(figures)
    print(f"{table(figures)}\nload of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    sys.exit(main())
