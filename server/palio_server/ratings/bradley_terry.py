"""The strength of each bot, from all scores between bots, on the Elo scale.

Bradley and Terry, "Rank analysis of incomplete block designs I", Biometrika 39 (1952): a bot of strength s beats one
of strength t with probability 1 / (1 + exp(t - s)); a draw counts as half a win and half a loss. The strengths are
those that make the scores most likely (`fit.py`).

- *Prior.* Before its first game a bot's strength is believed to be normal around its group's mean, with a standard
  deviation of 1000 Elo. That is weak: with 100 games it moves an Elo difference by a fraction of a point. But it keeps
  a bot that has only won, or only lost, at a finite distance, where likelihood alone would send it to infinity.
- *Anchors.* Scores show only differences. So bots that have met, directly or through others, form a group, and the
  mean of each group is 1500: no bot is special, and the order of the games does not matter. Numbers of two groups
  cannot be compared; all but the group with the most games are provisional. Where bots of a group are given as anchors,
  these have the given ratings, and the ratings of the others follow from their scores against them.
- *Error.* The half-width of the 95 % interval around the group's mean, or around its anchors: 1.96 standard deviations
  from the inverse of the Fisher information, the prior's included. Exact up to `EXACT` bots in a group. In a larger one
  bots further away than an opponent's opponent are taken as known: with ten games and more the error is then some
  per cent too small, at worst a quarter.
- *Evidence.* Every game counts as an independent sample. Deterministic programs that repeat a game without an
  opening add no information, and the errors are then too small: let them begin from different openings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt

from palio_db.values import PRIOR_ELO, START_RATING, UNRATED_ERROR, PairScore, Rating
from palio_server.ratings.arrays import Matrix, Vector, np
from palio_server.ratings.elo import Z_95, difference
from palio_server.ratings.fit import Fit, fit
from palio_server.ratings.sample import normal
from palio_server.ratings.table import ScoreTable, members

ELO = 400 / log(10)  # Elo points in one unit of strength
MIN_GAMES = 10  # with fewer, a rating is provisional
MAX_ERROR = 200.0  # and so it is with a wider interval

UNRATED = Rating(START_RATING, UNRATED_ERROR, provisional=True)

PRIOR = (ELO / PRIOR_ELO) ** 2  # information on one strength before its first game
EXACT = 2000  # bots of a group; the inverse for more of them takes seconds


def rate(
    pairs: Sequence[PairScore], before: Mapping[str, float] | None = None, anchors: Mapping[str, float] | None = None
) -> dict[str, Rating]:
    """Return the rating of every bot in `pairs`, which may come in any order; several of the same two bots add up.

    `before`: ratings that were found earlier, with fewer games; they only save time. `anchors`: fixed ratings of some
    bots, by name; bots that have not played are left out.
    """
    return rate_table(ScoreTable.of(pairs), before, anchors) if pairs else {}


def anchors_on(leaderboard: str, anchors: Mapping[str, float] | None) -> dict[str, float]:
    """Return the fixed ratings on a leaderboard, by bot: those on all of them, and its own, as `go:size=19/gnugo`."""
    own, given = f"{leaderboard}/", (anchors or {}).items()
    everywhere = {name: rating for name, rating in given if "/" not in name}
    return everywhere | {name.removeprefix(own): rating for name, rating in given if name.startswith(own)}


def rate_table(
    table: ScoreTable, before: Mapping[str, float] | None = None, anchors: Mapping[str, float] | None = None
) -> dict[str, Rating]:
    """Return the ratings of a table of arrays."""
    bots, played, label = table.bots, table.played, table.groups()
    elo, errors = np.full(len(bots), START_RATING), np.zeros(len(bots))
    for group in members(label):
        found = _fit_group(table.of_group(group) if len(group) < len(bots) else table, before, anchors or {})
        elo[group] = START_RATING + ELO * found.strength
        errors[group] = Z_95 * ELO * deviations(found)
    main = int(np.bincount(label, played).argmax())  # the first of equals, by name
    too_little = (played < MIN_GAMES) | (errors > MAX_ERROR) | (label != main)
    alone = (np.bincount(label)[label] == 1).tolist()
    ratings = {}
    for place, (name, *figures) in enumerate(
        zip(bots, elo.tolist(), errors.tolist(), too_little.tolist(), strict=True)
    ):
        if name in (anchors or {}):
            ratings[name] = Rating((anchors or {})[name], 0.0, provisional=figures[2])
        else:  # a bot that has met no other: its distance from its group's mean means nothing
            ratings[name] = UNRATED if alone[place] else Rating(*figures)
    return ratings


def superiorities(pairs: Sequence[PairScore]) -> dict[tuple[str, str], float]:
    """Return the probability, from 0 to 1, that the first bot of each pair is stronger, by all games of both and of
    others.

    The difference of their ratings is taken as normal, with the variance that covariances give it; the errors of two
    ratings alone are not enough, since both depend on the same games.
    """
    if not pairs:
        return {}
    table = ScoreTable.of(pairs)
    chances: dict[tuple[str, str], float] = {}
    for group in members(table.groups()):
        within = table.of_group(group)
        found = fit(within, PRIOR)
        place = {name: number for number, name in enumerate(within.bots)}
        covariance = found.covariance()
        for pair in pairs:
            if pair.first in place and pair.second in place:
                a, b = place[pair.first], place[pair.second]
                variance = float(covariance[a, a] + covariance[b, b] - 2 * covariance[a, b])
                apart = float(found.strength[a] - found.strength[b])
                chances[pair.first, pair.second] = normal(apart / sqrt(variance)) if variance > 0 else 0.5
    return chances


def _fit_group(table: ScoreTable, before: Mapping[str, float] | None, anchors: Mapping[str, float]) -> Fit:
    start = None
    if before:
        start = np.array([(before.get(name, START_RATING) - START_RATING) / ELO for name in table.bots])
    given = {place: (anchors[name] - START_RATING) / ELO for place, name in enumerate(table.bots) if name in anchors}
    return fit(table, PRIOR, given=given, start=start)


def deviations(found: Fit, exact: int = EXACT) -> Vector:
    """Return the standard deviation of each strength. With more than `exact` bots, those further away are taken as
    known.
    """
    if len(found.strength) <= exact:
        return found.deviations()
    table, weight = found.table, found.weight
    known = found.prior + table.sums(weight, weight)  # of each bot, if all others were known
    shared = weight**2
    indirect = table.sums(shared / known[table.second], shared / known[table.first]) / known
    several: Vector = np.sqrt((1 + indirect) / known) * found.free
    return several


# The advantage of the first move: one more parameter of the model, fitted with all strengths at once.
#
# Bradley-Terry with an order effect (Davidson and Beaver, "On extending the Bradley-Terry model to incorporate
# within-pair order effects", Biometrics 33, 1977, in its additive form, which cutechess' and Ordo's "white advantage"
# have, too): the first seat scores 1 / (1 + exp(t - s - h)) against the second, with one h for the game. Strengths have
# the prior of `bradley_terry`, and so has h: a deviation of 1000 Elo.

STEPS = 100
CLOSE = 1e-9  # units of strength
WIDEST_SHOWN = 200.0  # Elo: a wider error says nothing about the advantage; web/lib/first_move.js has the same


@dataclass(frozen=True, slots=True)
class FirstMove:
    """The advantage of the first seat in Elo, and half the width of its 95 % interval."""

    elo: float
    error: float
    games: int

    @property
    def shown(self) -> bool:
        """True if the error is small enough to be shown to people without misleading them."""
        return self.error <= WIDEST_SHOWN

    @property
    def score(self) -> float:
        """The expected score of the first of two equal bots."""
        return 1 / (1 + exp(-self.elo / ELO))


def first_move(seated: Sequence[PairScore]) -> FirstMove | None:
    """Return the advantage by the scores of first seats: `first` of each pair had the first seat. None
    without games.
    """
    met = [pair for pair in seated if pair.games]
    if not met:
        return None
    bots = sorted({name for pair in met for name in (pair.first, pair.second)})
    place = {name: number for number, name in enumerate(bots)}
    first = np.array([place[pair.first] for pair in met], dtype=np.intp)
    second = np.array([place[pair.second] for pair in met], dtype=np.intp)
    scored = np.array([pair.points for pair in met])
    games = np.array([float(pair.games) for pair in met])
    design = _Design(first, second, len(bots))
    found = np.zeros(len(bots) + 1)  # strengths, and the advantage last
    for _ in range(STEPS):
        slope, information = design.derivatives(found, scored, games)
        step = np.linalg.solve(information, slope)
        while float(design.derivatives(found + step, scored, games)[0] @ step) < -0.1 * float(slope @ step):
            if np.abs(step).max() < CLOSE:
                break
            step = step / 2
        found = found + step
        if np.abs(step).max() < CLOSE:
            break
    else:
        raise ArithmeticError(f"the advantage of the first move did not settle in {STEPS} steps")
    last = np.zeros(len(found))
    last[-1] = 1.0
    variance = float(np.linalg.solve(design.derivatives(found, scored, games)[1], last)[-1])
    return FirstMove(ELO * float(found[-1]), Z_95 * ELO * sqrt(variance), int(games.sum()))


@dataclass(frozen=True, slots=True)
class _Design:
    """The seats of each pair, as arrays."""

    first: "np.typing.NDArray[np.intp]"
    second: "np.typing.NDArray[np.intp]"
    bots: int

    def derivatives(self, at: Vector, scored: Vector, games: Vector) -> tuple[Vector, Matrix]:
        """Return the slope of the log posterior, and the information, in all strengths and the advantage."""
        size = self.bots + 1
        expected = (1 + np.tanh((at[self.first] - at[self.second] + at[-1]) / 2)) / 2
        better, weight = scored - games * expected, games * expected * (1 - expected)
        slope = np.bincount(self.first, better, size) - np.bincount(self.second, better, size)
        slope[-1] = better.sum()
        information = np.zeros((size, size))
        np.add.at(information, (self.first, self.second), -weight)
        information += information.T
        sits = np.bincount(self.first, weight, size) - np.bincount(self.second, weight, size)
        information[-1, :] = information[:, -1] = sits
        diagonal = np.bincount(self.first, weight, size) + np.bincount(self.second, weight, size)
        diagonal[-1] = weight.sum()
        np.fill_diagonal(information, diagonal + PRIOR)
        return slope - PRIOR * at, information


# Performance rating: the rating at which the expected score against the opponents' ratings equals the actual score.

HALVINGS = 100


def performance(points: float, opponents: Sequence[float]) -> float | None:
    """Return the performance in Elo; `opponents` are the ratings of those met, one a game.

    None without games; minus and plus infinity for no point and for all of them.
    """
    if not opponents:
        return None
    if points <= 0 or points >= len(opponents):
        return difference(points / len(opponents))
    apart = difference(points / len(opponents))
    low, high = min(opponents) + apart, max(opponents) + apart
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if sum(1 / (1 + exp((theirs - middle) / ELO)) for theirs in opponents) < points:
            low = middle
        else:
            high = middle
    return (low + high) / 2
