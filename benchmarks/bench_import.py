"""The time and memory of `palio import`, by the number of matches: both must not grow faster than the file.

    python benchmarks/bench_import.py                       # 12,500, 25,000, 50,000 and 100,000 matches
    python benchmarks/bench_import.py --matches 8000 --sizes 2

The matches are of dominoes on four by four squares, played at random between a thousand bots, as JSON lines. Each size
is imported into a new SQLite file by a process of its own. Its CPU time counts, which other programs disturb little,
and its peak resident memory. Files go to a temporary folder.
"""

import argparse
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
from figures import Figure, keep
from msgspec.structs import replace

from palio_db.event_values import KeptMatch, as_kept
from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record, Setup
from palio_rules.time_control import TimeControl

PALIO = (sys.executable, "-c", "from palio_server.cli import main; main()")
THEN = datetime(2026, 1, 1, tzinfo=UTC)
BOTS = [f"bot-{number:04}" for number in range(1000)]
GAMES = 50  # different ones
GROWTH = 1.5  # of CPU time a match, and of memory, from the smallest size to the largest one
MILLION = 1_000_000


def game(seed: int) -> Record:
    choose = random.Random(seed)
    setup = Setup("dominoes", ("a", "b"), {"rows": 4, "cols": 4}, time=TimeControl(60_000, 100))
    rules, state, plies = setup.rules(), setup.start(), list[Ply]()
    while state.to_move is not None:
        move = choose.choice(list(state.legal_moves()))
        plies.append(Ply(state.to_move, rules.move_to_wire(move), choose.randrange(500)))
        state = state.play(move)
    ended = state.outcome()
    assert ended is not None
    return Record("m", setup, tuple(plies), Result("rule", ended.reason, list(ended.scores)), THEN, THEN)


def matches(count: int) -> Iterator[KeptMatch]:
    """Yield matches, the oldest first."""
    games, choose = [game(seed) for seed in range(GAMES)], random.Random(1)
    for number in range(count):
        record, bots = games[number % GAMES], tuple(choose.sample(BOTS, 2))
        end = THEN + timedelta(seconds=number)
        yield as_kept(replace(record, match=f"m{number:08}", setup=replace(record.setup, bots=bots), finished_at=end))


def imported(source: Path, db: Path) -> tuple[float, float]:
    """Import a file; return the process's CPU seconds, and its peak resident memory in MiB."""
    pid = os.posix_spawn(sys.executable, [*PALIO, "import", str(source), "--db", str(db)], os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0), (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ])  # fmt: skip
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, source
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(folder: Path, most: int, sizes: int) -> None:
    spent: list[tuple[int, float, float]] = []
    print(f"{'matches':>9} {'CPU s':>8} {'ms a match':>11} {'MiB':>6}")
    for count in [most >> halved for halved in reversed(range(sizes))]:
        source = folder / f"{count}.jsonl"
        with source.open("wb") as file:
            file.writelines(msgspec.json.encode(kept) + b"\n" for kept in matches(count))
        seconds, mib = imported(source, folder / f"{count}.db")
        source.unlink()
        spent.append((count, seconds, mib))
        print(f"{count:9,} {seconds:8.1f} {1000 * seconds / count:11.3f} {mib:6.0f}", flush=True)
    (few, first_s, first_mib), (many, last_s, last_mib) = spent[0], spent[-1]
    label = f"import of {many:,} matches"
    keep([
        Figure(f"{label}: CPU time a match", last_s / many, "s"),
        Figure(f"{label}: of that with {few:,}", last_s / many / (first_s / few), "times", GROWTH, less_is_better=True),
        Figure(f"{label}: memory, of that with {few:,}", last_mib / first_mib, "times", GROWTH, less_is_better=True),
        Figure("import of a million matches, extrapolated", last_s / many * MILLION / 60, "min"),
    ])  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--sizes", type=int, default=4, help="each of them has half as many as the next one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="palio-bench-") as folder:
        measure(Path(folder), options.matches, options.sizes)


if __name__ == "__main__":
    main()
