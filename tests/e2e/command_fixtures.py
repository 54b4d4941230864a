"""The real `palio` for a test, in an empty directory; whatever it started ends with the test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from command_process import Palio


@pytest.fixture
def palio(tmp_path: Path) -> Iterator[Palio]:
    command = Palio(tmp_path)
    yield command
    command.close()
