"""The history of ratings, and ratings in which old games count less. Pure: dated results go in, ratings come out.

Decay is off unless a half-life is given. With one, a game of that age counts half, of twice that age a quarter; a bot's
old results fade, and its error grows while it does not play.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from palio_db.values import PairScore, Rating
from palio_server.ratings.arrays import np
from palio_server.ratings.bradley_terry import rate, rate_table
from palio_server.ratings.elo import checked
from palio_server.ratings.table import ScoreTable

DAY_S = 86_400.0
POINTS = 50  # moments of a history
Dated = tuple[datetime, PairScore]  # when it was finished, and the result


@dataclass(frozen=True, slots=True)
class RatingPoint:
    """A bot's rating at some time."""

    at: datetime
    rating: float
    error: float
    provisional: bool


def rate_dated(
    results: Sequence[Dated],
    *,
    now: datetime | None = None,
    half_life: float | None = None,
    before: Mapping[str, float] | None = None,
    anchors: Mapping[str, float] | None = None,
) -> dict[str, Rating]:
    """Return the ratings as of `now` (by default the last result's time), from results that are not later.

    `half_life`: in days, more than 0; None counts every game in full. Raises BadOption for another value.
    """
    checked(half_life)
    until = max((at for at, _ in results), default=None) if now is None else now
    counted = [(at, pair) for at, pair in results if until is not None and at <= until]
    if not counted or until is None:
        return {}
    bots = sorted({name for _, pair in counted for name in (pair.first, pair.second)})
    place = {name: number for number, name in enumerate(bots)}
    ages = np.array([(until - at).total_seconds() / DAY_S for at, _ in counted])
    weights = np.ones(len(counted)) if half_life is None else 0.5 ** (ages / half_life)
    table = ScoreTable.summed(
        bots,
        np.array([place[pair.first] for _, pair in counted], dtype=np.intp),
        np.array([place[pair.second] for _, pair in counted], dtype=np.intp),
        weights * np.array([pair.points for _, pair in counted]),
        weights * np.array([float(pair.games) for _, pair in counted]),
    )
    return rate_table(table, before, anchors)


def recent_history(
    totals: Sequence[PairScore],
    recent: Sequence[Dated],
    points: int = POINTS,
    anchors: Mapping[str, float] | None = None,
) -> dict[str, list[RatingPoint]]:
    """Return the ratings over `recent`, the newest of the results that `totals` sum up; the last point is today's.

    Older results count from the first point on. The work is that of `points` ratings, for any number of games.
    """
    ordered = sorted(recent, key=lambda dated: dated[0])
    sums = _without({(pair.first, pair.second): pair for pair in totals}, ordered)
    series: dict[str, list[RatingPoint]] = {}
    before: dict[str, float] = {}
    start, count = 0, min(points, len(ordered))
    for number in range(1, count + 1):
        end = number * len(ordered) // count
        for _, pair in ordered[start:end]:
            _add(sums, pair)
        start, at = end, ordered[end - 1][0]
        rated = rate([pair for pair in sums.values() if pair.games], before, anchors)
        for bot, new in rated.items():
            series.setdefault(bot, []).append(RatingPoint(at, new.rating, new.error, new.provisional))
        before = {bot: new.rating for bot, new in rated.items()}
    return series


def _without(totals: dict[tuple[str, str], PairScore], recent: Sequence[Dated]) -> dict[tuple[str, str], PairScore]:
    for _, pair in recent:
        _add(totals, PairScore(pair.first, pair.second, -pair.wins, -pair.draws, -pair.losses))
    return totals


def _add(sums: dict[tuple[str, str], PairScore], pair: PairScore) -> None:
    """Add a pair to the sums, ordered by name, as those of the store."""
    known = pair if pair.first <= pair.second else pair.flipped()
    key = known.first, known.second
    sums[key] = sums[key] + known if key in sums else known
