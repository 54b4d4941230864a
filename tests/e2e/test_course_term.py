"""A term: forty submissions of thirty students, a night's tournament, the final with a kill, grades; practice, too."""

import asyncio
import csv
import io
import json
import os
import re
import signal
import time
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from command import Palio
from dominoes_file import DOMINOES
from websockets.asyncio.client import connect

COURSE = """
title = "Artificial Intelligence"
time_zone = "Europe/Rome"
staff = ["carla"]
[late]
days = 2
penalty = 0.1
"""
ASSIGNMENT = """
title = "Dominoes"
game = "dominoes:rows=4,cols=4"
handout = "dominoes"
files = ["adversarial_search.py"]
opens = 2020-02-01T09:00:00
due = DUE
clock = "5"
time = "2 min"
points = 15
[[tests]]
file = "tests/test_examples.py"
[practice]
classmates = "on request"
games_an_hour = 3
[[tournament]]
at = "weekly sunday 03:00"
rounds = 1
[[tournament]]
at = FINAL
final = true
[grading]
place = { 1 = 10, 5 = 5 }
"""
TESTS = """
import pytest
import adversarial_search

@pytest.mark.points(5)
def test_moves():
    game = adversarial_search.create_dominoes_game(2, 2)
    assert list(game.legal_moves(True)) == [(0, 0), (0, 1)]
"""
GOOD = DOMINOES.replace("moves[0]", "moves[PICK]")
SYNTAX = "def answer(:\n"
CRASHES = GOOD.replace("moves[PICK]", "moves[1 / 0]")
HOSTILE = "import os, sys\nopen('/etc/passwd', 'a')\nos._exit(3)\n"  # no test runs, and it cannot play
# It asks for the folders above it, and tells at its first move what it sees there.
SPIES = (
    GOOD.replace("moves[PICK]", "spied()")
    + """
if 0:
    from ..z import z
    from ...z import z
    import tests.test_hidden

def spied():
    import os
    here = os.path.dirname(os.path.abspath(__file__))
    others = set(os.listdir(os.path.dirname(here))) - {os.path.basename(here)}
    raise LookupError(f"spied {sorted(others)} {[f for f in FILES if os.path.exists(f)]}")
"""
)
IN_TIME = datetime(2026, 10, 1, 12, tzinfo=UTC).timestamp()


def good(pick: int) -> str:
    return GOOD.replace("PICK", str(pick % 2 - 1)) + f"\nNUMBER = {pick}\n"


def write(folder: Path, student: int, text: str, at: float = IN_TIME) -> None:
    file = folder / f"s{student}@x.edu" / "adversarial_search.py"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    os.utime(file, (at, at))


@pytest.fixture
def course(palio: Palio) -> Path:
    folder = palio.folder / "ai101"
    home = folder / "assignments" / "dominoes"
    (home / "tests").mkdir(parents=True)
    (folder / "course.toml").write_text(COURSE)
    (home / "tests" / "test_examples.py").write_text(TESTS)
    set_due(folder, "2090-02-15T23:59:00", "2090-03-01T03:00:00")
    roster = "".join(f"Student {n},s{n}@x.edu,{1000 + n},\n" for n in range(30))
    (palio.folder / "roster.csv").write_text(f"name,email,id,team\n{roster}")
    assert "30 students are new" in palio("course", "roster", "ai101", "roster.csv").stdout
    return folder


def set_due(folder: Path, due: str, final: str) -> None:
    text = ASSIGNMENT.replace("DUE", due).replace("FINAL", final)
    (folder / "assignments" / "dominoes" / "assignment.toml").write_text(text)


