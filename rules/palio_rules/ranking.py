"""Who is ahead in a race: less cost first, equal costs share a rank, whoever has no solution comes last."""

from collections.abc import Sequence
from math import inf


def ranks(costs: Sequence[float | None], times: Sequence[float] | None = None) -> list[int]:
    """The rank of each entrant from 1; with `times`, of equal costs the one that was reached sooner is ahead.

    As at the Olympics, two at rank 1 are followed by rank 3. Who has no solution cannot have been fast.
    """
    merits = [
        (inf, 0.0) if cost is None else (cost, 0.0 if times is None else times[entrant])
        for entrant, cost in enumerate(costs)
    ]
    return [1 + sum(other < merit for other in merits) for merit in merits]


def shares(costs: Sequence[float | None], times: Sequence[float] | None = None) -> list[float]:
    """The score of each entrant: the share of the others that it has left behind, equals counting half.

    So two entrants score as in a duel. Who races alone has 1 for a solution, else 0.
    """
    if len(costs) == 1:
        return [float(costs[0] is not None)]
    placed = ranks(costs, times)
    return [
        (sum(other > rank for other in placed) + (placed.count(rank) - 1) / 2) / (len(placed) - 1) for rank in placed
    ]
