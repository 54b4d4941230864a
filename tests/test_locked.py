"""The dependencies in CI: the same versions for all, each with its digests, from any index that the machine has."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOCK = ROOT / ".ci" / "locked.txt"


def pins(text: str) -> dict[str, str]:
    found = re.findall(r"^([\w.-]+)==([^\s;\\]+)", text, re.MULTILINE)
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in found}


def test_the_lock_has_the_versions_of_the_constraints():
    locked, constrained = pins(LOCK.read_text()), pins((ROOT / "constraints.txt").read_text())
    other = {name: version for name, version in locked.items() if constrained.get(name, version) != version}
    assert not other, "run `make lock`"
    assert len(locked) > 150


def test_every_package_of_the_lock_has_a_digest_and_no_file_names_an_index():
    entries = re.split(r"\n(?=\S)", LOCK.read_text().strip())
    assert not [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry]
    for file in (LOCK, ROOT / "constraints.txt"):
        assert not re.search(r"index-url|find-links|://", file.read_text())
