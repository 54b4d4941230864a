"""The interface for bot authors: the `Bot` class, its clock, and `run` and `play`, which play on a server.

    from palio_clients import Bot, run

    class Mine(Bot):
        def choose(self, state, clock):
            return next(state.legal_moves())

    run(Mine, "ws://127.0.0.1:8000", name="mine")

`state` is a position of `palio_rules`, `clock` a `Clock`: the milliseconds on the clocks, and `clock.expired()` for a
search to poll. `AnytimeBot` is for races in which a bot submits improving solutions. `Resign`, raised in `choose`,
resigns the match. docs/how-to/python-bots.md has more; searches to build on are in `palio_clients.search`.
"""

import sys

if sys.argv[:1] == ["-m"] and not sys.flags.safe_path and "palio_clients" in sys.orig_argv:
    del sys.path[0]  # `python -m palio_clients` runs our commands: none of them imports from the caller's folder

from palio_clients.sdk.anytime import AnytimeBot
from palio_clients.sdk.bot import Bot
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import Resign
from palio_clients.sdk.join import play, run

__all__ = ["AnytimeBot", "Bot", "Clock", "Resign", "play", "run"]
