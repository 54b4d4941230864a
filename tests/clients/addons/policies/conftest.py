"""Policies as their authors write them, in files of a folder that is the current one."""

import pytest

AT_RANDOM = """
import numpy as np

class Policy:
    games = ("breakthrough",)
    about = "Any legal action."

    def __init__(self, seed: int = 0, path: str = ""):
        if path:
            self.weights = np.load(path)
        self.random = np.random.default_rng(seed)

    def act(self, observation, action_mask):
        return self.random.choice(np.flatnonzero(action_mask))
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """`write(name, text)` makes a file in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*__import__("sys").path])

    def written(name, text=AT_RANDOM):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return written
