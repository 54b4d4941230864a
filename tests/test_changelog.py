"""The changelog has a dated section for each version, and the newest is the one of this package."""

import re
import tomllib
from datetime import date
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEADINGS = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_each_version_has_a_date_and_the_newest_stands_first():
    assert HEADINGS[0] == "[Unreleased]"
    found = [re.fullmatch(r"\[(\d+)\.(\d+)\.(\d+)\] - (\d{4}-\d{2}-\d{2})", heading) for heading in HEADINGS[1:]]
    assert all(found)
    numbers = [tuple(int(part) for part in each.groups()[:3]) for each in found]
    assert numbers == sorted(numbers, reverse=True)
    days = [date.fromisoformat(each[4]) for each in found]
    assert days == sorted(days, reverse=True)


def test_the_newest_version_is_that_of_the_package():
    newest = HEADINGS[1].partition("]")[0].removeprefix("[")
    assert tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"] == newest
    assert version("palio") == newest, "install again: see CONTRIBUTING.md"


def test_changes_stand_under_the_kinds_of_keep_a_changelog():
    kinds = set(re.findall(r"^### (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE))
    assert kinds <= KINDS
