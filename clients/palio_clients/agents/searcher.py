"""Bots that search a game tree: their common base, and those with iterative deepening.

The base has settings, time, forced moves, and the reports for viewers.
"""

from abc import abstractmethod
from functools import cached_property, partial
from math import inf
from random import Random
from typing import Any, ClassVar

from palio_clients.agents.random import generator
from palio_clients.agents.thinking_time import ThinkingTime, stop_after
from palio_clients.games import companion_of
from palio_clients.games.engine import DEEPEST, shown
from palio_clients.sdk.bot import Bot
from palio_clients.sdk.clock import Clock
from palio_clients.search.game_tree import AS_LISTED, Best, Evaluate, History, Order, Stop, Table, deepening
from palio_clients.search.minimax import alpha_beta, max_n, minimax, paranoid
from palio_rules.registry import game, games

DUELS = tuple(name for name in games() if game(name).kind == "duel")
NOT_ALONE = tuple(name for name in games() if game(name).kind != "race")


class Searcher(Bot):
    """A bot that thinks until its `pace` or the clock stops it, and reports its result to viewers."""

    pace: ThinkingTime

    @abstractmethod
    def think(self, state: Any, stop: Stop) -> Best:
        """Return the best move that is found before `stop`; there is always one."""

    def choose(self, state: Any, clock: Clock) -> Any:
        moves = list(state.legal_moves())
        if len(moves) == 1:  # a pass, for example: no choice
            self.tell(depth=0, nodes=0, pv=moves)
            return moves[0]
        best = self.think(state, stop_after(self.pace.budget(clock), clock))
        self.show(best)
        return best.move

    def show(self, best: Best) -> None:
        """Report the result so far to viewers."""
        self.tell(depth=best.depth, nodes=best.nodes, score=shown(best.score), pv=best.pv)

    @property
    def evaluate(self) -> Evaluate:
        return companion_of(self.game.name).evaluate


class Deepener(Searcher):
    """A bot that searches by iterative deepening.

    `depth` plies, `nodes` or `seconds` a move at most; without any of them, a share of the clock. The clock ends every
    search in time. `seed` 0 tries moves in the game's order and plays the first of equal ones; another seed has another
    order, -1 a random one. If depth or nodes end a search, the same seed plays the same moves.
    """

    cuts: ClassVar[bool] = False  # whether moves that caused cutoffs before are tried first

    def __init__(self, depth: int = 0, nodes: int = 0, seconds: float = 0.0, seed: int = 0) -> None:
        self.pace = ThinkingTime(depth, nodes, seconds)
        self.random: Random | None = generator(seed) if seed else None

    @abstractmethod
    def search(self, state: Any, depth: int, stop: Stop) -> Best:
        """Search to one depth. Raises Stopped."""

    def think(self, state: Any, stop: Stop) -> Best:
        depth, nodes = self.pace.depth or DEEPEST, self.pace.nodes or inf
        for best in deepening(partial(self.search, state), stop, max_depth=depth, max_nodes=nodes):
            self.show(best)
        return best

    @cached_property
    def order(self) -> Order:
        """Return a move order that is used for the whole match."""
        return History(self.random) if self.random or self.cuts else AS_LISTED


class MinimaxBot(Deepener):
    """A bot with plain minimax: at the same depth as strong as `alpha_beta` without quiescence, but much slower."""

    games = DUELS

    def search(self, state: Any, depth: int, stop: Stop) -> Best:
        return minimax(state, depth, self.evaluate, order=self.order, stop=stop)


class AlphaBetaBot(Deepener):
    """A bot with alpha-beta, a transposition table and moves that caused cutoffs first; both last for the match.

    In a game of exchanges, such as chess, these are played out below the depth, and tried first.
    """

    games = DUELS
    cuts = True

    def search(self, state: Any, depth: int, stop: Stop) -> Best:
        noisy = companion_of(self.game.name).noisy
        return alpha_beta(state, depth, self.evaluate, order=self.order, table=self.table, noisy=noisy, stop=stop)

    @cached_property
    def order(self) -> Order:
        return History(self.random, companion_of(self.game.name).noisy)

    @cached_property
    def table(self) -> Table:
        return Table(lookback=companion_of(self.game.name).lookback)


class MaxNBot(Deepener):
    """A bot with max^n, made for three seats; in a duel it is minimax."""

    games = NOT_ALONE

    def search(self, state: Any, depth: int, stop: Stop) -> Best:
        return max_n(state, depth, self.evaluate, seats=len(self.game.seats), order=self.order, stop=stop)


class ParanoidBot(Deepener):
    """A bot with the paranoid search, made for three seats; in a duel it is alpha-beta.

    Cutoff moves are tried first.
    """

    games = NOT_ALONE
    cuts = True

    def search(self, state: Any, depth: int, stop: Stop) -> Best:
        return paranoid(state, depth, self.evaluate, order=self.order, stop=stop)
