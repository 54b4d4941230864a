"""The compilation of this process. It can be imported without numba."""

import sys
from collections.abc import Callable
from pathlib import Path

from palio_rules.contract.names import PREFIX


class Compilation:
    """The compilation of this process: it takes a while, so its start is reported, and its time counted."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.said = False
        self.tell: Callable[[str], None] = _remark

    def begins(self, what: str, kept: Path | None) -> None:
        """Report the start of compilation, once in a process."""
        if self.said:
            return
        self.said = True
        once = (
            f"once, kept in {kept}"
            if kept
            else "anew in each process: set NUMBA_CACHE_DIR to a folder that it can keep"
        )
        self.tell(f"compiling the searches of {what} ({once})")


def _remark(text: str) -> None:
    """Print a remark in the form of bots, whose stderr is searched for it."""
    print(f"{PREFIX}{text}", file=sys.stderr, flush=True)  # noqa: T201 - for the waiting user


compilation = Compilation()
