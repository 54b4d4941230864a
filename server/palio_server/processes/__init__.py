"""Bots as processes of ours: named, started, watched, started again after a crash, and ended for certain."""

from palio_server.processes.bots import BotFailed, Bots, GoesOn, always, never, running_bots
from palio_server.processes.entrants import Entrant, entrants
from palio_server.processes.tether import tethered

__all__ = ["BotFailed", "Bots", "Entrant", "GoesOn", "always", "entrants", "never", "running_bots", "tethered"]
