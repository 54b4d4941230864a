"""Without viewers, only the events of a match are kept; a later viewer sees all of it."""

import pytest

from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, RejectedMove, Setup
from palio_server.bus.local import LocalBus
from palio_server.live import feed as module
from palio_server.live.feed import Feed
from palio_server.live.match_live import MatchLive
from palio_server.match import events

pytestmark = [pytest.mark.virtual_clock, pytest.mark.usefixtures("small_games")]

SETUP = Setup("heap2", ("ann", "bob"), options={"stones": 3})


@pytest.fixture
def made(monkeypatch) -> list[str]:
    """The matches whose state has been made."""
    found: list[str] = []

    def make(match: str, *arguments: object, **more: int) -> MatchLive:
        found.append(match)
        return MatchLive(match, *arguments, **more)

    monkeypatch.setattr(module, "MatchLive", make)
    return found


def play(feed: Feed, match: str) -> None:
    rules = SETUP.rules()
    state = SETUP.start()
    feed.open(match, SETUP)
    feed.note(match, events.Started(state, [None, None]))
    feed.note(match, events.Rejected(RejectedMove(0, 0, "9", "wrong-count", "too many"), 2, [None, None]))
    after = state.play(rules.read_move(state, 2))
    feed.note(match, events.Played(1, Ply(0, 2, 5), 2, after, [None, None]))


async def test_no_state_is_made_before_somebody_looks(made) -> None:
    feed = Feed(LocalBus())
    play(feed, "m")
    assert feed.running() == 1
    feed.note("m", events.Finished(Result("rule", "last-stone", [0.0, 1.0]), None, [None, None]))
    assert feed.running() == 0
    assert made == []
    snapshot = feed.snapshot("m")
    assert made == ["m"]
    assert snapshot is not None
    assert (snapshot.seq, len(snapshot.lines), len(snapshot.refusals)) == (4, 1, 1)
    assert snapshot.summary.result == Result("rule", "last-stone", [0.0, 1.0])
    feed.snapshot("m")
    assert made == ["m"], "once"


async def test_who_looks_in_the_middle_sees_what_comes_then(made) -> None:
    feed = Feed(LocalBus())
    play(feed, "m")
    first = feed.snapshot("m")
    state = first and feed.find("m").boards.of(0)
    feed.note("m", events.Played(2, Ply(1, 1, 7), 1, state.play(1), [None, None]))
    second = feed.snapshot("m")
    assert first is not None
    assert second is not None
    assert (first.seq, second.seq, len(second.lines)) == (3, 4, 2)
    assert second.summary.view.text == "0 stones"


async def test_an_event_that_cannot_be_shown_hides_no_other(made, monkeypatch, caplog) -> None:
    feed = Feed(LocalBus())
    play(feed, "m")
    monkeypatch.setattr(MatchLive, "_seen", lambda *_: 1 / 0)
    snapshot = feed.snapshot("m")
    assert snapshot is not None
    assert (len(snapshot.lines), len(snapshot.refusals)) == (1, 0)
    assert "cannot be shown" in caplog.text
