"""`palio course override` and `extend`: decisions of the staff on one student."""

from datetime import timedelta

import pytest
from made_course import made_course

from palio_server.cli.palio import call
from palio_server.courses.course_file import read_course
from palio_server.courses.faults import CourseError
from palio_server.courses.schedule import in_time_until

ROSTER = "name,email,id\nAda,ada@x.example,S1\n"
OVERRIDE = ["course", "override", "ai101", "dominoes", "S1", "--reason", "was ill", "--points"]
EXTEND = ["course", "extend", "ai101", "dominoes", "S1", "--reason", "is ill", "--until"]


@pytest.fixture(autouse=True)
def course(tmp_path, monkeypatch):
    monkeypatch.setenv("PALIO_DB", f"sqlite:///{tmp_path}/palio.db")
    monkeypatch.chdir(tmp_path)
    made_course(tmp_path)
    (tmp_path / "roster.csv").write_text(ROSTER, "utf-8")
    assert call(["course", "roster", "ai101", "roster.csv"]) == 0


def grade_of(capsys):
    capsys.readouterr()
    assert call(["course", "grades", "ai101", "--format", "csv"]) == 0
    return capsys.readouterr().out.splitlines()[1].split(",")


def test_more_points_than_there_are_are_asked_back(capsys):
    assert call([*OVERRIDE, "51"]) == 2
    sentence = "51 points are more than the 50 of dominoes; nothing was changed: correct --points, or add --yes"
    assert sentence in capsys.readouterr().err
    assert "0" in grade_of(capsys)
    assert call([*OVERRIDE, "50"]) == 0
    assert "50" in grade_of(capsys)
    assert call([*OVERRIDE, "51", "--yes"]) == 0
    assert "51" in grade_of(capsys)


def test_an_own_due_date_is_after_the_opening_and_in_the_course_s_zone(capsys):
    assert call([*EXTEND, "2027-01-31T12:00"]) == 2
    assert "is before dominoes opens, 2027-02-01 09:00 CET; take a later time" in capsys.readouterr().err
    assert call([*EXTEND, "2027-02-20T23:59"]) == 0
    assert "dominoes of S1: due 2027-02-20 23:59 CET" in capsys.readouterr().out
    assert call(["course", "extend", "ai101", "dominoes", "S9", "--reason", "x", "--until", "2027-02-20T23:59"]) == 1
    assert "there is no student 'S9'" in capsys.readouterr().err


def test_grace_is_in_minutes(tmp_path):
    file = tmp_path / "ai101" / "course.toml"
    file.write_text(file.read_text() + "grace = 5\n")
    [dominoes] = read_course(tmp_path / "ai101").assignments
    assert in_time_until(dominoes) == dominoes.due + timedelta(minutes=5)
    file.write_text(file.read_text().replace("grace = 5", "grace = 721"))
    with pytest.raises(CourseError, match=r"course.toml, line 8: grace: 721 .*720"):
        read_course(tmp_path / "ai101")
