"""Turns: deadlines to the tick, turns that are sent again, absences and their grace."""

import pytest
from msgspec import UNSET

from palio_rules.contract.messages import Absent, Back, Error, Move, Over, Rejected, Turn
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl
from palio_server.match import events
from palio_server.match.channel import UNREADABLE, Expelled, Joined, Left, Said
from palio_server.match.referee import Referee

pytestmark = [pytest.mark.virtual_clock, pytest.mark.usefixtures("small_games")]

CLOCK = TimeControl.parse("10+1")  # its margin is 200 ms
FIRST = 1_000_001  # the id of the first turn, posted at 1000.0


def setup(time=CLOCK, stones=5, **more):
    return Setup(game="heap2", bots=("ann", "bob"), options={"stones": stones}, time=time, **more)


async def play(script, agreed, bots, *coming):
    channel = script.channel(list(bots))
    for heard in coming:
        channel.hear(heard, heard.at)
    happened = await script.events(Referee().play("m", agreed, channel))
    return channel, happened, happened[-1].result


def summary(result):
    return result.termination, result.reason, result.seat


# --- deadlines -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("think", [10.0, 10.1, 10.199, 10.2])
async def test_up_to_the_end_of_the_margin_a_move_counts(script, think):
    _, happened, _ = await play(script, setup(), [script.player(think=think), script.player()])
    assert isinstance(happened[1], events.Played)
    assert happened[1].clocks_ms == [1000, 10_000]  # nothing left but the increment: the margin is not owed
    assert happened[1].ply.ms == round(think * 1000)


@pytest.mark.parametrize("think", [10.2001, 10.201])
async def test_one_tick_later_the_flag_has_fallen(script, think):
    channel, happened, result = await play(script, setup(), [script.player(think=think), script.player()])
    assert summary(result) == ("time", "flag-fell", 0)
    assert happened[-1].clocks_ms == [0, 10_000]
    assert channel.posted[-1][0] == 1010.2  # not when the late move came


async def test_a_message_counts_by_its_arrival_even_if_the_referee_is_late(script):
    class Busy(script.channel):
        async def next(self, deadline):
            heard = await super().next(deadline)
            if isinstance(heard, Said) and isinstance(heard.message, Move):
                import asyncio

                await asyncio.sleep(30)  # the loop was busy with something else
            return heard

    channel = Busy([script.player(think=1.0), script.player(think=1.0)])
    happened = await script.events(Referee().play("m", setup(), channel))
    assert [event.ply.ms for event in happened if isinstance(event, events.Played)] == [1000] * 5


async def test_a_late_message_does_not_count_even_if_the_referee_is_later(script):
    class Busy(script.channel):
        async def next(self, deadline):
            if isinstance(self.posted[-1][2], Turn):
                deadline = self.now + 60  # the referee is not called in time
            return await super().next(deadline)

    channel = Busy([script.player(think=10.3), script.player()])
    happened = await script.events(Referee().play("m", setup(), channel))
    assert summary(happened[-1].result) == ("time", "flag-fell", 0)


async def test_of_an_answer_that_could_not_be_read_the_result_has_the_text(script):
    said = "wrote 'b1', which is no message"
    plays = script.player()

    def garbles(channel, seat, message):
        if isinstance(message, Turn):
            channel.say(seat, Error(UNREADABLE, said), 0.1)
        else:
            plays(channel, seat, message)

    _, _, result = await play(script, setup(), [garbles, plays])
    assert (*summary(result), result.detail) == ("time", "flag-fell", 0, said)


async def test_a_limit_a_move(script):
    _, _, result = await play(script, setup(TimeControl.parse(st="0.5")), [script.player(), script.player(think=0.71)])
    assert summary(result) == ("time", "move-limit", 1)


async def test_where_no_clock_runs_a_turn_cannot_stay_unanswered_for_ever(script):
    agreed = setup(TimeControl(), stall_ms=20_000)
    channel, _, result = await play(script, agreed, [script.player(think=21), script.player()])
    assert summary(result) == ("stalled", "no-answer", 0)
    assert channel.posted[-1][0] == 1020.0


