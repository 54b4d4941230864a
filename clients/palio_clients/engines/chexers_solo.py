"""Chexers, solo: the fewest actions there are, found once and then played."""

from palio_clients.agents.planner import PlannerBot
from palio_clients.bot import Bot
from palio_clients.engines.settings import Settings


def racer(settings: Settings) -> Bot:
    return PlannerBot(nodes=settings.nodes, seconds=settings.seconds, seed=settings.seed)
