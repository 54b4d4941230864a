"""Handout modules are imported as a course imports them: by their bare names, from one folder on the path."""

import importlib
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import palio_clients.handouts

HANDOUTS = Path(palio_clients.handouts.__file__).parent


@pytest.fixture(scope="module")
def handout():
    """Imports the named modules of a course; courses share module names, so none of them stays in sys.modules."""

    def load(course, *names):
        sys.path.insert(0, str(HANDOUTS / course))
        try:
            return SimpleNamespace(**{name: importlib.import_module(name) for name in names})
        finally:
            sys.path.pop(0)
            for name in names:
                del sys.modules[name]

    return load


@pytest.fixture
def handout_folder():
    return lambda course: HANDOUTS / course
