"""What all bots that search a game tree have in common: settings, time, forced moves, and what viewers are told."""

import time
from abc import abstractmethod
from functools import cached_property
from math import inf
from random import Random
from typing import Any

from palio_clients.agents.judgement import judge, shown
from palio_clients.agents.pace import Pace
from palio_clients.agents.random import generator
from palio_clients.bot import Bot
from palio_clients.clock import Clock
from palio_clients.search.deepening import deepening
from palio_clients.search.game_tree import Best, Evaluate, Stop
from palio_clients.search.ordering import AS_LISTED, History, Order
from palio_rules.registry import game, games

DEEPEST = 64  # plies; the search of a small endgame ends by itself

DUELS = tuple(name for name in games() if game(name).kind == "duel")
NOT_ALONE = tuple(name for name in games() if game(name).kind != "race")


class Searcher(Bot):
    """Thinks until its `pace` or the clock says stop, and tells what it has found."""

    pace: Pace

    @abstractmethod
    def think(self, state: Any, stop: Stop) -> Best:
        """The best move that can be found until `stop`; there is always one."""

    def choose(self, state: Any, clock: Clock) -> Any:
        moves = list(state.legal_moves())
        if len(moves) == 1:  # a pass, for example: nothing to think about
            self.tell(depth=0, nodes=0, pv=moves)
            return moves[0]
        best = self.think(state, self._stop(clock))
        self.tell(depth=best.depth, nodes=best.nodes, score=shown(best.score), pv=best.pv)
        return best.move

    def _stop(self, clock: Clock) -> Stop:
        give_up = time.monotonic() + self.pace.budget(clock)
        return lambda: time.monotonic() >= give_up or clock.expired()

    @property
    def evaluate(self) -> Evaluate:
        return judge(self.game.name)


class Deepener(Searcher):
    """Searches by iterative deepening.

    `depth` plies, `nodes` or `seconds` a move at most; without any of them, a share of the clock. Whatever is set, the
    clock ends every search. `seed` 0 tries moves in the game's order and plays the first of equal ones; another seed
    has an order of its own, -1 a different one each time. Where depth or nodes end a search, it plays the same again.
    """

    def __init__(self, depth: int = 0, nodes: int = 0, seconds: float = 0.0, seed: int = 0) -> None:
        self.pace = Pace(depth, nodes, seconds)
        self.random: Random | None = generator(seed) if seed else None

    @abstractmethod
    def search(self, state: Any, depth: int, stop: Stop) -> Best:
        """One search to one depth. Raises Stopped."""

    def think(self, state: Any, stop: Stop) -> Best:
        pace = self.pace
        *_, best = deepening(
            lambda depth, stop: self.search(state, depth, stop),
            stop,
            max_depth=pace.depth or DEEPEST,
            max_nodes=pace.nodes or inf,
        )
        return best

    @cached_property
    def order(self) -> Order:
        """One that lasts for the match."""
        return History(self.random) if self.random else AS_LISTED
