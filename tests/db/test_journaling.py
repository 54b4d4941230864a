"""The journal's lines: whatever is written in whatever pieces, and again, reads as what was played."""

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from palio_db.values import JournalEntry
from palio_db.work import lines_of
from palio_rules.records.record import Ply, RejectedMove

PLIES = tuple(Ply(number % 2, [number], number) for number in range(12))
REFUSALS = tuple(RejectedMove(number, 0, "[]", "no-such-heap", "heap 9 does not exist") for number in range(3))


def entries(match, items, first=1, epoch=1):
    return [JournalEntry(match, epoch, number, item) for number, item in enumerate(items, first)]


def test_entries_that_follow_each_other_are_one_line():
    lines = lines_of([*entries("a", PLIES[:5]), *entries("a", REFUSALS), *entries("b", PLIES[5:7], first=6)])

    assert [(line.match, line.kind, line.number) for line in lines] == [
        ("a", "ply", 1),
        ("a", "refusal", 1),
        ("b", "ply", 6),
    ]
    assert msgspec.json.decode(lines[0].body, type=list[Ply]) == list(PLIES[:5])


def test_a_gap_or_another_epoch_begins_another_line():
    lines = lines_of([*entries("a", PLIES[:2]), *entries("a", PLIES[3:4], first=4), *entries("a", PLIES[4:6], 5, 2)])

    assert [(line.number, line.epoch) for line in lines] == [(1, 1), (4, 1), (5, 2)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pieces=st.lists(st.tuples(st.integers(0, 3), st.integers(1, 6)), max_size=8))
async def test_in_whatever_pieces_and_however_often_the_plies_are_written_they_are_read_as_played(store, make, pieces):
    await store.schedule(make.setup())
    claim = await store.claim("worker", 30)
    written = 0
    for again, more in [*pieces, (0, len(PLIES))]:  # as the server does: perhaps some of the last ones again, and more
        start = max(0, written - again)
        await store.journal(entries(claim.match, PLIES[start : written + more], start + 1))
        written = min(written + more, len(PLIES))
    await store.journal(entries(claim.match, REFUSALS))

    [taken] = await store.reclaim("worker", 30)
    assert (taken.journal, taken.refusals) == (PLIES, REFUSALS)
    await store.abort(claim.match, "read")


async def test_a_line_that_is_written_again_shorter_loses_nothing(store, make):
    await store.schedule(make.setup())
    claim = await store.claim("worker", 30)
    await store.journal(entries(claim.match, PLIES))
    await store.journal(entries(claim.match, PLIES[:2]))

    assert (await store.reclaim("worker", 30))[0].journal == PLIES


async def test_what_an_earlier_version_wrote_row_by_row_is_read(store, make):
    await store.schedule(make.setup())
    claim = await store.claim("worker", 30)
    adding = text("INSERT INTO journal (match, kind, number, epoch, body) VALUES (:match, 'ply', :number, 1, :body)")
    async with store._database.write() as connection:
        for number, ply in enumerate(PLIES[:4], 1):
            row = {"match": claim.match, "number": number, "body": msgspec.json.encode(ply)}
            await connection.execute(adding, row)
    await store.journal(entries(claim.match, PLIES[4:], 5))

    assert (await store.reclaim("worker", 30))[0].journal == PLIES
