"""The thinking time of a move: as long as the settings allow, and never until the flag falls."""

import sys
import time
from dataclasses import dataclass, field
from functools import cache
from math import inf, isfinite
from types import ModuleType

from palio_clients.games import companion_of
from palio_clients.kernels import missing
from palio_clients.kernels.compiling import compiling
from palio_clients.sdk.clock import Clock
from palio_clients.search.game_tree import Stop
from palio_rules.contract.names import PREFIX

WITHOUT_LIMIT_S = 1.0  # a move, if neither a setting nor a clock ends the search
RESERVE_S = 1.0  # on a game clock, kept for the moves of a long endgame, which are then played at once
LAG_S = 0.03  # of a move beyond its thinking time: network, other programs, the last node

# The clock is divided evenly by this many remaining moves. Depth, nodes or seconds that were set may use more of it.
MOVES_TO_COME, MOVES_TO_COME_AS_SET = 30, 6


@dataclass
class ThinkingTime:
    """The settings of one bot in one match. Raises ValueError, naming them, if one is negative or not finite.

    `depth`: plies at most; `nodes`: nodes at most; `seconds`: time a move. 0 is no limit of this kind.
    """

    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0
    _first_s: float | None = field(default=None, init=False)  # on the clock at the first move

    def __post_init__(self) -> None:
        if min(self.depth, self.nodes, self.seconds) < 0:
            raise ValueError(
                f"depth, nodes and seconds cannot be negative, got depth={self.depth}, nodes={self.nodes}, "
                f"seconds={self.seconds:g}"
            )
        if not isfinite(self.seconds):
            raise ValueError(f"seconds must be finite, got seconds={self.seconds:g}; 0 is no limit")

    def budget(self, clock: Clock) -> float:
        """Return the seconds for this move; infinity if only depth or nodes end the search.

        With b seconds on the clock, an increment of i and n moves to come, at most those until the clock gains its time
        again: (b - reserve) / n + i, but no more than half of b, nor than the limit of this move, less the lag. In
        byo-yomi it is what a move may take without the loss of a period.
        """
        limited = bool(self.depth or self.nodes or self.seconds)
        wanted = self.seconds or (inf if limited else WITHOUT_LIMIT_S if clock.limit_ms is None else inf)
        if clock.remaining_ms is not None:
            left = clock.remaining_ms / 1000
            self._first_s = max(left, self._first_s or 0.0)
            spare = max(0.0, left - min(RESERVE_S, self._first_s / 4))
            moves = MOVES_TO_COME_AS_SET if limited else MOVES_TO_COME
            if clock.moves_to_go is not None:
                moves = min(moves, clock.moves_to_go)
            even = spare / moves + clock.increment_ms / 1000
            due = min(even, left / 2) if clock.byoyomi is None else clock.even_ms(moves) / 1000
            wanted = min(wanted, _on_time(due))
        if clock.limit_ms is not None:
            wanted = min(wanted, _on_time(clock.limit_ms / 1000))
        return wanted


def stop_after(seconds: float, clock: Clock) -> Stop:
    """Return a function that ends a search after so many seconds, or when the clock is up."""
    give_up = time.monotonic() + seconds
    return lambda: time.monotonic() >= give_up or clock.expired()


def _on_time(due: float) -> float:
    """Return the thinking time if the answer is due in so many seconds."""
    return due - max(due / 10, min(LAG_S, due / 2))


# The compiled searches for bots that also have readable ones; and the remark if they are missing.


def kernels_for(game: str, agent: str) -> ModuleType | None:
    """Return the game's compiled searches. None without numba, which is reported on stderr, once."""
    if why_not := missing():
        remark(agent, why_not)
        return None
    package = companion_of(game).kernels()
    if package is not None:
        _warm_up_once(package)
    return package


@cache
def remark(agent: str, text: str) -> None:
    """Print a remark about the bot on stderr, once for all matches."""
    print(f"{PREFIX}{agent}: {text}", file=sys.stderr, flush=True)  # noqa: T201 - stderr is searched for it


@cache
def _warm_up_once(package: ModuleType) -> None:
    with compiling(package):
        package.warm_up()
