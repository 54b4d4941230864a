"""Looks ahead with alpha-beta: so many plies, or as many as its clock allows."""

import math
import time
from typing import Any

from palio_clients.agents.judgement import judge, shown
from palio_clients.bot import Bot
from palio_clients.clock import Clock
from palio_clients.search.deepening import deepening
from palio_rules.registry import game, games

DEEPEST = 64  # plies; the search of a small endgame ends by itself
WITHOUT_LIMIT_S = 1.0  # a move, where neither a setting nor a clock ends the search

# An even share of the clock for this many more moves. A set depth may use more of the clock: it is what was asked for.
MOVES_TO_COME, MOVES_TO_COME_AT_DEPTH = 30, 6


class AlphaBetaBot(Bot):
    """Searches duels by iterative deepening and plays the first of equal moves.

    `depth` is the deepest search in plies (0: time alone ends it), `seconds` the time a move (0: a share of the clock).
    The clock ends every search, so that a deep setting on a fast clock plays the best it has found.
    """

    games = tuple(name for name in games() if game(name).kind == "duel")

    def __init__(self, depth: int = 0, seconds: float = 0.0) -> None:
        if depth < 0 or seconds < 0:
            raise ValueError(f"depth and seconds cannot be negative, got depth={depth}, seconds={seconds}")
        self.depth, self.seconds = depth, seconds

    def choose(self, state: Any, clock: Clock) -> Any:
        give_up = time.monotonic() + self._budget(clock)

        def stop() -> bool:
            return time.monotonic() >= give_up or clock.expired()

        *_, last = deepening(state, judge(self.game.name), stop, self.depth or DEEPEST)
        self.tell(depth=last.depth, nodes=last.best.nodes, score=shown(last.best.score), pv=last.best.line)
        return last.best.line[0]

    def _budget(self, clock: Clock) -> float:
        """Seconds for this move."""
        if self.seconds:
            return self.seconds
        share = clock.share(MOVES_TO_COME_AT_DEPTH if self.depth else MOVES_TO_COME)
        return WITHOUT_LIMIT_S if share == math.inf and not self.depth else share
