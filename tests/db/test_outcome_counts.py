"""A bot's page reads few rows, however many matches the bot has played: by an index, on both databases."""

import pytest
from sqlalchemy import text

from palio_db.counters import OUTCOMES as WORDS
from palio_db.leaderboards import FORM, NEWEST_OF_BOT, OUTCOMES, OUTCOMES_OF, STANDINGS
from palio_db.schema import USABLE, prepare_tables
from palio_db.store import Store
from palio_db.upgrades import Upgrade

QUESTIONS = {
    "outcomes": (OUTCOMES, ("anna",)),
    "outcomes of a game": (OUTCOMES_OF, ("anna", "nim")),
    "form": (FORM, ("anna", "nim", 10)),
    "newest records": (NEWEST_OF_BOT, ("anna", "nim", 50)),
    "standings": (STANDINGS, ("anna",)),
}


@pytest.mark.parametrize("name", QUESTIONS)
async def test_a_question_of_a_bots_page_is_answered_by_an_index(store, name):
    sql, asked = QUESTIONS[name]

    def plan(connection):
        if connection.kind == "sqlite":
            explained = connection._connection.execute(f"EXPLAIN QUERY PLAN {sql.sqlite}", asked)
        else:
            explained = connection._connection.execute(f"EXPLAIN {sql.postgresql}", asked)
        return "\n".join(str(row) for row in explained.fetchall())

    found = await store._database.query(plan)
    assert "SCAN outcomes" not in found
    assert "SCAN seats" not in found
    assert "SCAN ratings" not in found
    assert "Seq Scan" not in found
    assert "SEARCH" in found or "Index" in found


async def test_counts_of_outcomes_take_as_many_rows_after_many_matches_as_after_one(store, make):
    async def rows() -> int:
        async with store._database.read() as connection:
            return await connection.scalar(text("SELECT count(*) FROM outcomes"))

    await make.play(store)
    before = await rows()
    for _ in range(20):
        await make.play(store)
    assert await rows() == before <= 2 * len(WORDS)
    assert await store.outcomes("anna") == {"nim": {"won": 21}}
    assert await store.outcomes("ben", "nim") == {"nim": {"lost": 21}}
    assert await store.outcomes("ben", "chess") == {}


async def test_a_wrong_count_is_found_by_a_recount(store, make):
    await make.play(store)
    async with store._database.write() as connection:
        await connection.execute(text("UPDATE outcomes SET count = 7 WHERE bot = 'anna'"))
    assert await store.recount() == ["outcomes of anna nim won: count is 7, the records say 1"]


async def test_a_store_that_was_opened_before_the_upgrade_counts_as_one_that_was_opened_after_it(url, make):
    from palio_db.address import Address
    from palio_db.database import Database
    from palio_db.upgrades import migrate

    database = Database(Address.parse(url))
    await database.prepare()
    async with database.write() as connection:
        await connection.run_sync(migrate, USABLE)
    async with await Store.open(url) as before:
        await make.play(before)
        await database.close()
        await Upgrade(url).run("0013")
        async with await Store.open(url) as after:
            for store in (before, after):
                await make.play(store)
            assert await before.outcomes("anna") == await after.outcomes("anna") == {"nim": {"won": 3}}
            assert await after.recount() == []
    await prepare_tables(database)
    assert database.packs
    await database.close()
