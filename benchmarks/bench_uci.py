"""The same engines and the same games by `palio run chess`, by fastchess, and by a bare loop in C.

    python benchmarks/bench_uci.py [--fastchess PATH] [--engine stockfish] [--games N] [--clocked N] [--quick]

- **plies/s**: an engine against itself at `nodes=1`, Hash 1, two games at once; whole games, medians of runs in turns.
  The bare loop passes moves through pipes, without rules or records: no program on this machine can be faster.
- **between two engines**: at `tc=1+0.01`, one game at once, from an engine's `bestmove` until the other's `go`, by
  programs in C that stand between (`engines/uci_stopwatch.c`). Both are measured alike.
- **time losses** of those games, and the **server's CPU a game** at `nodes=1`, from the difference of two runs.

Without `--fastchess` its figures are quoted: 5,305 plies/s on two cores (fastchess 1.8.2, Stockfish 15.1, 2026-11-26).
"""

import argparse
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench_run import compiled, slope, tournament
from figures import Figure, environment, keep, table

QUOTED = 5305  # plies/s
ONE_NODE = "nodes=1,option.Hash=1"
CLOCK = "1+0.01"


class Peer:
    """fastchess at `program`."""

    def __init__(self, program: str, folder: Path) -> None:
        self._program, self._folder = program, folder

    def play(self, engine: str, games: int, concurrency: int, *each: str) -> Path:
        """Play games of an engine against itself; return their PGN."""
        pgn = self._folder / "peer.pgn"
        pgn.unlink(missing_ok=True)
        engines = [word for name in "ab" for word in ("-engine", f"cmd={engine}", f"name={name}", "option.Hash=1")]
        words = (
            "-each",
            *each,
            "-rounds",
            str(games // 2),
            "-repeat",
            "-concurrency",
            str(concurrency),
            "-pgnout",
            f"file={pgn}",
        )
        command = [self._program, *engines, *words]
        subprocess.run(command, cwd=self._folder, env=environment(), check=True, capture_output=True)
        return pgn

    def plies_a_second(self, engine: str, games: int) -> float:
        began = os.times().elapsed
        pgn = self.play(engine, games, 2, "tc=100+1", "nodes=1")
        return plies_of(pgn) / (os.times().elapsed - began)


def plies_of(pgn: Path) -> int:
    return sum(int(line.split('"')[1]) for line in pgn.read_text().splitlines() if line.startswith("[PlyCount"))


def gaps_ms(folder: Path) -> list[float]:
    """Return the times between each `bestmove` and the `go` that it led to, and empty the folder.

    The next `go` after a `bestmove`, of any engine, with one more move in its `position`.
    """
    begun: dict[int, list[int]] = {}
    ended: list[tuple[int, int]] = []
    for file in folder.iterdir():
        for line in file.read_text().splitlines():
            what, at, moves = line.split()
            if what == "g":
                begun.setdefault(int(moves), []).append(int(at))
            else:
                ended.append((int(at), int(moves)))
        file.unlink()
    found = []
    for at, moves in ended:
        later = [other - at for other in begun.get(moves + 1, ()) if 0 <= other - at < 100_000_000]
        if later:
            found.append(min(later) / 1e6)
    return found


def timed_out(database: Path) -> int:
    with sqlite3.connect(database) as rows:
        return int(rows.execute("SELECT count(*) FROM matches WHERE termination = 'time'").fetchone()[0])


def rows(folder: Path, asked: argparse.Namespace) -> Iterator[Figure]:
    engine = shutil.which(asked.engine, path=f"{os.environ['PATH']}:/usr/games")
    if engine is None:
        raise SystemExit(f"there is no engine {asked.engine!r}; give one with --engine PATH")
    peer = None if asked.fastchess is None else Peer(asked.fastchess, folder)
    loop = compiled(folder, "uci_games.c", "-pthread")
    spec = f"uci:{engine},{ONE_NODE}"
    bare, theirs, ours = [], [], []
    tournament(folder, "chess", (f"a={spec}", spec), 4, 2)  # compiles everything first
    for _ in range(asked.times):
        if loop is not None:
            bare.append(float(subprocess.run([loop, engine, str(asked.games)], check=True, capture_output=True).stdout))
        if peer is not None:
            theirs.append(peer.plies_a_second(engine, asked.games))
        ours.append(tournament(folder, "chess", (f"a={spec}", spec), asked.games, 2))
    limit = statistics.median(theirs) if theirs else QUOTED
    known = f"fastchess: {limit:,.0f}/s{'' if theirs else ' (quoted)'}"
    if bare:
        known += f", a bare C loop: {statistics.median(bare):,.0f}/s"
    found = statistics.median(run.plies_a_second for run in ours)
    yield Figure("palio run chess: nodes=1, two games at once", found, "plies/s", 0.7 * limit, peer=known)
    few = tournament(folder, "chess", (f"a={spec}", spec), asked.games // 5, 2)
    cpu_s, _, games = slope(few, ours[-1], None)
    yield Figure("palio run chess: server CPU a game", 1000 * cpu_s / games, "ms", 5, less_is_better=True)
    yield from clocked(folder, engine, asked.clocked, peer)


def clocked(folder: Path, engine: str, games: int, peer: Peer | None) -> Iterator[Figure]:
    """Measure games on a short clock."""
    watch, seen = compiled(folder, "uci_stopwatch.c"), folder / "seen"
    if watch is None:
        print("no C compiler: the time between two engines is left out")
        return
    seen.mkdir()
    script = folder / "watched.sh"
    script.write_text(f"#!/bin/sh\nexec {watch} {seen} {engine}\n")
    script.chmod(0o755)
    limit = 0.0
    if peer is not None:
        pgn = peer.play(str(script), games, 1, f"tc={CLOCK}")
        limit = statistics.median(gaps_ms(seen))
        lost = pgn.read_text().count("time forfeit")
        yield Figure(f"fastchess: time losses in {games} games at {CLOCK}", lost, "games")
    database = folder / "clocked.db"
    command = ("run", "chess", f"a=uci:{script},option.Hash=1", f"b=uci:{script},option.Hash=1", "--tc", CLOCK)
    words = ("--rounds", str(games // 2), "--concurrency", "1", "--sandbox", "off", "--db", f"sqlite:///{database}")
    palio = shutil.which("palio", path=str(Path(sys.executable).parent))
    subprocess.run([palio, *command, *words], cwd=folder, env=environment(), check=True, capture_output=True)
    between = statistics.median(gaps_ms(seen))
    goal = (limit + 0.2) / 1000 if peer is not None else None
    told = f"fastchess: {limit:.3f} ms" if peer is not None else ""
    yield Figure("between two engines, median", between / 1000, "s", goal, less_is_better=True, peer=told)
    lost = timed_out(database)
    yield Figure(f"time losses in {games} games at {CLOCK}", lost, "games", 0, less_is_better=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fastchess", metavar="PATH", default=shutil.which("fastchess"), help="measure it beside")
    parser.add_argument("--engine", default="stockfish", metavar="PATH", help="a UCI engine of chess")
    parser.add_argument("--games", type=int, default=100, help="at nodes=1, in each run")
    parser.add_argument("--clocked", type=int, default=60, help=f"games at {CLOCK}")
    parser.add_argument("--times", type=int, default=3, help="each run at nodes=1; medians count")
    parser.add_argument("--quick", action="store_true", help="few games, once")
    asked = parser.parse_args()
    if asked.quick:
        asked.games, asked.clocked, asked.times = 20, 4, 1
    with tempfile.TemporaryDirectory() as folder:
        found = list(rows(Path(folder), asked))
    keep(found)
    print(table(found))


if __name__ == "__main__":
    main()
