"""Every test of the store runs on both databases, each time on an empty one."""

import asyncio
import secrets
import shutil
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from palio_db.store import Store
from palio_db.values import Claim
from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record, RejectedMove, Setup

STARTED = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="session")
def postgres_database(postgres_url: str) -> Iterator[str]:
    """A database of this session's own."""
    name = f"palio_test_{secrets.token_hex(6)}"
    with psycopg.connect(f"{postgres_url}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield f"{postgres_url}/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/palio.db"
    found: str = request.getfixturevalue("postgres_database")
    with psycopg.connect(found, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return found


@pytest.fixture(scope="session")
def new_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite database with all of its tables, and nothing in them."""
    path = tmp_path_factory.mktemp("database") / "palio.db"

    async def create() -> None:
        await (await Store.open(f"sqlite:///{path}")).close()

    asyncio.run(create())
    return path


@pytest.fixture
async def store(url: str, new_file: Path, tmp_path: Path) -> AsyncIterator[Store]:
    if url.startswith("sqlite"):
        shutil.copy(new_file, tmp_path / "palio.db")
    async with await Store.open(url) as opened:
        yield opened


class Matchmaker:
    """Makes matches that never saw a referee."""

    def setup(self, *bots: str, game: str = "nim", rated: bool = True) -> Setup:
        return Setup(game, bots or ("anna", "ben"), rated=rated)

    def record(
        self,
        claim: Claim,
        scores: Sequence[float] = (1.0, 0.0),
        *,
        plies: Sequence[Ply] = (Ply(0, [1, 2], 30), Ply(1, [2, 1], 50)),
        refusals: Sequence[RejectedMove] = (),
        termination: str = "rule",
        seat: int | None = None,
        detail: str = "",
    ) -> Record:
        return Record(
            match=claim.match,
            setup=claim.setup,
            plies=tuple(plies),
            result=Result(termination, "last-stone", list(scores), seat, detail),
            started_at=STARTED,
            finished_at=STARTED + timedelta(seconds=5),
            refusals=tuple(refusals),
            event=claim.event,
        )

    async def play(
        self,
        store: Store,
        *bots: str,
        scores: Sequence[float] = (1.0, 0.0),
        game: str = "nim",
        rated: bool = True,
        plies: Sequence[Ply] | None = None,
        detail: str = "",
    ) -> str:
        """Schedule, claim and finish one match; its identity."""
        await store.schedule(self.setup(*bots, game=game, rated=rated))
        claim = await store.claim("worker", 30, free={game: bots or ("anna", "ben")})
        assert claim is not None
        more = {} if plies is None else {"plies": plies}
        await store.finish(claim, self.record(claim, scores, detail=detail, **more))
        return claim.match


@pytest.fixture(scope="session")
def make() -> Matchmaker:
    return Matchmaker()
