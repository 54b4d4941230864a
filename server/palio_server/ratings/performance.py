"""How well a bot has played in an event: the rating that its score against these opponents stands for.

- *By likelihood*: the rating at which the expected score against the opponents' ratings is the score that was made.
- *FIDE's*: the opponents' mean and a difference by the share of points, from the table of FIDE Handbook B.02, 8.1.1:
  the inverse of the normal distribution, with 800 at most.
"""

from collections.abc import Sequence
from math import exp, floor

from palio_server.ratings.bradley_terry import ELO
from palio_server.ratings.elo import difference

HALVINGS = 100
FIDE = (  # differences for 50, 51, ... 100 per cent
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158, 166, 175, 184, 193,
    202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444, 470, 501, 538, 589,
    677, 800,
)  # fmt: skip


def performance(points: float, opponents: Sequence[float]) -> float | None:
    """By likelihood, in Elo; `opponents` are the ratings of those met, one a game.

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


def fide_performance(points: float, opponents: Sequence[float]) -> float | None:
    """By FIDE's table; None without games."""
    if not opponents:
        return None
    share = floor(100 * points / len(opponents) + 0.5)  # per cent, halves upwards
    share = min(max(share, 0), 100)
    apart = FIDE[share - 50] if share >= 50 else -FIDE[50 - share]
    return sum(opponents) / len(opponents) + apart
