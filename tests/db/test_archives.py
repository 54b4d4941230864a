"""Archived matches: their moves are elsewhere, all that was counted stays; and they come back the same."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace as with_
from sqlalchemy import text

from palio_db.errors import Archived, NotFound, StoreError
from palio_db.event_values import Entry, KeptMatch, KeptQuery, TournamentDraft
from palio_db.schema import USABLE
from palio_db.store import Store
from palio_db.upgrades import migrate
from palio_rules.contract.messages import Info
from palio_rules.records.record import Analysis, JudgedPly, Ply

ALL = KeptQuery(settled=True)


async def kept(store: Store, query: KeptQuery = ALL) -> list[KeptMatch]:
    return [each async for each in store.kept_matches(query)]


async def played(store, make) -> list[str]:
    """Matches with everything that is counted: a win, a draw, an unrated one, one of a language model."""
    asked = Info(tokens_in=912, tokens_out=31, cost=0.25, latency_ms=1530)
    return [
        await make.play(store),
        await make.play(store, scores=(0.5, 0.5)),
        await make.play(store, "ben", "cleo"),
        await make.play(store, rated=False),
        await make.play(store, plies=(Ply(0, [1, 2], 30, asked), Ply(1, [2, 1], 50))),
    ]


async def standing(store) -> object:
    """All that a match adds to."""
    board = await store.leaderboard("nim")
    bots = ("anna", "ben", "cleo")
    return (
        board,
        await store.head_to_head("nim"),
        await store.history("nim"),
        [await store.standings(bot) for bot in bots],
        [await store.outcomes(bot) for bot in bots],
        [await store.form(bot, "nim", 10) for bot in bots],
        [await store.opponents(bot, "nim") for bot in bots],
        [replace(row, archived=None) for row in await store.matches()],
    )


async def test_an_archived_match_keeps_its_place_its_result_and_everything_that_was_counted(store, make):
    matches = await played(store, make)
    before, records = await standing(store), [await store.record(match) for match in matches]
    done = await store.archive(await kept(store), "x.parquet")
    assert (done.moved, done.before, done.gone, done.changed) == (len(matches), 0, 0, ())
    assert await standing(store) == before
    assert await store.recount() == []
    for match, record in zip(matches, records, strict=True):
        assert (await store.match(match)).archived.file == "x.parquet"
        assert await store.outline(match) == with_(record, plies=(), refusals=())
    assert [each async for each in store.records()] == []
    assert await kept(store) == []
    assert await store.archives(ALL) == {"x.parquet": len(matches)}
    assert await store.newest_records("anna", "nim", 10) == []


async def test_its_moves_are_asked_for_in_vain_with_the_file_that_has_them(store, make):
    match = await make.play(store)
    await store.archive(await kept(store), "x.parquet")
    with pytest.raises(Archived, match=rf"the moves of match {match} were archived on .*, in x.parquet; palio import"):
        await store.record(match)
    with pytest.raises(Archived):
        await store.keep_analysis(Analysis(match, 0.5, (), complete=True))
    assert await store.record("unknown") is None


async def test_an_import_brings_the_moves_and_the_analysis_back_and_counts_nothing_twice(store, make):
    matches = await played(store, make)
    analysis = Analysis(matches[0], 0.5, (JudgedPly(0, 0, "", (0.5, -0.5)),), complete=True)
    await store.keep_analysis(analysis)
    before, records = await standing(store), [await store.record(match) for match in matches]
    moved = await kept(store)
    await store.archive(moved, "x.parquet")
    assert await store.analysis(matches[0]) is None
    for restored in (len(matches), 0):
        done = await store.import_matches(moved)
        assert (done.added, done.known, done.restored) == (0, len(matches), restored)
        assert await standing(store) == before
    assert [await store.record(match) for match in matches] == records
    assert await store.analysis(matches[0]) == analysis
    assert (await store.match(matches[0])).archived is None
    assert await store.recount() == []


async def test_another_record_of_an_archived_match_is_refused(store, make):
    await make.play(store)
    [moved] = await kept(store)
    await store.archive([moved], "x.parquet")
    other = with_(moved, plies=(with_(moved.plies[0], move=[0, 1]), *moved.plies[1:]))  # the result is the same
    assert list((await store.import_conflicts([other]))[0]) == [moved.match]
    with pytest.raises(StoreError, match="with another record"):
        await store.import_matches([other])
    with pytest.raises(Archived):
        await store.record(moved.match)


async def test_archiving_again_changes_nothing(store, make):
    await make.play(store)
    moved = await kept(store)
    await store.archive(moved, "x.parquet")
    place = (await store.match(moved[0].match)).archived
    done = await store.archive(moved, "y.parquet")
    assert (done.moved, done.before) == (0, 1)
    assert (await store.match(moved[0].match)).archived == place


async def test_a_match_that_differs_from_the_file_stays_with_its_moves(store, make):
    first, second, third = [await make.play(store) for _ in range(3)]
    moved = await kept(store)
    await store.void(first, "one author")  # meanwhile: the file does not know it
    await store.keep_analysis(Analysis(second, 0.5, (), complete=True))
    changed = with_(moved[2], plies=moved[2].plies[:1])  # a damaged file
    done = await store.archive([*moved[:2], changed], "x.parquet")
    assert (done.moved, done.changed) == (0, (first, second, third))
    for match in (first, second, third):
        assert (await store.record(match)).plies


async def test_matches_that_are_not_in_the_database_are_counted_as_gone(store, make):
    await make.play(store)
    [moved] = await kept(store)
    done = await store.archive([with_(moved, match="elsewhere")], "x.parquet")
    assert (done.moved, done.gone) == (0, 1)


async def test_an_archived_match_can_be_voided_and_subtracts_what_it_added(store, make):
    matches = await played(store, make)
    await store.archive(await kept(store), "x.parquet")
    for match in matches:
        await store.void(match, "why")
    assert (await store.leaderboard("nim")).leaders == []
    assert await store.head_to_head("nim") == []
    assert await store.outcomes("anna") == {}
    assert await store.recount() == []


async def test_a_void_match_is_archived_and_restored_as_void(store, make):
    match = await make.play(store)
    await store.void(match, "one author")
    record = await store.record(match)
    moved = await kept(store)
    assert (await store.archive(moved, "x.parquet")).moved == 1
    assert (await store.match(match)).void == record.void
    await store.import_matches(moved)
    assert await store.record(match) == record


async def test_matches_of_a_tournament_that_is_not_over_and_newer_ones_are_not_archivable(store, make):
    draft = TournamentDraft("cup", "nim", "round_robin", {}, {}, (Entry("anna", 1), Entry("ben", 2)), stage="running")
    number = await store.create_event(draft)
    await store.schedule(make.setup(), tournament=number)
    claim = await store.claim("worker", 30)
    await store.finish(claim, make.record(claim))
    single = await make.play(store)
    assert [each.match for each in await kept(store)] == [single]
    await store.set_stage(number, "finished", only_from=["running"])
    assert {each.match for each in await kept(store)} == {single, claim.match}
    assert await store.archivable(ALL) == 2
    assert await store.archivable(replace(ALL, until=datetime.now(UTC) - timedelta(hours=1))) == 0


async def test_before_the_upgrade_nothing_is_archived(url, make):
    from palio_db.address import Address
    from palio_db.database import Database

    database = Database(Address.parse(url))
    await database.prepare()
    async with database.write() as connection:
        await connection.run_sync(migrate, USABLE)
    await database.close()
    async with await Store.open(url) as store:
        await make.play(store)
        with pytest.raises(StoreError, match="an older Palio, which knows no archives; palio migrate"):
            await store.archivable(ALL)


async def test_a_failure_of_any_statement_archives_nothing(store, make, monkeypatch):
    """Each statement of the transaction fails once; afterwards every match still has its moves, and it works again."""
    await played(store, make)
    before, moved = await standing(store), await kept(store)
    connection = type(await store._database.query(lambda each: each))
    for statement in range(3):
        count = iter(range(100))
        change = connection.change

        def failing(self, sql, lines, change=change, count=count, statement=statement):
            if next(count) == statement:
                raise RuntimeError("power cut")
            change(self, sql, lines)

        with monkeypatch.context() as patch:
            patch.setattr(connection, "change", failing)
            with pytest.raises(RuntimeError, match="power cut"):
                await store.archive(moved, "x.parquet")
        assert await standing(store) == before
        assert await kept(store) == moved
    assert (await store.archive(moved, "x.parquet")).moved == len(moved)


async def test_readers_beside_an_archive_see_a_match_before_or_after_it(store, make):
    matches = await played(store, make)
    moved = await kept(store)

    async def read(match: str) -> bool:
        try:
            return bool((await store.record(match)).plies)
        except Archived:
            return True

    found = await asyncio.gather(store.archive(moved, "x.parquet"), *(read(match) for match in matches * 5))
    assert all(found[1:])


async def test_an_unknown_match_has_no_outline(store):
    assert await store.outline("unknown") is None
    with pytest.raises(NotFound):
        await store.keep_analysis(Analysis("unknown", 0.5, (), complete=True))


async def test_what_is_stored_of_an_archived_match_is_small(store, make):
    plies = [Ply(number % 2, [1, number], 30) for number in range(200)]
    match = await make.play(store, plies=plies)

    async def size() -> int:
        async with store._database.read() as connection:
            return await connection.scalar(text("SELECT length(record) FROM matches WHERE id = :id"), {"id": match})

    whole = await size()
    await store.archive(await kept(store), "x.parquet")
    assert await size() < whole / 2
