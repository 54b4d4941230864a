"""A viewer of some boards of the lobby: it gets these, the numbers of all, and another match for each that ends."""

import asyncio
from contextlib import ExitStack, contextmanager
from itertools import pairwise

import msgspec
import pytest

from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Setup
from palio_server import live
from palio_server.bus.local import LocalBus
from palio_server.live.feed import Feed
from palio_server.live.live_hub import BEAT_S, TICK_S, LiveHub, Viewer
from palio_server.live.lobby_views import LobbyWish
from palio_server.match import events

pytestmark = pytest.mark.virtual_clock

SETUP = Setup("breakthrough", ("ann", "bob"), options={"rows": 5, "cols": 3})
_decode = msgspec.json.Decoder(live.LiveMessage).decode


class Seat(Viewer):
    """A viewer that remembers what it was sent, and folds it like the page."""

    def __init__(self, *, beats=False):
        super().__init__(self, beats=beats)
        self.heard = []
        self.bytes = 0

    def send_frame(self, frames):
        self.bytes += len(frames)
        self.heard += [_decode(frame) for frame in frames.splitlines()]

    @property
    def shown(self):
        """The matches in progress that it knows of, as plies by match."""
        found = {}
        for message in self.heard:
            if isinstance(message, live.LobbySnapshot):
                found.clear()
            for summary in message.matches:
                found[summary.match] = summary.view.ply
                if summary.result is not None or summary.rests is True:
                    del found[summary.match]
        return found


class World:
    def __init__(self):
        self.feed = Feed(LocalBus())
        self.here = 0
        self.hub = LiveHub(self.feed, LocalBus(), lambda text: text + b"\n", lambda: self.here, lambda: self.here)

    def begin(self, *matches, bots=SETUP.bots, tournament=None):
        for match in matches:
            self.feed.open(match, msgspec.structs.replace(SETUP, bots=bots), tournament=tournament)
            self.feed.note(match, events.Started(SETUP.start(), [None, None]))

    def move(self, match):
        found = self.feed.find(match)
        state = found.boards.of(0)
        move = next(iter(state.legal_moves()))
        ply = Ply(state.to_move, SETUP.rules().move_to_wire(move), 1)
        self.feed.note(match, events.Played(found.ply + 1, ply, move, state.play(move), [None, None]))

    def end(self, match):
        result = Result("resigned", "resigned", [0.0, 1.0], seat=0)
        self.feed.note(match, events.Finished(result, None, [None, None]))

    @contextmanager
    def viewer(self, boards, *, beats=False, **chosen):
        seat = Seat(beats=beats)
        with self.hub.watching_lobby(seat, LobbyWish(boards, **chosen)):
            yield seat


@pytest.fixture
async def world():
    return World()


async def ticks(number=1):
    await asyncio.sleep(number * TICK_S + 0.05)


async def test_only_the_boards_that_a_viewer_asks_for_are_sent_with_the_number_of_all(world):
    world.begin(*(f"m{number}" for number in range(40)))
    world.here = 80
    with world.viewer(3) as few, world.viewer(None) as all_of_them:
        assert (few.heard[0].playing, few.heard[0].here) == (40, 80)
        assert [*few.shown] == ["m37", "m38", "m39"], "those that began last, as they will be played longest"
        for number in range(40):
            world.move(f"m{number}")
        await ticks()
        assert few.shown == {"m37": 1, "m38": 1, "m39": 1}
        assert len(all_of_them.shown) == 40
        assert few.bytes * 5 < all_of_them.bytes
        assert all_of_them.heard[0].playing is msgspec.UNSET, "who asks for no number gets what was always sent"


async def test_a_shown_match_that_ends_is_followed_by_its_result_and_by_another_match(world):
    world.begin("a", "b", "c", "d")
    with world.viewer(2) as seat:
        assert [*seat.shown] == ["c", "d"]
        world.end("c")
        await ticks()
        update = seat.heard[-1]
        assert [(each.match, each.result is not None) for each in update.matches] == [("c", True), ("b", False)]
        assert (update.playing, update.ended) == (3, 1)
        assert update.bots, "bots have become free"
        world.move("b"), world.move("a")
        await ticks()
        assert seat.shown == {"d": 0, "b": 1}


async def test_a_match_that_begins_is_shown_while_there_is_room(world):
    with world.viewer(2) as seat:
        world.begin("a", "b", "c")
        await ticks()
        assert [*seat.shown] == ["b", "c"]
        assert seat.heard[-1].playing == 3
        world.end("a")
        await ticks()
        assert [*seat.shown] == ["b", "c"]
        assert (seat.heard[-1].matches, seat.heard[-1].playing, seat.heard[-1].ended) == ([], 2, 1)


async def test_a_viewer_without_boards_gets_numbers_and_leaderboards_only_when_they_change(world):
    world.begin("a", "b")
    with world.viewer(0) as seat:
        assert (seat.heard[0].matches, seat.heard[0].playing) == ([], 2)
        for _ in range(3):
            world.move("a")
            await ticks()
        assert len(seat.heard) == 1, "moves on boards that are not shown change nothing for it"
        world.feed.leaderboard_changed("breakthrough")
        await ticks()
        world.here += 1
        await ticks()
        assert [(each.leaderboards, each.bots) for each in seat.heard[1:]] == [(["breakthrough"], False), ([], True)]
        assert seat.heard[-1].here == 1


