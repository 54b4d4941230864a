"""The feed: numbered without gaps, right for late viewers, and cheap without any."""

import asyncio
import random
from dataclasses import dataclass, field

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.contract.messages import Info, Result
from palio_rules.records.record import Ply, RejectedMove, Setup
from palio_rules.time_control import TimeControl
from palio_server import live
from palio_server.live.feed import KEEP, KEEP_S, LEFT_S, REST_S, Feed
from palio_server.lobby.other_servers import NoOtherServers
from palio_server.match import events

SETUP = Setup(
    "breakthrough",
    ("ann", "bob"),
    options={"rows": 5, "cols": 3},
    opening=([[1, 0], [2, 0]],),
    time=TimeControl(base_ms=10_000),
)
_decode = msgspec.json.Decoder(live.LiveMessage).decode


@dataclass
class Listener:
    """A bus with one subscriber, who wants everything or nothing."""

    everything: bool = True
    heard: list[tuple[str, live.LiveMessage]] = field(default_factory=list)

    def wanted(self, topic):
        return self.everything

    def publish(self, topic, data, message=None, *, retain=False):
        assert self.everything, "nobody wanted this"
        assert msgspec.json.encode(message) == data
        self.heard.append((topic, _decode(data)))


def story(seed, length=40):
    """A match at random, with everything that may happen on the way."""
    rng = random.Random(seed)
    rules, state = SETUP.rules(), SETUP.start()
    clocks = [10_000, 10_000]
    yield events.Started(state, clocks)
    away: set[int] = set()
    number = 0
    for _ in range(length):
        match rng.choice(["move", "move", "move", "refuse", "leave"]):
            case "refuse":
                refusal = RejectedMove(number, state.to_move, "[9]", "not-a-move", "that is no move")
                clocks = [clock - 3 for clock in clocks]
                yield events.Rejected(refusal, rng.randrange(3), clocks)
            case "leave":
                seat = rng.randrange(2)
                yield (events.Back if seat in away else events.Absent)(seat, rng.randrange(1000))
                away ^= {seat}
            case _:
                move, seat = rng.choice(list(state.legal_moves())), state.to_move
                state, number = state.play(move), number + 1
                clocks = [clock - 7 for clock in clocks]
                ply = Ply(seat, rules.move_to_wire(move), 7, Info(depth=number))
                yield events.Played(number, ply, move, state, clocks)
                if state.to_move is None:
                    outcome = state.outcome()
                    yield events.Finished(Result("rule", outcome.reason, list(outcome.scores)), state, clocks)
                    return
    yield events.Finished(Result("resigned", "resigned", [0.0, 1.0], seat=0), state, clocks)


def fold(snapshot, delta):
    """Apply a delta to a snapshot, as a viewer's program does."""
    assert delta.seq == snapshot.seq + 1
    summary, lines, refusals = snapshot.summary, snapshot.lines, snapshot.refusals
    new = msgspec.structs.replace
    match delta:
        case live.MatchSnapshot():
            return delta
        case live.Started():
            summary = delta.summary
        case live.Played():
            summary, lines = new(summary, view=delta.view), [*lines, delta.line]
            if summary.refused == delta.line.seat:
                summary = new(summary, refused=msgspec.UNSET)
        case live.Rejected():
            refusals = [*refusals, delta.refusal]
            summary = new(summary, view=new(summary.view, clocks_ms=delta.clocks_ms), refused=delta.refusal.seat)
        case live.Absent():
            summary = new(summary, absent=sorted({*summary.absent, delta.seat}))
        case live.Back():
            summary = new(summary, absent=[seat for seat in summary.absent if seat != delta.seat])
        case live.Finished():
            summary = new(summary, view=delta.view, result=delta.result, absent=[], refused=msgspec.UNSET)
    return live.MatchSnapshot(delta.seq, summary, lines, refusals)


def as_json(message):
    return msgspec.json.decode(msgspec.json.encode(message))


