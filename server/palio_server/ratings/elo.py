"""The strength behind a score between two bots: the figures that cutechess and fastchess print.

Elo, "The Rating of Chessplayers" (1978): an expected score p is a difference of 400 log10(p / (1 - p)). The error bar
takes the mean score as normally distributed with the observed variance, as both programs do.
"""

from dataclasses import dataclass
from math import erf, inf, log10, sqrt

from palio_rules.errors import BadOption

Z_95 = 1.959963984540054  # the two-sided 95 % quantile of the normal distribution


@dataclass(frozen=True, slots=True)
class Score:
    """Wins, losses and draws of one bot against another, or against several."""

    wins: int = 0
    losses: int = 0
    draws: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.losses + self.draws

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    @property
    def ratio(self) -> float:
        """The points a game; 0 without games."""
        return self.points / self.games if self.games else 0.0

    @property
    def draw_ratio(self) -> float:
        return self.draws / self.games if self.games else 0.0

    @property
    def elo(self) -> float:
        """The difference in Elo that explains the score; infinite where one side has won everything."""
        return difference(self.ratio) if self.games else 0.0

    @property
    def error(self) -> float:
        """Half the width of the 95 % interval of `elo`; infinite where the interval reaches 0 or 100 %.

        cutechess prints nan there: its interval then ends outside of the possible scores.
        """
        if not self.games:
            return inf
        seen = ((self.wins, 1.0), (self.losses, 0.0), (self.draws, 0.5))
        variance = sum(count * (value - self.ratio) ** 2 for count, value in seen) / self.games  # of one game
        reach = Z_95 * sqrt(variance / self.games)
        low, high = self.ratio - reach, self.ratio + reach
        if low <= 0 or high >= 1:
            return inf
        return (difference(high) - difference(low)) / 2

    @property
    def los(self) -> float:
        """The likelihood of superiority: the probability that this bot is the stronger one. Draws have no influence."""
        decisive = self.wins + self.losses
        return 0.5 + 0.5 * erf((self.wins - self.losses) / sqrt(2 * decisive)) if decisive else 0.5

    def add(self, points: float) -> "Score":
        """Return the score with one more game: 1 for a win, 0 for a loss, any value between for a draw."""
        return Score(self.wins + (points == 1), self.losses + (points == 0), self.draws + (0 < points < 1))


def difference(ratio: float) -> float:
    """Return the difference in Elo behind an expected score; 0 and 1 give minus and plus infinity."""
    if ratio <= 0:
        return -inf
    return inf if ratio >= 1 else 400 * log10(ratio / (1 - ratio))


# The weight of a result by its age: half of it after each half-life. Loads no numpy.

MOST_DAYS = 100_000.0  # of a half-life; nothing fades with more


def checked(half_life: float | None) -> float | None:
    """Return the half-life in days, if there is one. Raises BadOption."""
    if half_life is not None and not 0 < half_life <= MOST_DAYS:
        raise BadOption(f"a half-life is a number of days, more than 0 and at most {MOST_DAYS:g}; got {half_life:g}")
    return half_life
