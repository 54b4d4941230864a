"""A course on a real server, for tests of the page: a roster, submissions of all kinds, links of students and staff."""

import csv
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from command import Palio
from dominoes_file import DOMINOES as BOT
from dominoes_file import FILE
from fork_server import ForkServer

STUDENTS = 12
COURSE = """
title = "Artificial Intelligence 101"
time_zone = "Europe/Rome"
staff = ["carla"]
[late]
free_days = 3
days = 2
"""
DOMINOES = f"""
title = "Dominoes"
game = "dominoes"
handout = "dominoes"
files = ["{FILE}"]
optional = ["*.txt"]
size = "20 kB"
opens = 2020-02-01T09:00:00
due = 2090-02-15T23:59:00
extra = 1
submissions_a_day = 5
time = "2 min"
[[tests]]
file = "tests/test_examples.py"
[[tests]]
file = "tests/test_hidden.py"
shown = false
[[tests]]
file = "tests/test_later.py"
feedback = "after due"
"""
CLOSED = f"""
title = "Warm-up"
game = "dominoes"
handout = "dominoes"
files = ["{FILE}"]
opens = 2020-02-01T09:00:00
due = 2020-02-15T23:59:00
extra = 1
[[tests]]
file = "tests/test_examples.py"
"""
FUTURE = CLOSED.replace("Warm-up", "Chexers").replace("2020-02", "2090-03")
EXAMPLES = """
import pytest
from adversarial_search import answer

@pytest.mark.points(2)
def test_one():
    assert answer(1) == 1

@pytest.mark.points(3)
def test_two():
    print("asked for two")
    assert answer(2) == 2

@pytest.mark.points(1, extra=True)
def test_extra():
    assert answer(0) == 0
"""
HIDDEN = """
import pytest
from adversarial_search import answer

@pytest.mark.points(3)
def test_secret():
    assert answer(4711) == 4711
"""
LATER = """
import pytest
from adversarial_search import answer

@pytest.mark.points(2)
def test_after_the_due_date():
    assert answer(3) == 3
"""
CUP = f"""
title = "The cup"
game = "dominoes:rows=4,cols=4"
handout = "dominoes"
files = ["{FILE}"]
opens = 2020-02-01T09:00:00
due = 2090-01-15T23:59:00
clock = "5"
[[tests]]
file = "tests/test_bot.py"
[practice]
classmates = "on request"
games_an_hour = 3
[[tournament]]
at = 2089-01-16T03:00:00
"""
BOT_TEST = """
import pytest
from adversarial_search import create_dominoes_game

@pytest.mark.points(1)
def test_moves():
    assert list(create_dominoes_game(2, 2).legal_moves(True)) == [(0, 0), (0, 1)]
"""
PLAYERS = {
    3: BOT,
    4: BOT.replace("moves", "steps").replace("legal_steps", "legal_moves"),
    6: BOT.replace("[0], len", "[1 // 0], len"),
}
GOOD = "def answer(number):\n    return number\n"
HALF = "def answer(number):\n    print('a word of my own')\n    return 1\n"
BROKEN = "def answer(number:\n"
PARTLY = "def answer(number):\n    return number if number < 3 else 0\n"
HANDED_IN = {4: HALF, 5: BROKEN, 7: GOOD}


def name_of(number: int) -> str:
    """A student's name, which no test but the staff's may find anywhere."""
    return f"Zuleika{number} Dobson{number}"


@dataclass(frozen=True)
class ServedCourse:
    """The course `ai101` on a server: tokens by student's number, and the staff's."""

    palio: Palio
    url: str
    tokens: dict[int, str]
    staff: str

    def address(self, token: str = "", *words: str) -> str:
        return "/".join((self.url, "course", "ai101", *words)) + (f"#{token}" if token else "")


def write_course(folder: Path) -> None:
    assignments = {"dominoes": DOMINOES, "cup": CUP, "warm_up": CLOSED, "chexers": FUTURE}
    for name, text in assignments.items():
        tests = folder / "assignments" / name / "tests"
        tests.mkdir(parents=True)
        (tests.parent / "assignment.toml").write_text(text)
        for file, content in {"examples": EXAMPLES, "hidden": HIDDEN, "later": LATER, "bot": BOT_TEST}.items():
            (tests / f"test_{file}.py").write_text(content)
    (folder / "course.toml").write_text(COURSE)


@contextmanager
def serving_course(folder: Path, fork_server: ForkServer) -> Iterator[ServedCourse]:
    """Serve a course of a dozen students; some have handed in, and are checked."""
    palio = Palio(folder, fork_server)
    try:
        write_course(palio.folder / "ai101")
        lines = [f"{name_of(n)},s{n}@x.edu,{1000 + n},{'team1' if n in (7, 9) else ''}" for n in range(STUDENTS)]
        (palio.folder / "roster.csv").write_text("\n".join(("name,email,id,team", *lines)) + "\n")
        palio("course", "roster", "ai101", "roster.csv")
        issued = csv.DictReader(io.StringIO(palio("course", "links", "ai101").stdout))
        tokens = {int(line["id"]) - 1000: line["link"].partition("#")[2] for line in issued}
        staff = palio("bot", "add", "carla", "--scope", "watch").stdout.strip()
        for number, text in HANDED_IN.items():
            (palio.folder / FILE).write_text(text)
            palio("submit", "ai101", "dominoes", FILE, "--as", str(1000 + number))
        for number, text in PLAYERS.items():
            (palio.folder / FILE).write_text(text)
            palio("submit", "ai101", "cup", FILE, "--as", str(1000 + number))
        (palio.folder / FILE).write_text(PARTLY)  # a day late
        palio("submit", "ai101", "warm_up", FILE, "--as", "1001", "--at", "2020-02-16T12:00")
        palio("course", "check-all", "ai101")
        palio("course", "publish", "ai101", "warm_up")
        palio("course", "tournament", "ai101", "cup")
        server = palio.start("serve", "--port", "0", "--course", "ai101")
        url = re.search(r"http://[\d.:]+", server.line_with("serves on"))
        assert url is not None
        yield ServedCourse(palio, url[0], tokens, staff)
    finally:
        palio.close()
