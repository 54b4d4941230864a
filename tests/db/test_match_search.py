"""Looking for matches: each filter, together, and page by page."""

from datetime import UTC, datetime, timedelta

import pytest

from palio_db.event_values import TournamentDraft
from palio_db.match_search import MatchQuery


@pytest.fixture
async def played(store, make):
    """Six matches by name; the fourth ended on time, the last belongs to an event."""
    found = {
        "first": await make.play(store, "ann", "bob"),
        "lost": await make.play(store, "ann", "bob", scores=(0.0, 1.0)),
        "other": await make.play(store, "cyd", "dot", game="chess"),
    }
    await store.schedule(make.setup("bob", "ann"))
    claim = await store.claim("worker", 30, free={"nim": ("ann", "bob")})
    await store.finish(claim, make.record(claim, (1.0, 0.0), termination="time", seat=1))
    found["time"] = claim.match
    event = await store.create_event(TournamentDraft("Siena Cup", "nim", "round_robin", {}, {}))
    found["event"] = await store.schedule(make.setup("eve", "fay"), tournament=event, event="Siena Cup")
    return store, found, event


@pytest.mark.first(10)
@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({}, ["event", "time", "other", "lost", "first"]),
        ({"bot": "ann"}, ["time", "lost", "first"]),
        ({"bot": "ann", "against": "bob", "seat": 0}, ["lost", "first"]),
        ({"bot": "ann", "against": "cyd"}, []),
        ({"bot": "ann", "outcomes": ("won",)}, ["first"]),
        ({"bot": "ann", "outcomes": ("lost", "time"), "game": "nim"}, ["time", "lost"]),
        ({"terminations": ("time", "illegal")}, ["time"]),
        ({"terminations": ("rule", "time"), "game": "nim"}, ["time", "lost", "first"]),
        ({"status": "finished", "game": "chess"}, ["other"]),
        ({"event": "Siena Cup"}, ["event"]),
        ({"q": "SIENA"}, ["event"]),
        ({"q": "o"}, ["time", "other", "lost", "first"]),  # bob and dot
        ({"q": "bo", "bot": "ann"}, ["time", "lost", "first"]),
        ({"q": "bo", "bot": "ann", "outcomes": ("won",)}, ["first"]),
        ({"q": "_"}, []),
        ({"rated": False}, []),
        ({"rated": True, "game": "chess"}, ["other"]),
        ({"until": datetime(2020, 1, 1, tzinfo=UTC)}, []),
        ({"since": datetime(2020, 1, 1, tzinfo=UTC), "game": "chess"}, ["other"]),
    ],
)
async def test_filters_leave_what_fits_the_newest_first(played, query, names):
    store, found, _ = played
    rows = await store.search(MatchQuery(**query))
    assert [row.id for row in rows] == [found[name] for name in names]


async def test_pages_follow_each_other_to_the_oldest(played):
    store, found, event = played
    for extra in ({}, {"q": "o"}, {"bot": "bob"}):
        whole, before = await store.search(MatchQuery(**extra)), None
        paged = []
        while page := await store.search(MatchQuery(**extra, before=before), 2):
            paged += page
            before = page[-1].id
        assert paged == whole
    assert [row.id for row in await store.search(MatchQuery(tournament=event, q="cup"))] == [found["event"]]


async def test_a_day_has_what_was_made_on_it(played):
    store, _, _ = played
    now = datetime.now(UTC)
    assert len(await store.search(MatchQuery(since=now - timedelta(hours=1), until=now + timedelta(hours=1)))) == 5
    assert await store.search(MatchQuery(since=now + timedelta(hours=1))) == []
