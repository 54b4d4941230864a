"""How strong each bot is, from who scored what against whom, on the Elo scale.

Bradley and Terry, "Rank analysis of incomplete block designs I", Biometrika 39 (1952): a bot of strength s beats one
of strength t with probability 1 / (1 + exp(t - s)); a draw counts as half a win and half a loss. The strengths are
those that make the scores most likely; that function is concave, and Newton's method climbs it in a few steps.

- *Prior.* Before its first game a bot's strength is believed to be normal around its group's mean, with a standard
  deviation of 1000 Elo. That is weak: with 100 games it moves an Elo difference by a fraction of a point. But it keeps
  a bot that has only won, or only lost, at a finite distance, where likelihood alone would send it to infinity.
- *Anchor.* Scores show differences only. So bots that have met, directly or through others, form a group, and the
  mean of each group is 1500: no bot is special, and the order of the games does not matter. Numbers of two groups
  cannot be compared; all but the group with the most games are provisional.
- *Error.* The half-width of the 95 % interval around the group's mean: 1.96 standard deviations from the inverse of
  the Fisher information, the prior's included.
- *Crowds.* To solve for n strengths by matrices costs n^3, and most of two thousand bots have never met. With more than
  `DENSE` bots only the pairs that have met are looked at: Newton's steps are found by conjugate gradients (Hestenes and
  Stiefel, 1952), and the ratings are the same. Errors are the first terms of the inverse's series instead of the
  inverse: whoever is further away than an opponent's opponent is taken as known. With ten games and more that is some
  per cent too little, at worst a quarter; with fewer it can be too much.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt

from palio_db.values import PRIOR_ELO, START_RATING, UNRATED_ERROR, PairScore, Rating
from palio_server.ratings.elo import Z_95

ELO = 400 / log(10)  # Elo points in one unit of strength
MIN_GAMES = 10  # with fewer, a rating is provisional
MAX_ERROR = 200.0  # and so it is with a wider interval

UNRATED = Rating(START_RATING, UNRATED_ERROR, provisional=True)

_PRIOR = (ELO / PRIOR_ELO) ** 2  # information on one strength before its first game
_STEPS = 100  # Newton needs about ten
_CLOSE = 1e-9  # units of strength: far below a thousandth of an Elo point
DENSE = 250  # bots in a group; up to here, matrices are quicker than looking at pairs
_CLOSE_IN_CROWDS = 1e-6  # units of strength: a few ten-thousandths of an Elo point
_ROUGH = 1e-3  # how far conjugate gradients go towards a step: the next step makes good for what is missing

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]
Index = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Who scored what against whom, each pair once: bots by index, points of the first, games of both."""

    first: Index
    second: Index
    scored: Vector
    met: Vector

    def of(self, group: Index, bots: int) -> "_Pairs":
        """Those within the group, whose bots are numbered anew, in its order."""
        number = np.full(bots, -1, dtype=np.intp)
        number[group] = np.arange(len(group))
        inside = number[self.first] >= 0
        return _Pairs(number[self.first[inside]], number[self.second[inside]], self.scored[inside], self.met[inside])

    def sums(self, to_first: Vector, to_second: Vector, bots: int) -> Vector:
        """What each bot gets of all its pairs."""
        sums = np.bincount(self.first, to_first, bots) + np.bincount(self.second, to_second, bots)
        return sums.astype(np.float64)


