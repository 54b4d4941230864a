"""One confined program: its sandbox's command line, the limit that has ended it, and what its sandbox is told."""

import asyncio
import os
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

from palio_server.sandbox import warden
from palio_server.sandbox.binds import Binds
from palio_server.sandbox.bubblewrap import size_text
from palio_server.sandbox.confinement import Confinement
from palio_server.sandbox.spec_files import SpecFiles

REPORT_BYTES = 1000  # of a sandbox's report: it is one line
TELL_S = 0.02  # seconds until a sandbox is told that no answer is awaited: it looks some forty times a second


class Report:
    """The server's end of the socket by which a sandbox names the limit that is used up."""

    def __init__(self, descriptor: int, hit_limit: Callable[[str], None]) -> None:
        """`hit_limit` is called at once with that limit."""
        self.used_up = ""
        self._descriptor: int | None = descriptor
        self._hit_limit = hit_limit
        self._awaited = self._told = True  # as a sandbox believes that begins
        self._telling: asyncio.TimerHandle | None = None
        os.set_blocking(descriptor, False)
        asyncio.get_running_loop().add_reader(descriptor, self.read)

    def awaited(self, awaited: bool) -> None:  # noqa: FBT001  # it is a callback
        """Tell the sandbox if the server expects an answer of the program: at once if it does, else a little later.

        So a program that answers quickly costs no message.
        """
        self._awaited = awaited
        if awaited and not self._told:
            self._tell()
        elif self._told and self._telling is None:
            self._telling = asyncio.get_running_loop().call_later(TELL_S, self._tell)

    def _tell(self) -> None:
        self._telling = None
        if self._descriptor is None or self._told is self._awaited:
            return
        try:
            os.write(self._descriptor, warden.AWAITED if self._awaited else warden.NOT_AWAITED)
            self._told = self._awaited
        except BlockingIOError:  # it has not read for long
            self._telling = asyncio.get_running_loop().call_later(TELL_S, self._tell)
        except OSError:  # it has ended
            pass

    def read(self) -> None:
        """Read the report, or the end of the connection."""
        if self._descriptor is None:
            return
        try:
            said = os.read(self._descriptor, REPORT_BYTES).decode(errors="replace")
        except BlockingIOError:
            return
        except ConnectionError:  # it has ended with unread input
            said = ""
        self.close()
        if said:
            self.note(said)

    def note(self, limit: str) -> None:
        """Take note of a limit that is used up."""
        self.used_up = limit
        self._hit_limit(limit)

    def close(self) -> None:
        if self._descriptor is not None:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None


class ConfinedProgram:
    """One program's sandbox. As a context it is where the program is started; if that fails, nothing is left of it."""

    def __init__(
        self, confinement: Confinement, found: SpecFiles, shown: Binds, hit_limit: Callable[[str], None]
    ) -> None:
        self._confinement, self._found, self._shown = confinement, found, shown
        self._group = confinement.group()
        reading, self.writing = (end.detach() for end in socket.socketpair())
        self._report = Report(reading, hit_limit)
        self.awaited = self._report.awaited

    @property
    def used_up(self) -> str:
        """The limit that has ended the program."""
        return self._report.used_up

    def command(self, program: Sequence[str], *, socket: Path | None, network: bool) -> list[str]:
        """Return the command line that starts `program` within; it inherits the descriptor `writing`."""
        command = self._confinement.command(
            program, self._found, socket=socket, report=self.writing, network=network, shown=self._shown
        )
        return command if self._group is None else self._group.joining(command)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        os.close(self.writing)
        if kind is not None:
            self.close()

    def ended(self) -> None:
        """Take note that the program has ended: a limit that has ended it is known now."""
        self._report.read()  # it may have come just now
        if self._group is not None and not self.used_up and self._group.is_out_of_memory():
            self._report.note(f"memory {size_text(self._confinement.limits.memory)} used up")

    def close(self) -> None:
        """Remove what the sandbox has needed; its program has ended."""
        self._report.close()
        if self._group is not None:
            self._group.remove()
