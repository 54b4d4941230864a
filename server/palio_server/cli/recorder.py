"""Writes records into a file while games go on: one as text takes milliseconds, and a disk may take longer."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from palio_rules.records.record import Record
from palio_server.cli.records_file import RecordsFile

Warn = Callable[[str], None]  # is given a sentence


class Recorder:
    """Made by `recording`."""

    def __init__(self, file: RecordsFile, warn: Warn) -> None:
        self.file = file
        self._warn = warn
        self._queue: asyncio.Queue[Record] = asyncio.Queue()

    @property
    def known(self) -> set[str]:
        """Matches that are in the file."""
        return self.file.known

    def note(self, record: Record) -> None:
        """A match has finished: its record is written soon, unless the file has it."""
        self._queue.put_nowait(record)

    async def run(self) -> None:
        while True:
            record = await self._queue.get()
            if sentence := await asyncio.to_thread(self.file.add, record):
                self._warn(sentence)
            self._queue.task_done()

    async def drain(self) -> None:
        """Return when all that was noted has been written, or could not be."""
        await self._queue.join()


@asynccontextmanager
async def recording(path: Path, warn: Warn) -> AsyncIterator[Recorder]:
    """Adds what is noted to the file, all of it before this ends. Raises BadOption, see RecordsFile."""
    recorder = Recorder(await asyncio.to_thread(RecordsFile, path), warn)
    task = asyncio.create_task(recorder.run())
    try:
        yield recorder
    finally:
        drained = asyncio.create_task(recorder.drain())
        await asyncio.wait({task, drained}, return_when=asyncio.FIRST_COMPLETED)
        drained.cancel()
        task.cancel()
        await asyncio.wait({task, drained})
        if not task.cancelled() and (error := task.exception()):
            raise error
        if recorder.file.lost:
            warn(f"{recorder.file.lost} records are not in {path}; palio match export writes all from the database")
