"""The searches that anybody can read, and that need nothing installed: slow, and right."""

from functools import partial
from math import inf
from random import Random
from typing import Any

from palio_clients.agents.judgement import judge, looking_back
from palio_clients.engines.engine import Limits
from palio_clients.search.alpha_beta import alpha_beta
from palio_clients.search.deepening import deepening
from palio_clients.search.game_tree import Best, Stop
from palio_clients.search.ordering import History
from palio_clients.search.paranoid import paranoid
from palio_clients.search.transposition import Table
from palio_rules.game import Game


class ReadableEngine:
    """Deeper and deeper, with the history heuristic: alpha-beta with a table in a duel, paranoid at a table of more."""

    def __init__(self, rules: Game[Any, Any], seed: int = 0, remark: str | None = None) -> None:
        self.remark = remark
        order = History(Random(seed) if seed else None)  # noqa: S311 - games, not secrets
        if rules.kind == "duel":
            table = Table(lookback=looking_back(rules.name))
            self._search = partial(alpha_beta, evaluate=judge(rules.name), order=order, table=table)
        else:
            self._search = partial(paranoid, evaluate=judge(rules.name), order=order)

    def warm_up(self) -> None:
        """There is nothing to compile."""

    def best(self, state: Any, limits: Limits, stop: Stop) -> Best:
        def search(depth: int, stop: Stop) -> Best:
            return self._search(state, depth, stop=stop)

        *_, best = deepening(search, stop, max_depth=limits.plies, max_nodes=limits.nodes or inf)
        return best
