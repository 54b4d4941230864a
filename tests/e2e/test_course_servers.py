"""A course on several processes: two servers on one database, one killed at work; tournaments on a cluster."""

import json
import os
import signal
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from command import Palio, Started

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

COURSE = 'title = "AI"\ntime_zone = "UTC"\n'
ASSIGNMENT = """
title = "Dominoes"
game = "dominoes:rows=4,cols=4"
handout = "dominoes"
files = ["adversarial_search.py"]
opens = 2020-02-01T09:00:00
due = {due}
clock = "5"
[[tests]]
file = "tests/test_moves.py"
[[tournament]]
at = "{nightly}"
rounds = {rounds}
[[tournament]]
at = {final}
final = true
rounds = {rounds}
[grading]
place = {{ 1 = 10 }}
"""
TESTS = """
import time

import pytest
import adversarial_search

@pytest.mark.points(5)
def test_moves():
    time.sleep(1)
    assert list(adversarial_search.create_dominoes_game(2, 2).legal_moves(True)) == [(0, 0), (0, 1)]
"""
BOT = """
import time

NUMBER = {number}

class DominoesGame:
    def __init__(self, board):
        self.board = board

    def legal_moves(self, vertical):
        rows, cols = len(self.board), len(self.board[0])
        for r in range(rows):
            for c in range(cols):
                other = (r + 1, c) if vertical else (r, c + 1)
                inside = other[0] < rows and other[1] < cols
                if inside and not self.board[r][c] and not self.board[other[0]][other[1]]:
                    yield r, c

    def get_best_move(self, vertical, limit):
        time.sleep({think})
        moves = list(self.legal_moves(vertical))
        return moves[NUMBER % 2 - 1], len(moves), 1

def create_dominoes_game(rows, cols):
    return DominoesGame([[False] * cols for _ in range(rows)])
"""
CLAIMS = """
CREATE TABLE told (number bigserial, submission text, worker text, over boolean);
CREATE FUNCTION tell() RETURNS trigger AS $$
BEGIN
    INSERT INTO told (submission, worker, over) VALUES (NEW.submission, NEW.worker, NEW.body IS NOT NULL);
    RETURN NEW;
END $$ LANGUAGE plpgsql;
CREATE TRIGGER tell AFTER INSERT OR UPDATE ON submission_checks FOR EACH ROW EXECUTE FUNCTION tell();
"""  # the database itself tells who has claimed which check, and who has ended it


class Course:
    """A course of a few students with their bots, in one database."""

    def __init__(self, palio: Palio, db: str) -> None:
        self.palio, self.db = palio, db
        self.home = palio.folder / "ai101" / "assignments" / "dominoes"

    def write(self, students: int, *, think: float = 0.0, rounds: int = 1, **times: str) -> None:
        (self.home / "tests").mkdir(parents=True)
        (self.home.parents[1] / "course.toml").write_text(COURSE)
        (self.home / "tests" / "test_moves.py").write_text(TESTS)
        usual = {"due": "2090-01-01T00:00:00", "nightly": "2090-01-01T00:00:00Z", "final": "2090-01-02T00:00:00"}
        (self.home / "assignment.toml").write_text(ASSIGNMENT.format(rounds=rounds, **(usual | times)))
        lines = "".join(f"Student {n},s{n}@x.edu,{1000 + n}\n" for n in range(students))
        (self.palio.folder / "roster.csv").write_text(f"name,email,id\n{lines}")
        self("roster", "roster.csv")
        at = datetime(2026, 10, 1, 12, tzinfo=UTC).timestamp()
        for n in range(students):
            file = self.palio.folder / "first" / f"s{n}@x.edu" / "adversarial_search.py"
            file.parent.mkdir(parents=True)
            file.write_text(BOT.format(number=n, think=think))
            os.utime(file, (at, at))
        assert f"{students} taken" in self("import", "dominoes", "first").stdout

    def __call__(self, verb: str, *words: str, **more: Any) -> Any:
        return self.palio("course", verb, "ai101", *words, "--db", self.db, **more)

    def serve(self, worker: str) -> Started:
        words = ("--port", "0", "--course", "ai101", "--worker", worker, "--house-bots", "0")
        server = self.palio.start("serve", *words, "--db", self.db)
        server.line_with("serves on")
        return server

    def ask(self, sql: str) -> list[Any]:
        with psycopg.connect(self.db) as connection:
            return connection.execute(sql).fetchall()


def until(look: Callable[[], Any], seconds: float = 240) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return found


