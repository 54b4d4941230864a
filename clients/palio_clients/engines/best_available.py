"""The compiled engine of a game if there is one and it can run here, or else the readable search, with a remark."""

from typing import Any

from palio_clients.engines.engine import Engine
from palio_clients.engines.readable import ReadableEngine
from palio_clients.kernels import kernels_of, missing
from palio_rules.game import Game

NOT_COMPILED = "nobody has compiled {game} yet: the readable search plays instead, hundreds of times slower"


def engine(rules: Game[Any, Any], options: Any, seed: int) -> Engine:
    if remark := missing():
        return ReadableEngine(rules, seed, remark)
    package = kernels_of(rules.name)
    if not hasattr(package, "engine"):
        return ReadableEngine(rules, seed, NOT_COMPILED.format(game=rules.name))
    assert package is not None
    from palio_clients.engines.compiled import CompiledEngine  # noqa: PLC0415 - numba may be missing

    return CompiledEngine(package, rules, options, seed)
