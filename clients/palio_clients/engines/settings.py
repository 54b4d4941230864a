"""A champion's settings, for whoever runs in its name."""

from typing import NamedTuple


class Settings(NamedTuple):
    """0 is no limit of this kind; in an anytime race, `seconds` is for how long to go on without an improvement."""

    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0
    seed: int = 0
