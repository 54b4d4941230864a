"""The list of matches: what goes in comes out, newest first, whatever the names are."""

from datetime import timedelta

import pytest
from made_event import made_event
from sqlalchemy import update

from palio_db import matches
from palio_db.errors import StoreError, Unreadable
from palio_db.event_values import TournamentDraft
from palio_db.models import Match
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl


async def test_a_scheduled_match_comes_out_as_it_went_in(store):
    setup = Setup(
        "nim", ("anna", "ben"), {"heaps": [3, 4], "mode": "misère"}, 2**40, ([1, 2], "a1"), TimeControl(1000, 10), 5
    )
    match = await store.schedule(setup, round_=3, event="spring's \N{TROPHY}")
    row = await store.match(match)
    assert (row.status, row.bots, row.scores, row.round, row.event) == (
        "scheduled", ("anna", "ben"), None, 3, "spring's \N{TROPHY}"
    )  # fmt: skip
    assert row.setup == setup
    assert row.created_at.utcoffset().total_seconds() == 0


async def test_many_matches_are_scheduled_at_once_or_none_of_them(store, make):
    ids = await store.schedule_many([make.setup(f"bot{number}", "ben") for number in range(300)], event="ladder")
    assert ids == sorted(ids)
    rows = [await store.match(match) for match in (ids[0], ids[-1])]
    assert [(row.bots, row.event) for row in rows] == [(("bot0", "ben"), "ladder"), (("bot299", "ben"), "ladder")]
    with pytest.raises(StoreError, match="all differ"):
        await store.schedule_many([make.setup("anna", "ben"), make.setup("anna", "anna")])
    assert await store.schedule_many([]) == []
    assert len(await store.waiting(1000)) == 300


async def test_the_waiting_matches_are_listed_oldest_first_with_their_bots(store, make):
    number = await made_event(store, "cup", "nim", {}, [(1, make.setup("ben", "anna"))])
    ids = await store.schedule_many([make.setup("anna", "ben"), make.setup("cleo", "dan", game="heap")])
    await store.abort(await store.schedule(make.setup("eve", "fay")), "off", epoch=0)
    found = await store.waiting(10)
    assert [(match.game, match.bots) for match in found] == [
        ("nim", ("ben", "anna")),
        ("nim", ("anna", "ben")),
        ("heap", ("cleo", "dan")),
    ]
    assert await store.waiting(2) == found[:2]
    assert await store.waiting(10, tournament=number) == found[:1]
    assert [match.match for match in found[1:]] == ids


async def test_which_of_many_matches_still_wait_is_one_question(store, make):
    ids = await store.schedule_many([make.setup(f"bot{number}", "ben") for number in range(600)])
    await store.claim_these("worker", 30, ids[:2])
    await store.abort(ids[2], "off", epoch=0)
    claims = await store.claim_these("worker", 30, ids[3:4])
    await store.release(claims[0])
    assert await store.still_waiting([*ids, "unknown"]) == {ids[3]: 1} | dict.fromkeys(ids[4:], 0)


async def test_what_is_not_there_is_none(store, make):
    match = await store.schedule(make.setup())
    assert await store.match("nothing") is None
    assert await store.record("nothing") is None
    assert await store.record(match) is None
    assert await store.tournament(1) is None


async def test_matches_are_listed_newest_first_and_page_by_page(store, make):
    matches = [await store.schedule(make.setup()) for _ in range(7)]
    first = await store.matches(limit=3)
    second = await store.matches(limit=3, before=first[-1].id)
    third = await store.matches(limit=3, before=second[-1].id)
    assert [row.id for row in (*first, *second, *third)] == matches[::-1]


async def test_a_list_can_be_narrowed(store, make):
    nim = await store.schedule(make.setup("anna", "ben"))
    go = await store.schedule(make.setup("ben", "cleo", game="go"))
    number = await made_event(store, "spring", "go", {}, [(1, make.setup("anna", "dan", game="go"))])
    [spring] = await store.matches(tournament=number)
    assert [row.id for row in await store.matches(game="go")] == [spring.id, go]
    assert [row.id for row in await store.matches(bot="anna")] == [spring.id, nim]
    assert [row.id for row in await store.matches(bot="anna", before=spring.id)] == [nim]
    assert [row.id for row in await store.matches(bot="anna", game="go", status="scheduled")] == [spring.id]
    await store.abort(go, "weather")
    assert [row.id for row in await store.matches(status="aborted")] == [go]


async def test_records_come_oldest_first_and_leave_the_store_free(store, make, monkeypatch):
    monkeypatch.setattr("palio_db.matches._PAGE", 3)
    played = [await make.play(store) for _ in range(7)]
    other = await make.play(store, game="go")
    seen = []
    async for record in store.records("nim"):
        await store.schedule(make.setup())  # another transaction in the middle of reading
        seen.append(record.match)
    assert seen == played
    assert [record.match async for record in store.records()] == [*played, other]


