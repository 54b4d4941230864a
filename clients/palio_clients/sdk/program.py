"""A program that plays: a process of ours, which takes a message a line on its stdin, and gives them on its stdout.

While nobody waits for them, only a few are read: a program that writes without end waits in its pipe.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Protocol

from palio_clients.sdk.process import TalkingProcess, start_talking
from palio_rules.contract import codec as wire
from palio_rules.contract.codec import MAX_BYTES, Encoding
from palio_rules.contract.messages import BotMessage, Played, ServerMessage
from palio_rules.errors import WireError

BACKLOG = 64  # messages that nobody has waited for yet, before the program has to wait
NO_MESSAGE = "which is no message"  # said of a line on stdout; `palio check-bot` looks for it
HOLD_S = 0.005  # how long a `played`, which asks for nothing, waits for a turn to travel with: each wakes the program


class Listener(Protocol):
    """Who plays with the program just now."""

    def heard(self) -> None:
        """There is something new in `Program.received`, or the end of it."""

    def report(self, sentence: str) -> None:
        """Take note of a fault."""


class Program(TalkingProcess):
    """One process. `start` makes it; whoever plays sets `listener`."""

    def __init__(self, called: str) -> None:
        """`called`: its name in sentences."""
        super().__init__(called)
        self.listener: Listener | None = None
        self.received: deque[BotMessage] = deque()
        self.stays = False  # it has said that it takes another match
        self.played = False  # another match, before this one
        self._held: list[bytes] = []  # lines for its stdin
        self._holding: asyncio.TimerHandle | None = None

    @property
    def usable(self) -> bool:
        """Whether it may be given another match."""
        return self.stays and not self.mute and not self.deaf and not self.ended

    def send(self, message: ServerMessage) -> None:
        """Write a message; a `played` a little later, if nothing else is to be written before."""
        if self.deaf:
            return
        self._held += wire.encode(message, Encoding.JSON), b"\n"
        if type(message) is not Played:
            self._write()
        elif self._holding is None:
            self._holding = asyncio.get_running_loop().call_later(HOLD_S, self._release)

    def take(self) -> BotMessage | None:
        """The next message of the program; None: there is none now."""
        message = self.received.popleft() if self.received else None
        if self._paused and not self.received:
            self._pause(False)
        return message

    def forget(self) -> None:
        """Ignore what it has said, as one that plays another match does."""
        self.received.clear()
        if self._paused:
            self._pause(False)

    # --- its end ------------------------------------------------------------------------------------------------------

    def hang_up(self) -> None:
        """Close its stdin, which asks it to end."""
        self._release()
        self.deaf = True
        self._stdin.close()

    def close(self) -> None:
        self.listener = None
        if self._holding is not None:
            self._holding.cancel()
        super().close()

    # --- inside -------------------------------------------------------------------------------------------------------

    def _write(self) -> None:
        lines, self._held = b"".join(self._held), []
        self._stdin.write(lines)

    def _release(self) -> None:
        self._holding = None
        if self._held and not self.deaf:
            self._write()

    def _take(self, lines: Sequence[bytes | None]) -> None:
        before = len(self.received)
        for line in lines:
            if line is None:
                self._report(f"{self.called} wrote a line of more than {MAX_BYTES} bytes, which is ignored")
            elif not wire.is_blank(line):
                try:
                    self.received.append(wire.decode_from_bot(line, Encoding.JSON))
                except WireError as error:
                    text = line[:80].decode(errors="replace")
                    self._report(f"{self.called} wrote {text!r}, {NO_MESSAGE}: {error}; log to stderr instead")
        if len(self.received) > before:
            self._say_so()
            if len(self.received) > BACKLOG and not self._paused:
                self._pause(True)

    def _fell_silent(self) -> None:
        self._say_so()

    def _say_so(self) -> None:
        if self.listener is not None:
            self.listener.heard()

    def _report(self, sentence: str) -> None:
        if self.listener is not None:
            self.listener.report(sentence)


async def start(argv: Sequence[str], called: str) -> Program:
    """Start the program. Raises PlayerFailed."""
    return await start_talking(Program, argv, called)