async def test_where_no_clock_runs_a_wrong_answer_is_an_answer(script):
    agreed = setup(TimeControl(), stall_ms=20_000)
    wrong = [Said(0, Move("m", FIRST, 9), 1015.0), Said(0, Move("m", FIRST, 1), 1034.9)]
    _, happened, _ = await play(script, agreed, [script.player(think=99), script.player()], *wrong)
    assert isinstance(happened[2], events.Played)


async def test_the_clock_runs_on_after_a_rejection(script):
    coming = [Said(0, Move("m", FIRST, 9), 1004.0), Said(0, Move("m", FIRST, 1), 1007.0)]
    channel, happened, _ = await play(script, setup(), [script.player(think=99), script.player()], *coming)
    assert channel.to(0, Rejected)[0].clocks_ms == [6000, 10_000]
    assert happened[1].clocks_ms == [6000, 10_000]
    assert (happened[2].ply.ms, happened[2].clocks_ms) == (7000, [4000, 10_000])


async def test_a_rejection_does_not_move_the_deadline(script):
    coming = [Said(0, Move("m", FIRST, 9), 1010.1)]
    channel, _, result = await play(script, setup(), [script.player(think=99), script.player()], *coming)
    assert summary(result) == ("time", "flag-fell", 0)
    assert channel.posted[-1][0] == 1010.2


# --- turns that are sent again ---------------------------------------------------------------------------------------


async def test_an_unanswered_turn_is_sent_again_every_five_seconds_with_what_is_left(script):
    channel, _, _ = await play(script, setup(TimeControl.parse("20")), [script.player(think=12), script.player()])
    sent = [
        (at, turn.id, turn.limit_ms, turn.clocks_ms[0]) for at, to, turn in channel.posted if isinstance(turn, Turn)
    ]
    assert sent[:3] == [
        (1000.0, FIRST, 20_000, 20_000),
        (1005.0, FIRST, 15_000, 15_000),
        (1010.0, FIRST, 10_000, 10_000),
    ]


async def test_the_echo_of_a_rejected_move_after_the_turn_was_sent_again_is_no_second_strike(script):
    wrong = [Said(0, Move("m", FIRST, 9), at) for at in (1001.0, 1006.1, 1006.2)]
    coming = [*wrong, Said(0, Move("m", FIRST, 1), 1007.0)]
    channel, happened, _ = await play(script, setup(), [script.player(think=99), script.player()], *coming)
    assert [rejected.strikes_left for rejected in channel.to(0, Rejected)] == [2, 2, 1]
    assert [rejected.clocks_ms[0] for rejected in channel.to(0, Rejected)] == [9000, 3900, 3800]
    assert sum(isinstance(event, events.Rejected) for event in happened) == 2


# --- absences --------------------------------------------------------------------------------------------------------


async def test_an_absence_is_told_to_the_others_and_on_return_game_and_turn_come_again(script):
    coming = [Left(0, 1001.0), Joined(0, 1004.0)]
    channel, happened, _ = await play(script, setup(), [script.player(think=6.0), script.player()], *coming)
    assert happened[1:3] == [events.Absent(0, 30_000), events.Back(0, 27_000)]
    assert channel.to(1, Absent) == [Absent("m", 0, 30_000)]
    assert channel.to(1, Back) == [Back("m", 0, 27_000)]
    assert not channel.to(0, Absent)
    assert channel.kinds(0)[:4] == ["GameMessage", "Turn", "GameMessage", "Turn"]
    again = channel.to(0, Turn)[1]
    assert (again.id, again.limit_ms, again.clocks_ms) == (FIRST, 6000, [6000, 10_000])
    assert happened[3].ply.ms == 6000  # the clock ran on


