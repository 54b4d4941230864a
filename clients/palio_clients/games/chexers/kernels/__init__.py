"""Chexers compiled.

`paranoid` and `max_n` are twins of the readable ones, with draws, passes and seats that have forfeited; `ChexersEngine`
is the engine of bots.
"""

from typing import Any

from palio_clients.games.chexers.kernels.search import max_n, paranoid, search
from palio_clients.games.chexers.kernels.workspace import NO_MOVE, line_of, set_up, workspace
from palio_clients.kernels.engine import FADING, TABLE_BITS, KernelEngine, shown
from palio_clients.kernels.jit import Flag
from palio_clients.search.game_tree import Best
from palio_rules.games.chexers import ChexersOptions, Position

__all__ = ["ChexersEngine", "engine", "max_n", "paranoid", "warm_up"]


class ChexersEngine(KernelEngine):
    """An engine that plays for the seat to move, as if all the others were against it.

    With `exact` a table entry is only used for the depth that is asked for.
    """

    def __init__(self, *, exact: bool = False, bits: int = TABLE_BITS) -> None:
        super().__init__(bits)
        self.workspace = workspace()
        self.workspace["exact"] = exact

    def _ready_workspace(self, state: Position) -> Any:
        space = self.workspace[0]
        set_up(self.workspace, state)
        space["killers"] = NO_MOVE
        space["history"] >>= FADING
        return self.workspace

    def _search(self, state: Position, depth: int, flag: Flag) -> Best:
        score = search(self.workspace, self.table, flag, depth)
        line = line_of(self.workspace[0]["line"][0])
        return Best(line[0] if line else None, shown(score), depth, int(self.workspace[0]["nodes"]), line)


def engine(_options: ChexersOptions) -> ChexersEngine:
    """Return the engine of a match, for any options: every position has its number of remaining turns."""
    return ChexersEngine()


def warm_up() -> None:
    first = Position.of()
    state = first.play(next(first.legal_moves()))  # with a history, which has a kernel of its own
    paranoid(state, 2)
    max_n(state, 2)
    ChexersEngine(bits=4).search(state, 2)