@given(st.integers(0, 10_000), st.integers(0, 30))
def test_deltas_folded_into_any_snapshot_give_what_a_later_snapshot_says(seed, comes_at):
    async def main():
        bus = Listener()
        feed = Feed(bus)
        feed.open("m1", SETUP, "cup")
        view = feed.snapshot("m1") if comes_at == 0 else None
        for number, event in enumerate(story(seed), start=1):
            bus.heard.clear()
            feed.note("m1", event)
            [(topic, delta)] = bus.heard
            assert (topic, delta.seq, delta.match) == ("palio/match/m1/event", number, "m1")
            if view is not None:
                view = fold(view, delta)
                assert as_json(view) == as_json(feed.snapshot("m1"))
            elif number == comes_at:
                view = feed.snapshot("m1")

    asyncio.run(main())


@given(st.integers(0, 10_000))
def test_a_match_that_nobody_watched_is_the_same_to_the_first_who_asks(seed):
    async def main():
        unwatched, watched = Feed(Listener(everything=False)), Feed(Listener())
        for feed in (unwatched, watched):
            feed.open("m1", SETUP)
            for event in story(seed):
                feed.note("m1", event)
        assert as_json(unwatched.snapshot("m1")) == as_json(watched.snapshot("m1"))

    asyncio.run(main())


async def test_nothing_is_drawn_for_a_match_that_nobody_watches(monkeypatch):
    feed = Feed(Listener(everything=False))
    feed.open("m1", SETUP)
    monkeypatch.setattr(type(SETUP.rules()), "scene", lambda *_: pytest.fail("drawn for nobody"))
    for event in story(1):
        feed.note("m1", event)


async def test_a_position_is_drawn_once_however_many_look(monkeypatch):
    drawn = []
    original = type(SETUP.rules()).scene
    monkeypatch.setattr(type(SETUP.rules()), "scene", lambda rules, state: drawn.append(1) or original(rules, state))
    feed = Feed(Listener())
    feed.open("m1", SETUP)
    feed.note("m1", next(story(1)))
    feed.snapshot("m1")
    feed.lobby()
    assert len(drawn) == 1


async def test_a_match_taken_up_again_begins_with_what_was_journaled():
    played = [event for event in story(3) if isinstance(event, events.Played)][:4]
    refusal = RejectedMove(2, 1, "[9]", "not-a-move", "that is no move")
    feed = Feed(Listener())
    feed.open("m1", SETUP, "", [event.ply for event in played], [refusal])
    snapshot = feed.snapshot("m1")
    assert [line.ply for line in snapshot.lines] == [1, 2, 3, 4, 5]
    assert [line.ms for line in snapshot.lines] == [None, 7, 7, 7, 7]
    assert snapshot.refusals[0].ply == 3, "viewers count the opening's plies"
    feed.note("m1", events.Started(played[-1].state, [1, 2]))
    assert feed.snapshot("m1").summary.view.clocks_ms == [1, 2]
    assert len(feed.snapshot("m1").lines) == 5


async def test_viewers_of_a_match_that_is_opened_again_get_a_snapshot_with_the_next_number():
    bus = Listener()
    feed = Feed(bus)
    feed.open("m1", SETUP)
    happened = list(story(5))
    for event in happened[:6]:
        feed.note("m1", event)
    feed.open("m1", SETUP)
    assert isinstance(bus.heard[-1][1], live.MatchSnapshot)
    assert [delta.seq for _, delta in bus.heard] == [1, 2, 3, 4, 5, 6, 7]
    assert len(feed.snapshot("m1").lines) == 1


async def test_an_event_of_a_match_that_was_never_opened_is_a_mistake():
    with pytest.raises(KeyError):
        Feed(Listener()).note("m1", next(story(1)))


async def test_a_finished_match_stays_for_a_while_and_leaves_the_lobby_at_once(monkeypatch):
    feed = Feed(Listener())
    feed.open("m1", SETUP)
    for event in story(1):
        assert [summary.match for summary in feed.lobby().matches] == ["m1"]
        feed.note("m1", event)
    assert feed.lobby().matches == []
    assert feed.snapshot("m1").summary.result is not None
    loop = asyncio.get_running_loop()
    later = loop.time() + KEEP_S + 1
    monkeypatch.setattr(loop, "time", lambda: later)
    assert feed.snapshot("m1") is None


async def test_only_the_last_finished_matches_are_kept():
    feed = Feed(Listener(everything=False))
    for number in range(KEEP + 5):
        feed.open(f"m{number}", SETUP)
        for event in story(1, length=3):
            feed.note(f"m{number}", event)
    assert feed.snapshot("m4") is None
    assert feed.snapshot("m5") is not None