async def test_a_storm_of_absences_is_told_in_a_few_words_and_costs_exactly_what_it_costs(script):
    storm = [(Joined if number % 2 else Left)(0, 1001.0 + 0.01 * number) for number in range(240)]
    coming = [*storm, Left(0, 1003.5)]
    bots = [script.player(think=15), script.player()]
    agreed = setup(TimeControl.parse("60"), grace_ms=10_000)
    channel, happened, result = await play(script, agreed, bots, *coming)
    told = [(at, type(message), message.grace_ms) for at, seat, message in channel.posted if seat == 1
            and isinstance(message, Absent | Back)]  # fmt: skip
    assert len(told) == 7
    absent_at, kind, grace_ms = told[-1]
    assert kind is Absent, "the last state arrives"
    assert round(absent_at + grace_ms / 1000, 3) == 1012.3, "and says what is left then"
    assert sum(isinstance(event, events.Absent | events.Back) for event in happened) == 7
    assert summary(result) == ("disconnected", "grace-over", 0)
    assert round(channel.posted[-1][0], 3) == 1012.3, "1.2 s of the ten were gone before"


async def test_grace_is_over(script):
    bots = [script.player(think=2), script.player()]
    channel, _, result = await play(script, setup(grace_ms=5000), bots, Left(1, 1001.0))
    assert summary(result) == ("disconnected", "grace-over", 1)
    assert channel.posted[-1][0] == 1006.0


async def test_all_absences_share_the_grace(script):
    coming = [Left(1, 1001.0), Joined(1, 1004.0), Left(1, 1005.0)]
    bots = [script.player(think=9), script.player()]
    channel, _, result = await play(script, setup(grace_ms=5000), bots, *coming)
    assert summary(result) == ("disconnected", "grace-over", 1)
    assert channel.posted[-1][0] == 1007.0


@pytest.mark.parametrize(
    ("grace_ms", "expected"),
    [
        (9_100, ("disconnected", "grace-over", 0)),
        (9_200, ("time", "flag-fell", 0)),  # both at 1010.2: the flag counts
        (9_300, ("time", "flag-fell", 0)),
    ],
)
async def test_of_flag_and_grace_the_earlier_wins(script, grace_ms, expected):
    bots = [script.player(think=99), script.player()]
    assert summary((await play(script, setup(grace_ms=grace_ms), bots, Left(0, 1001.0)))[2]) == expected


async def test_of_two_absent_bots_the_one_whose_grace_ends_first_loses(script):
    bots = [script.player(think=9), script.player()]
    coming = [Left(1, 1001.0), Left(0, 1001.5)]
    assert summary((await play(script, setup(grace_ms=5000), bots, *coming))[2]) == ("disconnected", "grace-over", 1)


@pytest.mark.parametrize(("at", "termination"), [(1006.0, "rule"), (1006.001, "disconnected")])
async def test_back_at_the_last_moment(script, at, termination):
    bots = [script.player(think=7), script.player()]
    agreed = setup(TimeControl.parse("60"), grace_ms=5000)
    assert (await play(script, agreed, bots, Left(1, 1001.0), Joined(1, at)))[2].termination == termination


async def test_a_second_connection_is_greeted_without_an_absence(script):
    channel, happened, _ = await play(script, setup(), [script.player(think=3), script.player()], Joined(0, 1001.0))
    assert not any(isinstance(event, events.Back) for event in happened)
    assert channel.kinds(0)[:4] == ["GameMessage", "Turn", "GameMessage", "Turn"]
    assert len(channel.to(0, Over)) == 1
    assert not channel.to(0, Error)


async def test_an_expelled_bot_forfeits_at_once(script):
    out = Expelled(0, "crashed", "memory-used-up", "memory 1G used up", 1000.5)
    _, _, result = await play(script, setup(), [script.player(think=3.0), script.player()], out)
    assert summary(result) == ("crashed", "memory-used-up", 0)
    assert result.detail == "memory 1G used up"


# --- engines, whose first rejected move loses ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lenient", "end"), [(UNSET, ("illegal", "illegal-move", 0)), (True, ("rule", "last-stone", None))]
)
async def test_a_bot_that_says_so_loses_by_a_rejected_move_unless_all_have_strikes(script, lenient, end):
    admitted = Said(0, Error("illegal-move", "cannot take 9 stones", match="m"), 1000.5)
    _, _, result = await play(script, setup(lenient=lenient), [script.player(), script.player()], admitted)
    assert summary(result)[:2] == end[:2]
    assert result.detail == ("cannot take 9 stones" if end[2] == 0 else "")
