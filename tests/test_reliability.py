"""docs/evidence/reliability.md keeps its promise: every fault has a row, and every row a test that exists."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "evidence" / "reliability.md"
NAMED = 59  # faults that were known before any of them was tried; later ones follow behind

TEST = re.compile(r"`([\w/.]+\.(?:py|mjs))::([\w.]+)`")


def rows() -> list[tuple[int, str, str]]:
    """Of each fault: its number, what it is, and the cell that names its tests."""
    cells = [
        line.strip().strip("|").split(" | ") for line in PAGE.read_text().splitlines() if re.match(r"\| \d+ \|", line)
    ]
    return [(int(number), fault, tests) for number, fault, _, tests in cells]


@cache
def names_in(path: str) -> frozenset[str]:
    """The names of the tests of a file: functions, classes, and what hypothesis makes of a machine."""
    found = set[str]()
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return frozenset(name for name in found if name.startswith(("test", "Test")))


def test_every_fault_has_one_row_in_order():
    numbers = [number for number, _, _ in rows()]
    assert numbers == sorted(set(numbers))
    assert [number for number in range(1, max(numbers) + 1) if number not in numbers] == []
    assert numbers[-1] >= NAMED


@pytest.mark.parametrize(("number", "tests"), [(number, tests) for number, _, tests in rows()])
def test_every_row_names_tests_that_exist(number, tests):
    named = TEST.findall(tests)
    assert named, f"fault {number} names no test"
    assert ", ".join(f"`{path}::{name}`" for path, name in named) == tests.strip(), "nothing else stands there"
    for path, name in named:
        assert (ROOT / path).exists(), f"fault {number}: there is no {path}"
        assert name in names_in(path), f"fault {number}: {path} has no {name}"


def test_no_row_names_a_test_twice():
    for number, _, tests in rows():
        named = TEST.findall(tests)
        assert len(named) == len(set(named)), f"fault {number} names a test twice"


def test_what_stands_elsewhere_on_the_page_exists_too():
    for path, name in TEST.findall(PAGE.read_text()):
        assert name in names_in(path), f"{path} has no {name}"
