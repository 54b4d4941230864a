"""Who may only read a PostgreSQL database reads it, and hears so when something is to be written."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import psycopg
import pytest

from palio_db.errors import StoreError
from palio_db.store import Store

pytestmark = pytest.mark.postgres


@pytest.fixture
def filled(postgres_database: str) -> str:
    with psycopg.connect(postgres_database, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return postgres_database


@pytest.fixture(params=["a role that may select", "transactions that are read-only"])
def reader(request: pytest.FixtureRequest, filled: str) -> Iterator[tuple[str, str]]:
    """The URL of somebody who may only read, and what is said."""
    parts, role = urlsplit(filled), "palio_reader"
    name = parts.path.removeprefix("/")
    with psycopg.connect(filled, autocommit=True) as connection:
        connection.execute(f"DROP ROLE IF EXISTS {role}")
        connection.execute(f"CREATE ROLE {role} LOGIN")
        connection.execute(f"GRANT USAGE ON SCHEMA public TO {role}")
        connection.execute(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO {role}")
        said = "this user may not write there; grant it"
        if request.param != "a role that may select":
            connection.execute(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO {role}")
            connection.execute(f"ALTER ROLE {role} IN DATABASE {name} SET default_transaction_read_only = on")
            said = "the server is read-only"
        yield f"postgresql://{role}@{parts.hostname}:{parts.port or 5432}/{name}", said
        connection.execute(f"DROP OWNED BY {role}")
        connection.execute(f"DROP ROLE {role}")


async def test_reading_works_and_writing_says_why_not(filled, reader, make):
    url, said = reader
    async with await Store.open(filled) as store:
        match = await make.play(store)
        right = await store.leaderboard("nim")
    async with await Store.open(url) as store:
        assert await store.leaderboard("nim") == right
        assert [row.id for row in await store.matches(limit=5)] == [match]
        assert await store.recount() == []
        for write in (store.schedule(make.setup()), store.add_bot("zoe"), store.probe()):
            with pytest.raises(StoreError, match=said):
                await write
