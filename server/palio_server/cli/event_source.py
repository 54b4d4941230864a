"""Where `palio tournament` reads events from: a running server, or the database where none is named."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from palio_server.cli.errors import CommandFailed
from palio_server.cli.options import with_opened

if TYPE_CHECKING:
    from palio_db.event_values import Stage
    from palio_db.store import Store
    from palio_server.api.event_exports import Form
    from palio_server.api.event_items import RoundItem, TournamentDetail, TournamentItem, Why
    from palio_server.api.event_views import EventView
    from palio_server.cli.remote import Remote


class StoredEvents:
    """A database."""

    def __init__(self, store: "Store") -> None:
        self._store = store
        self.where = store.url

    async def tournaments(self, stage: "Stage | None", limit: int) -> list["TournamentItem"]:
        from palio_server.api.event_reader import EventReader

        reader = EventReader(self._store)
        return [await reader.item(row) for row in await self._store.tournaments(limit, stage=stage)]

    async def show(self, number: int) -> "TournamentDetail":
        from palio_server.api.event_reader import EventReader

        found = await EventReader(self._store).view_and_pace(_checked(number, self.where))
        if found is None:
            raise _unknown(number, self.where)
        view, pace = found
        return view.detail(pace=pace)

    async def rounds(self, number: int) -> list["RoundItem"]:
        from palio_server.api.event_views import as_rounds

        return as_rounds(await self._view(number))

    async def why(self, number: int, encounter: int) -> "Why":
        return (await self._view(number)).why(encounter)

    async def export(self, number: int, form: "Form") -> bytes:
        from palio_server.api.event_exports import exported, record_texts

        view = await self._view(number)
        if form == "text":
            return "".join([text async for text in record_texts(self._store, number)]).encode()
        return exported(view, form).encode()

    async def _view(self, number: int) -> "EventView":
        from palio_server.api.event_reader import EventReader

        view = await EventReader(self._store).view(_checked(number, self.where))
        if view is None:
            raise _unknown(number, self.where)
        return view


class RemoteEvents:
    """A running server."""

    def __init__(self, remote: "Remote") -> None:
        self._remote = remote
        self.where = remote.url

    async def tournaments(self, stage: "Stage | None", limit: int) -> list["TournamentItem"]:
        from palio_server.api.event_items import TournamentItem

        answer = await self._remote.get("tournaments", stage=stage, limit=limit)
        return msgspec.json.decode(answer, type=list[TournamentItem])

    async def show(self, number: int) -> "TournamentDetail":
        from palio_server.api.event_items import TournamentDetail

        return msgspec.json.decode(await self._remote.get(f"tournaments/{number}"), type=TournamentDetail)

    async def rounds(self, number: int) -> list["RoundItem"]:
        from palio_server.api.event_items import RoundItem

        last = (await self.show(number)).round
        answers = [await self._remote.get(f"tournaments/{number}/rounds/{each}") for each in range(1, last + 1)]
        return [msgspec.json.decode(answer, type=RoundItem) for answer in answers]

    async def why(self, number: int, encounter: int) -> "Why":
        from palio_server.api.event_items import Why

        return msgspec.json.decode(await self._remote.get(f"tournaments/{number}/why/{encounter}"), type=Why)

    async def export(self, number: int, form: "Form") -> bytes:
        return await self._remote.get(f"tournaments/{number}/export", format=form)


# What can be asked. Raises CommandFailed, among others where there is no such tournament.
Events = StoredEvents | RemoteEvents


@asynccontextmanager
async def open_events(db: str | None, url: str | None, token: str | None = None) -> AsyncIterator[Events]:
    """The server at `url` if one is given, else the database. Raises CommandFailed, StoreError, BadOption."""
    if url is None:
        from palio_server.cli.source import open_store

        async with open_store(db) as store:
            yield StoredEvents(store)
        return
    from palio_server.cli.remote import open_remote

    with open_remote(url, token) as remote:
        yield RemoteEvents(remote)


with_events = with_opened(open_events)  # the Events that --db, --url and --token name


def _checked(number: int, where: str) -> int:
    from palio_server.cli.source import MAX_TOURNAMENT

    if not 1 <= number <= MAX_TOURNAMENT:
        raise _unknown(number, where)
    return number


def _unknown(number: int, where: str) -> CommandFailed:
    return CommandFailed(f"there is no tournament {number} in {where}; `palio tournament list` shows what there is")
