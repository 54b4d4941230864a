"""Two bots that send any messages at any time: a match ends in bounded time, and no message makes the referee fail."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.contract.messages import Draw, Error, Hello, Info, Move, Over, Ready, Resign, Turn
from palio_rules.errors import WireError
from palio_rules.records import Record, Setup, fault
from palio_rules.time_control import TimeControl
from palio_server.match import events
from palio_server.match.channel import Garbled, Joined, Left, Said, Stopped
from palio_server.match.referee import Referee

pytestmark = pytest.mark.usefixtures("small_games")

START = 1000.0
scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(max_size=8)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=4), max_leaves=12)
moves = st.integers(1, 3) | values
matches = st.sampled_from(["m", "m", "m", "other"])
ids = st.integers(1_000_000, 1_000_030) | st.integers(0, 2**53 - 1)
messages = (
    st.builds(Move, matches, ids, moves, st.builds(Info, depth=st.integers(0, 9)))
    | st.builds(Move, matches, ids, moves)
    | st.builds(Ready, matches)
    | st.builds(Resign, matches)
    | st.builds(Draw, matches)
    | st.builds(Error, st.sampled_from(["crashed", "oops"]), st.text(max_size=20), match=matches)
    | st.builds(Hello, st.just("ann"), st.just(["heap2"]))
)
weird = WireError("unreadable", "no")


def incoming(seats):
    times = st.floats(START, START + 80)
    seat = st.integers(0, seats - 1)
    return (
        st.builds(Said, seat, messages, times)
        | st.builds(Said, seat, st.builds(Move, st.just("m"), ids, st.integers(1, 3)), times)
        | st.builds(Garbled, seat, st.just(weird), times)
        | st.builds(Left, seat, times)
        | st.builds(Joined, seat, times)
    )


controls = st.builds(
    TimeControl, base_ms=st.none() | st.integers(0, 20_000), increment_ms=st.integers(0, 500), move_ms=st.none()
) | st.builds(TimeControl, move_ms=st.integers(0, 3_000))


@settings(max_examples=3 * settings().max_examples // 2)
@given(st.sampled_from(["heap2", "heap3"]), controls, st.data())
def test_a_match_ends_in_bounded_time_whatever_comes(virtually, script, game, control, data):
    seats = 2 if game == "heap2" else 3
    setup = Setup(
        game=game,
        bots=("ann", "bob", "cid")[:seats],
        options={"stones": 12},
        time=control,
        ready_ms=5000,
        draw_offers=data.draw(st.booleans()),
        grace_ms=7000,
        stall_ms=6000,
    )
    coming = data.draw(st.lists(incoming(seats), max_size=60))
    honest = data.draw(st.lists(st.booleans(), min_size=seats, max_size=seats))
    stop_at = data.draw(st.none() | st.floats(START, START + 80))

    async def match():
        bots = [script.player(think=0.5) if good else ready_only(script) for good in honest]
        channel = script.channel(bots)
        for heard in coming:
            channel.hear(heard, heard.at)
        if stop_at is not None:
            channel.hear(Stopped("enough"), stop_at)
        happened = await script.events(Referee().play("m", setup, channel))
        return channel, happened, channel.now

    channel, happened, ended = virtually(match())
    finished = [event for event in happened if isinstance(event, events.Finished)]
    assert finished == happened[-1:]
    plies = setup.options["stones"] + seats
    longest = max(20_000 + 500 * plies, 3_000 * plies, 6_000 * setup.strikes * seats + 6_000 * plies) + 200 * plies
    assert ended - START <= (5_000 + 7_000 + seats * longest) / 1000
    assert all(len(channel.to(seat, Over)) == 1 for seat in range(seats))
    assert_reproduces(setup, happened)


def ready_only(script):
    def bot(channel, seat, message):
        if not isinstance(message, Turn):
            script.player()(channel, seat, message)

    return bot


def assert_reproduces(setup, happened):
    from datetime import UTC, datetime

    plies = tuple(event.ply for event in happened if isinstance(event, events.Played | events.Forfeited))
    numbers = [event.number for event in happened if isinstance(event, events.Played | events.Forfeited)]
    assert numbers == list(range(1, len(plies) + 1))
    now = datetime.now(UTC)
    assert fault(Record("m", setup, plies, happened[-1].result, now, now)) is None


@pytest.mark.parametrize("move", [[[[]]], [[]] * 1000, {"a": 1}, b"x", 10**400, "x" * 60_000, float("inf"), object()])
def test_no_value_of_a_move_does_more_than_to_be_rejected(virtually, script, move):
    setup = Setup(game="breakthrough", bots=("ann", "bob"), strikes=1)
    wrong = script.player(lambda turn: move)

    async def match():
        return await script.events(Referee().play("m", setup, script.channel([wrong, script.player()])))

    happened = virtually(match())
    assert happened[-1].result.termination == "illegal"
    assert len(happened[1].rejected.move) <= 200
    assert len(happened[1].rejected.reason) <= 1000
