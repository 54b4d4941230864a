"""A file of tests stands where its module does, under its name.

`tests/server/match/test_turns.py` is about `server/palio_server/match/turns.py`, `test_turns_resume.py` beside it about
one aspect of it. What a room does as a whole has the room's name: `tests/server/bus/test_bus_envelope.py`.
"""

from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = {name: ROOT / name / f"palio_{name}" for name in ("rules", "clients", "server", "db")}
# No part of the product, and large enough to have tests of its own, by the same rule.
PACKAGES["simulation"] = ROOT / "tests" / "simulation" / "palio_simulation"
FILES = sorted(path for name in PACKAGES for path in (ROOT / "tests" / name).rglob("test_*.py"))


def is_about(path: Path) -> Path | None:
    """The module or package whose tests are in `path`, if there is one."""
    package, *rooms = path.parent.relative_to(ROOT / "tests").parts
    room = PACKAGES[package].joinpath(*rooms)
    words = path.stem.removeprefix("test_").split("_")
    for end in range(len(words), 0, -1):
        name = "_".join(words[:end])
        found = [room / f"{name}.py", room / name / "__init__.py"]
        if name == room.name.removeprefix("palio_"):
            found.append(room / "__init__.py")
        for module in found:
            if module.exists():
                return module
    return None


def test_a_file_of_tests_has_its_module():
    assert [str(path.relative_to(ROOT / "tests")) for path in FILES if is_about(path) is None] == []
