"""The tournaments of served courses are in the feed of this server, played by any process; others are not."""

from datetime import UTC, datetime, timedelta

import pytest

from palio_db.event_values import TournamentDraft
from palio_db.store import Store
from palio_db.values import JournalEntry
from palio_rules.contract.messages import Result
from palio_rules.contract.topics import match_event
from palio_rules.records.record import Ply, Record, Setup
from palio_server import live
from palio_server.bus.local import LocalBus
from palio_server.courses.live_tournaments import LiveTournaments
from palio_server.live.feed import Feed

NOW = datetime(2026, 11, 20, tzinfo=UTC)
SETUP = Setup("breakthrough", ("ann", "bob"), {"rows": 4, "cols": 3})
PLIES = (Ply(0, [[1, 0], [2, 1]], 5), Ply(1, [[3, 0], [2, 1]], 5), Ply(0, [[1, 2], [2, 1]], 5))
WON = Result("rule", "reached-far-row", [1.0, 0.0])


@pytest.fixture
async def store():
    async with await Store.open("sqlite://") as opened:
        yield opened


@pytest.fixture
def shown(store):
    bus = LocalBus()
    return LiveTournaments(store, Feed(bus), bus, "here", lambda: ["ai"])


async def begun(store, course, worker="run-1"):
    """Let `worker` begin a match of a course's tournament; return its claim."""
    await store.hold_course_tournament(course, "dominoes", "nightly", NOW, "a", worker, timedelta(seconds=60))
    number = await store.create_event(
        TournamentDraft("night", "breakthrough", "round_robin", {}, {}, worker=worker, stage="running")
    )
    await store.schedule(SETUP, tournament=number, event="night")
    return await store.claim(worker, 30, free={"breakthrough": SETUP.bots}, tournament=number)


async def write(store, claim, *numbers):
    await store.journal([JournalEntry(claim.match, claim.epoch, number, PLIES[number - 1]) for number in numbers])


def watch(shown, match):
    heard = []
    shown.bus.subscribe(match_event(match), lambda _topic, envelope: heard.append(envelope.message))
    return heard


async def test_a_match_is_shown_while_it_is_played_and_at_its_end(store, shown):
    assert not await shown.look()
    claim = await begun(store, "ai")
    await write(store, claim, 1)
    assert await shown.look()
    assert len(shown.feed.snapshot(claim.match).lines) == 1
    heard = watch(shown, claim.match)
    await write(store, claim, 2, 3)
    await shown.look()
    assert [message.line.ply for message in heard] == [2, 3]
    await shown.look()
    assert len(heard) == 2
    await store.finish(claim, Record(claim.match, SETUP, PLIES, WON, NOW, NOW, event="night"))
    await shown.look()
    assert isinstance(heard[-1], live.Finished)
    assert heard[-1].result == WON
    [row] = await store.course_tournaments("ai")
    await store.finish_course_tournament(row.id, "a", b"{}")
    assert not await shown.look()


async def test_nobody_pays_for_plies_that_nobody_watches(store, shown, monkeypatch):
    claim = await begun(store, "ai")
    await shown.look()
    asked = []
    monkeypatch.setattr(Store, "played_so_far", lambda _store, match: asked.append(match))
    await shown.look()
    assert asked == []
    assert [each.match for each in shown.feed.playing()] == [claim.match]


async def test_moves_are_told_to_the_lobby_too(store, shown):
    claim = await begun(store, "ai")
    await shown.look()
    shown.feed.watch_lobby(watched=True)
    await write(store, claim, 1)
    await shown.look()
    [summary] = shown.feed.lobby_update().matches
    assert (summary.match, summary.view.ply) == (claim.match, 1)


async def test_matches_of_another_course_and_of_this_server_are_left_out(store, shown):
    await begun(store, "other")
    await begun(store, "ai", worker="here")
    await shown.look()
    assert shown.feed.playing() == []


async def test_an_interrupted_match_ends_for_its_viewers_and_comes_back(store, shown):
    claim = await begun(store, "ai")
    await write(store, claim, 1)
    await shown.look()
    heard = watch(shown, claim.match)
    await store.release(claim)
    await shown.look()
    assert heard[-1].result.detail == "it was interrupted"
    again = await store.claim("run-1", 30, free={"breakthrough": SETUP.bots})
    assert again.match == claim.match
    await shown.look()
    assert isinstance(heard[-2], live.MatchSnapshot)
    assert (len(heard[-2].lines), heard[-2].summary.result) == (1, None)
