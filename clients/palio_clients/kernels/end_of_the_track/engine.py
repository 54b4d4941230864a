"""The engine of End of the Track: the strong search, with the table, the killers and the history of one match."""

from typing import Any

from palio_clients.kernels.end_of_the_track.board import line_of, set_up, workspace
from palio_clients.kernels.end_of_the_track.past import remember
from palio_clients.kernels.end_of_the_track.strong import search
from palio_clients.kernels.engine import TABLE_BITS, Engine, shown
from palio_clients.kernels.jit import Flag
from palio_clients.search.game_tree import Best
from palio_rules.games.end_of_track import Position


class EndOfTheTrackEngine(Engine):
    """Plays one match. With `clever` False it finds the score of plain alpha-beta with its evaluation."""

    def __init__(self, *, clever: bool = True, bits: int = TABLE_BITS) -> None:
        super().__init__(bits)
        self.workspace = workspace()
        self.workspace["clever"] = clever

    def _at_home(self, state: Position) -> Any:
        space = self.workspace[0]
        space["killers"] = 0
        space["history"] >>= 3  # older merits count, but not for long
        return self.workspace

    def _search(self, state: Position, depth: int, flag: Flag) -> Best:
        space = self.workspace[0]
        remember(space, state)  # anew for each depth: a search that was stopped leaves its own past behind
        own, enemy = set_up(space, state.pieces, state.turn)
        score = search(self.workspace, self.table, flag, own, enemy, state.turn, depth)
        line = line_of(space["line"][0])
        return Best(line[0] if line else None, shown(score), depth, int(space["nodes"]), line)
