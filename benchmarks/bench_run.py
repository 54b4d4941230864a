"""`palio run` as a user types it, compared with fastchess: whole processes, with journal, records, page and table.

    python benchmarks/bench_run.py [--games N] [--quick]

- **plies/s**: instant bots on 8x8 Breakthrough, two games at once; from the start of the first game to the last result,
  by the database. The peer is fastchess with Stockfish at `nodes=1`, two games at once, if both are on PATH; else their
  figure on a machine of the same kind (two cores, fastchess 1.8.2, November 2026): 3,640 plies/s. If Stockfish and a C
  compiler are there, a lower bound for such a program is measured as well: a C loop that passes moves between two
  Stockfish processes, without checks or records.
- **a ply, a match, the bot's ply**: CPU time of the server and of the bots' processes, from the differences between a
  short run and a long one, in which the start-up cancels out. Two games of different lengths tell plies from matches.
- **first game**: from the command to the start of the first game. **answers**: whole processes of query commands.
"""

import argparse
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from figures import Figure, environment, keep, table
from process_tree import Tree, run

PALIO = str(Path(sys.executable).with_name("palio"))
ENGINES = Path(__file__).parent / "engines"
QUOTED = 3640  # plies/s
BOTS = "palio_clients"  # in the command lines of bots' processes
EIGHT, THREE = "breakthrough:rows=8,cols=8", "dominoes:rows=3,cols=3"


MINE = """
import random
from palio_clients import Bot


class Mine(Bot):
    def choose(self, state, clock):
        return random.choice(list(state.legal_moves()))
"""


@dataclass(frozen=True, slots=True)
class Run:
    """The measurements of a tournament. `span_s` is from the first start to the last result."""

    tree: Tree
    games: int
    plies: int
    span_s: float
    first_s: float  # from the command to the first start

    @property
    def plies_a_second(self) -> float:
        return self.plies / self.span_s

    @property
    def games_a_second(self) -> float:
        return self.games / self.span_s


