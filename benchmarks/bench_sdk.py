"""CPU time of a bot's process a ply, where the bot answers at once: what our side of a bot costs.

A server plays matches between two bots of one kind over a WebSocket; each is `palio join` in a process of its own. Its
CPU time, system calls included, is read from /proc. What a program behind `exec:` uses is not counted.

    python benchmarks/bench_sdk.py [--seconds S] [--rounds N] [--only KIND]
"""

import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from bench_network import cores, free_port
from figures import Figure, report

HERE = Path(__file__).parent
GOAL_S = 0.0001
WARM_UP_S = 1.0
PLAIN = """
import random
from palio_clients import Bot
class Plain(Bot):
    def choose(self, state, clock):
        return random.choice(list(state.legal_moves()))
"""
NODE = """
require('readline').createInterface({input: process.stdin}).on('line', (line) => {
  const {type, match, id, moves} = JSON.parse(line)
  if (type === 'game') console.log(JSON.stringify({type: 'ready', match, again: true}))
  if (type === 'turn') console.log(JSON.stringify({type: 'move', match, id, move: moves[0]}))
})
"""


def specs(folder: Path) -> dict[str, str]:
    """The kinds of bots that are measured, each with what `palio join` is given."""
    (folder / "plain.py").write_text(PLAIN)
    kinds = {"random, which is quick": "random", "a bot of three lines": str(folder / "plain.py")}
    if shutil.which("gcc"):
        subprocess.run(["gcc", "-O2", "-o", folder / "stub", HERE / "stub.c"], check=True)
        kinds["exec, a program in C"] = f"exec:{folder / 'stub'}"
    elif shutil.which("node"):
        (folder / "stub.cjs").write_text(NODE)
        kinds["exec, a program in JavaScript"] = f"exec:node {folder / 'stub.cjs'}"
    return kinds


def cpu_s(pid: int) -> float:
    """User and system time of one process so far, its children's not included."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def plies(port: int) -> int:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/stats", timeout=10) as answer:
        return json.load(answer)["plies"]


def one(spec: str, seconds: float) -> float:
    """Seconds of CPU time a ply of one bot's process."""
    port, (server_core, bot_core) = free_port(), cores()
    server = subprocess.Popen([sys.executable, HERE / "net_server.py", "play", str(port), "1", str(server_core)])
    join = [sys.executable, "-m", "palio_clients", "join", f"ws://127.0.0.1:{port}", spec, "--quiet", "--name"]
    bots = [subprocess.Popen([*join, f"bot{seat}"]) for seat in (0, 1)]
    try:
        for bot in bots:
            os.sched_setaffinity(bot.pid, {bot_core})
        deadline = time.monotonic() + 30
        while True:
            try:
                if plies(port) > 0:
                    break
            except OSError:
                pass
            if time.monotonic() > deadline:
                raise TimeoutError(f"two bots {spec} do not play")
            time.sleep(0.1)
        time.sleep(WARM_UP_S)
        before, played = [cpu_s(bot.pid) for bot in bots], plies(port)
        time.sleep(seconds)
        used = sum(cpu_s(bot.pid) for bot in bots) - sum(before)
        return used / len(bots) / (plies(port) - played)
    finally:
        for process in (*bots, server):
            process.send_signal(signal.SIGINT)
        for process in (*bots, server):
            process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=4.0, help="of each run")
    parser.add_argument("--rounds", type=int, default=3, help="medians count")
    parser.add_argument("--only", default="", help="kinds whose name contains this")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_args()
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, spec in specs(Path(folder)).items():
            if args.only in kind:
                value = statistics.median(one(spec, args.seconds) for _ in range(args.rounds))
                figures.append(Figure(f"SDK: CPU a ply, {kind}", value, "s", GOAL_S, less_is_better=True))
    report(figures, args.rounds, as_json=args.json)


if __name__ == "__main__":
    main()
