"""The rows of the table of ratings: how the rating of every bot of a game went."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC
from typing import Any

from palio_db.values import PairScore
from palio_server.ratings.history import Dated, recent_history

POINTS = 60  # moments of a game's history
NEWEST = 20_000  # matches over which they are spread; what is older counts from the first moment on


def rating_rows(
    game: str,
    totals: Sequence[PairScore],
    recent: Sequence[Dated],
    points: int = POINTS,
    anchors: Mapping[str, float] | None = None,
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows by bot, then by time. `recent` are the newest of the results that `totals` sum up."""
    series = recent_history(totals, recent, points, anchors) if recent else {}
    for bot in sorted(series):
        for point in series[bot]:
            yield game, bot, point.at.astimezone(UTC), float(point.rating), float(point.error), bool(point.provisional)
