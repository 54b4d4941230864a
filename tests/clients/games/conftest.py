"""A third party's package, installed for the length of a test: rules and a companion, found by entry points alone."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from palio_clients import games
from palio_rules import registry

PLUGIN = Path(__file__).parents[2] / "plugin"
MODULES = ("palio_nim", "palio_nim_companion")
ENTRY_POINTS = """\
[palio.games]
nim = palio_nim:Nim
nim3 = palio_nim:Nim3

[palio.companions]
nim = palio_nim_companion:NimCompanion
nim3 = palio_nim_companion:NimCompanion
solver_only = palio_nim_companion:NimSolver
absent = palio_nim_absent:NimCompanion
"""


@pytest.fixture
def package(tmp_path):
    """The folder in which the package is installed."""
    for module in MODULES:
        shutil.copy(PLUGIN / f"{module}.py", tmp_path)
    info = tmp_path / "palio_nim-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: palio-nim\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    return tmp_path


@pytest.fixture
def third_party(package):
    """The environment of a process that finds the package."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(package), os.environ.get("PYTHONPATH")]))}


@pytest.fixture
def nim(package, monkeypatch):
    """Nim, as this process finds it."""

    def forget():
        for cached in (registry._entries, registry.game, games._entries, games.companion_of):
            cached.cache_clear()

    monkeypatch.syspath_prepend(str(package))
    forget()
    yield registry.game("nim")
    monkeypatch.undo()
    forget()
    for module in MODULES:
        sys.modules.pop(module, None)
