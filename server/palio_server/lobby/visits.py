"""The visits of bots, for their profiles: noted at once, written once a minute.

Bots that come again and again, or a thousand of them at once, cost one write a minute, and no match waits for it.
"""

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime

from msgspec import UNSET

from palio_db.errors import StoreError
from palio_db.store import Store
from palio_db.values import Seen
from palio_rules.contract.messages import Hello
from palio_rules.plain_text import one_line

log = logging.getLogger(__name__)

GUEST = "guest-"  # the start of guests' names
WRITE_S = 60.0  # between two writes
BUILDS = 20  # of one name that are kept between two writes; a name shared by more programs is not one bot's name


def is_guest(name: str) -> bool:
    """Return True if the server has given the name to a person who plays in a browser."""
    return name.lower().startswith(GUEST)


class Visits:
    """The visits, as the lobby reports them; `run` writes them into the store."""

    def __init__(self, store: Store, write_s: float = WRITE_S) -> None:
        self._store, self._write_s = store, write_s
        self._noted: dict[str, Seen] = {}
        self._here: dict[str, int] = {}  # the number of connections of each name

    def came(self, hello: Hello) -> None:
        """Note a bot that has been welcomed. Guests come once, and are not remembered."""
        if is_guest(hello.name):
            return
        self._here[hello.name] = self._here.get(hello.name, 0) + 1
        seen = self._see(hello.name)
        proven = hello.token is not UNSET
        if hello.about is not UNSET and (proven or not seen.proven):
            seen = replace(seen, about=one_line(hello.about), proven=proven)
        if hello.build is not UNSET and (build := one_line(hello.build)):
            seen = replace(seen, builds=(*(each for each in seen.builds if each != build), build)[-BUILDS:])
        self._noted[hello.name] = seen

    def left(self, name: str) -> None:
        """Note that one of its connections is gone."""
        if is_guest(name):
            return
        if self._here.get(name, 0) > 1:
            self._here[name] -= 1
        else:
            self._here.pop(name, None)
        self._noted[name] = self._see(name)

    def unwritten(self, names: Iterable[str]) -> dict[str, Seen]:
        """Return the visits of those of `names` that are not yet written."""
        return {name: self._noted[name] for name in names if name in self._noted}

    async def run(self) -> None:
        """Write until cancelled, and once more then: a bot that is here at the end was seen at the end."""
        try:
            while True:
                await asyncio.sleep(self._write_s)
                await self.write()
        finally:
            for name in self._here:
                self._noted[name] = self._see(name)
            await self.write()

    async def write(self) -> None:
        """Write the noted visits. If the store cannot, log that and keep them for the next time."""
        noted, self._noted = self._noted, {}
        try:
            await self._store.note_seen([*noted.values()])
        except StoreError as error:
            log.warning("who was here could not be written, trying again: %s", error)
            self._noted = noted | self._noted

    def _see(self, name: str) -> Seen:
        moment = datetime.now(UTC)
        known = self._noted.get(name)
        return Seen(name, moment, moment) if known is None else replace(known, last=moment)
