"""A sequential test of two strengths: play until it is decided, and no longer.

Wald, "Sequential Tests of Statistical Hypotheses" (1945): under H0 the difference is `elo0`, under H1 it is `elo1`.
After each result the logarithm of how much likelier H1 makes all results than H0 (LLR) is compared with two bounds,
ln(beta / (1 - alpha)) and ln((1 - beta) / alpha); at the lower one H0 is accepted, at the upper one H1. So a true H0
is rejected with probability alpha, a true H1 with probability beta.

Elo does not determine the share of draws. So each hypothesis gets the distribution of results that makes those seen
likeliest among all that have its Elo: the generalised test of fishtest, computed exactly and not by the variance.
Van den Bergh, "A Practical Introduction to the GSPRT" and "Normalized Elo, practical" (the papers of fishtest):

- *logistic*: the expected score is 1 / (1 + 10^(-elo / 400)). The likeliest distribution with the mean s has shares
  p / (1 + x (a - s)), p the share seen of the results that are worth a, where x solves the secular equation.
- *normalized*: (mean - 1/2) / deviation of a result is elo ln 10 / 800, times the root of 2 for pairs. Found by
  iteration, each step of which is a secular equation.
- *bayesian*: the bounds are BayesElo at the readiness to draw of the results; then as logistic. Games only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, isfinite, log, log10, sqrt
from typing import Literal, get_args

from palio_rules.errors import BadOption, nearest
from palio_server.ratings.sample import NELO, Sample, moments

# BayesElo: games with draws by two parameters, the difference in strength and the readiness to draw.
#
# Coulom, "Bayesian Elo Rating" (2005): a win has the probability 1 / (1 + 10^((drawelo - elo) / 400)), a loss 1 / (1 +
# 10^((drawelo + elo) / 400)), and the rest is a draw. fishtest's and fastchess's tests under the model "bayesian" give
# their bounds in these units.


@dataclass(frozen=True, slots=True)
class BayesElo:
    """A difference and a readiness to draw, both in BayesElo."""

    elo: float
    drawelo: float

    @property
    def chances(self) -> tuple[float, float, float]:
        """The probabilities of a loss, a draw and a win."""
        win, loss = _chance(self.elo - self.drawelo), _chance(-self.elo - self.drawelo)
        return loss, 1 - win - loss, win

    @property
    def score(self) -> float:
        """The expected points a game."""
        _, draw, win = self.chances
        return win + draw / 2


def drawelo_of(loss: float, win: float) -> float:
    """Return the readiness to draw, from the shares of losses and wins; both are more than 0."""
    return 200 * log10((1 - loss) / loss * (1 - win) / win)


def _chance(elo: float) -> float:
    chance: float = 1 / (1 + 10 ** (-elo / 400))
    return chance


SprtModel = Literal["normalized", "logistic", "bayesian"]
SprtVerdict = Literal["continue", "H0", "H1"]
ResultShares = Sequence[tuple[float, float]]  # (points a game, share)

_STEPS = 100  # of the iteration; it takes about five
_CLOSE = 1e-11  # shares that differ by less are the same
_HALVINGS = 200  # of an interval, to the last digit of a number
_STEEPEST = 50.0  # exponent of a tilt: nearly all is one result
FAR = 2000.0  # Elo; a bound beyond it would be a certain win


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """A test of H0 (`elo0`) against H1 (`elo1`), whose errors have the probabilities `alpha` and `beta`."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: SprtModel = "normalized"

    def __post_init__(self) -> None:
        """Check the settings. Raises BadOption for bounds or probabilities that make no test."""
        if self.model not in get_args(SprtModel):
            raise BadOption(f"unknown model {self.model!r}; {nearest(self.model, get_args(SprtModel))}")
        for name in ("elo0", "elo1", "alpha", "beta"):
            if not isfinite(getattr(self, name)):
                raise BadOption(f"{name} is a number, got {getattr(self, name)}")
        if not self.elo0 < self.elo1:
            raise BadOption(f"elo0 must be less than elo1, got elo0={self.elo0:g} and elo1={self.elo1:g}")
        if max(abs(self.elo0), abs(self.elo1)) > FAR:
            raise BadOption(f"elo0 and elo1 lie between -{FAR:g} and {FAR:g}, got {self.elo0:g} and {self.elo1:g}")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 1:
                raise BadOption(f"{name} is a probability between 0 and 1, such as 0.05; got {getattr(self, name):g}")
        if self.alpha + self.beta >= 1:
            raise BadOption(
                f"alpha and beta together must be less than 1, got {self.alpha:g} and {self.beta:g}: "
                "a coin would err as rarely"
            )

    @property
    def lower(self) -> float:
        """The ratio at which, or below, H0 is accepted."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The ratio at which, or above, H1 is accepted."""
        return log((1 - self.beta) / self.alpha)

    def verdict(self, llr: float) -> SprtVerdict:
        if llr >= self.upper:
            return "H1"
        return "H0" if llr <= self.lower else "continue"

    def llr(self, sample: Sample) -> float:
        """Return the logarithm of the likelihood ratio; 0 without results. Raises BadOption for pairs with BayesElo."""
        if self.model == "bayesian" and sample.paired:
            raise BadOption("the model bayesian knows no pairs: give games by wins, draws and losses, or another model")
        if not sample.size:
            return 0.0
        seen = sample.shares()
        under0, under1 = (self._likeliest(seen, elo) for elo in (self.elo0, self.elo1))
        counts = [count for _, count in seen]
        size = sample.size + sum(count == 0 for count in sample.counts) * 1e-3
        return size * sum(c * log(one / none) for c, none, one in zip(counts, under0, under1, strict=True))

    def _likeliest(self, seen: ResultShares, elo: float) -> list[float]:
        """Return the shares that make those `seen` likeliest among all whose strength is `elo`."""
        if self.model == "normalized":
            return _with_t_value(seen, elo / NELO * (sqrt(2) if len(seen) == 5 else 1))
        if self.model == "bayesian":
            drawelo = drawelo_of(loss=seen[0][1], win=seen[-1][1])
            return _with_mean(seen, BayesElo(elo, drawelo).score)
        return _with_mean(seen, 1 / (1 + 10 ** (-elo / 400)))


