"""Travelling salesman: iterated local search until the bell."""

from palio_clients.agents.or_opt import OrOptBot
from palio_clients.bot import Bot
from palio_clients.engines.settings import Settings


def racer(settings: Settings) -> Bot:
    return OrOptBot(seconds=settings.seconds, kicks=settings.nodes, seed=settings.seed)
