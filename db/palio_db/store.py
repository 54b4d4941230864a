"""The store: the whole database of Palio behind one object.

    store = await Store.open("sqlite:///palio.db")
    match = await store.schedule(setup)
    claim = await store.claim("worker-1", lease_s=30)
    ...
    await store.finish(claim, record)

Its methods are in the modules that it imports, one for each noun. One store serves any number of tasks of one event
loop.
"""

import asyncio
from typing import Self

from palio_db.address import Address
from palio_db.archives import Archives
from palio_db.audit import Audit
from palio_db.bans import Bans
from palio_db.claims import Claims
from palio_db.course_checks import CourseChecks
from palio_db.course_games import CourseGames
from palio_db.course_practice import CoursePractice
from palio_db.course_tournaments import CourseTournaments
from palio_db.courses import Courses
from palio_db.database import Database
from palio_db.encounters import Encounters
from palio_db.exports import Exports
from palio_db.imports import Imports
from palio_db.leaderboards import BotResults, Leaderboards
from palio_db.match_search import MatchSearch
from palio_db.notices import Changes
from palio_db.pausing import Pausing
from palio_db.profiles import MatchNeighbours, Profiles
from palio_db.renaming import Renaming
from palio_db.results import Recount, Results
from palio_db.schema import Monitoring, prepare_tables
from palio_db.submissions import Submissions
from palio_db.tokens import Secrets, Tokens
from palio_db.tournaments import Tournaments
from palio_db.voiding import Voiding
from palio_db.watched_file import check_integrity, openable


def _looked_at(address: Address) -> Address:
    found = openable(address)
    check_integrity(found)
    return found


class Store(
    Tokens,
    Profiles,
    Tournaments,
    MatchSearch,
    Encounters,
    Claims,
    Results,
    Leaderboards,
    MatchNeighbours,
    BotResults,
    Voiding,
    Renaming,
    Bans,
    Recount,
    Exports,
    Imports,
    Archives,
    Audit,
    Courses,
    Submissions,
    CourseChecks,
    CourseGames,
    CourseTournaments,
    CoursePractice,
    Changes,
    Pausing,
    Secrets,
    Monitoring,
):
    """The stored data, in SQLite or PostgreSQL. Every error is a StoreError: one sentence with the remedy."""

    @classmethod
    async def open(cls, url: str) -> Self:
        """Open the database at `url`; an empty one gets its tables. Raises StoreError, Outdated for older tables.

        `sqlite:///palio.db` is a file, `sqlite://` is in memory and is lost with the store,
        `postgresql://user@host/database` is a server's.
        """
        address = Address.parse(url)
        if address.kind == "sqlite":
            address = await asyncio.to_thread(_looked_at, address)
        database = Database(address)
        try:
            await prepare_tables(database)
        except BaseException:
            await database.close()
            raise
        return cls(database)

    @property
    def url(self) -> str:
        """Return the database's URL for people: without the password."""
        return self._database.address.label

    async def close(self) -> None:
        """Close every connection. A database in memory is lost."""
        await self._database.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()
