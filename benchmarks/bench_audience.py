"""Large audiences: five thousand viewers of one server, twenty thousand of four gateways.

    python benchmarks/bench_audience.py                 5,000 viewers of one match at 10 moves/s, one server
    python benchmarks/bench_audience.py --gateways 4    20,000 at 2 moves/s: referee, broker, four gateways

One server is measured as in `bench_viewers.py`, with the same audience. With gateways everything is a process as
operators start it: a private Mosquitto, a new database on the PostgreSQL of PALIO_TEST_POSTGRES, one `palio serve
--role referee`, N times `--role gateway`, and two slow bots over WebSockets. Delays run from a bot's sending of a move
to the viewer's process; the time until the opponent's turn shows what the audience costs the referee. All processes
share the cores of this machine.
"""

import argparse
import asyncio
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import bench_viewers
import psycopg
import uvloop
from figures import Figure, environment, keep, table
from websockets.asyncio.client import connect

PALIO = str(Path(sys.executable).with_name("palio"))
POSTGRES = os.environ.get("PALIO_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432").rstrip("/")
ONE_P99_MS, ONE_SHARE, MANY_P99_MS = 80, 0.65, 150
READY_S = 60.0
OF_ONE = 9000  # viewers of one audience process: each uses a file descriptor


def one_server(args: Namespace) -> tuple[list[Figure], bool]:
    """Measure many viewers of one match of one server; return the figures, and whether all viewers were served."""
    cores = sorted(os.sched_getaffinity(0))
    wanted = Namespace(viewers=args.viewers, rate=args.rate, seconds=args.seconds, cores=(cores[0], cores[-1]))
    os.sched_setaffinity(0, {cores[0]})
    found = uvloop.run(bench_viewers.measure(wanted))
    due = int(args.rate * args.seconds) * args.viewers
    p99 = bench_viewers.quantile(found["delays"], 0.99) / 1e6
    what = f"{args.viewers:,} viewers of one match at {args.rate:g} moves/s"
    late = bench_viewers.quantile(found["late"], 0.99)
    figures = [
        Figure(f"{what}: p99 of delay", p99, "ms", ONE_P99_MS, less_is_better=True),
        Figure(f"{what}: share of a core", found["cpu_share"], "", ONE_SHARE, less_is_better=True),
        Figure("CPU of a message to a viewer", 1e6 * found["cpu_share"] * args.seconds / sum(found["seen"]), "us"),
        Figure("timers late, p99", late, "s"),
        Figure("viewers without a gap", found["gapless"], "", args.viewers),
    ]
    return figures, sum(found["seen"]) == due and found["gapless"] == args.viewers


# --- many gateways ----------------------------------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port: int, path: str) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False


def until(ready, what: str, seconds: float = READY_S) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not happen within {seconds:g} s")
        time.sleep(0.1)


