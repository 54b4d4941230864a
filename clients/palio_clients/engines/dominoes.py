"""Dominoes: the compiled engine proves who wins, and where that is the opponent, plays for a mistake of it."""

from typing import Any

from palio_clients.engines import best_available
from palio_clients.engines.engine import Engine
from palio_rules.game import Game


def engine(rules: Game[Any, Any], options: Any, seed: int) -> Engine:
    made = best_available.engine(rules, options, seed)
    if made.remark is not None:
        return made
    from palio_clients.engines.hopeful import HopefulEngine  # noqa: PLC0415 - numba may be missing

    return HopefulEngine(made, rules.start(options))
