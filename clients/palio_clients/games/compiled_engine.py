"""A game's compiled engine, the strongest that ships. This module needs numba."""

from collections.abc import Callable
from functools import cache, cached_property
from random import Random
from types import ModuleType
from typing import Any

import numpy as np

from palio_clients.games.engine import Limits
from palio_clients.kernels.compiling import compiling
from palio_clients.kernels.engine import FADING
from palio_clients.search.game_tree import Best, Stop
from palio_rules.game import Game

FRESH = 8  # merits that a seed gives to moves, less than those of any cut near the root


class CompiledEngine:
    """An engine from the kernel `package`, with a move order that `seed` has shuffled unless it is 0."""

    remark: str | None = None
    show: Callable[[Best], None] | None = None

    def __init__(self, package: ModuleType, rules: Game[Any, Any], options: Any, seed: int = 0) -> None:
        self._package, self._rules, self._options = package, rules, options
        self._random = Random(seed) if seed else None  # noqa: S311 - games, not secrets

    def warm_up(self) -> None:
        _compile(self._package, self._rules, self._options)
        self._engine  # noqa: B018 - makes its table before any clock runs

    @cached_property
    def _engine(self) -> Any:
        return self._package.engine(self._options)

    def best(self, state: Any, limits: Limits, stop: Stop) -> Best:
        if self._random is not None:
            self._shuffle_moves(self._random)
        best: Best
        for best in self._engine.deepen(state, stop, max_depth=limits.plies, max_nodes=limits.nodes):
            if self.show is not None:
                self.show(best)
        return best

    def _shuffle_moves(self, random: Random) -> None:
        """Give every move a small random merit: among equal moves another one is tried first."""
        merits = self._engine.workspace["history"]
        fresh = np.random.default_rng(random.getrandbits(32)).integers(0, FRESH, merits.shape)
        merits += (fresh << FADING).astype(merits.dtype)


@cache
def _compile(package: ModuleType, rules: Game[Any, Any], options: Any) -> None:
    """Compile once a process; once a machine, even if several processes need it at the same time."""
    with compiling(package):
        engine, state = package.engine(options), rules.start(options)
        for _ in range(2):  # the second position has a history, which has kernels of its own
            if state.to_move is not None:
                engine.search(state, 2)
                state = state.play(next(state.legal_moves()))
