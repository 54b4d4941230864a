"""The same engine of Go against itself by `palio run go`, by gogui-twogtp, and by a bare loop over two pipes.

    python benchmarks/bench_gtp.py [--gogui CLASSPATH] [--engine "gnugo --mode gtp --level 0"] [--games N] [--quick]

- **plies/s**: 9x9, one game at once, colours in turn; medians of runs in turns. Palio's from the first game's start to
  the last result, with rules, journal and records; twogtp's from its start to its end, which includes 0.3 s for Java.
- The bare loop knows no rules and keeps nothing: it is what these engines need on this machine.

CLASSPATH is a built GoGui: `gogui-twogtp.jar`, or the folder of its classes.
"""

import argparse
import os
import shlex
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench_run import tournament
from figures import Figure, environment, keep, table

ENGINE = "gnugo --mode gtp --level 0 --chinese-rules --positional-superko"
TWOGTP = "net.sf.gogui.tools.twogtp.Main"
SIZE, KOMI = 9, 7
LONGEST = 2 * SIZE * SIZE  # plies, for all three


class Engine:
    """A program that speaks GTP over two pipes, asked one command at a time."""

    def __init__(self, command: str) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            shlex.split(command), stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, bufsize=1
        )

    def ask(self, command: str) -> str:
        """Return the answer to a command, in lower case. Raises ValueError if the engine refuses it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{command}\n")
        answer = self._process.stdout.readline()
        while self._process.stdout.readline().strip():
            pass
        if not answer.startswith("="):
            raise ValueError(f"the engine answers {answer!r} to {command!r}")
        return answer[1:].strip().lower()

    def quit(self) -> None:
        self._process.communicate("quit\n")


def bare(engine: str, games: int) -> float:
    """Return the plies a second of a loop that only passes moves on."""
    players = Engine(engine), Engine(engine)
    plies, began = 0, time.perf_counter()
    for game in range(games):
        for player in players:
            for command in (f"boardsize {SIZE}", "clear_board", f"komi {KOMI}"):
                player.ask(command)
        passes = ply = 0
        while passes < 2 and ply < LONGEST:
            colour = "bw"[ply % 2]
            move = players[(game + ply) % 2].ask(f"genmove {colour}")
            ply += 1
            if move == "resign":
                break
            passes = passes + 1 if move == "pass" else 0
            players[(game + ply) % 2].ask(f"play {colour} {move}")
        plies += ply
    took = time.perf_counter() - began
    for player in players:
        player.quit()
    return plies / took


def twogtp(classes: str, folder: Path, engine: str, games: int) -> float:
    """Return the plies a second of gogui-twogtp."""
    results = folder / f"{time.monotonic_ns()}"
    words = ("-games", str(games), "-size", str(SIZE), "-komi", str(KOMI), "-maxmoves", str(LONGEST))
    began = time.perf_counter()
    command = ["java", "-cp", classes, TWOGTP, "-black", engine, "-white", engine, *words, "-sgffile", str(results)]
    subprocess.run([*command, "-auto", "-alternate"], cwd=folder, env=environment(), check=True, capture_output=True)
    took = time.perf_counter() - began
    played = [line.split("\t") for line in results.with_suffix(".dat").read_text().splitlines() if line[:1].isdigit()]
    return sum(int(columns[6]) for columns in played) / took


def rows(folder: Path, asked: argparse.Namespace) -> Iterator[Figure]:
    spec = f"gtp:{asked.engine}"
    loops, theirs, ours = [], [], []
    for _ in range(asked.times):
        loops.append(bare(asked.engine, asked.games))
        if asked.gogui is not None:
            theirs.append(twogtp(asked.gogui, folder, asked.engine, asked.games))
        ours.append(tournament(folder, f"go:size={SIZE},komi={KOMI}", (f"a={spec}", spec), asked.games, 1))
    known = f"a bare loop: {statistics.median(loops):,.0f}/s"
    if theirs:
        known += f", gogui-twogtp: {statistics.median(theirs):,.0f}/s"
    limit = statistics.median(theirs or loops)
    found = statistics.median(run.plies_a_second for run in ours)
    yield Figure(f"palio run go: {SIZE}x{SIZE}, one game at once", found, "plies/s", 0.9 * limit, peer=known)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gogui", metavar="CLASSPATH", help="measure gogui-twogtp beside")
    parser.add_argument("--engine", default=ENGINE, metavar="COMMAND", help="a program that speaks GTP")
    parser.add_argument("--games", type=int, default=20, help="in each run")
    parser.add_argument("--times", type=int, default=3, help="medians count")
    parser.add_argument("--quick", action="store_true", help="few games, once")
    asked = parser.parse_args()
    if asked.quick:
        asked.games, asked.times = 4, 1
    os.environ["PATH"] += ":/usr/games"
    with tempfile.TemporaryDirectory() as folder:
        found = list(rows(Path(folder), asked))
    keep(found)
    print(table(found))


if __name__ == "__main__":
    main()
