"""GitHub Classroom: the workflow, without what students must not read."""

import tomllib
from dataclasses import replace

import pytest
import yaml
from made_assignments import EXAMPLES, assignment, write

from palio_server.courses.github import WORKFLOW, write_workflow

TOML = """\
title = "Dominoes"
game = "dominoes"
handout = "dominoes"
files = ["adversarial_search.py"]
opens = 2027-02-01T09:00:00
due = 2027-02-15T23:59:00
points = 40
extra = 5

[[tests]]
file = "tests/test_shown.py"

[[tests]]
file = "tests/test_hidden.py"
shown = false

[[against]]
bot = "greedy"
games = 2
points = 1

[[against]]
bot = "staff/best.py"
games = 2
points = 1

[late]
days = 2
"""


@pytest.fixture
def written(tmp_path):
    home = tmp_path / "ai101" / "assignments" / "dominoes"
    hidden = 'CASES = "cases.json"\ndef test_it(): pass\n'
    found = assignment(home, test_shown=EXAMPLES, test_hidden=hidden)
    found = replace(found, tests=(found.tests[0], replace(found.tests[1], shown=False)))
    write(home / "assignment.toml", TOML)
    write(home / "tests" / "cases.json", "[]")
    write(home / "tests" / "board.txt", "x")
    write(home / "staff" / "best.py", "x = 1")
    write(tmp_path / "ai101" / "course.toml", 'title = "AI"')
    folder = tmp_path / "starter"
    left_out = write_workflow(found, write(tmp_path / "palio-1-py3-none-any.whl", "wheel"), folder)
    return folder, left_out


def test_hidden_tests_their_data_and_the_staffs_bots_are_left_out(written):
    folder, left_out = written
    assert left_out == ("tests/test_hidden.py",)
    home = folder / ".github" / "palio" / "course"
    assert sorted(each.relative_to(home).as_posix() for each in home.rglob("*") if each.is_file()) == [
        "assignments/dominoes/assignment.toml",
        "assignments/dominoes/tests/board.txt",
        "assignments/dominoes/tests/test_shown.py",
        "course.toml",
    ]
    values = tomllib.loads((home / "assignments" / "dominoes" / "assignment.toml").read_text())
    assert values["tests"] == [{"file": "tests/test_shown.py"}]
    assert [each["bot"] for each in values["against"]] == ["greedy"]
    assert not values.keys() & {"points", "extra"}
    assert values["late"] == {"days": 2}


def test_the_workflow_is_one_that_grades_and_reports(written):
    folder, _ = written
    workflow = yaml.safe_load((folder / WORKFLOW).read_text())
    steps = workflow["jobs"]["run-autograding-tests"]["steps"]
    assert "palio grade .github/palio/course/assignments/dominoes . --json" in steps[3]["run"]
    assert steps[-1]["uses"].startswith("classroom-resources/autograding-grading-reporter@")
    assert steps[-1]["with"]["runners"] == steps[3]["id"] == "palio"
    assert (folder / ".github" / "palio" / "palio-1-py3-none-any.whl").is_file()
