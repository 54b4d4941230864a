"""`palio grade`, Gradescope's machine and GitHub's, with the real command, sandbox and games."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path
from textwrap import dedent

import pytest
from command import Palio
from dominoes_file import DOMINOES, FILE
from fresh import environment_without_ours
from made_assignments import EXAMPLES, write

ROOT = Path(__file__).parents[2]
COURSE = """
    title = "Artificial Intelligence 101"
    time_zone = "Europe/Rome"
"""
ASSIGNMENT = """
    title = "Dominoes"
    game = "dominoes:rows=4,cols=4"
    handout = "dominoes"
    files = ["adversarial_search.py"]
    opens = 2027-02-01T09:00:00
    due = 2027-02-15T23:59:00
    clock = "2"

    [[tests]]
    file = "tests/test_examples.py"

    [[tests]]
    file = "tests/test_hidden.py"
    feedback = "after due"
    shown = false

    [[against]]
    bot = "random"
    games = 2
    need = 0.5
    points = 10
"""
HIDDEN = """
    import pytest
    from adversarial_search import create_dominoes_game

    @pytest.mark.points(20)
    def test_best_move():
        assert create_dominoes_game(3, 3).get_best_move(True, 1) == ((0, 1), 2, 6)
"""
METADATA = {
    "id": 1234,
    "created_at": "2027-02-16T10:00:00.000000+00:00",
    "assignment": {"due_date": "2027-02-15T23:59:00.000000+01:00", "total_points": "35.0"},
    "users": [{"email": "ada@example.org", "id": 1, "name": "Ada"}],
    "previous_submissions": [],
}


@pytest.fixture
def course(tmp_path: Path) -> Path:
    home = write(tmp_path / "ai101" / "course.toml", COURSE).parent
    dominoes = home / "assignments" / "dominoes"
    write(dominoes / "assignment.toml", ASSIGNMENT)
    write(dominoes / "tests" / "test_examples.py", EXAMPLES)
    write(dominoes / "tests" / "test_hidden.py", HIDDEN)
    return home


@pytest.fixture
def submission(tmp_path: Path) -> Path:
    return write(tmp_path / "submission" / FILE, DOMINOES).parent


def test_one_submission_is_graded_for_people_and_for_programs(palio: Palio, course: Path, submission: Path):
    dominoes = str(course / "assignments" / "dominoes")
    table = palio("grade", dominoes, str(submission)).stdout
    assert "test_examples.py::test_moves" in table
    assert "expected ((0, 1), 2, 6), got ((0, 0), 6, 1)" in table
    found = palio.json("grade", dominoes, str(submission), "--json")
    assert found.keys() == {"points", "max_points", "parts"}
    assert all(part.keys() == {"name", "points", "max_points", "why"} for part in found["parts"])
    points = {part["name"]: (part["points"], part["max_points"]) for part in found["parts"]}
    against = points.pop("against random")
    assert points == {
        "test_examples.py::test_moves": (3, 3),
        "test_examples.py::test_sizes[1]": (1, 1),
        "test_examples.py::test_sizes[2]": (1, 1),
        "test_examples.py::test_extra": (2, 2),
        "test_hidden.py::test_best_move": (0, 20),
    }
    assert against[1] == 10
    assert found["max_points"] == 35
    assert found["points"] == 7 + against[0]


def test_a_zip_and_a_file_of_another_name_are_graded_too(palio: Palio, course: Path, submission: Path, tmp_path: Path):
    words = ["grade", str(course / "assignments" / "dominoes"), "--no-references", "--json"]
    with zipfile.ZipFile(tmp_path / "ada.zip", "w") as archive:
        archive.write(submission / FILE, f"ada/{FILE}")
    (submission / FILE).rename(tmp_path / "hw4_final.py")
    for handed_in in ("ada.zip", "hw4_final.py"):
        found = palio.json(*words, str(tmp_path / handed_in))
        assert (found["points"], found["max_points"]) == (7, 25)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def f(:\n", "adversarial_search.py, line 1: SyntaxError: invalid syntax"),
        (None, "adversarial_search.py is missing"),
    ],
)
def test_a_submission_that_cannot_run_ends_with_1_and_the_reason(
    palio: Palio, course: Path, tmp_path: Path, text: str | None, why: str
):
    write(tmp_path / "submission" / (FILE if text else "other.py"), text or "x = 1")
    graded = palio("grade", str(course / "assignments" / "dominoes"), str(tmp_path / "submission"), code=1)
    assert f"nothing of it can run: {why}" in graded.stdout
    assert graded.stdout.count(why) == 7  # each part says it, too
    assert "0 of 35 points" in graded.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["./nowhere", "submission"], "there is no assignment.toml in ./nowhere"),
        (["{dominoes}", "nothing"], "there is no file or folder nothing"),
        (["{dominoes}", ".", "--json", "--gradescope"], "give one of them"),
    ],
)
def test_what_cannot_be_graded_is_told_in_one_sentence(palio: Palio, course: Path, words: list[str], sentence: str):
    given = [word.format(dominoes=course / "assignments" / "dominoes") for word in words]
    refused = palio("grade", *given, code=2)
    assert sentence in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1


def test_results_are_written_as_gradescope_reads_them(palio: Palio, course: Path, submission: Path, tmp_path: Path):
    (tmp_path / "metadata.json").write_text(json.dumps(METADATA))
    words = ["--gradescope", "--metadata", str(tmp_path / "metadata.json"), "--results", str(tmp_path / "results.json")]
    palio("grade", str(course / "assignments" / "dominoes"), str(submission), "--no-references", *words)
    check_results(json.loads((tmp_path / "results.json").read_text()), 7)


def check_results(found: dict, least: float) -> None:
    assert found["score"] >= least
    assert found["extra_data"]["users"] == ["Ada"]
    assert "handed in 2027-02-16 10:00, after the end" in found["output"]
    tests = {test["name"]: test for test in found["tests"]}
    assert tests["test_examples.py::test_moves"]["status"] == "passed"
    hidden = tests["test_hidden.py::test_best_move"]
    assert (hidden["status"], hidden["visibility"], hidden["output"]) == ("failed", "after_due_date", "")


@pytest.mark.slow
def test_the_autograders_zip_grades_in_a_clean_machine_of_gradescopes_layout(
    palio: Palio, course: Path, submission: Path, tmp_path: Path
):
    palio("course", "gradescope", str(course), "dominoes", "-o", str(tmp_path / "autograder.zip"))
    root = tmp_path / "autograder"
    for name in ("source", "submission", "results"):
        (root / name).mkdir(parents=True)
    subprocess.run(["unzip", "-q", tmp_path / "autograder.zip", "-d", root / "source"], check=True)
    (root / "submission" / FILE).write_text((submission / FILE).read_text())
    (root / "submission_metadata.json").write_text(json.dumps(METADATA))
    environment = environment_without_ours() | {"AUTOGRADER_ROOT": str(root)}
    for script in ("setup.sh", "run_autograder"):
        done = subprocess.run(
            [root / "source" / script],
            cwd=root,
            env=environment,
            check=False,
            capture_output=True,
            text=True,
            timeout=280,
        )
        assert done.returncode == 0, done.stderr
    found = json.loads((root / "results" / "results.json").read_text())
    check_results(found, 7)
    assert [each["name"] for each in found["leaderboard"]] == ["points", "against random"]


NOSY = """
    import os, pathlib

    def user():
        return os.geteuid()

    def tries(course):
        done = []
        for file in (course / "results.json", course / "assignments" / "dominoes" / "tests" / "test_hidden.py"):
            for mode in "ra":
                try:
                    open(file, mode).close()
                    done.append(mode + file.name)
                except OSError:
                    pass
        return done
