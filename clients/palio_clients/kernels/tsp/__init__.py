"""The travelling salesman compiled: iterated local search with steps of 3-opt, some thousand kicks a second.

No twin of the readable `search.double_bridge`, which makes do with 2-opt and Or-opt: it shares its laws.
"""

from palio_clients.kernels.tsp.improver import Improver
from palio_rules.games.tsp_instance import Instance

__all__ = ["Improver", "warm_up"]


def warm_up() -> None:
    """Have all of it compiled, or read from the cache: to be called before any clock runs."""
    instance = Instance.of_points([(0, 0), (9, 1), (5, 7), (2, 8), (7, 3), (1, 4)])
    Improver(instance).improve(kicks=10)
