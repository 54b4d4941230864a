"""Assignments of these tests' own."""

import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from palio_server.courses.values import Assignment


def an_assignment(**more):
    values = {
        "name": "dominoes",
        "folder": Path("/nowhere"),
        "title": "Dominoes",
        "game": "dominoes",
        "spec": "handout:dominoes:{folder}/bot.py",
        "files": ("bot.py",),
        "optional": ("*.txt",),
        "opens": datetime(2026, 1, 1, tzinfo=UTC),
        "due": datetime(2026, 2, 1, tzinfo=UTC),
        "size": 10_000,
    }
    return Assignment(**(values | more))


def a_zip(files, **more):
    """A zip of files by name."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, **more) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


@pytest.fixture
def assignment():
    return an_assignment()


@pytest.fixture
def assignment_with():
    return an_assignment


@pytest.fixture
def zipped():
    return a_zip
