"""The source that a command reads: a database, or a running server, with the same interface."""

import asyncio
import getpass
import json
import re
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack
from urllib.parse import urlencode

import msgspec

from palio_db.values import Actor, Leaderboard, PairScore, Status
from palio_rules.contract.endpoints import web
from palio_rules.errors import BadOption
from palio_rules.records.record import Analysis, Record, Void
from palio_server.cli.addresses import part
from palio_server.cli.command import CommandFailed, loading, with_command
from palio_server.cli.server_hint import by_default, server_hint
from palio_server.settings import load

if TYPE_CHECKING:
    from palio_db.store import Store
    from palio_server.api.rating_reader import RankedGame, RatingHistory, RatingReader


class NoDatabase(BadOption):
    """There is no file with the name of the database."""


def database_url(text: str, *, must_exist: bool = False) -> str:
    """Return `text` as a URL; a bare path is a SQLite file. Raises BadOption if it `must_exist` and does not."""
    url = text if "://" in text else f"sqlite:///{text}"
    if not must_exist:
        return url
    from palio_db.address import Address

    address = Address.parse(url)
    if address.kind == "sqlite" and address.memory_uri is None and not Path(address.url.database or "").exists():
        raise NoDatabase(f"there is no database at {address.label}; run a tournament first (`palio run`), or give --db")
    if address.file is not None and Path(address.file).stat().st_size == 0:
        raise BadOption(f"{address.label} is an empty file, no database; restore it from a backup, or give --db")
    return url


@asynccontextmanager
async def open_store(db: str | None, *, must_exist: bool = True) -> AsyncIterator["Store"]:
    """Open the database of `--db`, or of PALIO_DB, or ./palio.db. Raises StoreError, BadOption."""
    with loading():
        from palio_db.store import Store

    async with await Store.open(database_url(load(db=db).db, must_exist=must_exist)) as store:
        yield store


MAX_TOURNAMENT = 2**31 - 1  # greater numbers are beyond every database


class Listed(msgspec.Struct, frozen=True):
    """A match in a list."""

    id: str
    game: str
    status: str
    bots: Sequence[str]
    scores: Sequence[float] | None = None
    termination: str | None = None
    reason: str | None = None
    detail: str | None = None  # what the rules say of a duel beyond its scores
    plies: int | None = None
    event: str = ""
    tournament: int | None = None
    created_at: datetime | None = None
    void: Void | None = None


class Wanted(TypedDict, total=False):
    """The filter of a list: matches that fit all of this, the newest first, only those older than `before`."""

    game: str | None
    bot: str | None
    status: Status | None
    tournament: int | None
    limit: int
    before: str | None


class StoreSource:
    """A database."""

    def __init__(self, store: "Store", *, by_default: bool = False) -> None:
        """`by_default`: neither --db nor PALIO_DB names this database."""
        self._store, self._by_default = store, by_default
        self.where = store.url
        self.origin = f"the database {store.url}"
        self.leaderboard, self.head_to_head = store.leaderboard, store.head_to_head
        self.keep_analysis = store.keep_analysis

    async def elsewhere(self) -> str:
        """Return "; " and a hint if there is a server that the user may have meant; otherwise ""."""
        hint = await server_hint() if self._by_default else ""
        return hint and f"; {hint}"

    async def ranked(self, game: str, half_life: float | None = None) -> "RankedGame":
        return await self._ratings().leaderboard(game, half_life)

    async def history(self, game: str, bot: str) -> "RatingHistory":
        return await self._ratings().history(game, bot)

    def _ratings(self) -> "RatingReader":
        from palio_server.api.rating_reader import RatingReader

        return RatingReader(self._store, load().anchors)

    async def matches(self, **wanted: Unpack[Wanted]) -> list[Listed]:
        if (number := wanted.get("tournament")) is not None and not 1 <= number <= MAX_TOURNAMENT:
            raise BadOption(f"there is no tournament {number} in {self.where}")
        return msgspec.convert(await self._store.matches(**wanted), list[Listed], from_attributes=True)

    async def match(self, match: str) -> Listed:
        row = await self._store.match(match)
        if row is None:
            raise CommandFailed(f"there is no match {match!r} in {self.where}; `palio match list` shows what there is")
        return msgspec.convert(row, Listed, from_attributes=True)

    async def record(self, match: str) -> Record:
        record = await self._store.record(match)
        if record is None:
            status = (await self.match(match)).status
            raise CommandFailed(f"match {match} is {status}; only a finished match has a record")
        return record

    async def void(self, match: str, reason: str) -> Void:
        """Void the match, so that it does not count."""
        await self._store.void(match, reason, by=command_line())
        await self._rerated(match)
        void = (await self.match(match)).void
        assert void is not None
        return void

    async def unvoid(self, match: str) -> bool:
        """Let the match count again; return whether it was void."""
        changed = await self._store.unvoid(match, by=command_line())
        await self._rerated(match)
        return changed

    async def _rerated(self, match: str) -> None:
        if (row := await self._store.match(match)) is not None:
            await rerated(self._store, {row.game, row.setup.leaderboard})  # an older Palio counted it for the first


