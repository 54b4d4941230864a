"""Opening a store, and what it says when it cannot: one sentence with the database and the remedy."""

import asyncio
import sqlite3

import pytest
from made_event import made_event

from palio_db.errors import StoreError, Unavailable, WrongDatabase
from palio_db.event_values import EncounterRow, Plan
from palio_db.store import Store


async def refusal(url: str) -> str:
    with pytest.raises(StoreError) as caught:
        await (await Store.open(url)).close()
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert "secret" not in sentence
    return sentence


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("palio.db", "no database URL; write sqlite:///FILE or postgresql://"),
        ("", "no database URL"),
        ("postgresql://anna:secret@host:port/x", "'postgresql://anna:***@host:port/x' is no database URL"),
        ("mysql://anna:secret@host/x", "names the unknown database 'mysql'"),
        ("postgresql+asyncpg://host/x", "unknown database 'postgresql+asyncpg'"),
        ("postgresql://anna:secret@host", "names no database; write postgresql://USER@HOST/DATABASE"),
        ("sqlite://palio.db", "with three slashes"),
        ("sqlite:///palio.db?mode=ro", "no path of a SQLite file"),
        ("sqlite:////no/such/place/palio.db", "there is no directory /no/such/place; create it first"),
        ("sqlite:////tmp", "/tmp is a directory; name a file in it"),
        ("postgresql://anna:secret@127.0.0.1:1/x", "cannot be reached; start it or correct the URL"),
    ],
)
async def test_an_address_that_cannot_work_is_refused_with_the_remedy(url, words):
    assert words in await refusal(url)


async def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path):
    file = tmp_path / "letter.db"
    file.write_text("Dear Anna, " * 1000)
    assert "the file is not a SQLite database; name another one" in await refusal(f"sqlite:///{file}")
    assert file.read_text().startswith("Dear Anna")


@pytest.mark.slow
async def test_a_locked_file_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("palio_db.database.BUSY_MS", 50)
    url = f"sqlite:///{tmp_path}/palio.db"
    holder = sqlite3.connect(tmp_path / "palio.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    assert "another program holds it locked; close that program or try again" in await refusal(url)
    holder.execute("COMMIT")
    async with await Store.open(url) as store:
        holder.execute("BEGIN IMMEDIATE")
        assert await store.matches() == []  # readers never wait
        with pytest.raises(Unavailable, match="another program holds it locked"):
            await store.add_bot("anna")
        holder.close()
        await store.add_bot("anna")


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("tail", "words"), [("/no_such_database", "create it with createdb"), ("/postgres?options=-c%20role%3Dx", "role")]
)
async def test_what_the_server_refuses_is_said(postgres_url, tail, words):
    assert words in await refusal(postgres_url + tail)


@pytest.mark.parametrize("url", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True)
async def test_connections_that_the_server_has_closed_cost_no_transaction(url):
    import psycopg

    async with await Store.open(url) as store:
        before = await store.matches()
        with psycopg.connect(url, autocommit=True) as other:
            other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        assert await store.matches() == before


async def test_a_database_in_memory_is_one_store_s_own(make):
    async with await Store.open("sqlite://") as first, await Store.open("sqlite:///:memory:") as second:
        await asyncio.gather(*(make.play(first, f"a{n}", f"b{n}") for n in range(10)))
        assert len(await first.matches()) == 10
        assert await second.matches() == []
        assert first.url == "sqlite://"


async def test_a_database_in_memory_outlives_cancelled_tasks(make):
    async with await Store.open("sqlite://") as store:
        for n in range(20):
            playing = asyncio.create_task(make.play(store, f"a{n}", f"b{n}"))
            await asyncio.sleep(n * 0.0003)
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
        assert await store.recount() == []
        await make.play(store, "anna", "ben")


async def test_a_transaction_is_undone_by_an_error_within_it(url, make):
    async with await Store.open(url) as store:
        number = await made_event(store, "x", "nim", {}, [])
        row = EncounterRow(1, Plan(1, 1, ("anna", "ben"), 2))
        games = [(1, 0, make.setup()), (1, 1, make.setup("anna", "anna"))]
        with pytest.raises(StoreError, match="all differ"):
            await store.plan(number, [row], games, "x")
        assert await store.encounters(number) == []
        assert await store.matches() == []


async def test_the_errors_of_a_driver_never_pass(tmp_path):
    file = tmp_path / "palio.db"
    await (await Store.open(f"sqlite:///{file}")).close()
    file.write_bytes(b"SQLite format 3\0" + b"\xff" * 8192)
    for leftover in tmp_path.glob("palio.db-*"):
        leftover.unlink()
    with pytest.raises(WrongDatabase):
        await Store.open(f"sqlite:///{file}")
