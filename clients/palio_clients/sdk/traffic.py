"""The lines between us and engines on stderr, for a server that has started us: `palio join --engine-lines`.

A line has the time, the match, and ">" for what an engine is sent or "<" for what it says. A server that plays bots as
processes takes these lines out of their stderr, by the prefix.
"""

import sys
import time
from collections.abc import Callable

from palio_rules.contract.names import ENGINE_LINE

LONGEST = 2000  # characters of a line

_shown = False


def show_lines() -> None:
    """Show the lines of all engines that are started from now on."""
    global _shown  # noqa: PLW0603  # a choice for the whole process, which its command line makes
    _shown = True


def overhearing(match: str) -> Callable[[str, str], None] | None:
    """Return the callback for an engine that plays a match, or none ("") yet; None if lines are not shown."""
    if not _shown:
        return None

    def show(direction: str, line: str) -> None:
        print(f"{ENGINE_LINE}{time.time():.3f} {match or '-'} {direction} {line[:LONGEST]}", file=sys.stderr)  # noqa: T201

    return show
