"""The sources of finished matches for an export: a database, or a running server, which has slightly less data."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
from msgspec import UNSET, UnsetType

from palio_db.errors import Unreadable
from palio_db.event_values import KeptMatch, KeptQuery, TournamentPlace, as_kept
from palio_db.values import ArchivePlace
from palio_rules.backoff import Backoff
from palio_rules.records.record import Analysis, Record
from palio_server.cli.addresses import part
from palio_server.cli.command import CommandFailed
from palio_server.cli.printing import say
from palio_server.cli.source import Busy, Remote, WrongRequest, open_store
from palio_server.settings import load

if TYPE_CHECKING:
    from palio_db.store import Store


PAGE = 500  # matches of a list asked for at once


class KeptSource(Protocol):
    """The interface of a source for an export. Raises StoreError, CommandFailed."""

    where: str

    def kept(self, query: KeptQuery) -> AsyncIterator[KeptMatch | Unreadable]:
        """Yield the matching records, oldest first."""

    async def count(self, query: KeptQuery) -> int | None:
        """Return how many match; None if unknown."""

    async def archives(self, query: KeptQuery) -> dict[str, int]:
        """Return how many archived matches would fit, which it does not give, by the file that has them."""

    async def games(self) -> list[str]:
        """Return the games that have ratings."""

    async def bots(self, game: str | None) -> list[str]:
        """Return the bots that have a rating."""

    async def ratings(self, game: str, points: int) -> list[tuple[Any, ...]]:
        """Return rows of the table of ratings."""

    def lacking(self, *, records: bool) -> list[str]:
        """Return sentences about requested data that it could not give; `records`: records were written."""


@asynccontextmanager
async def open_kept(where: str | None, url: str | None, token: str | None) -> AsyncIterator[KeptSource]:
    """Open the server at `url`, else the database `where`. Raises CommandFailed, StoreError, BadOption."""
    if url is None:
        async with open_store(where) as store:
            yield KeptInStore(store)
        return
    from palio_server.cli.source import open_remote

    with open_remote(url, token) as remote:
        yield KeptByServer(PatientRemote(remote))


class KeptInStore:
    """A database."""

    def __init__(self, store: "Store") -> None:
        self._store = store
        self.where = store.url
        self.kept, self.count = store.kept_matches, store.count_kept
        self.games = store.rated_games

    async def bots(self, game: str | None) -> list[str]:
        games = await self.games() if game is None else [game]
        boards = [await self._store.leaderboard(each) for each in games]
        return sorted({leader.bot for board in boards for leader in board.leaders})

    async def ratings(self, game: str, points: int) -> list[tuple[Any, ...]]:
        from palio_server.ratings.bradley_terry import anchors_on
        from palio_server.ratings.rating_rows import NEWEST, rating_rows

        totals = await self._store.head_to_head(game)
        recent = await self._store.history(game, NEWEST)
        return [*rating_rows(game, totals, recent, points, anchors_on(game, load().anchors))]

    async def archives(self, query: KeptQuery) -> dict[str, int]:
        return await self._store.archives(query)

    def lacking(self, *, records: bool) -> list[str]:
        """Return nothing: it gives all."""
        return []


class _Item(msgspec.Struct):
    """A match in a server's list."""

    id: str
    created_at: datetime
    tournament: int | None
    round: int
    encounter: int | None
    archived: ArchivePlace | None = None


class _Event(msgspec.Struct):
    name: str
    format: str
    created_at: datetime


class _Neighbours(msgspec.Struct):
    game: int | None  # from 1


class _Detail(msgspec.Struct):
    neighbours: _Neighbours


class _Played(msgspec.Struct):
    match: str


class _Encounter(msgspec.Struct):
    games: int
    matches: list[_Played]  # in order; there may be fewer than games


class _Round(msgspec.Struct):
    encounters: list[_Encounter]


class _Leader(msgspec.Struct):
    bot: str


class _Board(msgspec.Struct):
    leaders: list[_Leader]


class _Game(msgspec.Struct):
    name: str


class _Point(msgspec.Struct):
    at: datetime
    rating: float
    error: float
    provisional: bool


class _History(msgspec.Struct):
    points: list[_Point]


