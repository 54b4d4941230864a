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
"""

from collections.abc import Iterator, Sequence
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

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]


def rate(pairs: Sequence[PairScore]) -> dict[str, Rating]:
    """The rating of every bot in `pairs`, which may come in any order; several of the same two bots add up."""
    bots, points, games = _scores(pairs)
    groups = list(_groups(games))
    main = max(groups, key=lambda group: games[group].sum(), default=[])  # the first of equals, by name
    ratings: dict[str, Rating] = {}
    for group in groups:
        if len(group) == 1:  # it has met nobody: its distance from its group's mean says nothing
            ratings[bots[group[0]]] = UNRATED
            continue
        square = np.ix_(group, group)
        strength, deviation = _fit(points[square], games[square])
        played = games[group].sum(axis=1)
        for place, bot in enumerate(group):
            error = Z_95 * ELO * float(deviation[place])
            too_little = bool(played[place] < MIN_GAMES) or error > MAX_ERROR
            rating = START_RATING + ELO * float(strength[place])
            ratings[bots[bot]] = Rating(rating, error, provisional=too_little or group is not main)
    return ratings


def _scores(pairs: Sequence[PairScore]) -> tuple[list[str], Matrix, Matrix]:
    """The bots in order of name; at `[i, j]` what bot i scored against bot j; at `[i, j]` how often they met."""
    bots = sorted({name for pair in pairs for name in (pair.first, pair.second)})
    place = {name: index for index, name in enumerate(bots)}
    first = np.array([place[pair.first] for pair in pairs], dtype=np.intp)
    second = np.array([place[pair.second] for pair in pairs], dtype=np.intp)
    scored = np.array([pair.points for pair in pairs], dtype=np.float64)
    met = np.array([pair.games for pair in pairs], dtype=np.float64)
    points, games = np.zeros((len(bots), len(bots))), np.zeros((len(bots), len(bots)))
    for row, column, made in ((first, second, scored), (second, first, met - scored)):
        np.add.at(points, (row, column), made)
        np.add.at(games, (row, column), met)
    return bots, points, games


def _groups(games: Matrix) -> Iterator[list[int]]:
    """The connected groups of bots that have met, each in order, found from their first members on."""
    left = set(range(len(games)))
    for start in range(len(games)):
        if start not in left:
            continue
        group, front = {start}, [start]
        while front:
            met = set(np.flatnonzero(games[front.pop()]).tolist()) - group
            group |= met
            front.extend(met)
        left -= group
        yield sorted(group)


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
