"""A game for three plays on without a seat that forfeits."""

import pytest

from palio_rules.contract.messages import Error, Move, Over, Played, Resign, Turn
from palio_rules.records.boards import advance
from palio_rules.records.record import Ply, Setup
from palio_rules.time_control import TimeControl
from palio_server.match import events
from palio_server.match.channel import Left, Said
from palio_server.match.referee import Referee

pytestmark = [pytest.mark.virtual_clock, pytest.mark.usefixtures("small_games")]

THREE = Setup(game="heap3", bots=("ann", "bob", "cid"), options={"stones": 6}, time=TimeControl.parse("10"))


async def play(script, bots, *coming, setup=THREE, **kwargs):
    channel = script.channel(list(bots))
    for heard in coming:
        channel.hear(heard, heard.at)
    happened = await script.events(Referee().play("m", setup, channel, **kwargs))
    return channel, happened, happened[-1].result


def one(turn):
    return 1


async def test_three_seats_take_turns(script):
    _, happened, result = await play(script, [script.player(one) for _ in range(3)])
    assert [event.ply.seat for event in happened if isinstance(event, events.Played)] == [0, 1, 2, 0, 1, 2]
    assert result.scores == [0.0, 0.0, 1.0]


async def test_without_the_seat_that_lost_on_time_the_others_play_on(script):
    channel, happened, result = await play(script, [script.player(one), script.player(think=11), script.player(one)])
    out = next(event for event in happened if isinstance(event, events.Forfeited))
    assert (out.ply, out.number, out.reason) == (Ply(1, None, 0, None, "time"), 2, "flag-fell")
    assert out.clocks_ms == [9900, 0, 10_000]
    assert [event.ply.seat for event in happened if isinstance(event, events.Played)] == [0, 2, 0, 2, 0, 2]
    assert (result.termination, result.reason, result.seat) == ("rule", "last-stone", None)
    assert result.scores == [0.0, 0.0, 1.0]
    assert [error.code for error in channel.to(1, Error)] == ["forfeited"]
    assert len(channel.to(1, Played)) == 1
    assert channel.to(1, Over)[0].outcome == result


async def test_who_leaves_off_turn_voids_the_turn_of_the_one_who_thinks(script):
    bots = [script.player(one, think=3), script.player(one), script.player(one)]
    channel, happened, _ = await play(script, bots, Said(2, Resign("m"), 1001.0))
    first, second = channel.to(0, Turn)[:2]
    assert (first.id, second.id) == (1_000_001, 1_000_002)
    assert second.state == "6 0,1 3"
    assert second.clocks_ms == [10_000, 10_000, 10_000]
    played = [event.ply for event in happened if isinstance(event, events.Played)]
    assert (played[0].seat, played[0].ms) == (0, 3000)
    assert channel.to(0, Error)[0].code == "stale-id"  # the answer to the turn that is void
    assert [error.code for error in channel.to(2, Error)] == ["forfeited"]


async def test_a_seat_that_is_out_is_told_so_whatever_it_sends(script):
    bots = [script.player(one, think=3), script.player(one), script.player(one)]
    coming = [Said(2, Resign("m"), 1001.0), Said(2, Resign("m"), 1002.0), Said(2, Move("m", 1_000_002, 1), 1002.5)]
    channel, _, result = await play(script, bots, *coming)
    assert [error.code for error in channel.to(2, Error)] == ["forfeited"] * 3
    assert result.termination == "rule"


async def test_the_last_one_wins_by_the_game_s_own_word(script):
    bots = [script.player(think=99), script.player(think=99), script.player(think=99)]
    _, happened, result = await play(script, bots)
    assert [event.ply.seat for event in happened if isinstance(event, events.Forfeited)] == [0]
    assert (result.termination, result.reason, result.seat) == ("time", "flag-fell", 1)
    assert result.scores == [0.0, 0.0, 1.0]


CRASHES = (
    Said(1, Error("crashed", "Traceback:\nboom", match="m"), 1000.05),
    Said(2, Error("crashed", "line\n" * 2000 + "bang", match="m"), 1002.0),
)


async def test_what_a_bot_said_when_it_crashed_is_reported_at_the_end(script):
    bots = [script.player(one), script.player(one), script.player(one)]
    _, _, result = await play(script, bots, CRASHES[0])
    assert (result.termination, result.detail) == ("rule", "green: Traceback:\nboom")


async def test_the_details_of_several_are_given_each_under_its_seat(script):
    bots = [script.player(one, think=3), script.player(one), script.player(one)]
    _, _, result = await play(script, bots, *CRASHES)
    assert (result.termination, result.seat) == ("crashed", 2)
    assert result.detail.endswith("bang\ngreen: Traceback:\nboom")
    assert len(result.detail) < 8192


async def test_in_a_course_the_others_are_told_the_kind_and_the_text_is_kept_apart(script):
    setup = THREE.with_submissions({"ann": "s1", "bob": "s2", "cid": "s3"})
    texts = {1: "secret = 1\nKeyError: 'secret'", 2: "secret " * 2000 + "end"}
    crashes = [Said(seat, Error("crashed", text, match="m"), 1000 + seat) for seat, text in texts.items()]
    bots = [script.player(one, think=3), script.player(one), script.player(one)]
    channel, happened, result = await play(script, bots, *crashes, setup=setup)
    kind = "in the bot's own program"
    assert result.detail == f"an error {kind}\ngreen: KeyError {kind}"
    told = [*map(repr, channel.posted), *map(repr, happened[:-1]), repr(result)]
    assert not [each for each in told if "secret" in each]
    assert happened[-1].texts == {1: texts[1], 2: texts[2][-4000:]}


async def test_who_is_not_ready_is_out_before_the_start(script):
    _, happened, result = await play(script, [script.player(one), script.silent, script.player(one)])
    assert [type(event).__name__ for event in happened[:3]] == ["Forfeited", "Started", "Played"]
    assert happened[0].ply == Ply(1, None, 0, None, "stalled")
    assert result.scores == [0.0, 0.0, 1.0]


async def test_an_absent_seat_that_is_out_is_not_waited_for(script):
    bots = [script.player(one, think=4), script.player(one), script.player(one)]
    setup = Setup(game="heap3", bots=THREE.bots, options={"stones": 9}, grace_ms=2000, time=TimeControl.parse("20"))
    _, happened, result = await play(script, bots, Left(2, 1001.0), setup=setup)
    assert [event.ply.out for event in happened if isinstance(event, events.Forfeited)] == ["disconnected"]
    assert result.termination == "rule"


async def test_a_seat_that_is_out_stays_out_after_a_restart(script):
    _, happened, result = await play(script, [script.player(one), script.player(think=11), script.player(one)])
    plies = [event.ply for event in happened if isinstance(event, events.Played | events.Forfeited)]
    for cut in range(2, len(plies)):
        _, again, same = await play(
            script, [script.player(one), script.silent, script.player(one)], journal=plies[:cut], epoch=2
        )
        rest = [event.ply for event in again if isinstance(event, events.Played | events.Forfeited)]
        assert ([(ply.seat, ply.move) for ply in rest], same) == ([(p.seat, p.move) for p in plies[cut:]], result)
    state = THREE.start()
    for ply in plies:
        state = advance(THREE.rules(), state, ply)
    assert state.outcome().scores == (0.0, 0.0, 1.0)