def plays(server: int) -> bool:
    """Return True if a tournament's bots are processes below that of a server."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if b"palio-course-" in path.read_bytes() and server in ancestors(path.parent):
                return True
    return False


def ancestors(process: Path) -> Iterator[int]:
    while (number := int((process / "stat").read_bytes().rsplit(b")", 1)[1].split()[1])) > 0:
        yield number
        process = Path(f"/proc/{number}")


@pytest.fixture
def shared(palio: Palio, shared_database: str) -> Course:
    return Course(palio, shared_database)


@pytest.mark.postgres
def test_two_servers_check_each_submission_once_and_one_that_is_killed_loses_none(shared: Course) -> None:
    shared.write(8)
    with psycopg.connect(shared.db) as connection:
        connection.execute(CLAIMS)
    first = shared.serve("one")
    until(lambda: shared.ask("SELECT 1 FROM told"))
    killed = {worker for (worker,) in shared.ask("SELECT DISTINCT worker FROM told")}
    assert len(killed) == 1
    shared.serve("two")
    until(lambda: shared.ask("SELECT 1 FROM told HAVING count(DISTINCT worker) = 2"))
    os.kill(first.process.pid, signal.SIGSTOP)  # so that it ends no check between the look and the kill
    held = "SELECT submission FROM submission_checks WHERE body IS NULL AND worker = '{}'".format(*killed)
    lost = {submission for (submission,) in shared.ask(held)}
    os.kill(first.process.pid, signal.SIGKILL)
    first.wait()
    until(lambda: shared.ask("SELECT 1 FROM submission_checks WHERE body IS NOT NULL HAVING count(*) = 8"))

    claimed, ended = defaultdict[str, set[str]](set), defaultdict[str, list[str]](list)
    for submission, worker, over in shared.ask("SELECT submission, worker, over FROM told ORDER BY number"):
        claimed[submission].add(worker)
        if over:
            ended[submission].append(worker)
    assert len(claimed) == 8
    assert {len(workers) for workers in ended.values()} == {1}
    assert {submission for submission, workers in claimed.items() if len(workers) > 1} == lost
    assert lost
    assert {worker for submission in lost for worker in ended[submission]}.isdisjoint(killed)
    assert "all submissions are checked" in shared("check-all").stderr
    grades = json.loads(shared("grades", "dominoes", "--format", "json").stdout)
    assert [grade["points"] for grade in grades] == [5] * 8


@pytest.mark.postgres
def test_two_servers_play_one_nightly_tournament_and_go_on_with_that_of_a_killed_one(shared: Course) -> None:
    at = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=1)
    shared.write(3, think=0.1, rounds=3, nightly=at.isoformat())
    servers = [shared.serve("one"), shared.serve("two")]
    until(lambda: shared.ask("SELECT 1 FROM matches WHERE status = 'finished' HAVING count(*) >= 3"))
    player = until(lambda: next((each for each in servers if plays(each.process.pid)), None))
    os.kill(player.process.pid, signal.SIGKILL)
    player.wait()
    until(lambda: shared.ask("SELECT 1 FROM course_tournaments WHERE finished_at IS NOT NULL"))
    assert len(shared.ask("SELECT id FROM course_tournaments")) == 1
    assert shared.ask("SELECT id, stage FROM tournaments") == [(1, "finished")]
    assert shared.ask("SELECT status, count(*) FROM matches GROUP BY status") == [("finished", 18)]
    board = json.loads(shared("leaderboard", "dominoes", "--json").stdout)
    assert [line["played"] for line in board["standings"]] == [12, 12, 12]
    assert (
        "18 matches replayed, 0 do not reproduce, 0 sums are wrong" in shared.palio("verify", "--db", shared.db).stdout
    )


@pytest.mark.parametrize("verb", ["final", "tournament"])
def test_a_tournament_is_played_on_a_cluster_and_goes_on_there_after_a_kill(palio: Palio, verb: str) -> None:
    course = Course(palio, f"sqlite:///{palio.folder}/course.db")
    course.write(3, rounds=8, due="2026-10-01T20:00:00", final="2026-10-05T12:00:00")
    words = ("course", verb, "ai101", "dominoes", "--cluster", "local:2", "--db", course.db)
    begun = palio.start(*words)
    begun.wait_for(lambda lines: any("Finished game 4 " in line for line in lines), 240)
    os.kill(begun.process.pid, signal.SIGKILL)
    begun.wait()
    resumed = palio(*words, seconds=300)
    assert "Resuming tournament 1" in resumed.stdout
    board = json.loads(course("leaderboard", "dominoes", "--json", *(["--final"] if verb == "final" else [])).stdout)
    assert board["kind"] == ("final" if verb == "final" else "nightly")
    assert [line["played"] for line in board["standings"]] == [32, 32, 32]
    assert sum(line["points"] for line in board["standings"]) == 48
    matches = palio.json("match", "list", "--limit", "3", "--db", course.db)
    submissions = {row["id"] for row in json.loads(course("submissions", "dominoes", "--json").stdout)}
    for match in matches:
        record = palio.json("match", "show", match["id"], "--db", course.db)
        assert set(record["setup"]["submissions"]) < submissions
    assert "48 matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify", "--db", course.db).stdout
