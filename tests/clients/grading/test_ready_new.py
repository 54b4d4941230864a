"""The command that writes a ready assignment: its files, its dates, and cases that hang on the seed alone."""

import fnmatch
import json
import tomllib
import zipfile
from datetime import datetime
from pathlib import Path

import pytest
from ready_grading import READY, assignment, new, promised

from palio_clients.grading.new import draw, names

ROOT = Path(__file__).parents[3]
NAMES = ("breakthrough", "chexers", "chexers_solo", "dominoes", "end_of_the_track", "rush_hour", "tsp")
POINTS = {  # by tests, extra ones, by games
    "breakthrough": (90, 0, 10),
    "chexers": (60, 0, 40),
    "chexers_solo": (100, 0, 0),
    "dominoes": (40, 5, 0),
    "end_of_the_track": (208, 10, 0),
    "rush_hour": (100, 0, 0),
    "tsp": (100, 0, 0),
}
DATES = ("--seed", "1", "--opens", "2027-02-01", "--due", "2027-02-15")


def test_all_seven_are_listed():
    listed = new("--list")
    assert (listed.returncode, listed.stdout.split()) == (0, list(NAMES))


@pytest.mark.parametrize("name", NAMES)
def test_an_assignment_is_written_whole(name):
    folder = assignment(name)
    found = tomllib.loads((folder / "assignment.toml").read_text())
    assert (found["game"], found["handout"], found["seed"]) == (name, name, 7)
    assert (found["opens"], found["due"]) == (datetime(2027, 2, 1, 9), datetime(2027, 2, 15, 23, 59))  # noqa: DTZ001
    assert all((folder / tests["file"]).is_file() for tests in found["tests"])
    assert {(tests["feedback"], tests["shown"]) for tests in found["tests"]} == {
        ("at once", True),
        ("after due", False),
    }
    finals = [each["at"] for each in found.get("tournament", []) if each.get("final")]
    assert all(final > found["due"] for final in finals)
    assert {*fnmatch.filter([file.name for file in (folder / "solution").iterdir()], found["files"][0])}
    assert {path.name for path in folder.parent.iterdir()} == {name}


@pytest.mark.parametrize("name", NAMES)
def test_points_are_the_handouts_or_a_hundred(name):
    found = tomllib.loads((assignment(name) / "assignment.toml").read_text())
    games = found["points"] - promised(name)[0]
    assert (*promised(name), games) == POINTS[name]


@pytest.mark.parametrize("name", sorted({*NAMES} - {"rush_hour"}))
@pytest.mark.slow
def test_cases_hang_on_the_seed_alone(name):
    written = json.loads((assignment(name) / "tests" / "cases.json").read_text())
    assert json.loads(json.dumps(draw(name, 7))) == written
    other = json.loads(json.dumps(draw(name, 8)))
    assert {kind: len(cases) for kind, cases in other.items()} == {kind: len(cases) for kind, cases in written.items()}
    assert all(other[kind] != cases for kind, cases in written.items())


@pytest.mark.slow
def test_boards_of_rush_hour_hang_on_the_seed_alone(tmp_path):
    for folder, seed in (("same", 7), ("other", 8)):
        written = new("rush_hour", tmp_path / folder, *DATES, "--seed", seed)
        assert written.returncode == 0, written.stderr
    cases = [(tmp_path / folder / "tests" / "cases.json").read_bytes() for folder in ("same", "other")]
    assert cases[0] == (assignment("rush_hour") / "tests" / "cases.json").read_bytes() != cases[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("domino", "made", *DATES), "did you mean 'dominoes'"),
        (("dominoes", "made", *DATES, "--due", "2027-01-01"), "--due 2027-01-01 is before --opens 2027-02-01"),
        (("dominoes", "taken", *DATES), "is there already"),
        (("dominoes", "made", "--seed", "1"), "give NAME, FOLDER, --seed, --opens and --due"),
        (("dominoes", "made", *DATES, "--opens", "soon"), "invalid"),
    ],
    ids=["no-such-name", "due-first", "taken", "no-dates", "no-date"],
)
def test_a_sentence_says_what_is_wrong_and_nothing_is_written(tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    taken = tmp_path / "taken" / "mine.txt"
    taken.parent.mkdir()
    taken.write_text("mine")
    refused = new(*arguments)
    assert refused.returncode == 2
    assert said in refused.stderr
    assert [path.relative_to(tmp_path) for path in tmp_path.rglob("*")] == [Path("taken"), Path("taken/mine.txt")]


def test_a_folder_that_is_empty_is_taken(tmp_path):
    (tmp_path / "empty").mkdir()
    assert new("dominoes", tmp_path / "empty", *DATES).returncode == 0
    assert (tmp_path / "empty" / "assignment.toml").is_file()


def test_the_names_are_those_of_the_folders():
    assert names() == list(NAMES)


@pytest.mark.slow
def test_every_file_of_an_assignment_is_in_the_wheel(wheel):
    room = "palio_clients/grading/ready/"
    with zipfile.ZipFile(wheel) as files:
        packed = {name.removeprefix(room) for name in files.namelist() if name.startswith(room)}
    there = {
        str(file.relative_to(READY)) for file in READY.rglob("*") if file.is_file() and "__pycache__" not in file.parts
    }
    assert packed == there
