"""A file of tests stands in the room that it is about.

Tests of `server/palio_server/match/` stand in `tests/server/match/`, those of a room that is one module, such as
`rules/palio_rules/completing.py`, in a folder with its name. A file's own name says the subject.
"""

from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = {name: ROOT / name / f"palio_{name}" for name in ("rules", "clients", "server", "db")}
# No part of the product, and large enough to have tests of its own, by the same rule.
PACKAGES["simulation"] = ROOT / "tests" / "simulation" / "palio_simulation"
FILES = sorted(path for name in PACKAGES for path in (ROOT / "tests" / name).rglob("test_*.py"))


def has_its_room(path: Path) -> bool:
    package, *rooms = path.parent.relative_to(ROOT / "tests").parts
    room = PACKAGES[package].joinpath(*rooms)
    return (room / "__init__.py").exists() or room.with_suffix(".py").exists()


def test_a_file_of_tests_has_its_room():
    assert FILES
    assert [str(path.relative_to(ROOT / "tests")) for path in FILES if not has_its_room(path)] == []
