"""The speed and memory of an export of a million plies, and the speed of its import.

    python benchmarks/bench_export.py                      # a million plies, three runs of each
    python benchmarks/bench_export.py --plies 50000 --runs 1

The matches are of breakthrough, played at random on the usual board, in a new SQLite file. Each export is a separate
process, `palio export`, whose peak resident memory the system reports; it is compared with that of a tenth as many
plies, because the claim is that it does not grow. Files go to a temporary folder.
"""

import argparse
import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from figures import Figure, keep
from msgspec.structs import replace

from palio_db.event_values import KeptMatch, as_kept
from palio_db.store import Store
from palio_rules.contract.messages import Info, Result
from palio_rules.records.record import Ply, Record, Setup
from palio_rules.time_control import TimeControl

PALIO = (sys.executable, "-c", "from palio_server.cli import main; main()")
THEN = datetime(2026, 1, 1, tzinfo=UTC)
BOTS = [f"bot-{number:02}" for number in range(20)]
GAMES = 50  # different ones
BATCH = 500
CASES = {
    "jsonl, matches": ("matches", "jsonl"), "jsonl, plies": ("plies", "jsonl"), "csv, plies": ("plies", "csv"),
    "parquet, plies": ("plies", "parquet"), "parquet, matches": ("matches", "parquet"), "pgn": ("matches", "pgn"),
}  # fmt: skip
MEMORY_MIB = 400.0  # all of a process, libraries included
GROWTH = 1.3  # of it, from a tenth of the plies to all of them


def game(seed: int) -> Record:
    choose = random.Random(seed)
    setup = Setup("breakthrough", ("a", "b"), time=TimeControl(60_000, 100))
    rules, state, plies = setup.rules(), setup.start(), list[Ply]()
    while state.to_move is not None:
        move = choose.choice(list(state.legal_moves()))
        info = Info(depth=choose.randrange(9), nodes=choose.randrange(10**6), score=choose.random(), pv=["a2-a3"])
        plies.append(Ply(state.to_move, rules.move_to_wire(move), choose.randrange(500), info))
        state = state.play(move)
    ended = state.outcome()
    assert ended is not None
    return Record("m", setup, tuple(plies), Result("rule", ended.reason, list(ended.scores)), THEN, THEN)


def matches(plies: int) -> Iterator[KeptMatch]:
    games, choose, made, number = [game(seed) for seed in range(GAMES)], random.Random(1), 0, 0
    while made < plies:
        record, bots = games[number % GAMES], tuple(choose.sample(BOTS, 2))
        end = THEN + timedelta(seconds=number)
        yield as_kept(replace(record, match=f"m{number:08}", setup=replace(record.setup, bots=bots), finished_at=end))
        made += len(record.plies)
        number += 1


async def fill(db: Path, plies: int) -> int:
    count, batch = 0, list[KeptMatch]()
    async with await Store.open(f"sqlite:///{db}") as store:
        for kept in matches(plies):
            batch.append(kept)
            count += len(kept.plies)
            if len(batch) == BATCH:
                await store.import_matches(batch)
                batch.clear()
        if batch:
            await store.import_matches(batch)
    return count


def run(*words: object) -> tuple[float, float]:
    """Return seconds, and the peak resident memory in MiB."""
    start = time.perf_counter()
    pid = os.posix_spawn(sys.executable, [*PALIO, *map(str, words)], os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0), (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ])  # fmt: skip
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, words
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def measure(folder: Path, plies: int, runs: int) -> None:
    large, small = folder / "large.db", folder / "small.db"
    count = asyncio.run(fill(large, plies))
    asyncio.run(fill(small, plies // 10))
    print(f"{count:,} plies, {runs} runs, medians")
    print(f"{'':18} {'plies/s':>9} {'MiB':>6} {'MiB, a tenth':>13} {'MB on disk':>11}")
    for name, (what, form) in CASES.items():
        file = folder / f"out.{form}"
        words = ("export", "--what", what, "--format", form, "-o", file, "--force")
        spent = [run(*words, large) for _ in range(runs)]
        size = file.stat().st_size / 1e6
        show(name, count, spent, statistics.median(run(*words, small)[1] for _ in range(runs)), size)
    source = folder / "in.jsonl"
    run("export", "-o", source, small)
    _, few = run("import", source, "--db", folder / "few.db")
    run("export", "-o", source, "--force", large)
    spent = [run("import", source, "--db", folder / f"many-{number}.db") for number in range(runs)]
    show("import of jsonl", count, spent, few, source.stat().st_size / 1e6)


def show(name: str, count: int, spent: list[tuple[float, float]], few: float, size: float) -> None:
    rate = statistics.median(count / seconds for seconds, _ in spent)
    memory = statistics.median(mib for _, mib in spent)
    print(f"{name:18} {rate:9,.0f} {memory:6.0f} {few:13.0f} {size:11.1f}", flush=True)
    label = f"{count:,} plies, {name}"
    keep([
        Figure(f"{label}: speed", rate, "plies/s"),
        Figure(f"{label}: memory", memory, "MiB", MEMORY_MIB, less_is_better=True),
        Figure(f"{label}: memory, of that for a tenth", memory / few, "times", GROWTH, less_is_better=True),
    ])  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plies", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="palio-bench-") as folder:
        measure(Path(folder), options.plies, options.runs)


if __name__ == "__main__":
    main()
