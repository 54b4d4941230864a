"""An anytime race ends when no entrant can improve: one with a proven best solution is done at once."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from palio_rules.contract.messages import Error, Finish, GameMessage, Move, Over, Played, Ready, Rejected, Resign, Turn
from palio_rules.records import Ply, Record, Setup, fault
from palio_rules.time_control import TimeControl
from palio_server.match import events
from palio_server.match.channel import Joined, Left, Said
from palio_server.match.referee import Referee

TOUR = Setup("tsp", ("ann", "bob"), options={"distances": [10, 15, 20, 35, 25, 30]}, time=TimeControl.parse(st="5"))
LONG, BEST = [0, 1, 2, 3], [0, 1, 3, 2]  # 95; 80, and no tour is shorter
DONE = Finish("adjudicated", "proven-optimal", 80.0)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


async def race(script, bots, *coming, setup=TOUR, **kwargs):
    channel = script.channel(list(bots))
    for heard in coming:
        channel.hear(heard, heard.at)
    happened = await script.events(Referee().play("m", setup, channel, **kwargs))
    return channel, happened, happened[-1].result


def tours(script, *wanted, think=0.5):
    """A bot that submits these, one after the other, and then thinks without end."""
    left = list(wanted)

    def bot(channel, seat, message):
        if isinstance(message, GameMessage):
            channel.say(seat, Ready(message.match))
        elif isinstance(message, Turn | Rejected) and left:
            channel.say(seat, Move(message.match, message.id, left.pop(0)), think)

    return bot


def plies(happened):
    return tuple(event.ply for event in happened if isinstance(event, events.Played | events.Forfeited))


def ended(channel):
    """When each entrant was told the end."""
    return [when for when, _, message in channel.posted if isinstance(message, Over)]


@pytest.mark.virtual_clock
async def test_a_race_is_over_when_all_solutions_are_proven_to_be_the_best(script):
    channel, happened, result = await race(script, [tours(script, LONG, BEST), tours(script, BEST, think=0.7)])
    assert ended(channel) == [1001.0] * 2  # its time would have been over at 1005.2
    assert (result.termination, result.reason, result.scores) == ("rule", "ranked", [0.5, 0.5])
    assert result.finishes == [DONE, DONE]
    assert [ply.out for ply in plies(happened)] == [None] * 3  # no entrant has left
    assert [over.outcome.reason for seat in (0, 1) for over in channel.to(seat, Over)] == ["proven-optimal"] * 2
    assert fault(Record("m", TOUR, plies(happened), result, NOW, NOW)) is None


@pytest.mark.virtual_clock
async def test_of_equal_costs_that_are_proven_the_faster_is_ahead_if_the_event_says_so(script):
    bots = [tours(script, LONG, BEST), tours(script, BEST, think=0.7)]
    _, _, result = await race(script, bots, setup=replace(TOUR, by_time=True))
    assert result.scores == [0.0, 1.0]


@pytest.mark.virtual_clock
async def test_who_is_done_gets_no_turn_and_loses_nothing_while_the_others_go_on(script):
    late = [Said(0, Move("m", 1_000_001, LONG), 1002.0), Left(0, 1002.5), Joined(0, 1003.0)]
    channel, happened, result = await race(script, [tours(script, BEST), tours(script, LONG)], *late)
    assert len(channel.to(0, Turn)) == 1
    assert not channel.to(0, Error)
    assert [played.ply for played in channel.to(0, Played)] == [1, 1]  # the same answer again
    assert result.finishes == [DONE, Finish("time", "best-tour", 95.0)]
    assert result.scores == [1.0, 0.0]
    assert ended(channel) == [1005.2] * 2  # with the margin
    assert [ply.out for ply in plies(happened)] == [None, None, "time"]


@pytest.mark.virtual_clock
async def test_a_race_is_over_when_the_last_who_is_not_done_resigns(script):
    resign = Said(1, Resign("m"), 1002.0)
    channel, _, result = await race(script, [tours(script, BEST), tours(script, LONG)], resign)
    assert result.finishes == [DONE, Finish("resigned", "best-tour", 95.0)]
    assert ended(channel) == [1002.0] * 2


@pytest.mark.virtual_clock
async def test_where_nothing_is_proven_the_race_goes_on_after_the_best_tour(script):
    setup = replace(TOUR, options={"distances": [10, 15, 20, 35, 25.5, 30]})
    channel, _, result = await race(script, [tours(script, BEST), tours(script, BEST)], setup=setup)
    assert result.finishes == [Finish("time", "best-tour", 80.5)] * 2
    assert ended(channel) == [1005.2] * 2


@pytest.mark.virtual_clock
async def test_who_was_done_before_a_restart_stays_done(script):
    journal = [Ply(0, LONG, 400), Ply(1, LONG, 300), Ply(0, BEST, 100)]
    channel, happened, result = await race(script, [script.silent, tours(script, BEST)], epoch=2, journal=journal)
    assert not channel.to(0, GameMessage)  # it has nothing to get ready for
    assert result.finishes == [DONE, DONE]
    assert fault(Record("m", TOUR, (*journal, *plies(happened)), result, NOW, NOW)) is None


@pytest.mark.virtual_clock
async def test_a_race_in_which_all_were_done_before_a_restart_is_told_at_once(script):
    journal = [Ply(0, BEST, 400), Ply(1, BEST, 300)]
    channel, happened, result = await race(script, [script.silent] * 2, epoch=2, journal=journal)
    assert [type(event) for event in happened] == [events.Finished]
    assert result.finishes == [DONE, DONE]
    assert [len(channel.to(seat, Over)) for seat in (0, 1)] == [1, 1]


@pytest.mark.virtual_clock
async def test_the_last_solution_that_may_be_submitted_can_be_proven(script):
    bots = [tours(script, BEST), tours(script, BEST)]
    _, _, result = await race(script, bots, setup=replace(TOUR, max_plies=1))
    assert result.finishes == [DONE, DONE]


answers = st.lists(st.permutations(range(4)).map(list), max_size=6)


@settings(max_examples=settings().max_examples // 4)
@given(first=answers, second=answers, kill=st.integers(0, 12), by_time=st.booleans())
def test_a_race_that_is_killed_anywhere_ends_as_if_nothing_had_happened(
    virtually, script, first, second, kill, by_time
):
    setup = replace(TOUR, by_time=by_time)
    _, whole, result = virtually(race(script, [tours(script, *first), tours(script, *second)], setup=setup))
    done = plies(whole)[:kill]
    left = [each[sum(ply.seat == seat for ply in done) :] for seat, each in enumerate((first, second))]
    bots = [tours(script, *each) for each in left]
    _, rest, again = virtually(race(script, bots, setup=setup, epoch=2, journal=done))
    assert again == result
    assert fault(Record("m", setup, (*done, *plies(rest)), again, NOW, NOW)) is None
