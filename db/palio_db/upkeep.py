"""How the database is: whether it takes what is written, and how much room its disk has."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from palio_db.connections import Connection, Sql
from palio_db.notices import Notices
from palio_db.sqlite_file import check_whole
from palio_db.store_part import StorePart
from palio_db.work import Alone

FULL = 2**20, 0.02  # bytes, or this part of the disk if that is less: from here on nothing new is begun
LOW = 100 * 2**20, 0.1  # in the same way: a warning

# Changes nothing, and is written all the same.
PROBE = Sql.of("UPDATE palio_version SET version_num = version_num RETURNING version_num")


class Room(NamedTuple):
    """What is left on the disk of a SQLite file, in bytes."""

    free: int
    size: int

    @property
    def full(self) -> bool:
        return self.free < min(FULL[0], FULL[1] * self.size)

    @property
    def low(self) -> bool:
        return self.free < min(LOW[0], LOW[1] * self.size)


class Upkeep(StorePart):
    """What those who watch over a server ask."""

    @property
    def trouble(self) -> str:
        """Why the last write could not be done, in a sentence; "" if it could."""
        return self._database.trouble

    def notices(self) -> Notices:
        """What other processes change, as soon as the database says so."""
        return Notices(self._database)

    @property
    def errors(self) -> int:
        """How many groups of writes could not be done since the store was opened."""
        return self._database.writer.errors

    def on_commit(self, told: Callable[[float], None]) -> None:
        """From now on `told` hears of each transaction of the writer, how many seconds it took."""
        self._database.writer.on_commit = told

    async def check_file(self) -> None:
        """Look through all pages of a SQLite file, however large. Raises Damaged."""
        await asyncio.to_thread(check_whole, self._database.address, thoroughly=True)

    async def check_open_file(self) -> None:
        """Look whether a SQLite file is still the one that was opened, under its name. Raises FileLost."""
        await self._database.check_open_file()

    async def probe(self) -> None:
        """Write something that changes nothing. Raises StoreError."""
        await self._database.do(Alone(_probe))

    def room(self) -> Room | None:
        """How much room there is for a SQLite file; None for other databases. Raises OSError."""
        address = self._database.address
        if address.kind != "sqlite" or address.memory_uri:
            return None
        found = os.statvfs(Path(str(address.url.database)).absolute().parent)
        blocks = found.f_bfree if os.geteuid() == 0 else found.f_bavail  # some are kept for root
        return Room(blocks * found.f_frsize, found.f_blocks * found.f_frsize)


def _probe(connection: Connection) -> None:
    connection.rows(PROBE)
