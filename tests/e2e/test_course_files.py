"""`palio course new` and `palio course check`, as a lecturer types them."""

from pathlib import Path

import pytest
from command import Palio
from made_course import ASSIGNMENT, made_course, made_ready


@pytest.fixture
def course(palio: Palio, tmp_path: Path) -> Path:
    return made_course(tmp_path)


def test_a_course_is_made_and_read(palio: Palio, tmp_path: Path) -> None:
    palio.env["PYTHONPATH"] = made_ready(tmp_path / "ready")
    made = palio("course", "new", "ai101", "--from", "plain,second", "--start", "2027-02-01", "--zone", "Europe/Rome")
    assert "ai101/: read README.md, set staff in course.toml, and run: palio course check ai101" in made.stdout
    assert made.stderr.splitlines()[1] == "writing second, 2 of 2: drawing its hidden tests"
    checked = palio("course", "check", "ai101").stdout
    assert made.stdout.startswith(checked)
    head, plain, second = [line.split() for line in checked.splitlines()[1:]]
    assert head == ["assignment", "opens", "due", "points", "tests", "references", "tournaments"]
    assert plain == ["plain", "2027-02-01", "09:00", "2027-02-15", "23:59", "10", "1", "0", "-"]
    assert second[:3] == ["second", "2027-02-15", "09:00"]
    refused = palio("course", "new", "ai101", "--from", "plain", code=2)
    assert "exists already; take another name" in refused.stderr


def test_a_course_with_all_its_faults(palio: Palio, course: Path) -> None:
    text = ASSIGNMENT.replace("games = 20", "games = 21").replace("[practice]", "[practise]")
    (course / "assignments" / "dominoes" / "assignment.toml").write_text(text)
    head, games, practice = palio("course", "check", "ai101", code=2).stderr.splitlines()
    name = "assignments/dominoes/assignment.toml"
    assert head == "palio: 2 faults:"
    assert games == f"{name}, line 24: games: 21 is odd, but each opening is played from both seats; add one"
    assert practice == f"{name}, line 27: unknown key 'practise'; did you mean 'practice'?"


def test_what_is_there_as_json(palio: Palio, course: Path) -> None:
    [dominoes] = palio.json("course", "check", "ai101")
    assert (dominoes["name"], dominoes["points"], dominoes["references"]) == ("dominoes", 50, ["alpha_beta:depth=2"])
    assert dominoes["tournaments"] == ["daily 03:00", "2027-02-16T12:00:00+01:00"]


def test_a_folder_that_is_no_course(palio: Palio) -> None:
    said = palio("course", "check", "nothing", code=2).stderr
    assert said.endswith("nothing does not exist; palio course new nothing makes a course\n")


def test_the_points_of_marked_tests_are_added_up(palio: Palio, course: Path) -> None:
    home = course / "assignments" / "dominoes"
    (home / "tests" / "test_hidden.py").write_text(
        "import pytest\n\n@pytest.mark.points(7)\ndef test_it():\n    pass\n"
    )
    (home / "assignment.toml").write_text(ASSIGNMENT.replace("points = 0\n", ""))
    said = palio("course", "check", "ai101", code=2).stderr
    assert "points: 50 in all, but tests, reference bots, place and rating add up to 57" in said
    (home / "assignment.toml").write_text(ASSIGNMENT.replace("points = 0\n", "").replace("points = 50", "points = 57"))
    palio("course", "check", "ai101")
