"""The other end of `stdio`: a process of ours that plays one match, with messages on its stdin and stdout.

What the bot in this process prints must not end up among the messages, and what it reads must not eat them. So the
messages get pipes of their own, an empty file takes the place of stdin, and stdout becomes stderr.
"""

import os
import queue
import sys
import threading
import time
from collections.abc import Iterator
from typing import BinaryIO

from palio_rules.contract import codec as wire
from palio_rules.contract import messages
from palio_rules.contract.codec import Encoding
from palio_rules.contract.messages import BotMessage, ServerMessage

LEAVE_S = 1.0  # what a bot may still do once nobody reads its answers any more


class Pipe:
    """The messages of one match; make one at the start of the process, before any code of the bot runs."""

    def __init__(self) -> None:
        self._in, self._out = _private_pipes()

    def messages(self) -> Iterator[ServerMessage]:
        """What the server sends, until the pipe is closed. Raises WireError for what is no message.

        A thread reads the pipe and, once it is closed, ends this process: not even an endless search survives it.
        """
        lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        threading.Thread(target=_read, args=(self._in, lines), daemon=True).start()
        return (wire.decode_from_server(line, Encoding.JSON) for line in iter(lines.get, None))

    def send(self, message: BotMessage) -> None:
        self._out.write(wire.encode(message, Encoding.JSON) + b"\n")
        self._out.flush()

    def crashed(self, match: str, reason: str) -> None:
        """Give the match up; `reason` goes into its record, and to stderr, where the author may be watching."""
        print(reason, file=sys.stderr)  # noqa: T201
        self.send(messages.Error("crashed", reason[-messages.MAX_TRACEBACK :], match=match))


def _private_pipes() -> tuple[BinaryIO, BinaryIO]:
    ours = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]  # they are text streams here
    return ours


def _read(pipe: BinaryIO, lines: "queue.SimpleQueue[bytes | None]") -> None:
    for line in pipe:
        if not wire.is_blank(line):
            lines.put(line)
    lines.put(None)
    time.sleep(LEAVE_S)
    os._exit(1)
