"""How long to wait before trying again: longer each time, within bounds, and never in step with others.

Pure arithmetic, which both sides use: bots for a server that is away, the server for its database and its broker.

"Full jitter" spreads those who wait for a restarted server best (Brooker, "Exponential Backoff and Jitter", AWS
Architecture Blog, 2015); half of each delay stays fixed here, so that a delay is never close to nothing.
"""

import random
from dataclasses import dataclass, field


@dataclass(slots=True)
class Backoff:
    """Delays in seconds: the n-th lies between half of `first * factor**n` and the whole of it, at most `longest`."""

    first: float = 0.25
    factor: float = 2.0
    longest: float = 15.0
    rng: random.Random = field(default_factory=random.Random)
    failures: int = 0  # in a row

    def ceiling(self) -> float:
        """The upper bound of the next delay."""
        return min(self.first * self.factor ** min(self.failures, 100), self.longest)  # more would overflow a float

    def next(self) -> float:
        """The delay after one more failure."""
        ceiling = self.ceiling()
        self.failures += 1
        return ceiling * self.rng.uniform(0.5, 1.0)

    def reset(self) -> None:
        """A try has succeeded: begin with short delays again."""
        self.failures = 0
