"""A term's load: checks of submissions and a tournament of their bots, measured on a part and computed for the whole.

    python benchmarks/bench_course_term.py                           # 20 submissions, 100 games
    python benchmarks/bench_course_term.py --submissions 300 --games 2000     # the whole

Each submission has the tests and the 20 games against `greedy` of `bench_course_check.py`. The tournament is a round
robin of Dominoes (8x8), played by `palio course tournament` with every bot in a sandbox. The aim: 300 submissions and
2,000 games within two hours on two cores. It is told as it goes, with what is left. Run it on an
idle machine: what counts is the time that passes, since the CPU seconds of bots that a sandbox ends are lost.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

from bench_course_check import GAMES, OWN, made
from figures import Figure, report

from palio_db.course_values import NewSubmission, RosterEntry
from palio_db.store import Store
from palio_server.courses.check import check
from palio_server.courses.check_queue import CheckQueue, Progress
from palio_server.courses.intake import take
from palio_server.courses.values import Course
from palio_server.sandbox.confinement import Confinement

WHOLE, WHOLE_GAMES = 300, 2000
AIM_S = 2 * 3600.0
CORES = 2
COURSE = 'title = "Load"\ntime_zone = "UTC"\n'
ASSIGNMENT = """
title = "Dominoes"
game = "dominoes"
handout = "dominoes"
files = ["adversarial_search.py"]
opens = 2020-01-01T00:00:00
due = 2090-01-01T00:00:00
clock = "5"
[[tests]]
file = "tests/test_examples.py"
[[tests]]
file = "tests/test_hidden.py"
shown = false
[[against]]
bot = "greedy"
games = GAMES
need = 0.5
points = 10
[[tournament]]
at = "daily 03:00"
openings = "2"
"""


def tell(began: float, progress: Progress) -> None:
    say(f"checked {progress.submission.student}: {progress.seconds:.1f} s, {progress.left} left", began)


def say(line: str, began: float) -> None:
    print(f"{time.monotonic() - began:6.0f} s  {line}", file=sys.stderr, flush=True)


async def checks(folder: Path, db: str, count: int, bots: int) -> float:
    """Hand in `count` submissions, check them two at a time, and return the seconds; `bots` stay in the course."""
    assignment = replace(made(folder / "load" / "assignments" / "dominoes"), due=datetime(2090, 1, 1, tzinfo=UTC))
    (folder / "load" / "course.toml").write_text(COURSE)  # nothing else runs yet
    (assignment.folder / "assignment.toml").write_text(ASSIGNMENT.replace("GAMES", str(GAMES)))
    course = Course("load", folder / "load", "Load", ZoneInfo("UTC"), assignments=(assignment,))
    async with await Store.open(db) as store:
        await store.set_roster("load", [RosterEntry(str(number), f"Student {number}") for number in range(count)])
        for number in range(count):
            files = take([("adversarial_search.py", f"{OWN}\nNUMBER = {number}\n".encode())], assignment)
            now = datetime.now(UTC)
            new = NewSubmission("load", "dominoes", str(number), now, files.digest, files.files)
            await store.keep_submission(new)
        began = time.monotonic()
        queue = CheckQueue(store, course, partial(check, confinement=Confinement(mode="require")), CORES)
        queue.on_checked.append(partial(tell, began))
        if failed := await queue.check_all():
            raise SystemExit(f"{failed} checks could not be made")
        took = time.monotonic() - began
        for number in range(bots, count):
            await store.forget_student("load", str(number))
    return took


def games(folder: Path, db: str) -> tuple[int, float]:
    """Play the tournament; return its games and the seconds."""
    began = time.monotonic()
    words = ["course", "tournament", str(folder / "load"), "dominoes", "--concurrency", str(CORES), "--db", db]
    command = [sys.executable, "-c", "from palio_server.cli import main; main()", *words]
    count = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("Finished game"):
                count += 1
            elif " games/s" in line:
                say(line.strip(), began)
    if process.returncode:
        raise SystemExit("the tournament failed")
    return count, time.monotonic() - began


def entrants_for(wanted: int, most: int) -> int:
    """Return how many bots play at least so many games in a round robin, if there are so many."""
    return min(most, next(bots for bots in range(2, 10_000) if bots * (bots - 1) >= wanted))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--submissions", type=int, default=20)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="palio-load-") as place:
        folder, db = Path(place), f"sqlite:///{place}/load.db"
        bots = entrants_for(given.games, given.submissions)
        checked_s = asyncio.run(checks(folder, db, given.submissions, bots))
        played, played_s = games(folder, db)
    whole = checked_s / given.submissions * WHOLE + played_s / played * WHOLE_GAMES
    part = f"{given.submissions} checks took {checked_s:.0f} s, {played} games {played_s:.0f} s"
    print(f"{part}; the whole at this rate: {whole / 3600:.2f} h", file=sys.stderr)
    report(
        [
            Figure(f"check, {CORES} at a time", checked_s / given.submissions, "s", note="wall clock"),
            Figure(f"game, {CORES} at a time", played_s / played, "s", note="wall clock"),
            Figure(f"term: {WHOLE} checks and {WHOLE_GAMES} games", whole, "s", AIM_S, less_is_better=True),
        ],
        1,
        as_json=given.json,
    )


if __name__ == "__main__":
    main()
