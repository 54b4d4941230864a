"""A recorded match looked at again, ply by ply: `analysed` yields what `palio_rules.records.analysis` describes.

Games with an opponent are walked backwards (`against`), for what is proven of an ending proves a good deal of what led
to it; races forwards (`alone`), for each entrant by itself. `walk` knows how plies are counted.
"""

from collections.abc import Iterator

from palio_clients.analysing.against import against
from palio_clients.analysing.alone import alone
from palio_clients.analysing.walk import Walk
from palio_clients.solving.budget import Budget
from palio_rules.records.analysis import JudgedPly
from palio_rules.records.record import Record

__all__ = ["analysed"]


def analysed(record: Record, seconds: float, whole: Budget) -> Iterator[JudgedPly]:
    """Every ply of the match once, in whatever order, with `seconds` for each position.

    Ends early when `whole` is used up or cancelled, and then leaves out what was not looked at for long enough. Raises
    ValueError where the record cannot be played.
    """
    walk = Walk.of(record)
    return (alone if walk.rules.kind == "race" else against)(walk, seconds, whole)
