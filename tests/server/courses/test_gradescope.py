"""Gradescope: its results, and the zip for its site; a wheel of what runs here."""

import zipfile
from dataclasses import replace
from datetime import timedelta
from fractions import Fraction

import pytest
from made_assignments import EXAMPLES, OPENS, assignment, write

from palio_rules.errors import BadOption
from palio_server.courses.gradescope import read_metadata, results, write_zip
from palio_server.courses.own_wheel import own_wheel
from palio_server.courses.values import Checked, Part

PARTS = (
    Part("test_a", Fraction(5), Fraction(5), seconds=0.5),
    Part("test_b", Fraction(0), Fraction(1, 3), "expected 2, got 1", feedback="after due"),
    Part("test_hidden", Fraction(0), Fraction(2), "expected 3, got 1", shown=False, seconds=0.7),
    Part("test_extra", Fraction(2), Fraction(2), extra=True),
    Part("against greedy", Fraction(5, 2), Fraction(10), "1 point in 4 games", matches=("m1", "m2")),
)


@pytest.fixture
def dominoes(tmp_path):
    return assignment(tmp_path / "ai101" / "assignments" / "dominoes", test_examples=EXAMPLES)


def test_results_have_the_form_that_gradescope_reads(dominoes):
    metadata = {"id": 7, "created_at": "2027-02-10T10:00:00+00:00", "users": [{"name": "Ada", "email": "a@x", "id": 1}]}
    found = results(dominoes, Checked(PARTS, seconds=1.23456, said="hello"), metadata)
    assert found["score"] == 9.5
    assert found["execution_time"] == 0.5  # without the time of hidden tests
    assert found["stdout_visibility"] == "hidden"
    assert found["output"] == "what your program printed:\nhello"
    assert [(test["name"], test["score"], test["max_score"], test["status"]) for test in found["tests"]] == [
        ("test_a", 5, 5, "passed"),
        ("test_b", 0, 0.3333, "failed"),
        ("test_hidden", 0, 2, "failed"),
        ("test_extra", 2, 0, "passed"),
        ("against greedy", 2.5, 10, "failed"),
    ]
    assert [test["visibility"] for test in found["tests"]][:3] == ["visible", "after_due_date", "visible"]
    assert [test["output"] for test in found["tests"]][1:3] == ["expected 2, got 1", ""]
    assert found["leaderboard"] == [
        {"name": "points", "value": 9.5, "order": "desc"},
        {"name": "against greedy", "value": 2.5},
    ]
    assert found["extra_data"] == {"assignment": "dominoes", "users": ["Ada"], "submission": 7}


def test_a_late_and_a_broken_submission_are_told(dominoes):
    late = (OPENS + timedelta(days=15)).isoformat()
    found = results(dominoes, Checked(PARTS, broken="hw.py is missing"), {"created_at": late})
    assert found["output"].startswith(
        "hw.py is missing\n\nhanded in 2027-02-16 09:00, after the end (2027-02-15 09:00)"
    )


@pytest.mark.parametrize(("text", "why"), [(None, "cannot be read"), ("{", "is no JSON"), ("[1]", "no object")])
def test_metadata_that_cannot_be_used_are_told(tmp_path, text, why):
    file = tmp_path / "submission_metadata.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(BadOption, match=why):
        read_metadata(file)


def test_the_zip_has_both_scripts_the_wheel_and_the_course(dominoes, tmp_path):
    write(tmp_path / "ai101" / "course.toml", 'title = "AI"')
    write(dominoes.folder / "__pycache__" / "x.pyc", "x")
    wheel = write(tmp_path / "palio-1-py3-none-any.whl", "wheel")
    for name in ("one.zip", "two.zip"):
        write_zip(dominoes, wheel, tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert archive.namelist() == [
            "setup.sh",
            "run_autograder",
            wheel.name,
            "course/course.toml",
            "course/assignments/dominoes/tests/test_examples.py",
        ]
        assert {name: archive.getinfo(name).external_attr >> 16 & 0o777 for name in archive.namelist()[:3]} == {
            "setup.sh": 0o755,
            "run_autograder": 0o755,
            wheel.name: 0o644,
        }
        assert b"course/assignments/dominoes" in archive.read("run_autograder")


def test_a_wheel_is_built_of_this_checkout(tmp_path):
    wheel = own_wheel(tmp_path)
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert "palio_server/courses/check.py" in names
    assert "palio_clients/grading/worker.py" in names
    assert any(name.endswith(".dist-info/RECORD") for name in names)


def test_an_extra_test_without_points_adds_none(dominoes):
    part = replace(PARTS[3], points=Fraction(0), why="wrong")
    assert results(dominoes, Checked((part,)), {})["tests"][0]["status"] == "failed"
