"""Small assignments for tests of checks, with files of students."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from textwrap import dedent

from dominoes_file import FILE

from palio_server.courses.values import Assignment, StaffTests

OPENS = datetime(2027, 2, 1, 9, tzinfo=UTC)
EXAMPLES = """
    import pytest
    from adversarial_search import create_dominoes_game

    @pytest.mark.points(3)
    def test_moves():
        assert list(create_dominoes_game(2, 2).legal_moves(True)) == [(0, 0), (0, 1)]

    @pytest.mark.points(1)
    @pytest.mark.parametrize("size", [1, 2])
    def test_sizes(size):
        assert len(create_dominoes_game(size, size).board) == size

    @pytest.mark.points(2, extra=True)
    def test_extra(submission):
        assert (submission / "adversarial_search.py").is_file()
"""


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(dedent(text))
    return file


def assignment(folder: Path, **tests: str) -> Assignment:
    """Return an assignment on Dominoes with these test files, as `test_examples="..."`."""
    for name, text in tests.items():
        write(folder / "tests" / f"{name}.py", text)
    return Assignment(
        "dominoes",
        folder,
        "Dominoes",
        "dominoes",
        f"handout:dominoes:{{folder}}/{FILE}",
        (FILE,),
        OPENS,
        OPENS + timedelta(days=14),
        tests=tuple(StaffTests(f"tests/{name}.py") for name in tests),
        time=timedelta(seconds=100),
    )


def sharing(found: Assignment, points: int) -> Assignment:
    """Return the assignment with so many points for each test file."""
    return replace(found, tests=tuple(replace(each, points=Fraction(points)) for each in found.tests))