def rate(pairs: Sequence[PairScore], before: Mapping[str, float] | None = None) -> dict[str, Rating]:
    """The rating of every bot in `pairs`, which may come in any order; several of the same two bots add up.

    `before`: ratings that were found earlier, with fewer games. They make no difference but to the time it takes.
    """
    if not pairs:
        return {}
    bots, scores = _scores(pairs)
    played = scores.sums(scores.met, scores.met, len(bots))
    label = _groups(scores, len(bots))
    members = np.split(np.argsort(label, kind="stable"), np.flatnonzero(np.diff(np.sort(label))) + 1)
    if len(bots) <= DENSE:
        strength, deviation = np.zeros(len(bots)), np.zeros(len(bots))
        for group in members:
            strength[group], deviation[group] = _fit(*_matrices(scores.of(group, len(bots)), len(group)))
    else:
        start = [((before or {}).get(name, START_RATING) - START_RATING) / ELO for name in bots]
        strength, deviation = _fit_crowd(scores, np.array(start))
        strength -= (np.bincount(label, strength) / np.maximum(np.bincount(label), 1))[label]
    size, games = np.bincount(label), np.bincount(label, played)
    main = int(games.argmax())  # the first of equals, by name
    errors = Z_95 * ELO * deviation
    too_little = (played < MIN_GAMES) | (errors > MAX_ERROR) | (label != main)
    ratings = {}
    for name, rating, error, few, alone in zip(
        bots,
        (START_RATING + ELO * strength).tolist(),
        errors.tolist(),
        too_little.tolist(),
        (size[label] == 1).tolist(),
        strict=True,
    ):
        # Alone, it has met nobody: its distance from its group's mean says nothing.
        ratings[name] = UNRATED if alone else Rating(rating, error, provisional=few)
    return ratings


def _scores(pairs: Sequence[PairScore]) -> tuple[list[str], _Pairs]:
    """The bots in order of name, and what they scored."""
    bots = sorted({name for pair in pairs for name in (pair.first, pair.second)})
    place = {name: index for index, name in enumerate(bots)}
    first = np.array([place[pair.first] for pair in pairs], dtype=np.intp)
    second = np.array([place[pair.second] for pair in pairs], dtype=np.intp)
    scored = np.array([pair.wins + pair.draws / 2 for pair in pairs], dtype=np.float64)
    met = np.array([pair.wins + pair.draws + pair.losses for pair in pairs], dtype=np.float64)
    turned = first > second
    scored = np.where(turned, met - scored, scored)
    first, second = np.where(turned, second, first), np.where(turned, first, second)
    once, which = np.unique(first * len(bots) + second, return_inverse=True)
    if len(once) < len(pairs):
        scored = np.bincount(which, scored, len(once)).astype(np.float64)
        met = np.bincount(which, met, len(once)).astype(np.float64)
        first, second = once // len(bots), once % len(bots)
    return bots, _Pairs(first, second, scored, met)


def _groups(scores: _Pairs, bots: int) -> Index:
    """The connected groups of bots that have met: for each bot the first member of its group."""
    games = scores.met > 0
    first, second = scores.first[games], scores.second[games]
    label = np.arange(bots)
    while True:
        least = np.minimum(label[first], label[second])
        lower = label.copy()
        np.minimum.at(lower, first, least)
        np.minimum.at(lower, second, least)
        lower = lower[lower]
        if np.array_equal(lower, label):
            return label
        label = lower


def _matrices(pairs: _Pairs, bots: int) -> tuple[Matrix, Matrix]:
    """At `[i, j]` what bot i scored against bot j; at `[i, j]` how often they met."""
    points, games = np.zeros((bots, bots)), np.zeros((bots, bots))
    points[pairs.first, pairs.second] = pairs.scored
    points[pairs.second, pairs.first] = pairs.met - pairs.scored
    games[pairs.first, pairs.second] = games[pairs.second, pairs.first] = pairs.met
    return points, games


