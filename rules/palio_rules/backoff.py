"""Retry delays: each is longer than the one before, within bounds, with jitter so that clients do not retry together.

Pure arithmetic, used on both sides: by bots whose server is away, and by the server for its database and its broker.

"Full jitter" spreads clients that wait for a restarted server best (Brooker, "Exponential Backoff and Jitter", AWS
Architecture Blog, 2015); half of each delay stays fixed here, so that a delay is never close to zero.
"""

import random
from dataclasses import dataclass, field


@dataclass(slots=True)
class Backoff:
    """Delays in seconds: the n-th is between half of `first * factor**n` and all of it, and at most `longest`."""

    first: float = 0.25
    factor: float = 2.0
    longest: float = 15.0
    rng: random.Random = field(default_factory=random.Random)
    failures: int = 0  # in a row

    def ceiling(self) -> float:
        """Return the upper bound of the next delay."""
        return min(self.first * self.factor ** min(self.failures, 100), self.longest)  # more would overflow a float

    def next(self) -> float:
        """Count one more failure and return the delay that follows it."""
        ceiling = self.ceiling()
        self.failures += 1
        return ceiling * self.rng.uniform(0.5, 1.0)

    def reset(self) -> None:
        """Begin with short delays again, after a success."""
        self.failures = 0
