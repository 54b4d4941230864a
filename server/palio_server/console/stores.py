"""How a command comes by its database."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from palio_db.address import Address
from palio_db.store import Store
from palio_rules.errors import BadOption
from palio_server.settings import load


def database_url(text: str, *, must_exist: bool = False) -> str:
    """`text` as a URL; a bare path is a SQLite file. Raises BadOption if it `must_exist` and does not."""
    url = text if "://" in text else f"sqlite:///{text}"
    address = Address.parse(url)
    if (
        must_exist
        and address.kind == "sqlite"
        and address.anchor is None
        and not Path(address.url.database or "").exists()
    ):
        raise BadOption(f"there is no database at {address.label}; run a tournament first (`palio run`), or give --db")
    return url


@asynccontextmanager
async def open_store(db: str | None, *, must_exist: bool = True) -> AsyncIterator[Store]:
    """The database of `--db`, or of PALIO_DB, or ./palio.db. Raises StoreError, BadOption."""
    store = await Store.open(database_url(load(db=db).db, must_exist=must_exist))
    try:
        yield store
    finally:
        await store.close()