def _fit_crowd(pairs: _Pairs, start: Vector) -> tuple[Vector, Vector]:
    """As `_fit`, for a group of many bots, of whom each has met few."""
    bots, met = len(start), pairs.met
    first, second = pairs.first, pairs.second

    def log_posterior(strength: Vector) -> float:
        ahead = strength[first] - strength[second]
        lost = met - pairs.scored
        likely = pairs.scored * np.logaddexp(0.0, -ahead) + lost * np.logaddexp(0.0, ahead)
        return float(-likely.sum() - _PRIOR / 2 * (strength**2).sum())

    strength, value = start, log_posterior(start)
    for _ in range(_STEPS):
        expected = (1 + np.tanh((strength[first] - strength[second]) / 2)) / 2
        better_than = pairs.scored - met * expected
        weight = met * expected * (1 - expected)
        gradient = pairs.sums(better_than, -better_than, bots) - _PRIOR * strength
        step = _conjugate_gradients(pairs, weight, gradient)
        while (better := log_posterior(strength + step)) < value - 1e-12 * abs(value):
            step /= 2
        strength, value = strength + step, better
        if np.abs(step).max() < _CLOSE_IN_CROWDS:
            break
    else:
        raise ArithmeticError(f"the ratings of {bots} bots did not settle in {_STEPS} steps")
    known = _PRIOR + pairs.sums(weight, weight, bots)  # of each bot, if all others were known
    shared = weight**2
    indirect = pairs.sums(shared / known[second], shared / known[first], bots) / known
    return strength - strength.mean(), np.sqrt((1 + indirect) / known)


def _conjugate_gradients(pairs: _Pairs, weight: Vector, gradient: Vector) -> Vector:
    """The step that the information matrix turns into `gradient`, roughly; the matrix is never written down."""
    first, second, bots = pairs.first, pairs.second, len(gradient)
    diagonal = _PRIOR + pairs.sums(weight, weight, bots)
    step, rest = np.zeros(bots), gradient
    scaled = rest / diagonal
    way, size = scaled, float(rest @ scaled)
    enough = size * _ROUGH**2
    for _ in range(bots):
        if size <= enough:
            break
        image = diagonal * way - pairs.sums(weight * way[second], weight * way[first], bots)
        far = size / float(way @ image)
        step, rest = step + far * way, rest - far * image
        scaled = rest / diagonal
        size, before = float(rest @ scaled), size
        way = scaled + size / before * way
    return step


def _fit(points: Matrix, games: Matrix) -> tuple[Vector, Vector]:
    """Strengths of one group, their mean zero, and the standard deviation of each."""
    strength = np.zeros(len(points))
    value = _log_posterior(strength, points)
    for _ in range(_STEPS):
        expected = _expected(strength)
        gradient = (points - games * expected).sum(axis=1) - _PRIOR * strength
        step = np.linalg.solve(_information(games, expected), gradient)
        while (better := _log_posterior(strength + step, points)) < value - 1e-12 * abs(value):
            step /= 2  # a full step overshoots where wins are all on one side
        strength, value = strength + step, better
        if np.abs(step).max() < _CLOSE:
            break
    else:
        raise ArithmeticError(f"the ratings of {len(points)} bots did not settle in {_STEPS} steps")
    # The prior's balance puts the mean at zero, and makes the mean itself uncertain; what is reported are distances
    # from the mean, so its variance goes.
    covariance = np.linalg.inv(_information(games, _expected(strength)))
    variance = np.diag(covariance) - 1 / (_PRIOR * len(points))
    return strength - strength.mean(), np.sqrt(np.maximum(variance, 0.0))


def _expected(strength: Vector) -> Matrix:
    """`[i, j]`: the share of points that bot i is expected to score against bot j."""
    half = (strength[:, None] - strength[None, :]) / 2
    wins: Matrix = (1 + np.tanh(half)) / 2  # the logistic function, without overflow
    return wins


def _information(games: Matrix, expected: Matrix) -> Matrix:
    """The Fisher information of games and prior: how sharply the log posterior bends."""
    weight = games * expected * (1 - expected)
    information: Matrix = np.diag(weight.sum(axis=1) + _PRIOR) - weight
    return information


def _log_posterior(strength: Vector, points: Matrix) -> float:
    difference = strength[:, None] - strength[None, :]
    return float(-(points * np.logaddexp(0.0, -difference)).sum() - _PRIOR / 2 * (strength**2).sum())
