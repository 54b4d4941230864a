"""Breakthrough's engine: the strong search, with the table, the killers and the history of one match."""

from typing import Any

from palio_clients.kernels.breakthrough import evaluation, race
from palio_clients.kernels.breakthrough.board import line_of, words_of, workspace
from palio_clients.kernels.breakthrough.strong import search
from palio_clients.kernels.engine import TABLE_BITS, Engine, shown
from palio_clients.kernels.jit import Flag
from palio_clients.search.game_tree import Best
from palio_rules.games.breakthrough import Board, Position


class BreakthroughEngine(Engine):
    """Plays on one size of board. With `clever` False it finds the score of plain alpha-beta with its evaluation."""

    def __init__(self, board: Board, *, clever: bool = True, bits: int = TABLE_BITS) -> None:
        super().__init__(bits)
        self.workspace = workspace(board)
        race.lay_out(self.workspace[0], board)
        evaluation.lay_out(self.workspace[0], board)
        self.workspace["clever"] = clever

    def _at_home(self, state: Position) -> Any:
        space = self.workspace[0]
        space["killers"] = 0
        space["history"] >>= 3  # older merits count, but not for long
        return self.workspace

    def _search(self, state: Position, depth: int, flag: Flag) -> Best:
        score = search(self.workspace, self.table, flag, *words_of(state), state.turn, depth)
        line = line_of(state, self.workspace[0]["line"][0])
        return Best(line[0] if line else None, shown(score), depth, int(self.workspace[0]["nodes"]), line)
