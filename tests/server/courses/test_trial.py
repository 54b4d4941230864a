"""The trial of a course: what would give a whole class wrong points is found before, and holds the grades back."""

import asyncio
import shutil
import zipfile
from datetime import UTC, datetime

import pytest
from dominoes_file import DOMINOES, FILE
from made_assignments import write

from palio_db.course_values import NewSubmission, RosterEntry
from palio_db.store import Store
from palio_server.courses.course_file import read_course
from palio_server.courses.faults import CourseError
from palio_server.courses.github import write_workflow
from palio_server.courses.gradescope import write_zip
from palio_server.courses.revision import revision_of
from palio_server.courses.served_courses import ServedCourses, reread
from palio_server.courses.trial import Trials, lacks_solution, read_tried_course
from palio_server.courses.values import Checked
from palio_server.sandbox.bubblewrap import SandboxLimits
from palio_server.sandbox.confinement import Confinement

CONFINED = Confinement(SandboxLimits(), mode="require")
COURSE = 'title = "AI"\ntime_zone = "UTC"\n'
ASSIGNMENT = """\
title = "Dominoes"
game = "dominoes"
handout = "dominoes"
files = ["adversarial_search.py"]
opens = 2020-02-01T09:00:00
due = 2099-02-15T23:59:00
points = 5
[[tests]]
file = "tests/test_shown.py"
points = 2
[[tests]]
file = "tests/test_hidden.py"
points = 3
shown = false
feedback = "after due"
"""
SHOWN = "import adversarial_search\ndef test_game(): assert adversarial_search.create_dominoes_game(1, 1)\n"
HIDDEN = """\
from adversarial_search import create_dominoes_game
def test_moves(): assert list(create_dominoes_game(2, 2).legal_moves(True)) == [(0, 0), (0, 1)]
"""
MARK = "mark-of-the-solution"


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "ai" / "course.toml", COURSE)
    home = tmp_path / "ai" / "assignments" / "dominoes"
    write(home / "assignment.toml", ASSIGNMENT)
    write(home / "tests" / "test_shown.py", SHOWN)
    write(home / "tests" / "test_hidden.py", HIDDEN)
    write(home / "solution" / FILE, f"{DOMINOES}\nMARK = '{MARK}'\n")
    write(home / "skeleton" / FILE, "def create_dominoes_game(rows, cols):\n    pass\n")
    return tmp_path / "ai"


def trials(folder, say=lambda _: None):
    return Trials(folder, CONFINED, say)


async def faults(folder):
    with pytest.raises(CourseError) as refused:
        await read_tried_course(folder, trials(folder))
    return refused.value.faults


@pytest.mark.slow
async def test_a_course_whose_solution_is_right_is_tried_once_for_the_same_files(folder):
    said = []
    course = await read_tried_course(folder, trials(folder, said.append))
    assert said == ["collecting the tests of dominoes", "trying solution/ of dominoes", "trying skeleton/ of dominoes"]
    assert lacks_solution(course) == []
    await read_tried_course(folder, trials(folder, said.append))
    assert len(said) == 3
    before = revision_of(course.assignments[0])
    write(folder / "assignments" / "dominoes" / "solution" / "notes.txt", "x")
    await read_tried_course(folder, trials(folder, said.append))
    assert len(said) == 6
    assert revision_of(course.assignments[0]) == before  # no submission is checked again for it


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "text", "fault"),
    [
        ("tests/test_hidden.py", "import helper_of_last_year\n", "No module named 'helper_of_last_year'"),
        ("tests/test_hidden.py", "def test_moves(:\n", "tests/test_hidden.py"),
        (
            f"solution/{FILE}",
            DOMINOES.replace("yield r, c", "yield c, r"),
            "solution/ has 0 of 3 points for test_hidden",
        ),
        (f"solution/{FILE}", "def create(): pass\n", f"solution/: {FILE} has no DominoesGame(board)"),
        (f"solution/{FILE}", "def create(:\n", f"solution/: {FILE}, line 1: SyntaxError"),
        ("tests/test_hidden.py", "import adversarial_search\ndef test_it(): pass\n", "skeleton/ has 3 points"),
    ],
)
async def test_what_would_give_a_class_wrong_points_is_refused(folder, file, text, fault):
    write(folder / "assignments" / "dominoes" / file, text)
    found = await faults(folder)
    assert all("dominoes" in each for each in found)
    assert any(fault in each for each in found), found


async def test_without_a_solution_the_tests_are_collected_all_the_same(folder):
    home = folder / "assignments" / "dominoes"
    shutil.rmtree(home / "solution")
    assert lacks_solution(await read_tried_course(folder, trials(folder))) == ["dominoes"]
    write(home / "tests" / "test_hidden.py", "import helper_of_last_year\n")
    assert "helper_of_last_year" in (await faults(folder))[0]


async def counting(assignment, submission, /, *, records):
    return Checked(())


async def served(store, folder):
    def read():
        return ServedCourses.read(store, [folder], lambda _: counting, lambda course: trials(course.folder))

    return (await asyncio.to_thread(read)).by_name["ai"]


@pytest.mark.slow
async def test_a_server_refuses_what_the_check_of_a_course_refuses(folder):
    write(folder / "assignments" / "dominoes" / "solution" / FILE, "def create(): pass\n")
    expected = await faults(folder)
    async with await Store.open("sqlite://") as store:
        with pytest.raises(CourseError) as refused:
            await served(store, folder)
        assert refused.value.faults == expected
        write(folder / "assignments" / "dominoes" / "tests" / "test_hidden.py", "import helper_of_last_year\n")
        with pytest.raises(CourseError, match="helper_of_last_year"):
            await served(store, folder)


@pytest.mark.slow
async def test_no_submission_is_checked_before_the_solution_has_passed(folder):
    async with await Store.open("sqlite://") as store:
        await store.set_roster("ai", [RosterEntry("0", "Ada")])
        new = NewSubmission("ai", "dominoes", "0", datetime.now(UTC), "1", {FILE: b""})
        await store.keep_submission(new)
        course = await served(store, folder)
        assert course.trials is not None
        assert await course.queue.unchecked() == []
        await course.trials.run(course.course.assignments[0])
        assert len(await course.queue.unchecked()) == 1
        write(folder / "assignments" / "dominoes" / "tests" / "test_hidden.py", "import helper_of_last_year\n")
        await asyncio.to_thread(reread, course)  # refused, but the file is there
        assert await course.queue.unchecked() == []


async def test_a_solution_leaves_by_no_exit(folder, tmp_path):
    """Also hidden tests do not leave for students; Gradescope's zip, which grades, has them."""
    (assignment,) = read_course(folder).assignments
    wheel = write(tmp_path / "palio-1-py3-none-any.whl", "wheel")
    write_zip(assignment, wheel, tmp_path / "autograder.zip")
    with zipfile.ZipFile(tmp_path / "autograder.zip") as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    assert not [name for name, data in content.items() if "solution" in name or MARK.encode() in data]
    assert "course/assignments/dominoes/tests/test_hidden.py" in content
    write_workflow(assignment, wheel, tmp_path / "starter")
    written = {file: file.read_bytes() for file in (tmp_path / "starter").rglob("*") if file.is_file()}
    assert not [file for file, data in written.items() if "solution" in file.parts or MARK.encode() in data]
    assert not [file for file in written if file.name == "test_hidden.py"]