async def test_viewers_who_come_later_see_the_same_boards_and_miss_no_number(world):
    world.begin("a", "b", "c")
    with world.viewer(2) as first:
        world.move("b")
        world.begin("d")  # after the last update: the viewers are told of it together
        world.end("c")
        with world.viewer(2) as later:
            await ticks()
            world.move("d")
            await ticks()
            for seat in (first, later):
                numbers = [message.seq for message in seat.heard]
                assert all(after == before + 1 for before, after in pairwise(numbers))
                assert seat.shown == {"b": 1, "d": 1}


async def test_each_number_of_boards_has_viewers_of_its_own(world):
    world.begin("a", "b", "c")
    with ExitStack() as stack:
        seats = {boards: stack.enter_context(world.viewer(boards)) for boards in (0, 1, 2, None)}
        assert world.hub.viewers() == 4
        for match in "abc":
            world.move(match)
        await ticks()
        shown = {boards: [*seat.shown] for boards, seat in seats.items()}
        assert shown == {0: [], 1: ["c"], 2: ["b", "c"], None: ["a", "b", "c"]}
    assert (world.hub.viewers(), world.feed.lobby_watched) == (0, False)


async def test_matches_of_other_servers_are_shown_and_one_whose_end_was_missed_is_taken_away(world):
    other = Feed(LocalBus())
    for match in ("x", "y"):
        other.open(match, SETUP)
    world.feed.remote.take("far", other.playing(), whole=True)
    world.begin("a")
    with world.viewer(2) as seat:
        assert (sorted(seat.shown), seat.heard[0].playing) == (["a", "y"], 3)
        world.feed.remote.take("far", [each for each in other.playing() if each.match == "x"], whole=True)
        await ticks()
        assert sorted(seat.shown) == ["a", "x"]
        world.feed.remote.forget("far")
        world.begin("b")
        await ticks()
        assert sorted(seat.shown) == ["a", "b"]


async def test_nothing_is_drawn_of_a_match_that_is_not_shown(world):
    world.begin("a", "b")
    drawn = []
    found = world.feed._matches["a"]
    world.feed._matches["a"]._make, make = (lambda: drawn.append("a") or make()), found._make
    with world.viewer(1) as seat:
        world.feed.note("a", events.Absent(0, 1))
        await ticks()
        assert (drawn, [*seat.shown]) == ([], ["b"])


async def test_a_viewer_of_an_event_or_a_bot_gets_its_matches_and_no_others(world):
    world.begin("x1", "x2", bots=("cat", "dan"))
    world.begin("e1", "e2", "e3", tournament=7)
    chosen = [{"event": 7}, {"bot": "cat"}, {"event": 7, "bot": "cat"}, {"game": "dominoes"}]
    with ExitStack() as stack:
        event, bot, neither, other = [stack.enter_context(world.viewer(None, **each)) for each in chosen]
        few = stack.enter_context(world.viewer(2, event=7))
        assert [([*seat.shown], seat.heard[0].playing) for seat in (event, bot, neither, other, few)] == [
            (["e1", "e2", "e3"], 3), (["x1", "x2"], 2), ([], 0), ([], 0), (["e2", "e3"], 3),
        ]  # fmt: skip
        world.move("x1"), world.move("e3"), world.begin("e4", tournament=7), world.end("e2")
        await ticks()
        assert event.shown == {"e1": 0, "e3": 1, "e4": 0}
        assert bot.shown == {"x1": 1, "x2": 0}
        assert few.shown == {"e3": 1, "e4": 0}, "the newest one takes the free place"
        assert [seat.heard[-1].playing for seat in (event, bot, few)] == [3, 2, 3]
        world.end("e1"), world.end("x2")
        await ticks()
        assert [seat.heard[-1].playing for seat in (event, bot, few)] == [2, 1, 2]
        assert (event.shown, bot.shown, neither.shown, other.shown) == ({"e3": 1, "e4": 0}, {"x1": 1}, {}, {})


async def test_a_viewer_that_asks_for_heartbeats_hears_something_every_few_seconds_also_of_a_quiet_match(world):
    world.begin("a")
    match = Seat(beats=True)
    with world.viewer(0, beats=True) as lobby, world.viewer(0) as without, ExitStack() as stack:
        stack.enter_context(world.hub.watching_match(world.feed.find("a"), match))
        await asyncio.sleep(10 * BEAT_S + 0.1)
        beats = [[each for each in seat.heard if isinstance(each, live.Heartbeat)] for seat in (lobby, match, without)]
        assert [len(each) for each in beats] == [11, 11, 0]
        assert beats[0][0] == live.Heartbeat(3000)
        assert isinstance(lobby.heard[0], live.LobbySnapshot), "the snapshot is first"
