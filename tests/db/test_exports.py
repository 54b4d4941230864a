"""Matches for other programs: all of them, oldest first, page by page, with what is known beside their records."""

import pytest
from msgspec import UNSET
from sqlalchemy import update

from palio_db import exports
from palio_db.errors import Unreadable
from palio_db.event_values import EncounterRow, Entry, KeptQuery, Plan, TournamentDraft
from palio_db.models import Match
from palio_rules.records.record import Analysis, JudgedPly


async def all_of(store, **wanted):
    return [kept async for kept in store.kept_matches(KeptQuery(**wanted))]


async def test_every_page_begins_after_the_last_match_of_the_one_before(store, make, monkeypatch):
    monkeypatch.setattr(exports, "PAGE", 2)
    ids = [await make.play(store) for _ in range(5)]
    assert [kept.match for kept in await all_of(store)] == ids
    monkeypatch.setattr(exports, "PAGE_BYTES", 1)  # less than any record has
    assert [kept.match for kept in await all_of(store)] == ids


async def test_a_page_holds_no_more_than_its_share(store, make, monkeypatch):
    monkeypatch.setattr(exports, "PAGE", 2)
    for _ in range(5):
        await make.play(store)
    sizes, whole = [], store._page_of_kept

    async def page(query, after):
        found = await whole(query, after)
        sizes.append(len(found))
        return found

    monkeypatch.setattr(store, "_page_of_kept", page)
    assert len(await all_of(store)) == 5
    assert sizes == [2, 2, 1, 0]


async def test_only_what_fits_and_is_finished(store, make):
    first = await make.play(store, "anna", "ben")
    other = await make.play(store, "anna", "cid", game="chomp")
    last = await make.play(store, "cid", "ben")
    await store.schedule(make.setup("anna", "cid"))
    made = {kept.match: kept.created_at for kept in await all_of(store)}
    assert list(made) == [first, other, last]
    for wanted, expected in (
        ({"game": "nim"}, [first, last]),
        ({"bot": "anna"}, [first, other]),
        ({"bot": "dora"}, []),
        ({"newest": 1}, [last]),
        ({"newest": 2, "bot": "anna"}, [first, other]),
        ({"newest": 9}, [first, other, last]),
        ({"since": made[other]}, [other, last]),
        ({"until": made[other]}, [first]),
        ({"matches": (first, last)}, [first, last]),
        ({"tournament": 1}, []),
    ):
        assert [kept.match for kept in await all_of(store, **wanted)] == expected
        assert await store.count_kept(KeptQuery(**wanted)) == len(expected)


async def test_what_is_known_beside_a_record_comes_with_it(store, make):
    plain, judged, void = [await make.play(store) for _ in range(3)]
    analysis = Analysis(judged, 0.1, (JudgedPly(0, 0, "", (0.5, None), (None, "win"), 3, "1-2", "?"),), complete=True)
    await store.keep_analysis(analysis)
    await store.void(void, "one author")
    found = {kept.match: kept for kept in await all_of(store)}
    assert found[plain].analysis is found[plain].void is found[plain].tournament is UNSET
    assert found[judged].analysis == analysis
    assert found[void].void.reason == "one author"


async def test_a_tournament_shows_its_card_with_its_first_match_only(store, make):
    entries = (Entry("anna", 1, 1600.0, byes=frozenset({2})), Entry("ben", 2, spec="exec:./engine --key secret"))
    draft = TournamentDraft("Cup", "nim", "swiss", {"rounds": 2}, {"seed": 3}, entries)
    number = await store.create_event(draft)
    plans = [
        EncounterRow(1, Plan(1, 1, ("anna", "ben"), 2)),
        EncounterRow(2, Plan(2, 1, ("anna",), 0, kind="half-bye"), frozenset({"ben", "anna"})),
    ]
    setups = [(1, 0, make.setup("anna", "ben")), (1, 1, make.setup("ben", "anna"))]
    ids = await store.plan(number, plans, setups, "Cup")
    for _ in ids:
        claim = await store.claim("worker", 30, free={"nim": ("anna", "ben")})
        await store.finish(claim, make.record(claim))
    first, second = await all_of(store, tournament=number)
    place = second.tournament
    assert (place.number, place.name, place.format, place.round) == (number, "Cup", "swiss", 1)
    assert (place.encounter, place.game, place.card) == (1, 1, UNSET)
    card = first.tournament.card
    assert (card.rules, card.settings) == ({"rounds": 2}, {"seed": 3})
    assert [(entry.bot, entry.rating, entry.byes) for entry in card.entries] == [
        ("anna", 1600.0, (2,)),
        ("ben", None, ()),
    ]
    assert [(one.kind, one.forfeits) for one in card.encounters] == [("played", ()), ("half-bye", ("anna", "ben"))]


@pytest.mark.parametrize("data", [b"\x1b[2J", b"[]"])
async def test_a_damaged_record_is_named_and_the_next_one_follows(store, make, data):
    damaged, good = await make.play(store), await make.play(store)
    async with store._database.write() as connection:
        await connection.execute(update(Match).where(Match.id == damaged).values(record=data))
    wrong, right = await all_of(store)
    assert isinstance(wrong, Unreadable)
    assert damaged in wrong.what
    assert right.match == good
