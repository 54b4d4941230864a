"""Many viewers of one match over real WebSockets: whether all get every move, the delay, and the cost.

The server has one core and the audience, in another process, the other. One more viewer never reads. Delays run from
the moment in which the move is played to that in which a viewer's process has read it; that process is busy with all
viewers at once, so its own work is in the figure.
"""

import argparse
import asyncio
import json
import os
import random
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import uvloop
from figures import Figure, keep

from palio_db.store import Store
from palio_rules.contract.messages import Info
from palio_rules.records.record import Ply, Setup
from palio_server.api.app import create_app
from palio_server.arena.arena import Arena
from palio_server.bus.local import LocalBus
from palio_server.edge.places import SocketRoom, raise_limit
from palio_server.live.feed import Feed
from palio_server.lobby.access import Access
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.other_servers import ALONE
from palio_server.match import events
from palio_server.network.entrance import Entrance
from palio_server.network.http_server import serving
from palio_server.network.listeners import bind
from palio_server.settings import Settings

AUDIENCE = Path(__file__).parent / "viewers_audience.py"
MATCH = "bench"
TARGET_MS = 100
BEAT_S = 0.001


def moves(setup: Setup):
    """Yield random moves without end: after the end of a game, the next one begins."""
    rng, rules = random.Random(1), setup.rules()
    number = 0
    while True:
        state = setup.start()
        while state.to_move is not None:
            move, seat, number = rng.choice(list(state.legal_moves())), state.to_move, number + 1
            state = state.play(move)
            yield events.Played(number, Ply(seat, rules.move_to_wire(move), 100), move, state, [60_000, 60_000])


async def heartbeat(late: list[float]) -> None:
    """Measure how late the loop runs a timer, as a referee's clock would."""
    while True:
        due = time.monotonic() + BEAT_S
        await asyncio.sleep(BEAT_S)
        late.append(time.monotonic() - due)


async def play(feed: Feed, setup: Setup, rate: float, seconds: float, watching) -> float | None:
    """Play at `rate` moves/s; return when the viewer who never reads was cut off, in seconds from the first move."""
    began = time.monotonic()
    everybody, cut_off = watching(), None
    for number, event in zip(range(int(rate * seconds)), moves(setup), strict=False):
        await asyncio.sleep(max(0.0, began + number / rate - time.monotonic()))
        feed.note(MATCH, fresh(event))
        if cut_off is None and watching() < everybody:
            cut_off = time.monotonic() - began
    return cut_off


def fresh(event: events.Played) -> events.Played:
    """Return the event with the present time in the bot's information about its move."""
    stamp = Info(depth=4, nodes=12345, score=0.25, text=f"@{time.monotonic_ns():019}")
    return events.Played(
        event.number, Ply(event.ply.seat, event.ply.move, 100, stamp), event.move, event.state, event.clocks_ms
    )


async def measure(args: argparse.Namespace) -> dict:
    setup = Setup("breakthrough", ("ann", "bob"))
    async with await Store.open("sqlite://") as store:
        bus = LocalBus()
        lobby, feed = Lobby(bus), Feed(bus)
        arena = Arena(store, bus, lobby, feed, worker="bench", concurrency=1)
        access, settings = Access(store, "open"), Settings()
        app = create_app(
            SimpleNamespace(
                settings=settings,
                store=store,
                bus=bus,
                lobby=lobby,
                access=access,
                feed=feed,
                arena=arena,
                others=ALONE,
            )
        )
        feed.open(MATCH, setup)
        feed.note(MATCH, events.Started(setup.start(), [60_000, 60_000]))
        listener = bind("127.0.0.1", 0)
        most = args.viewers + 100
        raise_limit()
        async with serving(app, listener, entrance=Entrance(SocketRoom(2000, 256, most, 1000))):
            port = listener.getsockname()[1]
            audience = await asyncio.create_subprocess_exec(
                sys.executable, AUDIENCE, str(port), MATCH, str(args.viewers), str(args.cores[1]),
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=2**28,
            )  # fmt: skip
            async with asyncio.timeout(300):
                assert (await audience.stdout.readline()).strip() == b"ready"
            late: list[float] = []
            beat = asyncio.create_task(heartbeat(late))
            cpu, clock = time.process_time(), time.monotonic()
            cut_off = await play(feed, setup, args.rate, args.seconds, app.state.hub.viewers)
            cpu, clock = time.process_time() - cpu, time.monotonic() - clock
            beat.cancel()
            seen, _ = await audience.communicate(b"")
    return json.loads(seen) | {"cut_off": cut_off, "cpu_share": cpu / clock, "late": sorted(late)}


def quantile(values: list[float], share: float) -> float:
    return values[min(len(values) - 1, int(share * len(values)))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--viewers", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=10.0, help="moves a second")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--asyncio", action="store_true", help="without uvloop")
    args = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    args.cores = (cores[0], cores[-1])
    os.sched_setaffinity(0, {args.cores[0]})
    found = (asyncio.run if args.asyncio else uvloop.run)(measure(args))
    played = int(args.rate * args.seconds)
    share = sum(found["seen"]) / (played * args.viewers)
    p50, p99, worst = (quantile(found["delays"], at) / 1e6 for at in (0.5, 0.99, 1.0))
    cut_off = "NOT cut off" if found["cut_off"] is None else f"cut off after {found['cut_off']:.1f} s"
    late = found["late"]
    verdict = "met" if p99 < TARGET_MS else "MISSED"
    keep([Figure(f"viewers: {args.viewers} of one match, p99 of delay", p99, "ms", TARGET_MS, less_is_better=True)])
    lines = (
        f"{args.viewers} viewers of one match, {args.rate:g} moves/s for {args.seconds:g} s, one more never reads",
        f"moves delivered: {share:.2%} of {played * args.viewers:,}, {found['gapless']} viewers without a gap",
        f"delay: p50 {p50:.1f} ms, p99 {p99:.1f} ms, worst {worst:.1f} ms (goal p99 < {TARGET_MS} ms: {verdict})",
        f"the one that never reads: {cut_off}; others lost: {found['lost']}",
        f"server: {found['cpu_share']:.0%} of a core; "
        + "timers late by p50 {:.1f} ms, p99 {:.1f} ms, at worst {:.1f} ms".format(
            *(1e3 * quantile(late, at) for at in (0.5, 0.99, 1.0))
        ),
        f"load of the machine: {os.getloadavg()[0]:.1f} on {len(cores)} cores (ours is about 1)",
    )
    print("\n".join(lines))
    return int(share < 1 or found["gapless"] < args.viewers)


if __name__ == "__main__":
    sys.exit(main())
