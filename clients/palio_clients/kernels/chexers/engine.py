"""Chexers' engine: the strong search, with the table, the killers and the history of one match."""

from typing import Any

from palio_clients.kernels.chexers.board import NO_MOVE, line_of, set_up, workspace
from palio_clients.kernels.chexers.strong import search
from palio_clients.kernels.engine import TABLE_BITS, Engine, shown
from palio_clients.kernels.jit import Flag
from palio_clients.search.game_tree import Best
from palio_rules.games.chexers import Position

FADING = 3  # bits by which older merits count less in the next search


class ChexersEngine(Engine):
    """Plays for whichever seat is to move, as if all the others were against it.

    With `exact` the table answers for no other depth than the one that is asked for.
    """

    def __init__(self, *, exact: bool = False, bits: int = TABLE_BITS) -> None:
        super().__init__(bits)
        self.workspace = workspace()
        self.workspace["exact"] = exact

    def _at_home(self, state: Position) -> Any:
        space = self.workspace[0]
        set_up(self.workspace, state)
        space["killers"] = NO_MOVE
        space["history"] >>= FADING
        return self.workspace

    def _search(self, state: Position, depth: int, flag: Flag) -> Best:
        score = search(self.workspace, self.table, flag, depth)
        line = line_of(self.workspace[0]["line"][0])
        return Best(line[0] if line else None, shown(score), depth, int(self.workspace[0]["nodes"]), line)