def imported(palio: Palio, name: str, code: int = 0) -> str:
    return palio("course", "import", "ai101", "dominoes", name, code=code).stdout


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_whole_term_from_the_roster_to_the_grades(palio: Palio, course: Path) -> None:
    set_due(course, "2026-10-01T20:00:00", "2026-10-05T12:00:00")
    first, second, hostile = (palio.folder / name for name in ("first", "second", "hostile"))
    for n in range(4):  # most of a class in a test's time: few whose bots play, and many that a check refuses
        write(first, n, good(n))
    write(first, 6, CRASHES.replace("PICK", "0"))
    write(first, 7, HOSTILE)
    late = IN_TIME + 3600 * 20
    write(first, 8, good(8), late)
    write(first, 9, good(9), late + 3600 * 24 * 9)  # too late
    for n in [4, 5, *range(10, 29)]:
        write(first, n, SYNTAX)
    for n in (10, 11, *range(20, 27)):  # handed in twice
        write(second, n, f"{SYNTAX}# {n}\n" if n > 11 else good(n), IN_TIME + 60)
    hostile.mkdir()
    with zipfile.ZipFile(hostile / "s29@x.edu.zip", "w") as archive:
        archive.writestr("../../adversarial_search.py", "x = 1")
    (hostile / "s28@x.edu.zip").write_bytes(b"PK\x03\x04 no zip")
    assert "29 taken" in imported(palio, "first")
    assert "9 taken" in imported(palio, "second")
    assert "2 refused" in imported(palio, "hostile", code=1)
    checked = palio("course", "check-all", "ai101", seconds=400)
    assert "0 left" in checked.stdout

    night = palio("course", "tournament", "ai101", "dominoes", seconds=300)
    assert night.stderr.count("does not play: adversarial_search.py, line 1: SyntaxError") == 19
    assert "ZeroDivisionError" in night.stdout  # told to the author, and the evening went on
    board = palio.json("course", "leaderboard", "ai101", "dominoes", "--names")
    assert board["kind"] == "nightly"
    assert [line["students"][0] for line in board["standings"] if line["points"] == 0] == ["1006"]
    assert not any("Student" in line["bot"] for line in board["standings"])

    final = palio.start("course", "final", "ai101", "dominoes")
    final.line_with("Finished game 4")
    os.kill(final.process.pid, signal.SIGKILL)
    final.wait()
    refused = palio("run", "--resume", "2", code=2).stderr
    assert "is of the course ai101; go on with palio course final ai101 dominoes" in refused
    resumed = palio("course", "final", "ai101", "dominoes", seconds=300)
    assert "waiting for it" in resumed.stderr
    assert "Resuming tournament 2" in resumed.stdout
    before = palio.json("course", "leaderboard", "ai101", "dominoes", "--final", "--names")
    assert "1009" not in [line["students"][0] for line in before["standings"]]  # after the last late day
    again = palio("course", "final", "ai101", "dominoes")
    assert "nothing has changed" in again.stderr

    (palio.folder / "adversarial_search.py").write_text(good(0) + "\nNEW = True\n")
    palio("submit", "ai101", "dominoes", "adversarial_search.py", "--as", "1006", "--at", "2026-10-01T18:00")
    palio("course", "check-all", "ai101", seconds=100)
    repeated = palio("course", "final", "ai101", "dominoes", seconds=300)
    games = int(re.search(r"Started game 1 of (\d+)", repeated.stdout)[1])
    others = len(before["standings"]) - 1
    assert games == others * 2  # those of 1006 alone
    after = palio.json("course", "leaderboard", "ai101", "dominoes", "--final", "--names")
    assert [line["played"] for line in after["standings"]] == [others * 2] * (others + 1)
    assert sum(line["points"] for line in after["standings"]) == others * (others + 1)

    grades = {each["student"]: each for each in json.loads(exported(palio, "json"))}
    assert len(grades) == 30
    winner = after["standings"][0]["students"][0]
    assert any(part["why"] == "place 1 in the final" for part in grades[winner]["parts"])
    assert (grades["1020"]["status"], grades["1009"]["status"], grades["1029"]["status"]) == (
        "broken",
        "too late",
        "missing",
    )
    assert grades["1008"]["late_days"] == 1
    for form in ("canvas", "moodle"):
        lines = list(csv.reader(io.StringIO(exported(palio, form))))
        assert sum("Student 1" in "".join(line) or "s1" in "".join(line) for line in lines) == 11

    regraded = palio("course", "regrade", "ai101", "dominoes", "--again", seconds=400)
    assert "30 students, no grade changes against the former checks" in regraded.stdout


def exported(palio: Palio, form: str) -> str:
    return palio("course", "grades", "ai101", "dominoes", "--format", form).stdout


# At a server.


