"""Matches of two bots: found by one index, also those that an older Palio scheduled, and the same with older tables."""

import pytest
from sqlalchemy import text
from sqlalchemy.dialects import sqlite

from palio_db.address import Address
from palio_db.database import Database
from palio_db.event_values import TournamentDraft
from palio_db.match_search import MatchQuery, _ids
from palio_db.schema import MEETINGS, PACKED
from palio_db.store import Store
from palio_db.upgrades import Upgrade, migrate

MEETINGS_OF_ALL = text("SELECT first, second, game, match FROM meetings ORDER BY match, first, second")


async def meetings(store: Store) -> list[tuple[str, ...]]:
    async with store._database.read() as connection:
        return [tuple(row) for row in await connection.execute(MEETINGS_OF_ALL)]


async def ids(store: Store, **query: object) -> list[str]:
    return [row.id for row in await store.search(MatchQuery(**query))]


@pytest.fixture
async def played(store, make):
    """Four matches by name, in two games, one of them of three bots."""
    return {
        "nim": await make.play(store, "bob", "ann"),
        "chess": await make.play(store, "ann", "bob", scores=(0.0, 1.0), game="chess"),
        "three": await store.schedule(make.setup("cyd", "bob", "ann", game="chexers")),
        "other": await make.play(store, "ann", "cyd"),
    }


@pytest.mark.parametrize("has_meetings", [True, False])
@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"bot": "ann", "against": "bob"}, ["three", "chess", "nim"]),
        ({"bot": "bob", "against": "ann"}, ["three", "chess", "nim"]),
        ({"bot": "bob", "against": "cyd"}, ["three"]),
        ({"bot": "ann", "against": "bob", "game": "chess"}, ["chess"]),
        ({"bot": "ann", "against": "bob", "game": "go"}, []),
        ({"bot": "ann", "against": "bob", "status": "finished"}, ["chess", "nim"]),
        ({"bot": "bob", "against": "ann", "outcomes": ("won",)}, ["chess", "nim"]),
        ({"bot": "ann", "against": "bob", "seat": 0}, ["chess"]),
        ({"bot": "ann", "against": "dot"}, []),
        ({"against": "cyd"}, ["other", "three"]),
        ({"bot": "ann", "against": "cyd", "q": "bo"}, []),
    ],
)
@pytest.mark.first(12)
async def test_matches_of_two_bots_are_those_of_all_their_games(store, played, query, names, has_meetings):
    store._database.has_meetings = has_meetings  # as if its tables were older
    assert await ids(store, **query) == [played[name] for name in names]


async def test_each_two_bots_of_a_match_have_one_row(store, played):
    rows = await meetings(store)
    pairs = ("ann", "bob"), ("ann", "cyd"), ("bob", "cyd")
    assert [row for row in rows if row[3] == played["three"]] == [(*pair, "chexers", played["three"]) for pair in pairs]
    assert len(rows) == 6


async def test_a_match_that_is_unscheduled_leaves_no_row(store, make, played):
    before = await meetings(store)
    event = await store.create_event(TournamentDraft("Cup", "nim", "round_robin", {}, {}))
    await store.schedule(make.setup("ann", "bob"), tournament=event)
    assert len(await meetings(store)) == len(before) + 1
    async with store._database.write() as connection:
        await connection.execute(text("DELETE FROM seats WHERE match IN (SELECT id FROM matches WHERE tournament = 1)"))
        await connection.execute(text("DELETE FROM matches WHERE tournament = 1"))
    assert await meetings(store) == before


async def test_an_upgrade_lists_what_was_played_before_and_what_an_older_program_plays_after_it(url, make):
    database = Database(Address.parse(url))
    await database.prepare()
    async with database.write() as connection:
        await connection.run_sync(migrate, PACKED)
    await database.close()
    async with await Store.open(url) as older:
        assert not older._database.has_meetings
        before = await make.play(older)
        await Upgrade(url).run(MEETINGS)
        after = await make.play(older)
        async with await Store.open(url) as store:
            assert store._database.has_meetings
            for each in (older, store):
                assert await ids(each, bot="anna", against="ben") == [after, before]
            assert [match for *_, match in await meetings(store)] == [before, after]


@pytest.mark.parametrize("more", [{}, {"status": "finished"}, {"outcomes": ("won",)}, {"before": "1"}], ids=str)
async def test_sqlite_finds_two_bots_by_one_index_whatever_else_is_asked(tmp_path, more):
    """Not by all matches of a status, nor by all of one of the bots: their number grows with the database."""
    wanted = _ids(MatchQuery(bot="ann", against="bob", game="nim", **more), 50, met=True)
    literal = wanted.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})
    async with await Store.open(f"sqlite:///{tmp_path}/palio.db") as store, store._database.read() as connection:
        plan = [row.detail for row in await connection.execute(text(f"EXPLAIN QUERY PLAN {literal}"))]
    first, *others = [line for line in plan if "SUBQUERY" not in line]
    assert first.startswith("SEARCH meetings USING PRIMARY KEY (first=? AND second=? AND game=?"), plan
    assert all(line.startswith("SEARCH") and ("match=?)" in line or "(id=?)" in line) for line in others), plan
