"""A server's add-ons by name (entry-point group `palio.server_addons`); each is loaded when a setting asks for it."""

from importlib.metadata import entry_points
from typing import Any

from palio_rules.errors import BadOption

GROUP = "palio.server_addons"


def addon(name: str) -> Any:
    """Load the add-on of that name.

    Raises BadOption if it is not installed, and ImportError if a library that it needs is not.
    """
    for entry in entry_points(group=GROUP, name=name):
        return entry.load()
    raise BadOption(f"this installation lacks the add-on {name!r}; install palio again")
