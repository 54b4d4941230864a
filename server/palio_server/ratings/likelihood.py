"""Ratings by likelihood alone, for a table of results: no prior, no provisional ratings.

Bradley and Terry (1952), a draw half a win. Finite ratings exist exactly where every player has, directly or through
others, taken points from every other (Ford, 1957). Otherwise they are determined within each part for which that holds,
and each part has a mean of its own.

Ordo's model puts a score of 76 % at 202 Elo, where this one has 200.24: its ratings are these times 202 / 200.24.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from palio_rules.errors import BadOption, nearest, quoted
from palio_server.ratings.arrays import Index, np
from palio_server.ratings.bradley_terry import ELO, deviations
from palio_server.ratings.elo import Z_95
from palio_server.ratings.fit import fit
from palio_server.ratings.result_files import GameResult
from palio_server.ratings.table import ScoreTable

EXACT = 5000  # players of a part whose errors are exact; the inverse for more of them takes gigabytes and minutes
NAMED = 5  # players in a sentence


@dataclass(frozen=True, slots=True)
class RatedPlayer:
    """One player. `rating` and `error` are None where they are not determined; `part` counts from 1, the largest."""

    name: str
    rating: float | None
    error: float | None  # half of the 95 % interval, with the mean or the anchors held fixed
    games: int
    score: float  # points
    part: int = 1


@dataclass(frozen=True, slots=True)
class LikelihoodRatings:
    """The players, the best of each part first; and, in sentences, why there are several parts, or errors are rough."""

    lines: list[RatedPlayer]
    reasons: list[str]


def table_of(results: Iterable[GameResult]) -> ScoreTable:
    """Return the results as a table with one row for each pair."""
    games = list(results)
    bots = sorted({name for game in games for name in (game.first, game.second)})
    place = {name: number for number, name in enumerate(bots)}
    first = np.array([place[game.first] for game in games], dtype=np.intp)
    second = np.array([place[game.second] for game in games], dtype=np.intp)
    scored = np.array([game.score for game in games], dtype=np.float64)
    return ScoreTable.summed(bots, first, second, scored, np.ones(len(games)))


def rate_likeliest(
    table: ScoreTable, mean: float = 0.0, anchors: Mapping[str, float] | None = None
) -> LikelihoodRatings:
    """Return the likeliest ratings. `anchors` give some players theirs; then `mean` counts in parts without one only.

    With one anchor all others move with it, and errors stay those around the mean; several are held fixed. Raises
    BadOption for an anchor that is not a player.
    """
    for name in anchors or {}:
        if name not in table.bots:
            raise BadOption(f"the anchor {quoted(name)} has no game in this file; {nearest(name, table.bots)}")
    parts = table.components()
    played, points = table.played, table.points
    order = sorted(parts, key=lambda part: (-len(part), -float(played[part].sum()), int(part[0])))
    place = {name: number for number, name in enumerate(table.bots)}
    lines = []
    for number, part in enumerate(order, 1):
        for line in _part(table, part, number, mean, anchors or {}):
            at = place[line.name]
            lines.append(replace(line, games=round(float(played[at])), score=float(points[at])))
    reasons = _reasons(table, parts) if len(parts) > 1 else []
    if len(order[0]) > EXACT:
        reasons.append(f"of more than {EXACT} players errors are estimates, too small where few games connect them")
    return LikelihoodRatings(lines, reasons)


def _part(table: ScoreTable, part: Index, number: int, mean: float, anchors: Mapping[str, float]) -> list[RatedPlayer]:
    within = table.of_group(part)
    given = {place: anchors[name] for place, name in enumerate(within.bots) if name in anchors}
    if len(part) == 1:  # without games, only its given rating is known
        name = within.bots[0]
        return [RatedPlayer(name, anchors.get(name), 0.0 if name in anchors else None, 0, 0.0, number)]
    several = {place: rating / ELO for place, rating in given.items()} if len(given) > 1 else None
    found = fit(within, given=several)
    ratings, errors = ELO * found.strength, Z_95 * ELO * deviations(found, EXACT)
    if len(given) == 1:
        [(place, rating)] = given.items()
        ratings = ratings + rating - ratings[place]
    elif not given:
        ratings = ratings + mean
    figures = zip(within.bots, ratings.tolist(), errors.tolist(), strict=True)
    lines = [RatedPlayer(name, rating, error, 0, 0.0, number) for name, rating, error in figures]
    return sorted(lines, key=lambda line: -(line.rating or 0.0))


def _reasons(table: ScoreTable, parts: Sequence[Index]) -> list[str]:
    """Return why no finite ratings are likeliest for all."""
    played, points = table.played, table.points
    won = [table.bots[place] for place in np.flatnonzero(points >= played)]
    lost = [table.bots[place] for place in np.flatnonzero(points <= 0)]
    reasons = []
    if won:
        reasons.append(f"{_names(won)} won every game: no rating is high enough")
    if lost:
        reasons.append(f"{_names(lost)} lost every game: no rating is low enough")
    groups = len(np.unique(table.groups()))
    if groups > 1:
        reasons.append(f"the field falls apart into {groups} groups that have not met: only ratings within one compare")
    if _unexplained(table, parts, {*won, *lost}):
        sizes = ", ".join(str(len(part)) for part in parts)
        reasons.append(
            f"the field falls apart into {len(parts)} parts (of {sizes} players), one of which has taken no point "
            "from the next: only ratings within a part compare"
        )
    return reasons


def _unexplained(table: ScoreTable, parts: Sequence[Index], told: Collection[str]) -> bool:
    """Return True if a group connected by games has parts besides players `told` to have won or lost everything."""
    group = table.groups()
    rest = [part for part in parts if len(part) > 1 or table.bots[part[0]] not in told]
    return len({group[part[0]] for part in rest}) < len(rest) or any(len(part) == 1 for part in rest)


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(names[:NAMED])
    return f"{shown} and {len(names) - NAMED} more" if len(names) > NAMED else shown
