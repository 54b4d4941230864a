"""A time of the tests' own."""

import pytest


class Ticking:
    """In place of the module `time`: goes on by a millisecond with each look at it, so that no machine is too slow."""

    def __init__(self):
        self.looks = 0

    def monotonic(self):
        self.looks += 1
        return self.looks / 1000


@pytest.fixture
def ticking(monkeypatch):
    """The time of bots and of their clocks."""
    time = Ticking()
    for module in ("agents.thinking_time", "sdk.clock"):
        monkeypatch.setattr(f"palio_clients.{module}.time", time)
    return time
