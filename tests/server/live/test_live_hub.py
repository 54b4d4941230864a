"""Audiences: every viewer gets every message, in order, at any time; no viewer costs the others anything."""

import asyncio
import random
from contextlib import ExitStack
from functools import partial

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.contract import topics
from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Setup
from palio_server import live
from palio_server.bus.local import LocalBus
from palio_server.live.feed import Feed, first_of
from palio_server.live.live_hub import BACKLOG, BATCH, TICK_S, LiveHub, Viewer
from palio_server.live.match_live import MatchLive
from palio_server.live.mirror import Fetched
from palio_server.lobby.other_servers import ALONE, NoOtherServers
from palio_server.match import events

SETUP = Setup("breakthrough", ("ann", "bob"), options={"rows": 5, "cols": 3})
_decode = msgspec.json.Decoder(live.LiveMessage).decode


class Seat(Viewer):
    """A viewer that remembers; a line is a frame."""

    def __init__(self):
        super().__init__(self)
        self.heard = []
        self.writes = 0

    def send_frame(self, frames):
        self.writes += 1
        self.heard += [_decode(frame) for frame in frames.splitlines()]

    @property
    def numbers(self):
        return [message.seq for message in self.heard]


class Sharing(NoOtherServers):
    """Other servers share the work, and say nothing."""

    sharing = True


class World:
    def __init__(self, others=ALONE):
        self.bus = LocalBus()
        self.feed = Feed(self.bus, others)
        self.hub = LiveHub(self.feed, self.bus, lambda text: text + b"\n")
        self.rng = random.Random(7)

    def begin(self, match):
        self.feed.open(match, SETUP)
        self.feed.note(match, events.Started(SETUP.start(), [None, None]))

    def move(self, match):
        found = self.feed.find(match)
        moves = list(found.boards.of(0).legal_moves())
        if not moves:
            self.feed.note(match, events.Absent(0, 1))
            return
        move, seat = self.rng.choice(moves), found.boards.of(0).to_move
        ply = Ply(seat, SETUP.rules().move_to_wire(move), 1)
        self.feed.note(match, events.Played(found.ply + 1, ply, move, found.boards.of(0).play(move), [None, None]))

    def end(self, match):
        result = Result("resigned", "resigned", [0.0, 1.0], seat=0)
        self.feed.note(match, events.Finished(result, None, [None, None]))

    def sit(self, stack, match):
        seat = Seat()
        stack.enter_context(self.hub.watching_match(self.feed.find(match), seat))
        return seat


async def turns(count=20):
    for _ in range(count):
        await asyncio.sleep(0)


@given(st.lists(st.sampled_from(["move", "move", "come", "leave", "turn"]), max_size=60))
def test_whoever_comes_gets_a_snapshot_and_then_every_delta_without_a_gap(script):
    async def main():
        world, seats, here = World(), [], []
        world.begin("m")
        for step in script:
            match step:
                case "move":
                    world.move("m")
                case "come":
                    stack = ExitStack()
                    seat = world.sit(stack, "m")
                    seats.append(seat)
                    here.append((seat, stack))
                case "leave" if here:
                    here.pop(0)[1].close()
                case "turn":
                    await asyncio.sleep(0)
        await turns(200)
        for seat in seats:
            assert isinstance(seat.heard[0], live.MatchSnapshot)
            assert seat.numbers == list(range(seat.numbers[0], seat.numbers[0] + len(seat.numbers)))
        for seat, stack in here:
            assert seat.seq == world.feed.find("m").seq
            stack.close()

    asyncio.run(main())


async def test_a_large_audience_is_served_in_batches_and_all_get_everything():
    world = World()
    world.begin("m")
    with ExitStack() as stack:
        seats = [world.sit(stack, "m") for _ in range(5 * BATCH + 3)]
        world.move("m")
        await asyncio.sleep(0)
        assert sum(len(seat.heard) == 2 for seat in seats) == BATCH, "one turn of the loop serves one batch"
        world.move("m")
        world.move("m")
        await turns()
        assert all(seat.numbers == [1, 2, 3, 4] for seat in seats)
        assert world.hub.viewers() == len(seats)
    assert world.hub.viewers() == 0


async def test_what_comes_during_a_round_goes_out_together_in_the_next_one():
    world = World()
    world.begin("m")
    with ExitStack() as stack:
        seats = [world.sit(stack, "m") for _ in range(3 * BATCH)]
        for _ in range(6):
            world.move("m")
        await asyncio.sleep(0)
        late = world.sit(stack, "m")  # has all of it in its snapshot
        await turns()
        assert all(seat.numbers == list(range(1, 8)) for seat in [*seats, late][:-1])
        assert late.numbers == [7]
        assert max(seat.writes for seat in seats) == 2, "the snapshot, and one write for six moves"


async def test_two_matches_take_turns():
    world = World()
    with ExitStack() as stack:
        for match in ("a", "b"):
            world.begin(match)
        crowd = [world.sit(stack, "a") for _ in range(4 * BATCH)]
        single = world.sit(stack, "b")
        world.move("a")
        world.move("a")
        world.move("b")
        await turns(6)
        assert single.numbers == [1, 2], "it need not wait for the second message of the other match"
        await turns()
        assert all(seat.numbers == [1, 2, 3] for seat in crowd)


