"""Details of results: a sentence of the rules stands in every list, and comes along with its match."""

from dataclasses import replace as change
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace
from sqlalchemy import text

from palio_db.address import Address
from palio_db.columns import MAX_LINE, one_line
from palio_db.database import Database
from palio_db.event_values import EncounterRow, Entry, KeptQuery, Plan, TournamentDraft
from palio_db.match_search import MatchQuery
from palio_db.schema import DETAILS, MEETINGS, PACKED, USABLE
from palio_db.store import Store
from palio_db.upgrades import Upgrade, migrate

POINTS = "Black wins by 3.5 points"
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


@pytest.fixture
async def source(tmp_path):
    async with await Store.open(f"sqlite:///{tmp_path}/source.db") as opened:
        yield opened


async def kept(store):
    return [each async for each in store.kept_matches(KeptQuery(settled=True))]


async def said(store, match):
    """The detail of a match, the same in each list."""
    rows = [
        await store.match(match),
        *(row for row in await store.matches() if row.id == match),
        *(row for row in await store.search(MatchQuery(bot="anna", q="ben")) if row.id == match),
        *(row for row in await store.search(MatchQuery(bot="anna")) if row.id == match),
        *(row for row in await store.ended_since("anna", LONG_AGO, 50) if row.id == match),
    ]
    [detail] = {row.detail for row in rows}
    return detail


async def old_tables(url, version):
    database = Database(Address.parse(url))
    await database.prepare()
    async with database.write() as connection:
        await connection.run_sync(migrate, version)
    await database.close()


async def test_each_list_has_what_the_rules_said(store, make):
    assert await said(store, await make.play(store, detail=POINTS)) == POINTS
    assert await said(store, await make.play(store)) is None


async def test_a_fault_is_no_sentence_of_the_rules(store, make):
    await store.schedule(make.setup())
    claim = await store.claim("worker", 30, free={"nim": ("anna", "ben")})
    await store.finish(claim, make.record(claim, termination="crashed", seat=1, detail="Traceback"))
    assert await said(store, claim.match) is None


async def test_the_detail_of_a_table_of_three_has_faults_and_is_left_out(store, make):
    match = await make.play(store, "anna", "ben", "cid", scores=(1.0, 0.0, 0.0), detail="Ben: crashed")
    assert await said(store, match) is None


async def test_the_matches_of_an_event_have_it_until_they_are_void(store, make):
    entries = tuple(Entry(bot, number) for number, bot in enumerate(("anna", "ben"), 1))
    event = await store.create_event(TournamentDraft("Cup", "nim", "swiss", {"rounds": 1}, {}, entries))
    setups = [(1, game, make.setup("anna", "ben")) for game in range(2)]
    await store.plan(event, [EncounterRow(1, Plan(1, 1, ("anna", "ben"), 2))], setups, "Cup")
    claim = await store.claim("worker", 30, free={"nim": ("anna", "ben")})
    await store.finish(claim, make.record(claim, detail=POINTS))
    assert [match.detail for match in await store.event_matches(event)] == [POINTS, None]
    await store.void(claim.match, "a test")
    assert [match.detail for match in await store.event_matches(event)] == [None, None]


async def test_it_comes_along_with_an_import(store, source, make):
    match, other = await make.play(source, detail=POINTS), await make.play(source)
    await store.import_matches(await kept(source))
    assert (await said(store, match), await said(store, other)) == (POINTS, None)


async def test_it_stays_when_the_moves_go_to_an_archive_and_come_back(store, make):
    match = await make.play(store, detail=POINTS)
    moved = await kept(store)
    await store.archive(moved, "x.parquet")
    assert await said(store, match) == POINTS
    await store.import_matches(moved)
    assert (await store.match(match)).archived is None
    assert await said(store, match) == POINTS


@pytest.mark.parametrize(
    ("detail", "line"),
    [
        (POINTS, POINTS),
        ("Black wins\nby 3.5\tpoints ", POINTS),
        ("Black\0wins", "Black wins"),
        ("\0 ", None),
        ("", None),
        ("x" * MAX_LINE, "x" * MAX_LINE),
        ("x" * (MAX_LINE + 1), "x" * (MAX_LINE - 1) + "…"),
    ],
)
def test_in_a_list_it_is_one_line_that_every_database_can_store(detail, line):
    assert one_line(detail) == line


async def test_a_sentence_that_no_database_could_store_prevents_no_result(store, source, make):
    match = await make.play(store, detail="Black\0wins" * 800)
    assert (await said(store, match)).startswith("Black winsBlack")
    copy = replace((await kept(store))[0], match="another")
    await store.import_matches([copy])
    assert await said(store, "another") == await said(store, match)


@pytest.mark.parametrize("version", [USABLE, PACKED, MEETINGS])
async def test_older_tables_are_used_without_it(url, source, make, version):
    await old_tables(url, version)
    brought = await make.play(source, detail=POINTS)
    async with await Store.open(url) as store:
        assert not store._database.has_details
        match = await make.play(store, detail=POINTS)
        await store.import_matches(await kept(source))
        assert (await said(store, match), await said(store, brought)) == (None, None)
        assert (await store.record(match)).result.detail == POINTS
        assert await store.event_matches(1) == []


async def test_after_the_upgrade_new_results_have_it_and_a_server_from_before_goes_on_without(url, make):
    await old_tables(url, MEETINGS)
    async with await Store.open(url) as older:
        before = await make.play(older, detail=POINTS)
        await older.schedule(make.setup())
        playing = await older.claim("worker", 30, free={"nim": ("anna", "ben")})
        await Upgrade(url).run(DETAILS)
        await older.finish(playing, make.record(playing, detail=POINTS))
        async with await Store.open(url) as store:
            after = await make.play(store, detail=POINTS)
            assert [await said(store, match) for match in (before, playing.match, after)] == [None, None, POINTS]
            assert await older.matches() == [change(row, detail=None) for row in await store.matches()]
            assert await store.recount() == []


async def test_a_former_release_finishes_a_match_in_the_new_tables(store, make):
    """It inserts, updates and reads by the names of the columns that it knows."""
    await store.schedule(make.setup())
    claim = await store.claim("worker", 30, free={"nim": ("anna", "ben")})
    store._database.has_details = False  # whose statements are those of the former release
    await store.finish(claim, make.record(claim, detail=POINTS))
    assert await said(store, claim.match) is None
    async with store._database.read() as connection:
        assert (await connection.execute(text("SELECT detail FROM matches"))).scalars().all() == [None]