def _with_mean(seen: ResultShares, mean: float) -> list[float]:
    return _balanced([share for _, share in seen], [value - mean for value, _ in seen])


def _with_t_value(seen: ResultShares, t_value: float) -> list[float]:
    """Return the shares whose mean is `t_value` standard deviations over 1/2: each step uses the last one's moments."""
    values, weights = [value for value, _ in seen], [share for _, share in seen]
    found = [1 / len(seen)] * len(seen)
    if not _both_signs(_forces(values, found, t_value)):
        found = _tilted(values, t_value)
    for _ in range(_STEPS):
        forces = _forces(values, found, t_value)
        if not _both_signs(forces):
            raise BadOption(
                f"these results cannot be weighed against {t_value * NELO:.0f} normalised Elo a result: "
                "choose bounds nearer to 0, or the model logistic"
            )
        before, found = found, _balanced(weights, forces)
        if max(abs(new - old) for new, old in zip(found, before, strict=True)) < _CLOSE:
            break
    return found


def _forces(values: Sequence[float], shares: Sequence[float], t_value: float) -> list[float]:
    mean, variance = moments(list(zip(values, shares, strict=True)))
    deviation = sqrt(variance)
    return [v - 0.5 - t_value * deviation * (1 + ((mean - v) / deviation) ** 2) / 2 for v in values]


def _both_signs(forces: Sequence[float]) -> bool:
    return min(forces) < 0 < max(forces)


def _tilted(values: Sequence[float], t_value: float) -> list[float]:
    """Return shares that grow or shrink by the same factor from value to value, so that they have this t-value."""
    low, high = -_STEEPEST, _STEEPEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        raw = [exp(middle * (value - 0.5)) for value in values]
        shares = [each / sum(raw) for each in raw]
        mean, variance = moments(list(zip(values, shares, strict=True)))
        if mean - 0.5 < t_value * sqrt(variance):
            low = middle
        else:
            high = middle
    return shares


def _balanced(weights: Sequence[float], forces: Sequence[float]) -> list[float]:
    """Return `weight / (1 + x force)` with the x at which the sum of `weight force / (1 + x force)` is 0.

    Between its poles the sum falls from infinity to minus infinity, so it has one root; forces have both signs.
    """
    low, high = -1 / max(forces), -1 / min(forces)
    x = 0.0
    for _ in range(_HALVINGS):
        terms = [force / (1 + x * force) for force in forces]
        value = sum(weight * term for weight, term in zip(weights, terms, strict=True))
        if value > 0:
            low = x
        else:
            high = x
        step = value / sum(weight * term * term for weight, term in zip(weights, terms, strict=True))
        nearer = x + step  # Newton's, where it stays inside
        if not low < nearer < high:
            nearer = (low + high) / 2
        if nearer == x or abs(nearer - x) <= 1e-15 * max(1.0, abs(x)):
            break
        x = nearer
    return [weight / (1 + x * force) for weight, force in zip(weights, forces, strict=True)]