async def test_an_audience_that_cannot_keep_up_gets_a_new_snapshot_in_place_of_what_it_missed():
    world = World()
    world.begin("m")
    with ExitStack() as stack:
        seat = world.sit(stack, "m")
        for _ in range(BACKLOG + 10):
            world.move("m")
        await turns(BACKLOG + 20)
        assert isinstance(seat.heard[1], live.MatchSnapshot)
        assert seat.numbers[1] == BACKLOG + 2, "from there on nothing is missing"
        assert seat.numbers[1:] == list(range(seat.numbers[1], world.feed.find("m").seq + 1))


async def test_nobody_listens_on_the_bus_once_the_last_viewer_has_gone():
    world = World()
    world.begin("m")
    with ExitStack() as stack:
        world.sit(stack, "m")
        assert world.bus.wanted("palio/match/m/event")
    assert not world.bus.wanted("palio/match/m/event")


async def test_a_match_may_be_watched_before_it_begins():
    world, seat = World(), Seat()
    with world.hub.watching_match(MatchLive("m", SETUP), seat):
        world.begin("m")
        world.move("m")
        await turns()
    assert seat.numbers == [0, 1, 2]


async def test_what_another_server_says_is_handed_on_even_where_this_one_does_not_know_it():
    """Servers that share a broker are not all upgraded at once; the page knows how to go on."""
    heard = []
    world, seat = World(), Seat()
    seat.send_frame = lambda lines: heard.extend(msgspec.json.decode(line)["type"] for line in lines.splitlines())
    with world.hub.watching_match(MatchLive("m", SETUP), seat):
        for data in (b'{"type":"paused","seq":1,"match":"m"}', b'{"type":"analysed","match":"m"}'):
            world.bus.publish("palio/match/m/event", data)
        await turns()
    assert (heard, seat.seq) == (["match", "paused", "analysed"], 1)


@pytest.mark.virtual_clock
async def test_the_lobby_is_told_what_has_changed_and_no_more_than_four_times_a_second():
    world, seat = World(), Seat()
    world.begin("a")
    world.begin("b")
    with world.hub.watching_lobby(seat):
        await asyncio.sleep(2 * TICK_S)
        assert [type(message) for message in seat.heard] == [live.LobbySnapshot], "nothing has changed"
        for _ in range(10):
            world.move("a")
            await asyncio.sleep(TICK_S / 5)
        await asyncio.sleep(TICK_S)
        updates = seat.heard[1:]
        assert len(updates) in (2, 3), "ten moves in half a second"
        assert all([summary.match for summary in update.matches] == ["a"] for update in updates)
        assert updates[-1].matches[0].view.ply == 10
        world.end("b")
        world.feed.leaderboard_changed("breakthrough")
        await asyncio.sleep(TICK_S)
        assert seat.heard[-1].matches[0].result.reason == "resigned"
        assert seat.heard[-1].leaderboards == ["breakthrough"]
    assert seat.numbers == list(range(len(seat.numbers)))
    world.move("a")
    await asyncio.sleep(2 * TICK_S)
    assert world.feed.lobby_update() is None, "nothing is kept for an empty lobby"


@pytest.mark.virtual_clock
async def test_the_lobby_is_told_once_when_bots_come_or_go():
    world, seat, here = World(), Seat(), [0]
    hub = LiveHub(world.feed, world.bus, bytes, lambda: here[0])
    here[0] = 4  # before there were viewers
    with hub.watching_lobby(seat):
        await asyncio.sleep(3 * TICK_S)
        assert len(seat.heard) == 1
        here[0] = 6
        await asyncio.sleep(3 * TICK_S)
    assert seat.heard[1:] == [live.LobbyUpdate(seat.heard[0].seq + 1, [], [], bots=True)]


@pytest.mark.virtual_clock
async def test_whoever_comes_to_the_lobby_between_two_updates_misses_nothing():
    world, first, second = World(), Seat(), Seat()
    world.begin("a")
    with world.hub.watching_lobby(first):
        world.begin("b")
        await asyncio.sleep(TICK_S / 2)
        with world.hub.watching_lobby(second):
            await asyncio.sleep(TICK_S)
            known = {summary.match for message in second.heard for summary in message.matches}
            assert known == {"a", "b"}
            assert first.numbers == [0, 1]
            assert second.numbers == [0, 1]


async def test_viewers_are_told_how_many_they_are_once_for_all_who_come_together(monkeypatch):
    monkeypatch.setattr("palio_server.live.live_hub.COUNT_S", 0.0)
    world = World()
    world.begin("m")
    with ExitStack() as stack:
        first, second = world.sit(stack, "m"), world.sit(stack, "m")
        await turns()
        with ExitStack() as later:
            world.sit(later, "m")
            await turns()
        await turns()
        counts = [message.count for message in first.heard if isinstance(message, live.Viewers)]
        assert counts == [2, 3, 2]
        assert [message.count for message in second.heard if isinstance(message, live.Viewers)] == counts
    await turns()  # no viewer is left to be told