async def rerated(store: "Store", games: Iterable[str]) -> None:
    """Rate games whose results have changed at once, even without a running server."""
    from palio_server.arena.leaderboards import rerate

    for game in games:
        board = await store.leaderboard(game)
        await rerate(store, game, {leader.bot: leader for leader in board.leaders}, load().anchors)


class _HeadToHead(msgspec.Struct):
    pairs: list[PairScore]


class _Voided(msgspec.Struct):
    void: Void


class _CountsAgain(msgspec.Struct):
    changed: bool


class RemoteSource:
    """A running server."""

    def __init__(self, remote: "Remote") -> None:
        self._remote = remote
        self.where = remote.url
        self.origin = f"the server {remote.url}"

    async def elsewhere(self) -> str:
        return ""

    async def leaderboard(self, game: str) -> Leaderboard:
        return msgspec.json.decode(await self._remote.get(f"leaderboard/{part(game)}"), type=Leaderboard)

    async def ranked(self, game: str, half_life: float | None = None) -> "RankedGame":
        from palio_server.api.rating_reader import RankedGame

        answer = await self._remote.get(f"leaderboard/{part(game)}", half_life=half_life)
        return msgspec.json.decode(answer, type=RankedGame)

    async def history(self, game: str, bot: str) -> "RatingHistory":
        from palio_server.api.rating_reader import RatingHistory

        answer = await self._remote.get(f"leaderboard/{part(game)}/history", bot=bot)
        return msgspec.json.decode(answer, type=RatingHistory)

    async def head_to_head(self, game: str) -> list[PairScore]:
        return msgspec.json.decode(await self._remote.get(f"head-to-head/{part(game)}"), type=_HeadToHead).pairs

    async def matches(self, **wanted: Unpack[Wanted]) -> list[Listed]:
        return msgspec.json.decode(await self._remote.get("matches", **wanted), type=list[Listed])

    async def match(self, match: str) -> Listed:
        return msgspec.json.decode(await self._remote.get(f"matches/{part(match)}"), type=Listed)

    async def record(self, match: str) -> Record:
        answer = await self._remote.get(f"matches/{part(match)}/record", format="json")
        return msgspec.json.decode(answer, type=Record)

    async def void(self, match: str, reason: str) -> Void:
        answer = await self._remote.send("POST", f"matches/{part(match)}/void", {"reason": reason})
        return msgspec.json.decode(answer, type=_Voided).void

    async def unvoid(self, match: str) -> bool:
        answer = await self._remote.send("DELETE", f"matches/{part(match)}/void", None)
        return msgspec.json.decode(answer, type=_CountsAgain).changed

    async def keep_analysis(self, analysis: Analysis) -> None:
        await self._remote.send("PUT", f"matches/{part(analysis.match)}/analysis", analysis)


# The common interface. Raises CommandFailed, among others if there is no such match, or no record of it yet.
Source = StoreSource | RemoteSource


@asynccontextmanager
async def open_source(db: str | None, url: str | None, token: str | None = None) -> AsyncIterator[Source]:
    """Open the server at `url` if one is given, else the database. Raises CommandFailed, StoreError, BadOption."""
    if url is None:
        try:
            database_url(load(db=db).db, must_exist=True)
        except NoDatabase as error:
            if by_default(db) and (hint := await server_hint()):
                raise NoDatabase(f"{error}; {hint}") from None
            raise
        async with open_store(db) as store:
            yield StoreSource(store, by_default=by_default(db))
        return

    with open_remote(url, token) as remote:
        yield RemoteSource(remote)


# A running server, asked over HTTP: what `--url` means. Standard library only, one request at a time.

TIMEOUT_S = 30.0


class Busy(CommandFailed):
    """The server asks to repeat the request after `after` seconds; None if it gives no time."""

    def __init__(self, sentence: str, after: float | None) -> None:
        super().__init__(sentence)
        self.after = after