@contextlib.contextmanager
def database() -> Iterator[str]:
    name = f"palio_bench_{os.getpid()}"
    with psycopg.connect(f"{POSTGRES}/postgres", autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            yield f"{POSTGRES}/{name}"
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextlib.contextmanager
def cluster(folder: Path, gateways: int) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the ports of the gateways, and the processes of referee and gateways."""
    broker = free_port()
    config = folder / "mosquitto.conf"
    limits = "max_queued_messages 5000\nmax_packet_size 66560\npersistence false\nallow_anonymous true\nuser root\n"
    config.write_text(f"listener {broker} 127.0.0.1\n{limits}")
    program = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin")
    ports = [free_port() for _ in range(gateways + 1)]
    with contextlib.ExitStack() as stack:
        db = stack.enter_context(database())
        started: list[subprocess.Popen] = []

        def end() -> None:
            for process in reversed(started):
                process.terminate()
            for process in started:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(12)
                process.kill()

        stack.callback(end)
        log = stack.enter_context((folder / "log").open("wb"))
        started.append(subprocess.Popen([program, "-c", str(config)], stdout=log, stderr=log))
        for number, port in enumerate(ports):
            role = "gateway" if number else "referee"
            words = [PALIO, "serve", "--role", role, "--port", str(port), "--db", db, "--no-auth"]
            words += ["--mqtt", f"mqtt://127.0.0.1:{broker}", "--worker", f"{role}-{number}"]
            started.append(subprocess.Popen(words, cwd=folder, env=environment(), stdout=log, stderr=log))
            until(lambda port=port: answers(port, "/api/health/ready"), f"the start of {role} {number}")
        yield ports[1:], [process.pid for process in started[1:]]


class SlowBot:
    """A bot that plays the first move after a delay, and reports the time."""

    waits: ClassVar[list[float]] = []  # of the opponent, from a move to the next turn
    sent_at: float | None = None

    def __init__(self, name: str, think_s: float) -> None:
        self.name, self.think_s = name, think_s
        self.here = asyncio.Event()

    async def play(self, port: int, go: asyncio.Event) -> None:
        async with connect(f"ws://127.0.0.1:{port}/ws/bot", max_size=None) as end:
            await end.send(json.dumps({"type": "hello", "name": self.name, "games": ["breakthrough"]}))
            async for text in end:
                message = json.loads(text)
                if message["type"] == "welcome":
                    self.here.set()
                elif message["type"] == "game":
                    await end.send(json.dumps({"type": "ready", "match": message["match"]}))
                elif message["type"] == "turn":
                    now = time.monotonic()
                    if SlowBot.sent_at is not None:
                        SlowBot.waits.append(now - SlowBot.sent_at)
                    await go.wait()
                    await asyncio.sleep(self.think_s)
                    SlowBot.sent_at = time.monotonic()
                    await end.send(json.dumps(self.move(message)))
                elif message["type"] == "over":
                    return

    def move(self, turn: dict) -> dict:
        info = {"text": f"@{time.monotonic_ns():019}"}
        moves = turn["moves"]
        return {"type": "move", "match": turn["match"], "id": turn["id"], "move": moves[len(moves) // 2], "info": info}


def accepted(request: urllib.request.Request) -> str:
    """Return the match, when the gateway knows both bots."""
    for left in range(50, -1, -1):
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)["match"]
        except urllib.error.HTTPError as error:
            if not left:
                raise RuntimeError(error.read().decode()) from None
            time.sleep(0.2)
    raise AssertionError


def cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def many(args: Namespace, ports: list[int], pids: list[int]) -> tuple[list[Figure], bool]:
    go = asyncio.Event()
    bots = [SlowBot(name, 1 / args.rate) for name in ("ann", "bob")]
    playing = [asyncio.create_task(bot.play(ports[place % len(ports)], go)) for place, bot in enumerate(bots)]
    for bot in bots:
        await bot.here.wait()
    asked = json.dumps({"game": "breakthrough", "bots": ["ann", "bob"], "options": {"rows": 8, "cols": 8}, "tc": "inf"})
    request = urllib.request.Request(
        f"http://127.0.0.1:{ports[0]}/api/matches", asked.encode(), {"Content-Type": "application/json"}
    )
    match = await asyncio.to_thread(accepted, request)
    everywhere = [f"/api/matches/{match}"]
    await asyncio.to_thread(lambda: [until(lambda p=p: answers(p, everywhere[0]), "the match") for p in ports])
    await asyncio.sleep(2)  # the match has begun everywhere
    cores = ",".join(map(str, sorted(os.sched_getaffinity(0))))
    crowds = [min(OF_ONE, args.viewers - begin) for begin in range(0, args.viewers, OF_ONE)]
    audiences = [
        await asyncio.create_subprocess_exec(
            sys.executable, bench_viewers.AUDIENCE, ",".join(map(str, ports)), match, str(crowd), cores,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=2**28,
        )
        for crowd in crowds
    ]  # fmt: skip
    async with asyncio.timeout(600):
        for audience in audiences:
            assert (await audience.stdout.readline()).strip() == b"ready"
    before = [cpu_of(pid) for pid in pids]
    began = time.monotonic()
    go.set()
    await asyncio.sleep(args.seconds)
    took = time.monotonic() - began
    shares = [(cpu_of(pid) - was) / took for pid, was in zip(pids, before, strict=True)]
    parts = [json.loads(seen) for seen, _ in await asyncio.gather(*(each.communicate(b"") for each in audiences))]
    for task in playing:
        task.cancel()
    found = {
        "seen": [count for part in parts for count in part["seen"]],
        "delays": sorted(delay for part in parts for delay in part["delays"]),
        "gapless": sum(part["gapless"] for part in parts),
    }
    what = f"{args.viewers:,} viewers of {len(ports)} gateways at {args.rate:g} moves/s"
    waits = sorted(SlowBot.waits[1:])
    figures = [
        Figure(f"{what}: p99 of delay", bench_viewers.quantile(found["delays"], 0.99) / 1e6, "ms", MANY_P99_MS,
               less_is_better=True),
        Figure("viewers without a gap", found["gapless"], "", args.viewers),
        Figure("messages delivered", sum(found["seen"]), ""),
        Figure("a turn follows a move after, p50", bench_viewers.quantile(waits, 0.5), "s"),
        Figure("a turn follows a move after, p99", bench_viewers.quantile(waits, 0.99), "s"),
        Figure("referee: share of a core", shares[0], ""),
        Figure("gateways: shares of a core, in all", sum(shares[1:]), ""),
    ]  # fmt: skip
    return figures, found["gapless"] == args.viewers and min(found["seen"]) >= max(found["seen"]) - 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gateways", type=int, default=0, help="0: one server does all")
    parser.add_argument("--viewers", type=int, help="default: 5000, with gateways 20,000")
    parser.add_argument("--rate", type=float, help="moves a second; default: 10, with gateways 2")
    parser.add_argument("--seconds", type=float, default=20.0)
    args = parser.parse_args()
    args.viewers = args.viewers or (20_000 if args.gateways else 5000)
    args.rate = args.rate or (2.0 if args.gateways else 10.0)
    if args.gateways:
        with tempfile.TemporaryDirectory() as folder, cluster(Path(folder), args.gateways) as (ports, pids):
            figures, whole = uvloop.run(many(args, ports, pids))
    else:
        figures, whole = one_server(args)
    keep(figures)
    load = f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    print(f"{table(figures)}\n{load}{'' if whole else '; NOT everybody got everything'}")
    return int(not whole)


if __name__ == "__main__":
    sys.exit(main())
