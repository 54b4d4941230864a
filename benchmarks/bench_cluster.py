"""`palio run --cluster`: the cost of a game for its coordinator, and the fate of games when workers die.

    python benchmarks/bench_cluster.py [--games N] [--quick] [--no-kills]

A scheduler and workers of one thread each run beside the command, on loopback and without TLS, as in a lab. The bots
are random ones on the board of five rows and four columns, so that games are as short as possible: real games on a
cluster are longer, and the coordinator's share is smaller.

- **games/s** with 1, 2 and 4 workers: from the start of the first game to the last result, by the database.
- **coordinator, scheduler, worker**: CPU time of a game, from the difference between a short and a long run, in which
  the start-up cancels out. The worker's is with the processes of its bots. `workers for one coordinator`: how many such
  workers, with a core each, keep a core of the coordinator busy; `for one scheduler` likewise.
- **kills**: 2,000 games with `--cluster local:4`, of whose workers one is killed every second. All must have a result,
  none two. A restarted worker uses half a second of CPU with its bots: that is half of two cores.
"""

import argparse
import itertools
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from figures import Figure, environment, keep, table
from process_tree import TICK_S, Tree, run

PALIO = str(Path(sys.executable).with_name("palio"))
GAME = "breakthrough:rows=5,cols=4"
WORKERS = (1, 2, 4)
KILL_S = 1.0


@dataclass(frozen=True, slots=True)
class Cluster:
    """A scheduler and the command that keeps workers, both child processes."""

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: subprocess.Popen[bytes]

    def scheduler_s(self) -> float:
        return cpu_s(self.scheduler.pid)

    def workers_s(self) -> float:
        """Return the CPU time of workers and bots so far; for ended ones, from their parents."""
        return sum(cpu_s(pid, with_ended=True) for pid in below(self.workers.pid))


def command_of(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def forked() -> list[int]:
    """Return the workers of a child command: the children of its fork server."""
    servers = [pid for pid in below(os.getpid()) if b"multiprocessing.forkserver" in command_of(pid)]
    return [pid for server in servers for pid in children(server) if b"forkserver" in command_of(pid)]


def cpu_s(pid: int, *, with_ended: bool = False) -> float:
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return sum(int(field) for field in fields[11 : 15 if with_ended else 13]) * TICK_S
    return 0.0


def children(pid: int) -> list[int]:
    with suppress(OSError):
        files = Path(f"/proc/{pid}/task").glob("*/children")
        return [int(child) for file in files for child in file.read_text().split()]
    return []


def below(pid: int) -> list[int]:
    return [pid, *(each for child in children(pid) for each in below(child))]


@contextmanager
def cluster(workers: int, folder: Path) -> Iterator[Cluster]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    here = ("--host", "127.0.0.1", "--no-dashboard")
    scheduler = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", str(port), *here], **quiet
    )
    keeper = subprocess.Popen(
        [
            *(sys.executable, "-m", "distributed.cli.dask_worker", address, *here, "--nthreads", "1"),
            *("--nworkers", str(workers), "--memory-limit", "0", "--local-directory", str(folder)),
        ],
        **quiet,
    )
    try:
        yield Cluster(address, scheduler, keeper)
    finally:
        for process in (keeper, scheduler):
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(20)
            process.kill()
            process.wait()


@dataclass(frozen=True, slots=True)
class Run:
    tree: Tree
    games: int
    aborted: int
    games_a_second: float
    scheduler_s: float
    workers_s: float
    file: Path


def spent(where: Cluster | str) -> tuple[float, float]:
    """Return the CPU time of scheduler and workers so far; the command's own ones are not known."""
    return (0.0, 0.0) if isinstance(where, str) else (where.scheduler_s(), where.workers_s())


def tournament(where: Cluster | str, folder: Path, games: int) -> Run:
    file = folder / f"{time.monotonic_ns()}.db"
    before = spent(where)
    tree = run(
        *(PALIO, "run", GAME, "random", "other=random", "--rounds", str(games // 2), "--json"),
        *("--db", f"sqlite:///{file}", "--cluster", where.address if isinstance(where, Cluster) else where),
        cwd=folder,
        environment=environment(),
    )
    time.sleep(1.5)  # the bots end, and are counted by their parents
    with sqlite3.connect(file) as rows:
        count, first, last = rows.execute(
            "SELECT count(*), min(started_at), max(finished_at) FROM matches WHERE status = 'finished'"
        ).fetchone()
        aborted = rows.execute("SELECT count(*) FROM matches WHERE status = 'aborted'").fetchone()[0]
    begin, end = (datetime.fromisoformat(f"{at}+00:00").timestamp() for at in (first, last))
    took = (after - earlier for earlier, after in zip(before, spent(where), strict=True))
    return Run(tree, count, aborted, count / (end - begin), *took, file)


def costs(short: Run, long: Run) -> tuple[float, float, float]:
    """Return milliseconds of CPU a game: coordinator, scheduler, worker."""
    games = long.games - short.games
    coordinator = long.tree.cpu_s(root=True) - short.tree.cpu_s(root=True)
    parts = coordinator, long.scheduler_s - short.scheduler_s, long.workers_s - short.workers_s
    return tuple(1000 * part / games for part in parts)


def rows(folder: Path, games: int) -> Iterator[Figure]:
    for workers in WORKERS:
        with cluster(workers, folder) as where:
            short, long = (tournament(where, folder, count) for count in (games // 10, games))
        yield Figure(f"palio run --cluster: {workers} workers", long.games_a_second, "games/s")
        coordinator, scheduler, worker = costs(short, long)
    yield Figure("  coordinator's CPU a game", coordinator, "ms", 0.5, less_is_better=True)
    yield Figure("  scheduler's CPU a game", scheduler, "ms")
    yield Figure("  a worker's CPU a game, with its bots", worker, "ms")
    yield Figure("  workers for one coordinator", worker / coordinator, "")
    yield Figure("  workers for one scheduler", worker / max(scheduler, 0.001), "")


def killed(folder: Path, games: int) -> Iterator[Figure]:
    """Kill a worker every second while a tournament is played."""
    over, kills = threading.Event(), itertools.count()

    def kill() -> None:
        while not over.wait(KILL_S):
            if victims := forked():
                with suppress(ProcessLookupError):
                    os.kill(victims[next(kills) % len(victims)], signal.SIGKILL)

    killing = threading.Thread(target=kill)
    killing.start()
    try:
        found = tournament("local:4", folder, games)
    finally:
        over.set()
        killing.join()
    verified = subprocess.run(
        [PALIO, "verify", "--db", f"sqlite:///{found.file}"], capture_output=True, text=True, check=True
    ).stdout
    with sqlite3.connect(found.file) as kept:
        won = kept.execute("SELECT sum(wins + draws + losses) FROM pair_scores").fetchone()[0]
    print(f"{next(kills)} workers were killed: {found.games} results, {found.aborted} without; {verified.strip()}")
    counted = json.loads(found.tree.output[found.tree.output.index("{") :])["games"]["finished"]
    assert found.games == won == counted, (found.games, won, counted)
    yield Figure("  with a kill every second: results", found.games, "", games)
    yield Figure("  with a kill every second: games/s", found.games_a_second, "games/s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--quick", action="store_true", help="few games, and nobody is killed")
    parser.add_argument("--no-kills", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = list(rows(Path(folder), 1000 if asked.quick else asked.games))
        if not asked.quick and not asked.no_kills:
            found += killed(Path(folder), 2000)
    keep(found)
    print(table(found))


if __name__ == "__main__":
    main()