class WrongRequest(BadOption):
    """The server refuses the request of a command line: an unknown format, a name that is none, too much work."""


class Remote:
    """The API of the server at `url`.

    Every method raises CommandFailed if the server cannot be reached, or refuses: with its sentence, or ours. A
    temporary refusal is Busy; a request that can never succeed raises WrongRequest, as wrong options do.
    """

    def __init__(self, url: str | None, token: str | None = None) -> None:
        self.url = web(url)
        self._token = token

    async def get(self, path: str, **query: object) -> bytes:
        """Return the answer to GET /api/`path`; queries that are None are left out."""
        wanted = urlencode({name: value for name, value in query.items() if value is not None})
        return await asyncio.to_thread(self._ask, "GET", f"{path}?{wanted}" if wanted else path, None)

    async def send(self, method: str, path: str, body: object) -> bytes:
        """Return the answer to POST, PUT or DELETE /api/`path`; None is no body."""
        return await asyncio.to_thread(self._ask, method, path, None if body is None else msgspec.json.encode(body))

    async def upload(self, path: str, body: bytes, kind: str) -> bytes:
        """Return the answer to POST /api/`path` with a body of that media type."""
        return await asyncio.to_thread(self._ask, "POST", path, body, kind)

    def _ask(self, method: str, path: str, body: bytes | None, kind: str = "application/json") -> bytes:
        headers = {"Accept": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if body is not None:
            headers["Content-Type"] = kind
        address = f"{self.url}/api/{path}"
        request = urllib.request.Request(address, body, headers, method=method)  # noqa: S310 - `web` gives http only
        try:
            try:
                with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 - as above
                    return bytes(answer.read())
            except urllib.error.HTTPError as error:
                with error:  # a connection may break here, too
                    raise _refusal(error, error.read(65536), self.url) from None
        except TimeoutError:  # connected, and asked
            late = f"the server at {self.url} has not answered within {TIMEOUT_S:g} s; try again, or ask for less"
            raise CommandFailed(late) from None
        except (OSError, HTTPException) as error:
            raise CommandFailed(_failure(self.url, error)) from None


@contextmanager
def open_remote(url: str, token: str | None = None) -> Iterator[Remote]:
    """Open the server at `url`, whose answers must have the requested type. Raises CommandFailed if one has not."""
    try:
        yield Remote(url, token)
    except msgspec.DecodeError as error:  # not JSON, or not the requested type
        raise CommandFailed(f"the server at {url} answers in a form that this palio cannot read: {error}") from None


def _failure(url: str, error: OSError | HTTPException) -> str:
    """Return why there is no whole answer: no server, another kind of server, or a broken connection."""
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    broken = isinstance(cause, ConnectionError | ssl.SSLError) and not isinstance(cause, ConnectionRefusedError)
    if broken or not isinstance(cause, OSError):
        return f"{url} gives no whole answer ({str(cause).strip()}); check the address, or try again"
    return f"no server answers at {url}; start one with `palio serve`, or give --url"


OF_FILES = "refused"  # the code for files that are handed in: what is in them is no part of the command line


def _refusal(error: urllib.error.HTTPError, body: bytes, url: str) -> CommandFailed | WrongRequest:
    code, reason = _answered(error, body, url)
    if error.code in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        return Busy(reason, _after(error.headers.get("Retry-After"), datetime.now(UTC)))
    if error.code in (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY) and code not in ("", OF_FILES):
        return WrongRequest(reason)
    return CommandFailed(reason, code)


def _after(value: str | None, now: datetime) -> float | None:
    """Return the seconds of `Retry-After`, given as such or as a date (RFC 9110, 10.2.3); None for any other text."""
    if value is None:
        return None
    if re.fullmatch("[0-9]{1,9}", value.strip()):
        return float(value)
    try:
        then = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (then.replace(tzinfo=then.tzinfo or UTC) - now).total_seconds())


def _answered(error: urllib.error.HTTPError, body: bytes, url: str) -> tuple[str, str]:
    """Return the code and the sentence of a palio server, with a command where it names a path of its API; "" as the
    code of another kind of server.
    """
    try:
        fault = json.loads(body)["error"]
        return str(fault["code"]), with_command(str(fault["reason"]), url)
    except (ValueError, KeyError, TypeError):
        return "", f"{error.url} answers with HTTP {error.code}; is it a palio server?"


# The user of this command line, for the audit.


def command_line() -> Actor:
    """Return the user of the operating system, and the machine."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a container may run under a number that has no name
        user = "unknown user"
    return Actor(f"command line ({user})", None, socket.gethostname())