"""
SYSTEM = Path("/usr/bin/python3")


def can_stand_in() -> bool:
    """Return True if the system's Python can import what ours has; ours may be in root's home, which is closed."""
    version = "import sys; print(sys.version_info[:2])"
    needed = [ROOT, Path(sysconfig.get_path("purelib"))]
    closed = any(not each.stat().st_mode & 0o001 for path in needed for each in (path, *path.parents))
    if closed or not SYSTEM.exists():
        return False
    found = subprocess.run([SYSTEM, "-c", version], check=False, capture_output=True, text=True)
    return found.stdout.strip() == str(sys.version_info[:2])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can run programs as another user")
@pytest.mark.skipif(not can_stand_in(), reason="another user needs a Python of this version outside of root's home")
@pytest.mark.slow
def test_without_a_sandbox_root_lets_a_submission_neither_read_hidden_tests_nor_write_results(course: Path):
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        root.chmod(0o755)
        shutil.copytree(course, root / "ai101")
        dominoes = root / "ai101" / "assignments" / "dominoes"
        test = """
            import adversarial_search as search, pathlib

            def test_user(): assert search.user() == 61184
            def test_tries(): assert search.tries(pathlib.Path({course!r})) == ["rresults.json"]
            def test_scratch(tmp_path, submission):
                (tmp_path / "x").write_text("x")
                (submission / "y").write_text("y")
        """
        write(dominoes / "tests" / "test_examples.py", test.format(course=str(root / "ai101")))
        (dominoes / "tests").chmod(0o700)
        (root / "ai101" / "results.json").touch()
        told = f"print('as', user(), tries(pathlib.Path({str(root / 'ai101')!r})))"
        own = dedent(NOSY) + dedent(DOMINOES).replace(
            "        moves = list", f"        {told}\n        moves = list", 1
        )
        write(root / "submission" / FILE, own)
        (root / "metadata.json").write_text(json.dumps(METADATA))
        site = sysconfig.get_path("purelib")
        sources = [str(ROOT / name) for name in ("palio", "rules", "clients", "server", "db")]
        words = ["grade", dominoes, root / "submission", "--sandbox", "off", "--gradescope"]
        files = ["--metadata", root / "metadata.json", "--results", root / "out.json"]
        done = subprocess.run(
            [SYSTEM, "-P", "-c", "from palio_server.cli import main; main()", *words, *files],
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": os.pathsep.join([*sources, site])},
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        found = json.loads((root / "out.json").read_text())
    tests = {test["name"]: test for test in found["tests"]}
    passed = [tests[f"test_examples.py::test_{name}"]["status"] for name in ("user", "tries", "scratch")]
    assert passed == ["passed"] * 3, found
    assert [each["name"] for each in found["leaderboard"]] == ["points", "against random"]
    assert "as 61184 ['rresults.json']" in tests["against random"]["output"]


@pytest.mark.slow
def test_a_workflow_for_github_is_written_without_hidden_tests(palio: Palio, course: Path, tmp_path: Path):
    said = palio("course", "github", str(course), "dominoes", "-o", str(tmp_path / "starter")).stdout
    assert "tests/test_hidden.py" in said
    assert (tmp_path / "starter" / ".github" / "workflows" / "classroom.yml").is_file()
    opened = tmp_path / "starter" / ".github" / "palio" / "course" / "assignments" / "dominoes"
    write(tmp_path / "student" / FILE, DOMINOES)
    found = palio.json("grade", str(opened), str(tmp_path / "student"), "--no-references", "--json")
    assert (found["points"], found["max_points"]) == (7, 5)


def test_an_assignment_that_is_not_there_is_told_with_the_nearest_one(palio: Palio, course: Path):
    refused = palio("course", "gradescope", str(course), "domino", code=2)
    assert "has no assignment 'domino'; " in refused.stderr
    assert "dominoes" in refused.stderr
