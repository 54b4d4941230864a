"""A client's process that judges the plies of a record.

Searching is the clients' business, and no import leads there: the record goes in as JSON, and a line comes out for each
ply. `palio analyse` runs one while somebody waits for it, a server one after the other (`arena/analysis_queue.py`).
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import msgspec

from palio_rules.interpreter import python
from palio_rules.records.analysis import JudgedPly
from palio_rules.records.record import Record
from palio_server.processes.tether import tethered

LINE_BYTES = 1 << 20  # of JSON, at most


class JudgeFailed(Exception):
    """The process ended before its work was done; the message is the last line it wrote."""


class Judge:
    """The process, while it works."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.stopped = False

    @property
    def pid(self) -> int:
        return self._process.pid

    async def plies(self, record: Record) -> AsyncIterator[JudgedPly]:
        """What it says of each ply, in whatever order. Raises JudgeFailed, unless it was told to `stop`."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        words = asyncio.ensure_future(process.stderr.read())
        try:
            with suppress(ConnectionError):  # it did not read all of it; its last lines say why
                process.stdin.write(msgspec.json.encode(record))
                await process.stdin.drain()
                process.stdin.close()
            async for line in process.stdout:
                if line.endswith(b"\n"):  # else it was killed in the middle of it
                    yield msgspec.json.decode(line, type=JudgedPly)
            code = await process.wait()
            said = (await words).decode(errors="replace").strip()
        finally:
            words.cancel()
        if code != 0 and not self.stopped:
            raise JudgeFailed(said.splitlines()[-1].removeprefix("Error: ") if said else f"it ended with code {code}")

    def stop(self) -> None:
        """Tell it to end; what it has judged by then comes all the same."""
        self.stopped = True
        with suppress(ProcessLookupError):
            self._process.terminate()


@asynccontextmanager
async def judging(seconds: float, goodbye_s: float) -> AsyncIterator[Judge]:
    """A process with `seconds` for each position. It ends with the block, and with this process, whatever happens.

    `goodbye_s` after it was told to end it is killed.
    """
    process = await asyncio.create_subprocess_exec(
        *tethered(goodbye_s, *python("-m", "palio_clients", "analyse", "-", "--seconds", str(seconds))),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=LINE_BYTES,
        start_new_session=True,  # the terminal's Ctrl-C is for us; we tell it
    )
    try:
        yield Judge(process)
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.terminate()
            await process.wait()


def positions(record: Record) -> int:
    """How many there are to judge."""
    return 1 + len(record.setup.opening) + len(record.plies)
