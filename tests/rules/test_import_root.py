"""A student's file is imported from the highest folder that makes its own imports work, and from no other."""

import textwrap
from pathlib import Path

import pytest

from palio_rules.python_file import ImportPlace, place_of, usual_place


@pytest.fixture
def course(tmp_path: Path):
    """Writes files of a course; the folder that holds them."""

    def course(files: dict[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / "course" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
        return tmp_path / "course"

    return course


NESTED = {"player/board.py": "", "player/greedy/weights.py": "", "player/greedy/agent.py": ""}


@pytest.mark.parametrize(
    ("text", "climbs"),
    [
        ("from player.board import Board", True),
        ("import player.board", True),
        ("from player import board", True),
        ("import player.greedy.weights as w", True),
        ("from ..board import Board", True),
        ("def late():\n    from player.board import Board", True),
        ("from .agent import Player", False),
        ("from greedy.agent import Player", False),
        ("import player.nowhere", False),
        ("import numpy, json", False),
        ("", False),
    ],
)
def test_a_package_goes_as_high_as_its_imports_lead(course, text, climbs):
    root = course({**NESTED, "player/greedy/__init__.py": text})
    place = place_of(root / "player/greedy/__init__.py")
    assert place == (ImportPlace(root, "player.greedy") if climbs else ImportPlace(root / "player", "greedy"))


def test_what_a_package_imports_from_itself_counts_as_well(course):
    root = course(
        {**NESTED, "player/greedy/__init__.py": "from .agent import A", "player/greedy/agent.py": "import player.board"}
    )
    place = place_of(root / "player/greedy/__init__.py")
    assert place == ImportPlace(root, "player.greedy")
    assert place.top == root / "player"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import board", "agent"),
        ("from .board import Board", "player.agent"),
        ("from player.board import Board", "player.agent"),
        ("from course.player.board import Board", "course.player.agent"),
    ],
)
def test_a_file_alone_may_be_a_module_of_a_package(course, text, name):
    root = course({"player/board.py": "", "player/agent.py": text})
    file = root / "player/agent.py"
    place = place_of(file)
    assert place.name == name
    assert place.root.joinpath(*name.split(".")).with_suffix(".py") == file
    assert usual_place(file) == ImportPlace(root / "player", "agent")


def test_of_folders_of_one_name_a_nearer_module_is_enough(course):
    root = course({"player/player/board.py": "", "player/player/__init__.py": "from player.board import Board"})
    assert place_of(root / "player/player/__init__.py") == ImportPlace(root / "player", "player")


def test_what_is_no_python_stays_where_it_is(course):
    root = course({"player/agent.py": "from player.x import (", "player/ps2.ipynb": "{}"})
    assert place_of(root / "player/agent.py").root == root / "player"
    assert place_of(root / "player/ps2.ipynb") == ImportPlace(root / "player", "ps2")


@pytest.mark.parametrize(
    ("text", "climbs"),
    [
        ("from mechanics import apply", True),
        ("import structures.node", True),
        ("import weights", False),
        ("import structures.nowhere", False),
        ("import data, json, random", False),
    ],
)
def test_what_is_found_in_a_folder_above_only_leads_there(course, text, climbs):
    others = {"mechanics.py": "", "structures/node.py": "", "data/states.json": "", "random.py": ""}
    root = course({**NESTED, **others, "player/greedy/__init__.py": text})
    place = place_of(root / "player/greedy/__init__.py")
    assert place == (
        ImportPlace(root, "player.greedy", whole=True) if climbs else ImportPlace(root / "player", "greedy")
    )
    assert place.top == (root if climbs else root / "player/greedy")


def test_nothing_is_taken_from_somebodys_home(course, monkeypatch):
    root = course({**NESTED, "mechanics.py": "", "player/greedy/__init__.py": "import mechanics"})
    monkeypatch.setenv("HOME", str(root))
    assert place_of(root / "player/greedy/__init__.py") == ImportPlace(root / "player", "greedy")