async def test_a_server_that_stops_tells_the_viewers_of_everything_and_those_who_come_then():
    world = World()
    world.begin("m")
    with ExitStack() as stack:
        seat = world.sit(stack, "m")
        lobby = Seat()
        stack.enter_context(world.hub.watching_lobby(lobby))
        said = live.ServerStopping("it stops", 5000)
        world.bus.publish(topics.STOPPING, msgspec.json.encode(said))
        await asyncio.sleep(0.01)
        late = world.sit(stack, "m")
        assert [each.heard[-1] for each in (seat, lobby, late)] == [said] * 3


@pytest.mark.virtual_clock
async def test_a_viewer_goes_on_watching_a_match_that_goes_on_on_another_server():
    world, seat = World(Sharing()), Seat()
    world.begin("m")
    remote = MatchLive("m", SETUP, seq=1 << 20)

    async def renew():
        return Fetched(remote.snapshot())

    world.feed.on_lost.append(lambda match: world.hub.follow(match, renew))
    with world.hub.watching_match(world.feed.find("m"), seat):
        world.feed.drop("m", "lost", lost=True)
        await asyncio.sleep(0.1)
        for event in (events.Absent(0, 1), events.Back(0, 1)):
            remote.note(event)
            world.bus.publish(topics.match_event("m"), msgspec.json.encode(remote.delta(event)))
            await asyncio.sleep(0.1)
        told = [message for message in seat.heard if not isinstance(message, live.Viewers)]
        assert [type(message) for message in told[1:]] == [live.MatchSnapshot, live.Absent, live.Back]
        assert world.hub.mirrored("m").seq == remote.seq
    assert world.hub.mirrored("m") is None


@pytest.mark.virtual_clock
@pytest.mark.parametrize("epoch", [1, 3])
async def test_a_match_whose_server_is_reached_late_is_shown_from_then_on_as_that_server_tells_it(epoch):
    world, seat = World(Sharing()), Seat()
    remote, saved = MatchLive("m", SETUP, seq=first_of(epoch)), MatchLive("m", SETUP, seq=first_of(epoch + 1) - 1)
    asked = []

    def tell(event):
        remote.note(event)
        world.bus.publish(topics.match_event("m"), msgspec.json.encode(remote.delta(event)))

    async def renew():
        asked.append(remote.seq)
        return Fetched(saved.snapshot(), saved=True) if len(asked) < 3 else Fetched(remote.snapshot())

    mirror = await world.hub.mirror("m", renew)
    with world.hub.watching_match(mirror, seat):
        for number in range(6):
            tell((events.Absent if number % 2 == 0 else events.Back)(0, 1))
            await asyncio.sleep(0.1)
        tell(events.Finished(Result("resigned", "resigned", [0.0, 1.0], seat=0), None, [None, None]))
        await asyncio.sleep(0.1)
        told = [message for message in seat.heard if not isinstance(message, live.Viewers)]
        kinds = [type(message) for message in told]
        assert kinds == [live.MatchSnapshot] * 3 + [live.Absent, live.Back] * 2 + [live.Finished]
        assert [message.seq for message in told[2:]] == list(range(remote.seq - 5, remote.seq + 1))
        assert asked == [first_of(epoch), first_of(epoch) + 1, first_of(epoch) + 2], "it is asked until it answers"
        assert world.hub.mirrored("m").over


@pytest.mark.virtual_clock
async def test_the_lobby_is_told_from_the_start_if_the_end_of_another_servers_match_was_missed():
    world, seat = World(Sharing()), Seat()
    one, two = (MatchLive(match, SETUP).summary() for match in ("m", "n"))
    world.feed.remote.take("other", [one, two], whole=True)
    world.feed.lobby_update()
    with world.hub.watching_lobby(seat):

        async def whole(*steps):
            """The lobby's matches, as often as the whole of it was told after these steps."""
            seat.heard.clear()
            for step in steps:
                step()
            await asyncio.sleep(2 * TICK_S)
            again = [message for message in seat.heard if isinstance(message, live.LobbySnapshot)]
            return [[each.match for each in message.matches] for message in again]

        remote = world.feed.remote
        assert await whole() == [["m", "n"]]  # its first word, from before
        assert await whole(lambda: remote.take("other", [one], whole=False)) == []
        assert await whole(lambda: remote.take("other", [two], whole=True)) == [["n"]]
        assert await whole(lambda: remote.take("other", [two], whole=True)) == []
        back = [partial(remote.take, "other", [one], whole=False), partial(remote.take, "other", [one], whole=True)]
        assert await whole(lambda: remote.forget("other"), *back) == [["m"]]
        world.begin("p")
        await asyncio.sleep(2 * TICK_S)
        assert isinstance(seat.heard[-1], live.LobbyUpdate)
        assert seat.heard[-1].seq == world.feed.lobby().seq