class Student:
    """Asks a server with the secret of a personal link."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self.token = url, token

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """Return the answer; of a refusal the reason."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        request = Request(f"{self.url}/api/courses/ai101{path}", data, headers)
        try:
            with urlopen(request) as answer:
                return json.load(answer)
        except HTTPError as error:
            return json.load(error)["error"]["reason"]

    def practice(self) -> dict[str, Any]:
        return self.ask("/assignments/dominoes/practice")


THINKS = "import time\n" + GOOD.replace("        moves = list", "        time.sleep(0.2)\n        moves = list")


async def watched(url: str) -> list[tuple[str, str]]:
    """Watch the lobby, and each match that it shows; return kinds of messages by match when one was seen from its
    first ply to its end.
    """
    ws, seen = url.replace("http", "ws", 1), list[tuple[str, str]]()

    async def follow(match: str) -> None:
        async with connect(f"{ws}/ws/live/{match}") as socket:
            async for text in socket:
                seen.append((match, (kind := json.loads(text)["type"])))
                if kind == "finished":
                    return

    followed = dict[str, asyncio.Task[None]]()
    async with asyncio.timeout(120), connect(f"{ws}/ws/live") as lobby:
        async for text in lobby:
            for summary in json.loads(text)["matches"]:
                if summary["result"] is None and summary["match"] not in followed:
                    followed[summary["match"]] = asyncio.create_task(follow(summary["match"]))
            if any(task.done() and (match, "played") in seen for match, task in followed.items()):
                break
    for task in followed.values():
        task.cancel()
    await asyncio.gather(*followed.values(), return_exceptions=True)
    return seen


@pytest.mark.slow
def test_a_nightly_tournament_is_watched_live_at_the_server_that_has_started_it(palio: Palio, course: Path) -> None:
    text = ASSIGNMENT.replace("DUE", "2090-02-15T23:59:00").replace("FINAL", "2090-03-01T03:00:00")
    at = datetime.now(UTC).astimezone() - timedelta(minutes=1)
    text = text.replace('"weekly sunday 03:00"', at.isoformat(timespec="seconds"))
    (course / "assignments" / "dominoes" / "assignment.toml").write_text(text)
    for n in range(2):
        write(palio.folder / "first", n, THINKS.replace("PICK", str(-n)) + f"\nNUMBER = {n}\n")
    assert "2 taken" in imported(palio, "first")
    server = palio.start("serve", "--port", "0", "--course", "ai101")
    url = re.search(r"http://[\d.:]+", server.line_with("serves on"))[0]
    seen = asyncio.run(watched(url))
    match = next(match for match, kind in seen if kind == "finished")
    kinds = [kind for each, kind in seen if each == match]
    assert kinds[0] == "match"
    assert kinds.count("played") >= 2
    assert kinds.index("played") < kinds.index("finished")
    with urlopen(f"{url}/api/matches/{match}") as answer:
        detail = json.load(answer)
    assert detail["tournament"] == 1
    assert len(detail["setup"]["submissions"]) == 2


def until(look: Any, seconds: float = 90) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    return found


