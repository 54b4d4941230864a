"""BayesElo: games with draws by two figures, the difference in strength and how readily the two draw.

Coulom, "Bayesian Elo Rating" (2005): a win has the probability 1 / (1 + 10^((drawelo - elo) / 400)), a loss
1 / (1 + 10^((drawelo + elo) / 400)), and what remains is a draw. fishtest's and fastchess's tests under the model
"bayesian" give their bounds in these units; cutechess gives them in units that equal logistic Elo near 0.
"""

from dataclasses import dataclass
from math import log, log10

from palio_server.ratings.sample import Sample

HALF = 0.5  # of a game, which cutechess adds to each count


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
        """The points a game that are expected."""
        _, draw, win = self.chances
        return win + draw / 2

    @property
    def scale(self) -> float:
        """Logistic Elo in one unit of BayesElo, near 0."""
        power: float = 10 ** (-self.drawelo / 400)
        return 4 * power / (1 + power) ** 2


def drawelo_of(loss: float, win: float) -> float:
    """How readily these draw, from the shares of losses and wins; both are more than 0."""
    return 200 * log10((1 - loss) / loss * (1 - win) / win)


def cutechess_llr(games: Sample, elo0: float, elo1: float) -> float:
    """The log-likelihood ratio that cutechess-cli prints for bounds in logistic Elo: 1/2 is added to each count."""
    counts = [count + HALF for count in games.counts]
    loss, _, win = (count / sum(counts) for count in counts)
    drawelo = drawelo_of(loss, win)
    scale = BayesElo(0.0, drawelo).scale
    under = [BayesElo(elo / scale, drawelo).chances for elo in (elo0, elo1)]
    (loss0, draw0, win0), (loss1, draw1, win1) = under
    ratios = (loss1 / loss0, draw1 / draw0, win1 / win0)
    return sum(count * log(ratio) for count, ratio in zip(counts, ratios, strict=True))


def _chance(elo: float) -> float:
    chance: float = 1 / (1 + 10 ** (-elo / 400))
    return chance
