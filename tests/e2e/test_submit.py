"""Students hand in at a real server and from the command line; the staff imports, checks after a kill, and grades."""

import csv
import io
import json
import os
import re
import signal
import time
import zipfile
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from command import Palio

COURSE = """
title = "Artificial Intelligence"
time_zone = "Europe/Rome"
staff = ["carla"]
[late]
days = 2
"""
ASSIGNMENT = """
title = "Dominoes"
game = "dominoes"
handout = "dominoes"
files = ["adversarial_search.py"]
opens = 2020-02-01T09:00:00
due = 2090-02-15T23:59:00
submissions_a_day = 3
time = "2 min"
points = 5
[[tests]]
file = "tests/test_examples.py"
"""
TESTS = """
import pytest

@pytest.mark.points(2)
def test_one():
    from adversarial_search import answer
    assert answer(1) == 1

@pytest.mark.points(3)
def test_two():
    from adversarial_search import answer
    assert answer(2) == 2
"""
GOOD = b"def answer(number):\n    return number\n"
HALF = b"def answer(number):\n    return 1\n"
BROKEN = b"def answer(number:\n"
ROSTER = "name,email,id,team\n" + "".join(f"Student {n},s{n}@x.edu,{1000 + n},\n" for n in range(8))


@pytest.fixture
def course(palio: Palio) -> Path:
    folder = palio.folder / "ai101"
    home = folder / "assignments" / "dominoes"
    (home / "tests").mkdir(parents=True)
    (folder / "course.toml").write_text(COURSE)
    (home / "assignment.toml").write_text(ASSIGNMENT)
    (home / "tests" / "test_examples.py").write_text(TESTS)
    (palio.folder / "roster.csv").write_text(ROSTER)
    assert "8 students are new" in palio("course", "roster", "ai101", "roster.csv").stdout
    return folder


def packed(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("solution/adversarial_search.py", data)
    return file.getvalue()


def links(palio: Palio) -> dict[str, str]:
    lines = csv.DictReader(io.StringIO(palio("course", "links", "ai101").stdout))
    return {line["id"]: line["link"].partition("#")[2] for line in lines}


@pytest.mark.slow
def test_the_staff_imports_checks_after_a_kill_decides_publishes_and_forgets(palio: Palio, course: Path):
    export = palio.folder / "export"
    export.mkdir()
    for number, data in enumerate((packed(GOOD), packed(HALF), packed(BROKEN), b"PK\x03\x04 no zip", packed(GOOD))):
        (export / f"s{number}@x.edu.zip").write_bytes(data)
    (export / "stranger.zip").write_bytes(packed(GOOD))
    done = palio("course", "import", "ai101", "dominoes", "export", code=1)
    assert "zips: 1 not on the roster, 1 refused, 4 taken" in done.stdout
    assert "is no whole zip; zip the files again" in done.stdout
    assert "nobody on the roster is 'stranger'" in done.stdout
    again = palio("course", "import", "ai101", "dominoes", "export", code=1)
    assert "4 again" in again.stdout

    checking = palio.start("course", "check-all", "ai101", "--at-once", "1")
    checking.line_with("3 left")
    os.kill(checking.process.pid, signal.SIGKILL)
    checking.wait()
    palio("course", "check-all", "ai101")
    assert "all submissions are checked" in palio("course", "check-all", "ai101").stderr

    rows = {row["student"]: row for row in palio.json("course", "submissions", "ai101", "dominoes")}
    assert {name: (row["status"], row["points"]) for name, row in rows.items()} == {
        "1000": ("checked", 5.0),
        "1001": ("checked", 2.0),
        "1002": ("broken", 0.0),
        "1004": ("checked", 5.0),
    }
    assert "line 1" in rows["1002"]["broken"]
    assert rows["1000"]["clock"] == "file date"

    palio("course", "override", "ai101", "dominoes", "1001", "--points", "9/2", "--reason", "a test was wrong")
    refused = palio("course", "override", "ai101", "dominoes", "1001", "--points", "many", "--reason", "x", code=2)
    assert "'many' is no number of points" in refused.stderr
    grades = {
        each["student"]: each for each in json.loads(palio("course", "grades", "ai101", "--format", "json").stdout)
    }
    assert len(grades) == 8
    assert (grades["1001"]["points"], grades["1001"]["max_points"]) == (4.5, 5.0)
    assert grades["1003"]["status"] == "missing"
    assert any("got 1" in part["why"] or "2" in part["why"] for part in grades["1001"]["parts"] if part["why"])
    for form in ("csv", "canvas", "moodle", "gradescope"):
        assert palio("course", "grades", "ai101", "dominoes", "--format", form).stdout.count("\n") >= 9
    assert "8 students are published" in palio("course", "publish", "ai101", "dominoes").stdout

    palio("submit", "ai101", "dominoes", str(course / "course.toml"), "--as", "1000", code=1)
    (palio.folder / "adversarial_search.py").write_bytes(HALF)
    palio("submit", "ai101", "dominoes", "adversarial_search.py", "--as", "1000", "--at", "2026-01-15T12:00")
    former = palio.json("course", "submissions", "ai101", "dominoes", "--all")
    palio("course", "choose", "ai101", "1000", min(row["id"] for row in former if row["student"] == "1000"))
    assert "forgotten; results stay under" in palio("course", "forget", "ai101", "1000", "--yes").stdout
    assert "1000" not in [row["student"] for row in palio.json("course", "submissions", "ai101")]
    assert "did you mean" in palio("course", "forget", "ai101", "1000", "--yes", code=1).stderr
    acts = [line["act"] for line in palio.json("audit")]
    assert {"roster read", "submission kept", "grade overridden", "grades published", "student forgotten"} <= {*acts}


def test_a_student_hands_in_at_a_server_and_reads_what_it_is_worth(palio: Palio, course: Path):
    tokens = links(palio)
    server = palio.start("serve", "--port", "0", "--course", "ai101")
    url = re.search(r"http://[\d.:]+", server.line_with("serves on"))[0]

    def ask(path: str, token: str) -> dict:
        request = Request(f"{url}/api/courses/ai101{path}", headers={"Authorization": f"Bearer {token}"})
        with urlopen(request) as answer:
            return json.load(answer)

    (palio.folder / "adversarial_search.py").write_bytes(HALF)
    words = ("submit", "ai101", "dominoes", "adversarial_search.py", "--server", url)
    assert "the server must know who you are" in palio(*words, code=2).stderr
    assert "this link is unknown" in palio(*words, "--token", "course_no", code=1).stderr
    handed_in = palio(*words, "--token", tokens["1001"])
    assert "2 left today" in handed_in.stdout
    assert "these files are your submission already" in palio(*words, "--token", tokens["1001"]).stdout
    wrong = palio("submit", "ai101", "dominoes", "roster.csv", "--server", url, "--token", tokens["1001"], code=1)
    assert "adversarial_search.py is missing" in wrong.stderr

    deadline = time.monotonic() + 60
    while (mine := ask("", tokens["1001"])["assignments"][0])["status"] in ("waiting", "checking"):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert (mine["status"], mine["points"], mine["max_points"]) == ("checked", 2.0, 5.0)
    feedback = ask(f"/submissions/{mine['submission']}", tokens["1001"])
    assert [(part["points"], bool(part["why"])) for part in feedback["parts"]] == [(2.0, False), (0.0, True)]
    assert ask("", tokens["1002"])["assignments"][0]["submissions"] == 0