@pytest.mark.parametrize("most", [1, 2])
async def test_records_are_read_a_few_megabytes_at_a_time_whatever_their_number(store, make, monkeypatch, most):
    played = [await make.play(store) for _ in range(5)]
    async with store._database.read() as connection:
        sizes = [len(found.record) for found in await matches.page_of_records(connection, "", None)]
        assert len(sizes) == 5
        monkeypatch.setattr(matches, "_PAGE_BYTES", sum(sizes[:most]))
        assert len(await matches.page_of_records(connection, "", None)) == most
        monkeypatch.setattr(matches, "_PAGE_BYTES", 0)
        assert len(await matches.page_of_records(connection, "", None)) == 1  # one at least, however long
    assert [record.match async for record in store.records()] == played
    assert await store.recount() == []


async def test_a_record_that_is_damaged_is_reported_among_the_others(store, make):
    first, second, third = [await make.play(store) for _ in range(3)]
    async with store._database.write() as connection:
        await connection.execute(update(Match).where(Match.id == second).values(record=b'{"match": 7}'))
    before, damaged, after = [record async for record in store.records()]
    assert (before.match, after.match) == (first, third)
    assert damaged.what.startswith(f"the record of match {second} in the database cannot be read: Expected `str`")
    with pytest.raises(Unreadable, match=f"match {second} .*; run palio verify$"):
        await store.record(second)
    assert "pair_scores of nim anna ben: wins is 3, the records say 2" in await store.recount()


@pytest.mark.parametrize(
    "name", ["'; DROP TABLE matches; --", "%s%(x)s:y", "été \N{PILE OF POO} \u202e", "a" * 900, "\\x00\\", '"', "\n\t"]
)
async def test_hostile_names_are_only_names(store, make, name):
    match = await store.schedule(make.setup(name, "ben", game=name), event=name)
    claim = await store.claim(name, 30, free={name: [name, "ben"]})
    await store.finish(claim, make.record(claim))
    row = await store.match(match)
    assert (row.bots, row.game, row.event, row.worker) == ((name, "ben"), name, name, name)
    assert {leader.bot for leader in (await store.leaderboard(name)).leaders} == {name, "ben"}
    [score] = await store.head_to_head(name, name)
    assert (score.first, score.wins) == (name, 1)
    assert [found.id for found in await store.matches(bot=name, game=name)] == [match]


@pytest.mark.parametrize("name", ["", "nul\0", "\ud800", "a" * 1001])
async def test_names_that_no_database_can_keep_are_refused(store, make, name):
    with pytest.raises(StoreError, match="the bot "):
        await store.schedule(make.setup(name, "ben"))


async def test_a_setup_needs_bots_that_differ(store):
    with pytest.raises(StoreError, match="all differ; this setup has anna, anna"):
        await store.schedule(Setup("nim", ("anna", "anna")))
    with pytest.raises(StoreError, match="this setup has none"):
        await store.schedule(Setup("nim", ()))
    assert await store.matches() == []


async def test_which_matches_are_not_over_is_told_of_those_that_are_asked_for(store, make):
    waiting, running, over = [await store.schedule(make.setup(game=game)) for game in ("nim", "chess", "go")]
    for game in ("chess", "go"):
        claim = await store.claim("w", 30, free={game: ["anna", "ben"]})
        if game == "go":
            await store.finish(claim, make.record(claim))
    await store.schedule(make.setup(game="other"))
    asked = {waiting, running, over, "unknown", *(f"none{number}" for number in range(2500))}
    assert await store.still_open(asked) == {waiting, running}


async def test_what_has_ended_since_a_moment_is_found_oldest_first(store, make):
    first, second = [await make.play(store, "anna", "ben") for _ in range(2)]
    await store.schedule(make.setup("anna", "ben"))
    aborted = await store.schedule(make.setup("anna", "cleo"))
    await make.play(store, "ben", "cleo")
    await store.abort(aborted, "it rains")
    ended_at = (await store.match(first)).finished_at
    found = await store.ended_since("anna", ended_at, 10)
    assert [(row.id, row.status) for row in found] == [(first, "finished"), (second, "finished"), (aborted, "aborted")]
    assert [row.id for row in await store.ended_since("anna", ended_at, 2)] == [second, aborted]
    assert [row.id for row in await store.ended_since("anna", ended_at + timedelta(seconds=1), 10)] == [aborted]


async def test_an_event_with_many_scheduled_matches_hides_no_other_event(store, make, monkeypatch):
    monkeypatch.setattr("palio_db.matches.EACH", 2)
    drafts = [TournamentDraft(name, "nim", "round_robin", {}, {}) for name in ("test", "cup")]
    events = [await store.create_event(draft) for draft in drafts]
    crowd = [await store.schedule(make.setup("anna", "ben"), tournament=events[0]) for _ in range(6)]
    late = [await store.schedule(make.setup("anna", "cleo"), tournament=events[1]) for _ in range(3)]
    found = await store.waiting(3)
    assert [match.match for match in found] == [*crowd[:3], *late[:2]]
    assert [match.tournament for match in found] == [*[events[0]] * 3, *[events[1]] * 2]
    assert [match.match for match in await store.waiting(3, tournament=events[1])] == late
    assert len(await store.waiting(99)) == 9
