"""The time to open a large book of openings: the first time, when it is counted, and again, by the index that is kept.

    python benchmarks/bench_books.py                        # 2.6 million lines of chess, 170 MB
    python benchmarks/bench_books.py --lines 200000

Each time it is opened by a process of its own, as by `palio run --openings file=BOOK`; its CPU time counts, without
imports. The book and the index go to a temporary folder.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from figures import Figure, report

from palio_server.tournament.openings.kept_index import SETTLED_S

GOAL_S = 0.1
RUNS = 4
OPEN = """
import sys, time
from palio_rules.registry import game
from palio_server.tournament.openings import openings_of, parse_openings
game("chess")
began = time.process_time()
found = openings_of(parse_openings(f"file={sys.argv[1]},order=random"), "chess", {}, 1)
found.opening(0)
print(found.size, time.process_time() - began)
"""


def write(book: Path, lines: int) -> None:
    pawns = [f"{number:08b}".replace("1", "p").replace("0", "1") for number in range(256)]
    with book.open("w") as file:
        for number in range(lines):
            black, white = pawns[number % 256], pawns[number // 256 % 256].upper()
            file.write(f"rnbqkbnr/{black}/8/8/8/8/{white}/RNBQKBNR w KQkq - 0 {1 + number // 65536}\n")


def opened(book: Path, cache: Path) -> float:
    env = os.environ | {"XDG_CACHE_HOME": str(cache)}
    done = subprocess.run([sys.executable, "-c", OPEN, str(book)], env=env, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=2_600_000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        book, cache = Path(folder, "book.epd"), Path(folder, "cache")
        write(book, given.lines)
        time.sleep(SETTLED_S)  # of a book that was written just now no index is kept
        first, *again = (opened(book, cache) for _ in range(RUNS))
    what = f"a book of {given.lines:,} lines is opened"
    figures = [
        Figure(f"{what}, the first time", first, "s"),
        Figure(f"{what}, again", sorted(again)[1], "s", GOAL_S, less_is_better=True),
    ]
    report(figures, RUNS, as_json=given.json)


if __name__ == "__main__":
    main()