def tournament(folder: Path, game: str, bots: tuple[str, str], games: int, concurrency: int) -> Run:
    """Play a tournament in a new database."""
    file = folder / f"{time.monotonic_ns()}.db"
    began = time.time()
    tree = run(
        *(PALIO, "run", game, bots[0], f"other={bots[1]}", "--rounds", str(games // 2)),
        *("--concurrency", str(concurrency), "--db", f"sqlite:///{file}"),
        cwd=folder,
        environment=environment(),
    )
    with sqlite3.connect(file) as rows:
        count, plies, first, last = rows.execute(
            "SELECT count(*), sum(plies), min(started_at), max(finished_at) FROM matches WHERE status = 'finished'"
        ).fetchone()
    begin, end = (datetime.fromisoformat(f"{at}+00:00").timestamp() for at in (first, last))
    return Run(tree, count, plies, end - begin, begin - began)


def median(runs: list[Run], name: str) -> float:
    return statistics.median(getattr(each, name) for each in runs)


def slope(short: Run, long: Run, word: str | None) -> tuple[float, int, int]:
    """Return CPU seconds, plies and games of the long run beyond the short one; `word` None: the server's."""
    cpu_s = [each.tree.cpu_s(root=True) if word is None else each.tree.cpu_s(word) for each in (short, long)]
    return cpu_s[1] - cpu_s[0], long.plies - short.plies, long.games - short.games


def costs(eight: tuple[Run, Run], three: tuple[Run, Run]) -> tuple[float, float, float]:
    """Return server CPU of a ply and of a match, and a bot's CPU of its own ply, in milliseconds."""
    (cpu_a, plies_a, games_a), (cpu_b, plies_b, games_b) = slope(*eight, None), slope(*three, None)
    ply = (cpu_a * games_b - cpu_b * games_a) / (plies_a * games_b - plies_b * games_a)
    match = (cpu_a - ply * plies_a) / games_a
    bots, plies, _ = slope(*eight, BOTS)
    return 1000 * ply, 1000 * match, 1000 * bots / plies


def compiled(folder: Path, source: str, *options: str) -> Path | None:
    """Return the program compiled from one of our sources; None without a C compiler."""
    compiler, program = shutil.which("cc"), folder / Path(source).stem
    if compiler is None:
        return None
    subprocess.run([compiler, "-O2", *options, "-o", program, ENGINES / source], check=True)
    return program


def instant_program(folder: Path) -> str:
    """Return a spec of a program that answers at once; "" if neither a C compiler nor Node.js is there."""
    if program := compiled(folder, "instant.c"):
        return f"exec:{program}"
    return f"exec:node {ENGINES / 'instant.mjs'}" if shutil.which("node") else ""


def fastchess(folder: Path, games: int) -> tuple[float, str]:
    """Return plies a second of the peer, two games at once, and the source of the figure."""
    program, engine = shutil.which("fastchess"), shutil.which("stockfish", path=f"{os.environ['PATH']}:/usr/games")
    if program is None or engine is None:
        known = f"fastchess: {QUOTED:,}/s (quoted)"
        if engine is not None and (loop := compiled(folder, "uci_games.c", "-pthread")):
            bare = subprocess.run([loop, engine, str(games)], check=True, capture_output=True, text=True).stdout
            known += f", a bare C loop: {int(bare):,}/s"
        return QUOTED, known
    pgn = folder / "games.pgn"
    began = time.perf_counter()
    engines = [word for name in ("one", "two") for word in ("-engine", f"cmd={engine}", f"name={name}", "nodes=1")]
    each = ("-each", "tc=10+0.1", "-rounds", str(games // 2), "-repeat", "-concurrency", "2", "-pgnout", f"file={pgn}")
    subprocess.run([program, *engines, *each], cwd=folder, check=True, capture_output=True)
    seconds = time.perf_counter() - began
    plies = sum(int(line.split('"')[1]) for line in pgn.read_text().splitlines() if line.startswith("[PlyCount"))
    return plies / seconds, f"fastchess: {plies / seconds:,.0f}/s"


def answer_s(folder: Path, *words: str) -> float:
    """Return the median time of a whole command."""
    taken = []
    for _ in range(9):
        began = time.perf_counter()
        subprocess.run([PALIO, *words], cwd=folder, env=environment(), check=True, capture_output=True)
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def rows(folder: Path, games: int, times: int) -> Iterator[Figure]:
    random = ("random", "random")
    peer, known = fastchess(folder, games)
    tournament(folder, EIGHT, random, 4, 2)  # compiles everything first
    short = [tournament(folder, EIGHT, random, games // 10, 2) for _ in range(times)]
    eight = [tournament(folder, EIGHT, random, games, 2) for _ in range(times)]
    plies = median(eight, "plies_a_second")
    yield Figure("palio run: random, 8x8, 2 games at once", plies, "plies/s", 1.2 * peer, peer=known)
    if spec := instant_program(folder):
        programs = median([tournament(folder, EIGHT, (spec, spec), games, 2) for _ in range(times)], "plies_a_second")
        yield Figure("palio run: two instant programs, 8x8, 2 at once", programs, "plies/s", 2 * peer, peer=known)
    else:
        print("no C compiler and no Node.js: the programs are left out")
    few = [tournament(folder, THREE, random, games // 5, 4) for _ in range(times)]
    three = [tournament(folder, THREE, random, 4 * games, 4) for _ in range(times)]
    tiny = median(three, "games_a_second")
    yield Figure("palio run: random, dominoes 3x3, 4 games at once", tiny, "games/s", 250)
    found = [costs(pair[:2], pair[2:]) for pair in zip(short, eight, few, three, strict=True)]
    ply, match, bot = (statistics.median(each) for each in zip(*found, strict=True))
    yield Figure("palio run: server CPU a ply", ply, "ms", 0.12, less_is_better=True)
    yield Figure("palio run: server CPU a match", match, "ms", 2, less_is_better=True)
    yield Figure("palio run: a bot's CPU a ply of its own", bot, "ms", 0.1, less_is_better=True)
    (folder / "mine.py").write_text(MINE)
    pair = [tournament(folder, EIGHT, ("./mine.py", "./mine.py"), count, 2) for count in (games // 10, games)]
    cpu_s, plies, _ = slope(*pair, BOTS)
    yield Figure("palio run: the same of a bot in a thread of its own", 1000 * cpu_s / plies, "ms")
    first = median([*short, *eight, *few, *three], "first_s")
    yield Figure("palio run: first game begins after", first, "s", 1, less_is_better=True)
    file = max(folder.glob("*.db"), key=lambda file: file.stat().st_mtime)
    for words in (("leaderboard",), ("match", "list")):
        seconds = answer_s(folder, *words, "--db", f"sqlite:///{file}")
        yield Figure(f"palio {' '.join(words)}", seconds, "s", 0.4, less_is_better=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=400, help="of 8x8 Breakthrough; four times as many tiny ones")
    parser.add_argument("--times", type=int, default=3, help="each run; medians count")
    parser.add_argument("--quick", action="store_true", help="few games, once")
    asked = parser.parse_args()
    games, times = (100, 1) if asked.quick else (asked.games, asked.times)
    with tempfile.TemporaryDirectory() as folder:
        found = list(rows(Path(folder), games, times))
    keep(found)
    print(table(found))


if __name__ == "__main__":
    main()