class KeptByServer:
    """A running server: two requests for each match, its record and its analysis; one for each round."""

    def __init__(self, remote: "PatientRemote") -> None:
        self._remote = remote
        self.where = remote.url
        self._events: dict[int, _Event] = {}
        self._rounds: set[tuple[int, int]] = set()  # of tournaments, that were requested
        self._games: dict[str, int] = {}  # the number of a match of those rounds in its encounter, from 0
        self._points: tuple[int, int] | None = None  # the number requested, and the number given
        self._archived = Counter[str]()  # matches that were listed, by the file that has their moves

    async def archives(self, query: KeptQuery) -> dict[str, int]:
        return dict(self._archived)

    def lacking(self, *, records: bool) -> list[str]:
        found = []
        if records and self._events:
            names = ", ".join(sorted(event.name for event in self._events.values()))
            found.append(
                f"{self.where} does not tell the cards of tournaments (entries, pairings, rules), here of "
                f"{names[:200]}; export its database for them"
            )
        if self._points is not None:
            asked, given = self._points
            found.append(f"{self.where} tells {given} points of a rating curve, not {asked}; export its database")
        return found

    async def count(self, query: KeptQuery) -> int | None:
        return None

    async def kept(self, query: KeptQuery) -> AsyncIterator[KeptMatch | Unreadable]:
        items = [item async for item in self._listed(query)]  # the newest come first, and no more is kept than this
        while items:
            if (place := (item := items.pop()).archived) is not None:
                self._archived[place.file] += 1
            else:
                yield await self._kept(item)

    async def _listed(self, query: KeptQuery) -> AsyncIterator[_Item]:
        wanted = {"game": query.game, "bot": query.bot, "tournament": query.tournament, "status": "finished"}
        before, count = None, 0
        while page := await self._page(limit=PAGE, before=before, **wanted):
            for item in page:
                if query.since is not None and item.created_at < query.since:
                    return
                if query.until is None or item.created_at < query.until:
                    yield item
                    count += 1
                if count == query.newest:
                    return
            before = page[-1].id

    async def _page(self, **wanted: object) -> list[_Item]:
        return msgspec.json.decode(await self._remote.get("matches", **wanted), type=list[_Item])

    async def _kept(self, item: _Item) -> KeptMatch:
        path = f"matches/{part(item.id)}"
        record = msgspec.json.decode(await self._remote.get(f"{path}/record", format="json"), type=Record)
        known = msgspec.json.decode(await self._remote.get(f"{path}/analysis"), type=Analysis | None)
        analysis: Analysis | UnsetType = UNSET if known is None else known
        return as_kept(record, created_at=item.created_at, tournament=await self._place(item), analysis=analysis)

    async def _place(self, item: _Item) -> TournamentPlace | UnsetType:
        if (number := item.tournament) is None:
            return UNSET
        if number not in self._events:
            self._events[number] = msgspec.json.decode(await self._remote.get(f"tournaments/{number}"), type=_Event)
        event = self._events[number]
        game = None if item.encounter is None else await self._game(item, number)
        return TournamentPlace(number, event.name, event.format, event.created_at, item.round, item.encounter, game)

    async def _game(self, item: _Item, number: int) -> int | None:
        """Return its number in its encounter, from 0. A round gives the numbers of all its matches."""
        if (number, item.round) not in self._rounds:
            self._rounds.add((number, item.round))
            self._games.update(await self._of_round(number, item.round))
        if (known := self._games.pop(item.id, None)) is not None:
            return known
        detail = msgspec.json.decode(await self._remote.get(f"matches/{part(item.id)}"), type=_Detail).neighbours
        return None if detail.game is None else detail.game - 1

    async def _of_round(self, number: int, round_: int) -> dict[str, int]:
        try:
            answer = await self._remote.get(f"tournaments/{number}/rounds/{round_}")
        except (
            CommandFailed,
            WrongRequest,
        ):  # of a format that the server no longer knows; each match is requested by itself
            return {}
        rounds = msgspec.json.decode(answer, type=_Round)
        whole = [each.matches for each in rounds.encounters if len(each.matches) == each.games]
        return {played.match: game for matches in whole for game, played in enumerate(matches)}

    async def games(self) -> list[str]:
        """Return all games that the server has: one without results has no ratings."""
        found = msgspec.json.decode(await self._remote.get("games"), type=list[_Game])
        return [each.name for each in found]

    async def bots(self, game: str | None) -> list[str]:
        found: set[str] = set()
        for each in await self.games() if game is None else [game]:
            found.update(await self._bots(each))
        return sorted(found)

    async def _bots(self, game: str) -> list[str]:
        board = msgspec.json.decode(await self._remote.get(f"leaderboard/{part(game)}"), type=_Board)
        return sorted(leader.bot for leader in board.leaders)

    async def ratings(self, game: str, points: int) -> list[tuple[Any, ...]]:
        from palio_server.ratings.rating_rows import POINTS

        if points != POINTS:
            self._points = points, POINTS
        rows: list[tuple[Any, ...]] = []
        for bot in await self._bots(game):
            answer = await self._remote.get(f"leaderboard/{part(game)}/history", bot=bot)
            rows += _rows(game, bot, msgspec.json.decode(answer, type=_History))
        return rows


def _rows(game: str, bot: str, history: _History) -> Iterator[tuple[Any, ...]]:
    for each in history.points:
        yield game, bot, each.at, each.rating, each.error, each.provisional


# A running server that gets many requests: when it answers that they are too many, they wait.

LONGEST_S = 120.0  # seconds that one wait may take
IN_ALL_S = 600.0  # and all those for one answer


class PatientRemote:
    """A remote that repeats a request that the server refuses for now, after the time that it gives."""

    def __init__(self, remote: Remote, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self.url = remote.url
        self._remote, self._sleep = remote, sleep
        self._told = False

    async def get(self, path: str, **query: object) -> bytes:
        """Return the answer to GET /api/`path`. Raises CommandFailed, also if the wait would be too long."""
        backoff, waited = Backoff(first=1.0), 0.0
        while True:
            try:
                return await self._remote.get(path, **query)
            except Busy as busy:
                # no sooner than it says, and not in step with other clients
                wait = backoff.next() + (busy.after or 0.0)
                if (busy.after or 0.0) > LONGEST_S or waited + wait > IN_ALL_S:
                    raise CommandFailed(_given_up(busy)) from None
                waited += wait
                self._tell(busy)
                await self._sleep(wait)

    def _tell(self, busy: Busy) -> None:
        """Say once why it takes longer."""
        if not self._told:
            self._told = True
            say(f"palio: {self.url} wants to be asked more slowly, and is: {busy}", err=True)


def _given_up(busy: Busy) -> str:
    if busy.after is not None and busy.after > LONGEST_S:
        return f"{busy}; the server wants to be asked again in {busy.after:.0f} s"
    return f"{busy}; it has not answered for {IN_ALL_S / 60:.0f} minutes"
