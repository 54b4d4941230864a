"""Monte Carlo tree search: thousands of simulated games, then the move that most of them played."""

from math import inf
from typing import Any

from palio_clients.agents.random import generator
from palio_clients.agents.searcher import NOT_ALONE, Searcher
from palio_clients.agents.thinking_time import ThinkingTime
from palio_clients.games import companion_of
from palio_clients.games.companion import TreeSearch
from palio_clients.search.game_tree import Best, Stop
from palio_clients.search.mcts import Playout, mcts
from palio_rules.game import Game, Options

MOST_NODES = 200_000  # a tree of some hundred megabytes
MOST_SIMULATIONS = 10_000_000  # of a compiled search, whose tree is bounded by itself


class MctsBot(Searcher):
    """Monte Carlo tree search (UCT), for any number of seats.

    `depth` is how many random plies a playout has before its position is evaluated (0: it is played to the end),
    `nodes` the playouts and `seconds` the time a move. The score for viewers is the expected share of the point.
    `exploration` is UCT's constant: with an evaluation, less than theory's 1.4 plays better. `seed` -1 is different
    each time; if nodes end the search, another seed plays the same each time. In Go, compiled, games are played to the
    end for any `depth`, and later moves guide the search instead of `exploration`.
    """

    games = NOT_ALONE
    own: TreeSearch | None = None

    def __init__(
        self, depth: int = 4, nodes: int = 0, seconds: float = 0.0, exploration: float = 0.5, seed: int = -1
    ) -> None:
        if depth < 0 or not 0 <= exploration < inf:
            raise ValueError(
                f"depth and exploration are 0 or more, and finite, got depth={depth}, exploration={exploration:g}"
            )
        self.plies, self.exploration = depth, exploration
        self.pace = ThinkingTime(nodes=nodes, seconds=seconds)
        self.random = generator(seed)

    @classmethod
    def warm_up(cls, game: Game[Any, Any]) -> None:
        companion_of(game.name).tree_search()

    def prepare(self, game: Game[Any, Any], options: Options, seat: int) -> None:
        self.own = companion_of(game.name).tree_search()

    def think(self, state: Any, stop: Stop) -> Best:
        if self.own is not None:
            nodes = self.pace.nodes or MOST_SIMULATIONS
            return self.own(state, nodes=nodes, seed=self.random.getrandbits(32), stop=stop)
        playout = Playout(len(self.game.seats), self.evaluate, self.plies)
        nodes = self.pace.nodes or MOST_NODES
        return mcts(state, playout, random=self.random, nodes=nodes, exploration=self.exploration, stop=stop)
