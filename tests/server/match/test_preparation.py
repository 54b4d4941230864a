"""Before the clocks run: who gets ready in time, who does not, and who comes back."""

import pytest

from palio_rules.contract.messages import Error, GameMessage, Ready, Resign
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl
from palio_server.match.channel import Expelled, Joined, Left, Said
from palio_server.match.referee import Referee

pytestmark = [pytest.mark.virtual_clock, pytest.mark.usefixtures("small_games")]

CLOCK = TimeControl.parse("10+1")


def setup(**more):
    return Setup(game="heap2", bots=("ann", "bob"), options={"stones": 5}, time=CLOCK, **more)


async def play(script, agreed, bots, *coming):
    channel = script.channel(list(bots))
    for heard in coming:
        channel.hear(heard, heard.at)
    happened = await script.events(Referee().play("m", agreed, channel))
    return channel, happened, happened[-1].result


def summary(result):
    return result.termination, result.reason, result.seat


async def test_who_is_never_ready_loses_to_who_is(script):
    channel, happened, result = await play(script, setup(ready_ms=8000), [script.silent, script.player()])
    assert summary(result) == ("stalled", "never-ready", 0)
    assert result.scores == [0.0, 1.0]
    assert len(happened) == 1
    assert channel.posted[-1][0] == 1008.0


@pytest.mark.parametrize(("ready", "termination"), [(8.0, "rule"), (8.001, "stalled")])
async def test_ready_at_the_last_moment(script, ready, termination):
    agreed = setup(ready_ms=8000)
    assert (await play(script, agreed, [script.player(ready=ready), script.player()]))[2].termination == termination


async def test_if_nobody_gets_ready_nobody_wins(script):
    channel, happened, result = await play(script, setup(), [script.silent, script.silent])
    assert summary(result) == ("adjudicated", "nobody-ready", None)
    assert result.scores == [0.5, 0.5]
    assert [type(event).__name__ for event in happened] == ["Finished"]
    assert channel.kinds(0) == ["GameMessage", "Over"]


async def test_if_both_crash_before_the_start_the_reason_has_their_last_lines(script):
    early = [Said(seat, Error("crashed", f"Traceback\nKeyError: {seat}\n", match="m"), 1000.5) for seat in (0, 1)]
    result = (await play(script, setup(), [script.silent, script.silent], *early))[2]
    assert result.reason == "nobody-ready"
    assert result.detail == "seat 0 bot-crashed (KeyError: 0), seat 1 bot-crashed (KeyError: 1)"


async def test_who_resigns_before_the_start_loses_if_the_other_is_there(script):
    early = Said(0, Resign("m"), 1000.5)
    assert summary((await play(script, setup(), [script.silent, script.player(ready=2)], early))[2])[0] == "resigned"
    assert (await play(script, setup(), [script.silent, script.silent], early))[2].reason == "nobody-ready"


async def test_what_a_bot_says_when_it_resigns_is_in_the_result(script):
    early = Said(0, Resign("m", "no move after 3 answers"), 1000.5)
    result = (await play(script, setup(), [script.silent, script.player(ready=2)], early))[2]
    assert (result.reason, result.seat, result.detail) == ("resigned", 0, "no move after 3 answers")


async def test_time_away_is_not_time_to_prepare(script):
    coming = [Left(0, 1001.0), Joined(0, 1021.0), Said(0, Ready("m"), 1027.9)]
    bots = [script.silent, script.player()]
    channel, happened, result = await play(script, setup(ready_ms=8000), bots, *coming)
    assert [type(event).__name__ for event in happened[:3]] == ["Absent", "Back", "Started"]
    assert len(channel.to(0, GameMessage)) == 2
    assert summary(result) == ("time", "flag-fell", 0)


async def test_who_does_not_come_back_before_the_start_is_disconnected(script):
    agreed = setup(grace_ms=3000)
    assert summary((await play(script, agreed, [script.silent, script.player()], Left(0, 1001.0)))[2]) == (
        "disconnected",
        "grace-over",
        0,
    )


async def test_a_bot_that_was_ready_and_leaves_does_not_hold_up_the_start(script):
    coming = [Left(0, 1001.0), Joined(0, 1006.0)]
    bots = [script.player(think=7.0), script.player(ready=2.0)]
    _, happened, result = await play(script, setup(), bots, *coming)
    assert [type(event).__name__ for event in happened[:4]] == ["Absent", "Started", "Back", "Played"]
    assert result.termination == "time"  # only the first move comes in time: think=7 is too long for the second


async def test_who_is_expelled_before_the_start_has_lost(script):
    out = Expelled(0, "revoked", "token-revoked", "the token of a has been revoked", 1001.0)
    _, _, result = await play(script, setup(), [script.silent, script.player()], out)
    assert summary(result) == ("revoked", "token-revoked", 0)
    assert result.detail == "the token of a has been revoked"
