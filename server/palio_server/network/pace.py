"""How long all peers together are read in one turn of the event loop, before others come in between.

One flooding peer has few frames read in a turn; of a hundred such peers it would be a hundred times as many, while a
match waits. Whoever comes when the time is up has one frame read, and goes on in the next turn.
"""

import asyncio
from collections.abc import Callable
from time import perf_counter

LONGEST_S = 0.004  # from the first that is read in a turn; a clock may be wrong by a few of these


class Pace:
    """One for all sockets of an event loop."""

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._until = 0.0
        self._counting = False

    def is_up(self) -> bool:
        """Whether the time of this turn is up. The first who asks starts it."""
        if not self._counting:
            self._counting = True
            self._until = self._clock() + LONGEST_S
            asyncio.get_running_loop().call_soon(self._begin_again)
            return False
        return self._clock() >= self._until

    def _begin_again(self) -> None:
        self._counting = False
