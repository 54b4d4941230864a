"""A large ladder: thousands of bots on one `palio serve --ladder`, each answering every turn after one second.

A real server process on loopback with its own SQLite file has one core; all bots, raw WebSockets in another process
(`crowd_bots.py`), have the other. They connect at once, are paired by the ladder, and play random moves in breakthrough
on its usual 6x6 board: some thirty moves, so that of 1,000 bots 500 are always thinking, and some 15 matches a second
end and begin. The figures are:

- how long after the first connection all bots were in a match, and the longest time that the server's event loop was
  blocked meanwhile (by a probe that pings continuously);
- then, over a steady window, the CPU time of the server (user and system, all threads, from /proc), moves a second, and
  the time from a move to the opponent's turn at the clients, the load's own delays included.

With `--mqtt` the bots play over MQTT, on a Mosquitto of their own; the broker's CPU time is another figure.

Linux only. `--quick` takes below half a minute, too short for figures to be quoted.
"""

import argparse
import asyncio
import json
import os
import re
import resource
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from crowd_mqtt import broker_in
from figures import Figure, environment, keep, table

CROWD = Path(__file__).parent / "crowd_bots.py"
GOALS = {1000: 20.0, 5000: 100.0}  # per cent of a core
FILES = 200  # open files of a server beside its connections
TIME_CONTROL = "600+2"  # no bot runs out of time


def allow_files(bots: int) -> None:
    """Raise the file limit of this process and its children to a socket a bot."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if bots + FILES > hard:
        raise SystemExit(f"{bots} bots need {bots + FILES} open files; the hard limit is {hard} (`ulimit -Hn`)")
    resource.setrlimit(resource.RLIMIT_NOFILE, (bots + FILES, hard))


@asynccontextmanager
async def server_on(folder: Path, *words: str, core: int | None = None) -> AsyncIterator[tuple[int, int]]:
    """Run a server process with its database in `folder`, on one core if given; yield its port and process."""
    server = await asyncio.create_subprocess_exec(
        Path(sys.executable).parent / "palio", "serve", "--port", "0", "--db", f"sqlite:///{folder}/palio.db", *words,
        env=environment(), stdout=asyncio.subprocess.PIPE,
        preexec_fn=None if core is None else lambda: os.sched_setaffinity(0, {core}),
    )  # fmt: skip
    try:
        line = (await server.stdout.readline()).decode()
        port = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if port is None:
            raise SystemExit(f"the server does not say where it is: {line!r}")
        yield int(port[1]), server.pid
    finally:
        server.terminate()
        try:
            await asyncio.wait_for(server.wait(), 30)
        except TimeoutError:
            server.kill()
            await server.wait()


async def measure(bots: int, args: argparse.Namespace) -> dict[str, float]:
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        words, broker = ["--ladder", "--tc", TIME_CONTROL, "--concurrency", str(max(8, bots))], ()
        if args.mqtt:
            broker = await stack.enter_async_context(broker_in(Path(folder)))
            words += ["--mqtt", f"mqtt://127.0.0.1:{broker[0]}"]
        async with server_on(Path(folder), *words, core=args.cores[0]) as (port, pid):
            load = await asyncio.create_subprocess_exec(
                sys.executable, CROWD, str(port), str(pid), str(bots), str(args.settle), str(args.seconds),
                str(args.cores[1]), *map(str, broker), stdout=asyncio.subprocess.PIPE,
            )  # fmt: skip
            if args.watch:
                print(f"server {pid}, load {load.pid}", file=sys.stderr, flush=True)
            out, _ = await load.communicate()
            if load.returncode:
                raise SystemExit(f"the load of {bots} bots failed")
            return json.loads(out)


def figures(bots: int, found: dict[str, float], *, mqtt: bool = False) -> list[Figure]:
    name, goal = f"crowd: {bots:,} bots{' over MQTT' if mqtt else ''}", None if mqtt else GOALS.get(bots)
    load = f"load {os.getloadavg()[0]:.1f}, the bots' process {found['own_share']:.0%} of a core"
    brokers = [Figure(f"{name}, the broker's share of a core", 100 * found["broker_share"], "%")] if mqtt else []
    return [
        Figure(f"{name}, server's share of a core", 100 * found["share"], "%", goal, True, note=load),
        *brokers,
        Figure(f"{name}, moves a second", found["moves"], "/s", note=f"{found['matches']:.1f} matches a second"),
        Figure(f"{name}, CPU a move", 1e6 * found["share"] / max(found["moves"], 1e-9), "us"),
        Figure(f"{name}, move to turn, p99", found["p99_s"], "s", note=f"p50 {1e3 * found['p50_s']:.1f} ms, the load's"
               f" own lateness p99 {1e3 * found['own_late_p99_s']:.1f} ms"),
        Figure(f"{name}, pong, longest", found["pong_longest_s"], "s", note=f"p99 {1e3 * found['pong_p99_s']:.1f} ms"),
        Figure(f"{name}, all in a match", found["begun_s"], "s", note=f"all connected after {found['arrived_s']:.1f} s,"
               f" {found['rush_cpu_s']:.1f} s of CPU"),
        Figure(f"{name}, pong while all begin, longest", found["rush_longest_s"], "s"),
    ]  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", default="1000,5000", help="how many, one measurement each")
    parser.add_argument("--mqtt", action="store_true", help="over MQTT; needs Mosquitto")
    parser.add_argument("--settle", type=float, default=20.0, help="seconds from the last bot's first match on")
    parser.add_argument("--seconds", type=float, default=30.0, help="of the steady window")
    parser.add_argument("--quick", action="store_true", help="200 bots, a few seconds")
    parser.add_argument("--watch", action="store_true", help="name the processes, for a profiler")
    args = parser.parse_args()
    if args.quick:
        args.bots, args.settle, args.seconds = "200", 3.0, 8.0
    cores = sorted(os.sched_getaffinity(0))
    args.cores = (cores[0], cores[-1])
    for bots in map(int, args.bots.split(",")):
        allow_files(bots)
        found = asyncio.run(measure(bots, args))
        rows = figures(bots, found, mqtt=args.mqtt)
        keep(rows)
        print(f"{table(rows)}\n", flush=True)
        if found["lost"] or found["faults"]:
            print(f"{found['lost']} of {bots} bots were cut off; complaints: {found['faults']}")
            return 1
        time.sleep(1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