async def test_the_lobby_hears_of_changed_matches_only_and_of_leaderboards():
    feed = Feed(Listener())
    feed.watch_lobby(watched=True)
    for match in ("m1", "m2"):
        feed.open(match, SETUP)
    seq = feed.lobby().seq
    assert [summary.match for summary in feed.lobby_update().matches] == ["m1", "m2"]
    assert feed.lobby_update() is None
    happened = list(story(1))
    for event in happened:
        feed.note("m2", event)
    feed.leaderboard_changed("breakthrough")
    update = feed.lobby_update()
    assert update.seq == seq + 2
    assert [(summary.match, summary.result) for summary in update.matches] == [("m2", happened[-1].result)]
    assert update.leaderboards == ["breakthrough"]


async def test_a_match_that_was_over_before_the_next_update_is_still_in_it():
    feed = Feed(Listener())
    feed.watch_lobby(watched=True)
    for number in range(KEEP + 5):
        feed.open(f"m{number}", SETUP)
        for event in story(1, length=3):
            feed.note(f"m{number}", event)
    update = feed.lobby_update()
    assert len(update.matches) == KEEP + 5
    assert all(summary.result for summary in update.matches)


async def test_nothing_is_kept_for_a_lobby_without_viewers():
    feed = Feed(Listener())
    feed.open("m1", SETUP)
    feed.leaderboard_changed("breakthrough")
    assert feed.lobby_update() is None


async def test_a_match_that_is_dropped_ends_for_its_viewers_too():
    bus = Listener()
    feed = Feed(bus)
    feed.open("m1", SETUP)
    feed.drop("m1", "nobody was ready")
    feed.drop("m1", "nobody was ready")
    feed.drop("m2", "never heard of")
    [(_, finished)] = bus.heard
    assert (finished.result.reason, finished.result.detail) == ("aborted", "nobody was ready")
    assert feed.running() == 0


async def test_a_seat_that_is_thrown_out_of_a_game_that_plays_on_is_in_the_move_list(small_games):
    bus = Listener()
    feed = Feed(bus)
    setup = Setup("heap3", ("ann", "bob", "eve"))
    rules, state = setup.rules(), setup.start()
    feed.open("m1", setup)
    feed.note("m1", events.Started(state, [None] * 3))
    view = feed.snapshot("m1")
    after = state.play(2)
    feed.note("m1", events.Played(1, Ply(0, 2, 5), 2, after, [None] * 3))
    out = Ply(1, None, 9, out="crashed")
    left = rules.forfeit(after, 1)
    feed.note("m1", events.Forfeited(left, [None] * 3, number=2, ply=out, reason="bot-crashed"))
    for _, delta in bus.heard[1:]:
        view = fold(view, delta)
    assert as_json(view) == as_json(feed.snapshot("m1"))
    assert [(line.ply, line.seat, line.move) for line in view.lines] == [(1, 0, "2"), (2, 1, "out")]
    resumed = Feed(Listener())
    resumed.open("m1", setup, "", [Ply(0, 2, 5), out])
    assert resumed.snapshot("m1").lines == feed.snapshot("m1").lines


async def test_a_game_that_cannot_draw_itself_is_shown_as_such_and_hides_nobody(monkeypatch, caplog):
    feed = Feed(Listener())
    feed.open("m1", SETUP)
    monkeypatch.setattr(type(SETUP.rules()), "scene", lambda *_: 1 / 0)
    assert "cannot draw" in feed.lobby().matches[0].view.text
    assert "ZeroDivisionError" in caplog.text


def test_viewers_learn_the_number_of_the_event():
    async def main():
        feed = Feed(Listener())
        feed.open("m1", SETUP, "cup", tournament=7)
        feed.open("m2", SETUP, "cup")
        assert [each.tournament for each in feed.lobby().matches] == [7, None]
        assert feed.snapshot("m1").summary.tournament == 7

    asyncio.run(main())


class Sharing(NoOtherServers):
    """Other servers share the work, and say nothing."""

    sharing = True


