"""Bots as processes of the server: named, started, watched, restarted after a crash, and always ended."""

from palio_server.processes.affinity import CpuShares
from palio_server.processes.bot_output import OutputFolder
from palio_server.processes.bot_process import BotProcess, how_it_ended
from palio_server.processes.bots import (
    BotFailed,
    Bots,
    Broken,
    GoesOn,
    Running,
    Sandbox,
    StartBot,
    bots_are_independent,
    fail_if_broken,
    needs_every_bot,
    running_bots,
)
from palio_server.processes.entrants import Entrant, entrants
from palio_server.processes.tether import tethered

__all__ = [
    "BotFailed",
    "BotProcess",
    "Bots",
    "Broken",
    "CpuShares",
    "Entrant",
    "GoesOn",
    "OutputFolder",
    "Running",
    "Sandbox",
    "StartBot",
    "bots_are_independent",
    "entrants",
    "fail_if_broken",
    "how_it_ended",
    "needs_every_bot",
    "running_bots",
    "tethered",
]
