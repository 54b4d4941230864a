"""Moves a second over real WebSockets, as a share of the rate of a bare echo server on the same stack and machine.

Both servers are uvicorn + uvloop + websockets' sans-I/O protocol. The echo has uvicorn's own WebSocket, and only
returns each message. The real one has ours, and plays 50 Breakthrough matches (8x8) of 100 bots at once as an arena
does: gateway, bus, channel, referee, running match, the journal in a SQLite file, the feed without viewers. The matches
are claimed before and never end (the cost of beginning and finishing a match is bench_run's subject): after a win the
board is set up again.

The bots declare in their hello, as good programs do, that they need neither lists of moves nor `played`: a ply is one
message in and one out. With --all there is a run with bots that want all of it (three messages out), and one without
journal and feed. Server and load have a core each; runs of all kinds alternate, medians count. The share is given
twice: by the clock, and by the server's CPU time, which other programs on the machine change less.

    python benchmarks/bench_network.py [--matches N] [--seconds S] [--rounds N] [--all]
"""

import argparse
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

from figures import Figure, keep

HERE = Path(__file__).parent
TARGET = 0.60
KAGGLE_US = 1500  # CPU of one ply in kaggle-environments
SIZE = 120  # bytes: the mean of a ply's messages


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cores() -> tuple[int, int]:
    """Return one core for the server, one for the load; the same one on a machine with a single core."""
    known = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0, 0]
    return known[0], known[-1]


def one(kind: str, matches: int, seconds: float) -> dict[str, float]:
    port, (server_core, load_core) = free_port(), cores()
    side = {"all": "play"}.get(kind, kind)
    server = subprocess.Popen([sys.executable, HERE / "net_server.py", side, *map(str, (port, matches, server_core))])
    try:
        for _ in range(500):
            with socket.socket() as probe:
                if server.poll() is not None or probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.02)
        arguments = [kind, port, 2 * matches, SIZE, load_core, seconds, 1]
        load = subprocess.run(
            [sys.executable, HERE / "net_client.py", *map(str, arguments)], capture_output=True, text=True, check=False
        )
        if load.returncode or server.poll() is not None:
            raise RuntimeError(f"the {kind} run failed: {load.stderr[-2000:]}")
        return json.loads(load.stdout)
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=50, help="at once, two bots each")
    parser.add_argument("--seconds", type=float, default=4.0, help="of each run")
    parser.add_argument("--rounds", type=int, default=5, help="of both servers in turn; medians count")
    parser.add_argument("--all", action="store_true", help="also bots that are told everything, and bare plies")
    args = parser.parse_args()
    kinds = ("echo", "play", "all", "bare") if args.all else ("echo", "play")
    found: dict[str, list[dict[str, float]]] = {kind: [] for kind in kinds}
    for _ in range(args.rounds):
        for kind, samples in found.items():
            samples.append(one(kind, args.matches, args.seconds))
    median = {
        kind: {name: statistics.median(sample[name] for sample in samples) for name in samples[0]}
        for kind, samples in found.items()
    }
    echo, play = median["echo"], median["play"]
    share, cpu_share = play["rate"] / echo["rate"], echo["server_us"] / play["server_us"]
    what = f"network: {args.matches} matches at once, moves as a share of bare echoes"
    keep([Figure(what, 100 * share, "%", 100 * TARGET, peer=f"an echo: {echo['rate']:,.0f}/s")])
    verdict = f"goal {TARGET:.0%}: {'met' if share >= TARGET else 'MISSED'}"
    print(f"{2 * args.matches} connections, {args.rounds} rounds of {args.seconds:g} s, medians")
    print(f"bare echo of {SIZE} bytes: {echo['rate']:8,.0f} round trips/s, {echo['server_us']:5.1f} us of CPU each")
    print(
        f"{args.matches:3} matches at once: {play['rate']:10,.0f} moves/s,      {play['server_us']:5.1f} us of CPU each"
    )
    print(f"moves as a share of echoes: {share:.0%} by the clock ({verdict}), {cpu_share:.0%} by server CPU")
    for kind, words in {"all": "with lists of moves and `played`", "bare": "without journal and feed"}.items():
        if kind in median:
            rate, us = median[kind]["rate"], median[kind]["server_us"]
            print(f"  {words}: {rate:,.0f} moves/s, {rate / echo['rate']:.0%}; {us:.1f} us of CPU each")
    print(f"client CPU: {echo['client_us']:.1f} us an echo, {play['client_us']:.1f} us a move")
    print(f"kaggle-environments: {KAGGLE_US} us a ply, {KAGGLE_US / play['server_us']:.0f} x ours, network included")


if __name__ == "__main__":
    main()
