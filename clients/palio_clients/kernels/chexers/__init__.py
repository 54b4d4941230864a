"""Chexers compiled.

`paranoid` and `max_n` are twins of the readable ones, with draws, passes and seats that were thrown out;
`ChexersEngine` is what a bot plays with.
"""

from palio_clients.kernels.chexers.engine import ChexersEngine
from palio_clients.kernels.chexers.max_n import max_n
from palio_clients.kernels.chexers.paranoid import paranoid
from palio_rules.games.chexers import ChexersOptions, Position

__all__ = ["ChexersEngine", "engine", "max_n", "paranoid", "warm_up"]


def engine(_options: ChexersOptions) -> ChexersEngine:
    """What plays a match, whatever the options: every position tells how many turns are left."""
    return ChexersEngine()


def warm_up() -> None:
    """Have all of it compiled, or read from the cache: to be called before any clock runs."""
    first = Position.of()
    state = first.play(next(first.legal_moves()))  # with a past, which has a kernel of its own
    paranoid(state, 2)
    max_n(state, 2)
    ChexersEngine(bits=4).search(state, 2)
