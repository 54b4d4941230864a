"""Bots as processes of the server: named, started, watched, restarted after a crash, and always ended."""

from palio_server.processes.bot_process import BotProcess, how_it_ended
from palio_server.processes.bots import (
    BotFailed,
    Bots,
    Broken,
    GoesOn,
    Sandbox,
    always,
    never,
    none_broken,
    running_bots,
)
from palio_server.processes.entrants import Entrant, entrants
from palio_server.processes.tether import tethered

__all__ = [
    "BotFailed",
    "BotProcess",
    "Bots",
    "Broken",
    "Entrant",
    "GoesOn",
    "Sandbox",
    "always",
    "entrants",
    "how_it_ended",
    "never",
    "none_broken",
    "running_bots",
    "tethered",
]
