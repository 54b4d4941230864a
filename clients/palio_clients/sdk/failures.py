"""The failures on a bot's side.

Exception
├── ClientError          str() is one sentence for the person at the terminal
│   ├── RefusedByServer  a retry does not help: bad token, unknown game, name taken, ...
│   ├── LinkLost         the connection is lost or was never made; a retry may help
│   │   └── ToldToWait   the server gives the time to wait
│   └── BadBot           a bot that cannot be loaded; the sentence names the remedy (also a ValueError)
├── PlayerFailed         the author's code or program failed within a match, which is resigned
│   └── ProgramDied      the process that it ran in is gone
└── Resign               raised by an author's `choose` to resign the match on purpose
"""

import errno
import os
import traceback
from pathlib import Path

LIMITS = "PALIO_LIMITS"  # a sandbox's, in the environment: "memory 1G, processes 32, open files 256, scratch 64M"
_USED_UP = {
    errno.ENOMEM: "memory",
    errno.EMFILE: "open files",
    errno.ENOSPC: "scratch",
    errno.EFBIG: "scratch",  # no file can be longer than all of it
}


class ClientError(Exception):
    """A failure that one sentence explains, without a traceback."""


class RefusedByServer(ClientError):
    """The server refuses this bot; `code` for programs."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(f"refused: {reason} ({code})")
        self.code = code


class LinkLost(ClientError):
    """The connection is lost, for the given reason."""


class ToldToWait(LinkLost):
    """A limit of the server was reached; a retry does not help before `retry_s` seconds have passed."""

    def __init__(self, reason: str, retry_s: float) -> None:
        super().__init__(reason)
        self.retry_s = retry_s


class BadBot(ClientError, ValueError):
    """A bot that cannot be loaded, with the remedy."""


class PlayerFailed(Exception):
    """A failure of the author's code; str() is a traceback or a sentence, for the record."""


class ProgramDied(PlayerFailed):
    """A process ended in mid-match: `how`, and its `last_lines` on stderr; str() has both."""

    def __init__(self, how: str, last_lines: tuple[str, ...]) -> None:
        said = "\n".join(("its last lines on stderr:", *last_lines)) if last_lines else "it said nothing on stderr"
        super().__init__(f"{how}; {said}")
        self.how, self.last_lines = how, last_lines


class Resign(Exception):
    """Raise it in `Bot.choose` to resign the match. `Resign("a sentence")` gives viewers a reason."""


def _tasks() -> int:
    """Return how many processes and threads are visible in this environment."""
    return sum(1 for _ in Path("/proc").glob("[0-9]*/task/*"))


def traceback_text(error: BaseException, ours: tuple[str, ...]) -> str:
    """Return the traceback for the bot's author: from the first frame whose file name begins with none of `ours`."""
    place = error.__traceback__
    while place and place.tb_next and place.tb_frame.f_code.co_filename.startswith(ours):
        place = place.tb_next
    text = "".join(traceback.format_exception(type(error), error, place)).rstrip()
    return "\n".join(filter(None, (text, used_up(error))))


def used_up(error: BaseException) -> str:
    """Return which limit of the sandbox has caused the error, in the sandbox's own words; "": none."""
    limits = dict(each.rsplit(" ", 1) for each in os.environ.get(LIMITS, "").split(", ") if " " in each)
    name = "memory" if isinstance(error, MemoryError) else ""
    if isinstance(error, OSError):
        name = _USED_UP.get(error.errno or 0, "")
    if isinstance(error, BlockingIOError | RuntimeError) and "processes" in limits:  # too many processes or threads
        name = "processes" if _tasks() >= int(limits["processes"]) else ""
    return f"{name} {limits[name]} used up" if name in limits else ""
