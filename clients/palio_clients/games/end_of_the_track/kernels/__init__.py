"""End of the Track compiled.

`perft` and `alpha_beta` are twins of the readable ones, draws included; `plan` finds shortest plans, as long as those
of the readable searches; `EndOfTheTrackEngine` is the engine of bots. `prover` proves the winner, for `palio solve`; it
is compiled on first use.
"""

from palio_clients.games.end_of_the_track.kernels.alpha_beta import alpha_beta
from palio_clients.games.end_of_the_track.kernels.history import perft, remember
from palio_clients.games.end_of_the_track.kernels.planning import plan
from palio_clients.games.end_of_the_track.kernels.strong import search
from palio_clients.games.end_of_the_track.kernels.workspace import line_of, set_up, workspace
from palio_clients.kernels.engine import TABLE_BITS, KernelEngine, shown
from palio_clients.kernels.jit import Flag
from palio_clients.search.game_tree import Best
from palio_rules.games.end_of_track import START, EndOfTheTrackOptions, Position

__all__ = ["EndOfTheTrackEngine", "alpha_beta", "engine", "perft", "plan", "warm_up"]


class EndOfTheTrackEngine(KernelEngine):
    """An engine for one match. With `clever` False it finds the score of plain alpha-beta with its evaluation."""

    def __init__(self, *, clever: bool = True, bits: int = TABLE_BITS) -> None:
        super().__init__(bits)
        self.workspace = workspace()
        self.workspace["clever"] = clever

    def _search(self, state: Position, depth: int, flag: Flag) -> Best:
        space = self.workspace[0]
        remember(space, state)  # again for each depth: a stopped search leaves its own history behind
        own, enemy = set_up(space, state.pieces, state.turn)
        score = search(self.workspace, self.table, flag, own, enemy, state.turn, depth)
        line = line_of(space["line"][0])
        return Best(line[0] if line else None, shown(score), depth, int(space["nodes"]), line)


def engine(_options: EndOfTheTrackOptions) -> EndOfTheTrackEngine:
    """Return the engine of a match, for any options: every position has its number of remaining plies."""
    return EndOfTheTrackEngine()


def warm_up() -> None:
    first = Position.of(START)
    state = first.play(next(first.legal_moves()))  # with a history, which has a kernel of its own
    perft(state, 2)
    alpha_beta(state, 2)
    EndOfTheTrackEngine(bits=4).search(state, 2)
    plan(START, START, 0)
