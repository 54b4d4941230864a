"""Statistics of counts of results: the difference in Elo, its error, and the likelihood of superiority.

Counts go from the worst result to the best: `(losses, draws, wins)` of games, or five counts of pairs of games that
gave 0, 1/2, 1, 1 1/2 and 2 points. The two games of a pair share an opening, so that their results are correlated;
counting pairs (pentanomially) takes that into account, and usually makes the error smaller.

- *Elo* is logistic: Elo, "The Rating of Chessplayers" (1978). The ends of the 95 % interval of the mean score become
  Elo, and the error is half of what lies between them. Scores are held within [0.001, 0.999].
- *Normalised Elo*: Van den Bergh, "Normalized Elo" and "Normalized Elo, practical" (the papers of fishtest): the mean
  over 1/2 in standard deviations of a game, times 800 / ln 10. The variance of a pair's mean is half of a game's.
- *Likelihood of superiority*: by the normal distribution with the variance that was seen.

fishtest and fastchess compute the same. cutechess takes no pairs, has no normalised Elo, and ignores draws in its
likelihood of superiority: `elo.Score` has its figures. Elo and error bars of games are the same in all three.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import erf, inf, log, sqrt
from typing import Self

from palio_rules.errors import BadOption, quoted
from palio_server.ratings.elo import Z_95, difference

NELO = 800 / log(10)  # normalised Elo in one standard deviation of a game
LEAST = 1e-3  # counted instead of nothing, so that no result is impossible; also how near to 0 and 1 a score may be
GAMES, PAIRS = 3, 5  # kinds of results


@dataclass(frozen=True, slots=True)
class Sample:
    """Results of one side, counted by kind from the worst on: three counts of games, or five of pairs."""

    counts: tuple[float, ...]

    def __post_init__(self) -> None:
        """Check the counts. Raises BadOption for another number of counts, or a negative one."""
        if len(self.counts) not in (GAMES, PAIRS):
            raise BadOption(f"results are three counts of games or five of pairs, got {len(self.counts)}")
        if not all(0 <= count < inf for count in self.counts):
            raise BadOption(f"a count of results is 0 or more, got {quoted(self.counts)}")

    @classmethod
    def of_games(cls, wins: float, draws: float, losses: float) -> Self:
        return cls((losses, draws, wins))

    @property
    def paired(self) -> bool:
        return len(self.counts) == PAIRS

    @property
    def size(self) -> float:
        """The number of results: games or pairs."""
        return sum(self.counts)

    @property
    def games(self) -> float:
        return self.size * (2 if self.paired else 1)

    def shares(self) -> list[tuple[float, float]]:
        """Return each kind of result as (points a game, share of all); a kind that did not happen counts as a
        thousandth.
        """
        counts = [count or LEAST for count in self.counts]
        size = sum(counts)
        return [(kind / (len(counts) - 1), count / size) for kind, count in enumerate(counts)]

    @property
    def mean(self) -> float:
        """The points a game."""
        return moments(self.shares())[0]

    @property
    def variance(self) -> float:
        """The variance of one result's points a game: of a game, or of a pair's mean."""
        return moments(self.shares())[1]

    @property
    def elo(self) -> float:
        """The difference in logistic Elo behind the mean; 0 without results."""
        return _elo(self.mean)

    @property
    def elo_error(self) -> float:
        """Half the width of the 95 % interval of `elo`; infinite without results."""
        if not self.size:
            return inf
        reach = Z_95 * self._deviation
        return (_elo(self.mean + reach) - _elo(self.mean - reach)) / 2

    @property
    def nelo(self) -> float:
        """The difference in normalised Elo."""
        of_game = sqrt(self.variance * (2 if self.paired else 1))
        return (self.mean - 0.5) / of_game * NELO

    @property
    def nelo_error(self) -> float:
        """Half the width of its 95 % interval, which depends only on the number of games."""
        return Z_95 * NELO / sqrt(self.games) if self.games else inf

    @property
    def los(self) -> float:
        """The likelihood of superiority, from 0 to 1: the probability that this side is the stronger one."""
        return normal((self.mean - 0.5) / self._deviation) if self.size else 0.5

    @property
    def _deviation(self) -> float:
        """The standard deviation of the mean."""
        return sqrt(self.variance / sum(count or LEAST for count in self.counts))


def moments(shares: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return mean and variance of values with their probabilities."""
    mean = sum(value * share for value, share in shares)
    return mean, sum(share * (value - mean) ** 2 for value, share in shares)


def normal(deviations: float) -> float:
    """Return the share of a normal distribution below so many standard deviations over its mean."""
    return (1 + erf(deviations / sqrt(2))) / 2


def _elo(score: float) -> float:
    return difference(min(max(score, LEAST), 1 - LEAST))
