"""docs/evidence/reliability.md keeps its promise: every fault has a row, and every row a test that exists."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "evidence" / "reliability.md"
NAMED = 59  # faults that were known before any of them was tried; later ones follow behind

TEST = re.compile(r"`(?:(test_\w+)|(Test\w+))`")


def rows() -> list[tuple[int, str, str]]:
    """Of each fault: its number, what it is, and the cell that names its tests."""
    cells = [
        line.strip().strip("|").split(" | ") for line in PAGE.read_text().splitlines() if re.match(r"\| \d+ \|", line)
    ]
    return [(int(number), fault, tests) for number, fault, _, tests in cells]


def names_in(text: str) -> list[str]:
    """Return the tests that a text names."""
    return [small or large for small, large in TEST.findall(text)]


@cache
def every_test() -> Counter[str]:
    """Return the names of all tests, and how often each is there: functions, classes, what hypothesis makes."""
    found = Counter[str]()
    for path in (ROOT / "tests").rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found[node.name] += 1
            elif isinstance(node, ast.Assign):
                found.update(target.id for target in node.targets if isinstance(target, ast.Name))
    return found


def test_every_fault_has_one_row_in_order():
    numbers = [number for number, _, _ in rows()]
    assert numbers == sorted(set(numbers))
    assert [number for number in range(1, max(numbers) + 1) if number not in numbers] == []
    assert numbers[-1] >= NAMED


def test_every_row_names_tests_only_and_none_twice():
    for number, _, cell in rows():
        named = names_in(cell)
        assert named, f"fault {number} names no test"
        assert ", ".join(f"`{name}`" for name in named) == cell.strip(), f"fault {number}: nothing else stands there"
        assert len(named) == len(set(named)), f"fault {number} names a test twice"


def test_every_test_that_the_page_names_is_there_once():
    assert [name for name in names_in(PAGE.read_text()) if every_test()[name] != 1] == []