@pytest.mark.virtual_clock
async def test_of_servers_that_share_the_work_a_match_that_is_lost_goes_on_there():
    bus, lost = Listener(), []
    feed = Feed(bus, Sharing())
    feed.on_lost.append(lost.append)
    feed.open("m", SETUP)
    heard = len(bus.heard)
    feed.drop("m", "another server has taken it over", lost=True)
    feed.drop("m", "another server has taken it over", lost=True)
    assert (lost, len(bus.heard), feed.snapshot("m"), feed.running()) == (["m"], heard, None, 0)
    feed.open("m", SETUP, epoch=3)
    assert feed.snapshot("m").seq == 2 << 20, "newer than all that was told before"
    assert isinstance(bus.heard[-1][1], live.MatchSnapshot)


def guests(match="m"):
    return msgspec.structs.replace(SETUP, bots=("guest-ann", "house-greedy"), time=TimeControl()), match


def played(state, number):
    move = next(iter(state.legal_moves()))
    ply = Ply(state.to_move, SETUP.rules().move_to_wire(move), 5)
    return events.Played(number, ply, move, state.play(move), [None, None])


@pytest.mark.virtual_clock
async def test_a_board_that_a_guest_has_left_alone_leaves_the_hall_in_bounded_time_and_comes_back_with_a_move():
    feed = Feed(Listener(everything=False))
    setup, match = guests()
    feed.watch_lobby(watched=True)
    feed.open(match, setup)
    feed.open("bots", SETUP)
    state = setup.start()
    feed.note(match, events.Started(state, [None, None]))
    await asyncio.sleep(REST_S - 1)
    feed.note(match, events.Absent(0, 1000))  # a guest who comes and goes has not moved
    feed.note(match, events.Back(0, 1000))
    assert {each.match for each in feed.lobby_update().matches} == {match, "bots"}
    assert {each.match for each in feed.lobby().matches} == {match, "bots"}
    await asyncio.sleep(1)
    [gone] = feed.lobby_update().matches
    assert (gone.match, gone.rests) == (match, True)
    assert [each.match for each in feed.lobby().matches] == ["bots"]
    assert feed.lobby_update() is None, "it is told once"
    assert feed.snapshot(match) is not None, "who plays or watches it still finds it"
    feed.note(match, played(state, 1))
    [back] = feed.lobby_update().matches
    assert (back.match, back.rests) == (match, msgspec.UNSET)
    assert {each.match for each in feed.lobby().matches} == {match, "bots"}


@pytest.mark.virtual_clock
async def test_a_board_whose_guest_is_away_leaves_the_hall_soon_and_comes_back_with_the_guest():
    feed = Feed(Listener(everything=False))
    setup, match = guests()
    feed.watch_lobby(watched=True)
    feed.open(match, setup)
    feed.note(match, events.Started(setup.start(), [None, None]))
    feed.note(match, events.Absent(1, 1000))  # the bot of the house is no guest
    feed.note(match, events.Absent(0, 1000))
    await asyncio.sleep(LEFT_S - 1)
    feed.note(match, events.Back(0, 1000))  # a page that was loaded again
    feed.note(match, events.Absent(0, 1000))
    await asyncio.sleep(LEFT_S - 1)
    assert [each.rests for each in feed.lobby_update().matches] == [msgspec.UNSET]
    await asyncio.sleep(1)
    assert [each.rests for each in feed.lobby_update().matches] == [True]
    assert feed.lobby().matches == []
    feed.note(match, played(setup.start(), 1))  # by the other seat: the guest is still away
    assert (feed.lobby_update(), feed.lobby().matches) == (None, [])
    feed.note(match, events.Back(0, 1000))
    assert [each.rests for each in feed.lobby_update().matches] == [msgspec.UNSET]
    assert [each.match for each in feed.lobby().matches] == [match]


@pytest.mark.virtual_clock
async def test_a_board_that_rests_is_not_listed_by_other_servers_either():
    feed, other = Feed(Listener(everything=False)), Feed(Listener(everything=False))
    setup, match = guests()
    feed.tell_others(wanted=True)
    feed.open(match, setup)
    other.remote.take("one", feed.changes_for_others(), whole=True)
    assert [each.match for each in other.lobby().matches] == [match]
    await asyncio.sleep(REST_S)
    other.remote.take("one", feed.changes_for_others(), whole=False)
    assert other.lobby().matches == []
