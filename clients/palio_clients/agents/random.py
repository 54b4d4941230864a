"""The baseline: a random legal move, all equally likely."""

from random import Random
from typing import Any

from palio_clients.sdk.bot import Bot
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import Resign


class RandomBot(Bot):
    """A bot that plays at random; the same `seed` plays the same games. `seed` -1 is different each time.

    In an anytime race it submits one of the listed solutions, and then resigns.
    """

    quick = True

    def __init__(self, seed: int = -1) -> None:
        self.random = generator(seed)

    def choose(self, state: Any, clock: Clock) -> Any:
        if self.game.anytime and self.game.cost(state) is not None:
            raise Resign
        return self.random.choice(list(state.legal_moves()))


def generator(seed: int) -> Random:
    """Return a random generator for a bot's `seed` setting: -1 means unpredictable."""
    return Random() if seed == -1 else Random(seed)  # noqa: S311  # games, not secrets
