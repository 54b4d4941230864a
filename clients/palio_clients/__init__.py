"""What a bot author runs: the `Bot` class, transports, search, and the agents that ship.

from palio_clients import Bot, run


class Mine(Bot):
    def choose(self, state, clock):
        return next(state.legal_moves())


run(Mine, "ws://127.0.0.1:8000", name="mine")
"""

from palio_clients.anytime import AnytimeBot
from palio_clients.bot import Bot
from palio_clients.clock import Clock
from palio_clients.failures import Resign
from palio_clients.join import run

__all__ = ["AnytimeBot", "Bot", "Clock", "Resign", "run"]
