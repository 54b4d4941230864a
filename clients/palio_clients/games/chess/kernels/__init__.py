"""Chess compiled.

`perft` and `legal_moves` are twins of the rules, draws and chess960 included. `ChessEngine` is the engine of bots; its
evaluation is the readable one.
"""

from palio_clients.games.chess.kernels.moves import legal_moves, perft
from palio_clients.games.chess.kernels.strong import search
from palio_clients.games.chess.kernels.workspace import line_of, set_up, workspace
from palio_clients.kernels.engine import TABLE_BITS, KernelEngine, shown
from palio_clients.kernels.jit import Flag
from palio_clients.search.game_tree import Best
from palio_rules.games.chess import Chess, ChessOptions
from palio_rules.games.chess_position import Position

__all__ = ["ChessEngine", "engine", "legal_moves", "perft", "warm_up"]


class ChessEngine(KernelEngine):
    """An engine for one match. With `clever` False it finds the score of plain alpha-beta with its evaluation."""

    def __init__(self, *, clever: bool = True, bits: int = TABLE_BITS) -> None:
        super().__init__(bits)
        self.workspace = workspace()
        self.workspace["clever"] = clever

    def _search(self, state: Position, depth: int, flag: Flag) -> Best:
        space = self.workspace[0]
        set_up(space, state)  # again for each depth: a stopped search leaves its own position behind
        score = search(self.workspace, self.table, flag, state.turn, depth)
        line = line_of(state, space["line"][0])
        return Best(line[0] if line else None, shown(score), depth, int(space["nodes"]), line)


def engine(_options: ChessOptions) -> ChessEngine:
    """Return the engine of a match; every position tells by itself whether it is of chess960."""
    return ChessEngine()


def warm_up() -> None:
    state = Chess().start(ChessOptions())
    perft(state, 2)
    legal_moves(state)
    ChessEngine(bits=4).search(state, 2)
