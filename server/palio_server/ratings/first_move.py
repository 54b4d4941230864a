"""What it is worth to move first: one more figure in the model, fitted with all strengths at once.

Bradley-Terry with an order effect (Davidson and Beaver, "On extending the Bradley-Terry model to incorporate
within-pair order effects", Biometrics 33, 1977, in its additive form, which cutechess' and Ordo's "white advantage"
have, too): the first seat scores 1 / (1 + exp(t - s - h)) against the second, with one h for the game. Strengths have
the prior of `bradley_terry`, and so has h: a deviation of 1000 Elo.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, sqrt

from palio_db.values import PairScore
from palio_server.ratings.arrays import np
from palio_server.ratings.bradley_terry import ELO, PRIOR
from palio_server.ratings.elo import Z_95
from palio_server.ratings.table import Matrix, Vector

STEPS = 100
CLOSE = 1e-9  # units of strength


@dataclass(frozen=True, slots=True)
class FirstMove:
    """The advantage of the first seat in Elo, and half the width of its 95 % interval."""

    elo: float
    error: float
    games: int

    @property
    def score(self) -> float:
        """What the first of two equals is expected to score."""
        return 1 / (1 + exp(-self.elo / ELO))


def first_move(seated: Sequence[PairScore]) -> FirstMove | None:
    """From what first seats scored: `first` of each pair had the first seat. None without games."""
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
    """Who sat where."""

    first: "np.typing.NDArray[np.intp]"
    second: "np.typing.NDArray[np.intp]"
    bots: int

    def derivatives(self, at: Vector, scored: Vector, games: Vector) -> tuple[Vector, Matrix]:
        """The slope of the log posterior, and the information, in all strengths and the advantage."""
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
