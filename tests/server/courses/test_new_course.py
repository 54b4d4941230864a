"""A new course is whole, or nothing of it is there."""

import re
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

import click
import pytest
from made_course import made_ready

from palio_rules.errors import BadOption
from palio_server.cli.palio import palio
from palio_server.courses.new_course import local_zone, next_monday, ready_names, write_course

ROME = ZoneInfo("Europe/Rome")
HOW = {"title": 'Search "101" \\ AI', "zone": ROME, "start": date(2027, 3, 15), "seed": 7}


@pytest.fixture(autouse=True)
def ready(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", made_ready(tmp_path_factory.mktemp("ready")))


def test_the_ready_assignments_follow_each_other_by_fortnights(tmp_path):
    course = write_course(tmp_path / "ai101", ["second", "plain"], **HOW)
    assert (course.name, course.title, course.zone) == ("ai101", HOW["title"], ROME)
    second, plain = course.assignments
    assert (second.name, second.seed, f"{second.opens:%Y-%m-%d %H:%M}") == ("second", 7, "2027-03-15 09:00")
    assert (plain.name, plain.seed) == ("plain", 8)
    assert (second.due.date(), plain.opens.date(), plain.due.date()) == (
        date(2027, 3, 29),
        date(2027, 3, 29),
        date(2027, 4, 12),
    )
    assert {each.name for each in (tmp_path / "ai101").iterdir()} == {
        "course.toml",
        "README.md",
        ".gitignore",
        "assignments",
    }
    readme = (tmp_path / "ai101" / "README.md").read_text()
    assert len([line for line in readme.splitlines() if line]) <= 10


def test_the_commands_that_a_new_course_names_exist(tmp_path):
    write_course(tmp_path / "ai101", ["plain"], **HOW)
    texts = "\n".join((tmp_path / "ai101" / name).read_text() for name in ("course.toml", "README.md"))
    named = re.findall(r"palio ((?:[a-z-]+ ?)+)", texts)
    assert sorted({each.split()[0] for each in named}) == ["bot", "course"]
    for words in named:
        group = palio
        for word in words.split():
            if isinstance(group, click.Group):
                group = group.get_command(click.Context(group), word)
                assert group is not None, words


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["plain", "plian"], "there is no ready assignment 'plian'; did you mean 'plain'?"),
        (["plain", "plain"], "the assignment 'plain' is given twice; name it once"),
        (["plain", "failing"], "no ready assignment was written: no instance has an answer; take another seed"),
        (["plain", "faulty"], "assignments/faulty/assignment.toml, line 8: points: 11 in all, but tests"),
    ],
)
def test_nothing_is_left_after_a_fault(tmp_path, names, sentence):
    with pytest.raises(BadOption) as told:
        write_course(tmp_path / "ai101", names, **HOW)
    assert str(told.value).startswith(sentence)
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_left_alone(tmp_path):
    (tmp_path / "ai101").mkdir()
    with pytest.raises(BadOption, match="exists already; take another name, or remove it first"):
        write_course(tmp_path / "ai101", ["plain"], **HOW)
    with pytest.raises(BadOption, match="'ai 101' is no name for a course; use up to 64 letters"):
        write_course(tmp_path / "ai 101", ["plain"], **HOW)
    with pytest.raises(BadOption, match="cannot be written: no such file or directory"):
        write_course(tmp_path / "none" / "ai101", ["plain"], **HOW)
    assert list((tmp_path / "ai101").iterdir()) == []


def test_the_names_are_those_that_the_writer_prints():
    assert ready_names() == ("failing", "faulty", "plain", "second")


def test_a_writer_that_ends_without_a_word_is_told(tmp_path, monkeypatch):
    home = Path(made_ready(tmp_path / "other")) / "palio_clients" / "grading" / "new.py"
    home.write_text("raise SystemExit(3)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "other"))
    with pytest.raises(BadOption, match="no ready assignment was written: it ended with 3 and said nothing"):
        ready_names()


def test_the_zone_of_this_machine(tmp_path):
    link = tmp_path / "localtime"
    assert local_zone({}, link).key == "UTC"
    link.symlink_to("/usr/share/zoneinfo/Europe/Rome")
    assert local_zone({}, link).key == "Europe/Rome"
    assert local_zone({"TZ": ":Asia/Kolkata"}, link).key == "Asia/Kolkata"
    assert local_zone({"TZ": "CET-1CEST"}, link).key == "UTC"


def test_a_course_starts_on_monday():
    assert next_monday(date(2027, 3, 14)) == next_monday(date(2027, 3, 8)) == date(2027, 3, 15)