@pytest.mark.slow
def test_students_practise_at_a_server_that_plays_the_nights_tournament_by_itself(palio: Palio, course: Path) -> None:
    text = ASSIGNMENT.replace("DUE", "2090-02-15T23:59:00")
    at = datetime.now(UTC).astimezone() - timedelta(minutes=1)
    text = text.replace("FINAL", "2090-03-01T03:00:00")
    text = text.replace('"weekly sunday 03:00"', at.isoformat(timespec="seconds"))
    (course / "assignments" / "dominoes" / "assignment.toml").write_text(text)
    secrets = [course / "assignments" / "dominoes" / "tests" / "test_examples.py", course / "grades.csv"]
    secrets[1].write_text("a classmate's")
    for n in range(3):
        write(palio.folder / "first", n, good(n) if n < 2 else f"{SPIES}\nFILES = {list(map(str, secrets))}\n")
    assert "3 taken" in imported(palio, "first")
    lines = csv.DictReader(io.StringIO(palio("course", "links", "ai101").stdout))
    tokens = {line["id"]: line["link"].partition("#")[2] for line in lines}
    server = palio.start("serve", "--port", "0", "--auth", "--course", "ai101")
    url = re.search(r"http://[\d.:]+", server.line_with("serves on"))[0]
    ann, bob, eve, idle = (Student(url, tokens[str(1000 + n)]) for n in (0, 1, 2, 9))

    listed = ann.practice()
    assert (listed["left"], listed["said"]) == (3, "3 of 3 games are left in this hour")
    assert {"random", "greedy"} <= {each["name"] for each in listed["opponents"]}
    assert "hand in first" in idle.ask("/assignments/dominoes/practice", {"against": "random"})
    assert "did you mean 'greedy'" in ann.ask("/assignments/dominoes/practice", {"against": "gready"})

    game = ann.ask("/assignments/dominoes/practice", {"against": "random"})
    assert game["state"] == "waiting", game
    over = until(lambda: next((each for each in ann.practice()["games"] if each["state"] in ("over", "failed")), None))
    assert (over["state"], over["why"]) == ("over", "")
    [match] = [each for each in ann.ask("/assignments/dominoes/matches") if each["kind"] == "practice"]
    assert match["submission"] == ann.ask("")["assignments"][0]["submission"]
    with urlopen(f"{url}/api/matches/{match['match']}") as answer:
        detail = json.load(answer)
    assert (detail["rated"], detail["event"], detail["status"]) == (False, "practice", "finished")
    record = palio.json("match", "show", match["match"])
    assert any(text.startswith("bubblewrap") for text in record["confined"])
    assert sorted(record["setup"]["submissions"]) == ["", match["submission"]]
    assert detail["setup"]["submissions"] == record["setup"]["submissions"]

    eve.ask("/assignments/dominoes/practice", {"against": "random"})
    until(lambda: [each["state"] for each in eve.practice()["games"]] in (["over"], ["failed"]))
    [spied] = [each for each in eve.ask("/assignments/dominoes/matches") if each["kind"] == "practice"]
    [fault] = eve.ask(f"/matches/{spied['match']}/faults")
    assert "LookupError: spied [] []" in fault["text"]

    me = bob.ask("")["me"]["shown_as"]
    asked = ann.ask("/assignments/dominoes/practice", {"against": me})
    assert asked["state"] == "asked"
    assert [each["asks_me"] for each in bob.practice()["games"]] == [True]
    assert "nobody asks you" in eve.ask(f"/practice/{asked['id']}", {"accept": True})
    assert bob.ask(f"/practice/{asked['id']}", {"accept": True})["state"] == "waiting"
    until(lambda: any(each["id"] == asked["id"] and each["state"] == "over" for each in ann.practice()["games"]))

    request = Request(
        f"{url}/api/courses/ai101/me",
        json.dumps({"consent": "nobody", "named": True}).encode(),
        {"Authorization": f"Bearer {eve.token}", "Content-Type": "application/json"},
        method="PUT",
    )
    with urlopen(request):
        pass
    assert "Student 2" not in [each["shown_as"] for each in ann.practice()["opponents"]]
    ann.ask("/assignments/dominoes/practice", {"against": "greedy"})
    refused = ann.ask("/assignments/dominoes/practice", {"against": "greedy"})
    assert "begun 3 practice games within an hour" in refused

    board = until(lambda: (found := ann.ask("/assignments/dominoes/leaderboard"))["kind"] and found, 120)
    assert board["kind"] == "nightly"
    shown = {line["shown_as"]: line for line in board["standings"]}
    assert len(shown) == 3
    assert "Student 2" in shown
    assert "Student 0" not in shown
    assert [line["me"] for line in board["standings"]].count(True) == 1
    assert not shown["Student 2"]["faults"]
    played = [each for each in eve.ask("/assignments/dominoes/matches") if each["kind"] == "nightly"]
    assert len(played) == 4
    assert {each["score"] for each in played} == {0.0}
    assert "LookupError: spied [] []" in eve.ask(f"/matches/{played[0]['match']}/faults")[0]["text"]
    night = palio.json("match", "show", played[0]["match"])["setup"]
    assert played[0]["submission"] in night["submissions"]
    assert all(night["submissions"])
    assert "this is for the staff" in ann.ask("/assignments/dominoes/similar")
