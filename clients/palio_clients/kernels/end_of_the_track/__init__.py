"""End of the Track compiled.

`perft` and `alpha_beta` are twins of the readable ones, draws included; `plan` finds shortest plans, as long as those
of the readable searches; `EndOfTheTrackEngine` is what a bot plays with. `prover` proves who wins, for `palio solve`;
it is compiled when it is asked for.
"""

from palio_clients.kernels.end_of_the_track.alpha_beta import alpha_beta
from palio_clients.kernels.end_of_the_track.engine import EndOfTheTrackEngine
from palio_clients.kernels.end_of_the_track.perft import perft
from palio_clients.kernels.end_of_the_track.planning import plan
from palio_rules.games.end_of_track import START, EndOfTheTrackOptions, Position

__all__ = ["EndOfTheTrackEngine", "alpha_beta", "engine", "perft", "plan", "warm_up"]


def engine(_options: EndOfTheTrackOptions) -> EndOfTheTrackEngine:
    """What plays a match, whatever the options: every position tells how many plies are left."""
    return EndOfTheTrackEngine()


def warm_up() -> None:
    """Have all of it compiled, or read from the cache: to be called before any clock runs."""
    first = Position.of(START)
    state = first.play(next(first.legal_moves()))  # with a past, which has a kernel of its own
    perft(state, 2)
    alpha_beta(state, 2)
    EndOfTheTrackEngine(bits=4).search(state, 2)
    plan(START, START, 0)
