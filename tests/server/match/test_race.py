"""A race: every entrant alone with the same instance, all at once, ranked by cost."""

from datetime import UTC, datetime

import msgspec
import pytest
from msgspec.structs import replace

from palio_rules.contract.messages import (
    Absent,
    Error,
    Finish,
    GameMessage,
    Move,
    Over,
    Played,
    Ready,
    Rejected,
    Resign,
    Turn,
)
from palio_rules.records import Ply, Record, RejectedMove, Setup, fault
from palio_rules.time_control import TimeControl
from palio_server.match import events
from palio_server.match.channel import Joined, Left, Said, Stopped
from palio_server.match.referee import Referee

pytestmark = pytest.mark.virtual_clock

PARK = Setup("rush_hour", ("ann", "bob", "cid"), options={"board": "b.../b.../aa.c/.d.."}, time=TimeControl.parse("10"))
# of distances that are no integers nothing is proven, so that the race goes on after the shortest tour
COURSE = {"distances": [10, 15.5, 20, 35, 25, 30]}
TOUR = Setup("tsp", ("ann", "bob"), options=COURSE, time=TimeControl.parse(st="5"))


async def race(script, bots, *coming, setup=PARK, **kwargs):
    channel = script.channel(list(bots))
    for heard in coming:
        channel.hear(heard, getattr(heard, "at", 1001.0))
    happened = await script.events(Referee().play("m", setup, channel, **kwargs))
    return channel, happened, happened[-1].result


def moves(script, *wanted, think=0.1):
    """A bot that plays these moves, one after the other."""
    left, seen = list(wanted), {}

    def bot(channel, seat, message):
        if isinstance(message, GameMessage):
            channel.say(seat, Ready(message.match))
        elif (isinstance(message, Turn) and message.id not in seen) or isinstance(message, Rejected):
            seen[message.id] = True
            if left:
                channel.say(seat, Move(message.match, message.id, left.pop(0)), think)

    return bot


async def test_a_race_of_a_course_is_played_and_tells_kinds_of_faults(script):
    setup = PARK.with_submissions({"ann": "s1", "bob": "s2"})
    crash = Said(1, Error("crashed", "secret = 1\nKeyError: 'secret'", match="m"), 1000.05)
    channel, happened, result = await race(script, [moves(script, ["c", 1]) for _ in range(3)], crash, setup=setup)
    assert result.finishes[1].detail == "KeyError in the bot's own program"
    assert not [each for each in [*channel.posted, *happened[:-1], result] if "secret" in repr(each)]
    assert happened[-1].texts == {1: crash.message.reason}


def plies(happened):
    return [event.ply for event in happened if isinstance(event, events.Played | events.Forfeited)]


async def test_all_play_the_same_instance_at_once_and_less_cost_is_ahead(script):
    bots = [moves(script, ["a", 1], ["c", 1]), moves(script, ["c", -1]), moves(script, ["c", 1], think=0.3)]
    _, happened, result = await race(script, bots)
    assert [(ply.seat, ply.move, ply.ms) for ply in plies(happened)] == [
        (0, ["a", 1], 100),
        (1, ["c", -1], 100),
        (0, ["c", 1], 100),
        (2, ["c", 1], 300),
    ]
    assert [event.number for event in happened if isinstance(event, events.Played)] == [1, 2, 3, 4]
    assert (result.termination, result.reason, result.scores) == ("rule", "ranked", [0.0, 0.75, 0.75])
    assert result.finishes == [Finish("rule", "solved", cost) for cost in (2.0, 1.0, 1.0)]


async def test_an_entrant_is_alone_with_its_puzzle(script):
    channel, _, _ = await race(script, [moves(script, ["c", 1], think=think) for think in (0.1, 0.2, 3.0)])
    for seat, bot in enumerate(PARK.bots):
        (greeting,) = channel.to(seat, GameMessage)
        assert (greeting.seat, [(each.name, each.bot) for each in greeting.seats]) == (0, [("solver", bot)])
        (turn,) = channel.to(seat, Turn)
        assert turn.clocks_ms == [10_000]
        (played,) = channel.to(seat, Played)
        assert (played.seat, played.ply) == (0, 1)
    assert len({turn.state for seat in range(3) for turn in channel.to(seat, Turn)}) == 1


async def test_at_the_end_each_hears_how_it_has_done_itself(script):
    bots = [moves(script, ["c", 1]), moves(script, ["a", 1], ["c", 1]), moves(script, ["c", 2], ["c", 2], ["c", 2])]
    channel, _, _ = await race(script, bots)
    happened = [channel.to(seat, Over)[0].outcome for seat in range(3)]
    assert [(one.termination, one.reason, one.scores) for one in happened] == [
        ("rule", "solved", [1.0]),
        ("rule", "solved", [0.5]),
        ("illegal", "too-many-illegal-moves", [0.0]),
    ]
    assert [one.detail for one in happened[:2]] == ["rank 1 of 3, a cost of 1", "rank 2 of 3, a cost of 2"]


async def test_clocks_strikes_and_crashes_touch_nobody_else(script):
    bots = [moves(script, ["c", 1], think=11), moves(script, ["x", 1], ["c", 1]), script.silent]
    crash = Said(2, Error("crashed", "Traceback: boom"), 1002.0)
    _, happened, result = await race(script, bots, Said(2, Ready("m"), 1000.5), crash)
    assert [event.rejected.seat for event in happened if isinstance(event, events.Rejected)] == [1]
    assert result.finishes == [
        Finish("time", "flag-fell", None),
        Finish("rule", "solved", 1.0),
        Finish("crashed", "bot-crashed", None, "Traceback: boom"),
    ]
    assert result.scores == [0.25, 1.0, 0.25]
    assert [(ply.seat, ply.out) for ply in plies(happened)] == [(1, None), (2, "crashed"), (0, "time")]


async def test_who_is_done_waits_for_the_others_and_can_lose_nothing_any_more(script):
    bots = [moves(script, ["c", 1]), moves(script, ["c", 1], think=5), moves(script, ["c", 1], think=6)]
    late = [Said(0, Move("m", 1_000_001, ["c", -1]), 1002.0), Left(0, 1003.0), Joined(0, 1004.0)]
    channel, happened, result = await race(script, bots, *late)
    assert not channel.to(0, Error)
    assert [played.ply for played in channel.to(0, Played)] == [1, 1]  # the same answer again
    assert [type(event) for event in happened if isinstance(event, events.Absent | events.Back)] == [
        events.Absent,
        events.Back,
    ]
    assert not channel.to(1, Absent)
    assert [finish.cost for finish in result.finishes] == [1.0, 1.0, 1.0]
    assert [when for when, seat, message in channel.posted if isinstance(message, Over)] == [1006.0] * 3


async def test_who_does_not_get_ready_is_ranked_last_and_the_others_race(script):
    _, happened, result = await race(script, [moves(script, ["c", 1]), script.silent, moves(script, ["c", 1])])
    assert result.finishes[1] == Finish("stalled", "never-ready", None)
    assert result.scores == [0.75, 0.0, 0.75]
    assert [type(event).__name__ for event in happened[:2]] == ["Forfeited", "Started"]


async def test_a_race_for_which_nobody_is_ready_has_no_result_that_counts(script):
    _, _, result = await race(script, [script.silent] * 3)
    assert (result.termination, result.reason) == ("adjudicated", "nobody-ready")


async def test_of_an_anytime_race_the_best_solution_when_time_is_over_counts(script):
    bots = [
        moves(script, [0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 1, 3], *[[0, 1, 2, 3]] * 9, think=1),
        moves(script, [0, 2, 1, 3], [3, 3], [0, 1, 2, 3], think=2),
    ]
    channel, happened, result = await race(script, bots, setup=TOUR)
    assert result.finishes == [Finish("time", "best-tour", cost) for cost in (80.5, 95.5)]
    assert result.scores == [1.0, 0.0]
    assert [ply.out for ply in plies(happened)][-2:] == ["time", "time"]
    assert not [error for seat in (0, 1) for error in channel.to(seat, Error)]  # that the time is over is no fault
    over = channel.to(0, Over)[0].outcome
    assert (over.termination, over.reason, over.scores) == ("time", "best-tour", [1.0])


async def test_the_time_of_an_anytime_race_is_for_all_of_it(script):
    channel, _, _ = await race(script, [script.player(lambda turn: [0, 1, 2, 3], 2.0)] * 2, setup=TOUR)
    assert channel.to(0, GameMessage)[0].time == TimeControl(5000)
    assert [turn.clocks_ms for turn in channel.to(0, Turn)] == [[5000], [3000], [1000]]
    assert [when for when, seat, message in channel.posted if isinstance(message, Over)] == [
        1005.2
    ] * 2  # with the margin


async def test_to_resign_from_an_anytime_race_is_to_have_no_more_to_give(script):
    resign = Said(0, Resign("m"), 1002.0)
    bots = [moves(script, [0, 1, 3, 2], [0, 1, 2, 3], think=1.5), moves(script, [0, 1, 2, 3], *[[0, 1, 2, 3]] * 5)]
    _, _, result = await race(script, bots, resign, setup=TOUR)
    assert result.finishes[0] == Finish("resigned", "best-tour", 80.5, "")


async def test_more_solutions_than_the_cap_close_an_anytime_race_with_the_best_of_them(script):
    bots = [moves(script, [0, 1, 3, 2], [0, 1, 2, 3]), moves(script, [0, 1, 2, 3], [0, 1, 2, 3])]
    _, _, result = await race(script, bots, setup=replace(TOUR, max_plies=2))
    assert result.finishes == [Finish("adjudicated", "ply-cap", 80.5), Finish("adjudicated", "ply-cap", 95.0)]
    assert result.scores == [1.0, 0.0]


async def test_a_solution_that_is_no_better_is_counted_and_timed_but_not_kept(script):
    tours = [[0, 1, 3, 2], [0, 1, 2, 3], [1, 0, 2, 3], [0, 2, 1, 3], [0, 1, 2, 3]]
    best = [[0, 2, 1, 3], [0, 1, 3, 2]]
    bots = [moves(script, *tours, think=0.5), moves(script, *best, think=0.7)]
    channel, happened, result = await race(script, bots, setup=TOUR)
    mine = [(ply.move, ply.ms, ply.out) for ply in plies(happened) if ply.seat == 0]
    assert mine == [([0, 1, 3, 2], 500, None), *[(None, 500, None)] * 4, (None, 0, "time")]
    assert [ply.move for ply in plies(happened) if ply.seat == 1] == [*best, None]
    assert [event.move for event in happened if isinstance(event, events.Played) and event.ply.move is None] == [
        None
    ] * 4
    assert [played.move for played in channel.to(0, Played)] == tours  # it is still sent its own solutions
    assert [turn.state.split(" ")[-2] for turn in channel.to(0, Turn)] == [*"012345"]
    assert [finish.cost for finish in result.finishes] == [80.5, 80.5]


async def test_an_anytime_race_goes_on_from_a_journal_without_those_that_were_no_better(script):
    journal = [Ply(0, [0, 1, 3, 2], 1000), Ply(0, None, 1500), Ply(0, None, 500)]
    bots = [moves(script, [0, 1, 2, 3]), moves(script, [0, 1, 2, 3])]
    channel, happened, result = await race(script, bots, setup=TOUR, epoch=2, journal=journal)
    first = channel.to(0, Turn)[0]
    assert (first.clocks_ms, first.state.split(" ")[-3:]) == ([2000], ["0,1,3,2", "3", "open"])
    assert [event.number for event in happened if isinstance(event, events.Played)] == [4, 5]
    assert [finish.cost for finish in result.finishes] == [80.5, 95.0]


@pytest.mark.parametrize("kept", [0, 1])
async def test_better_and_better_solutions_that_would_fill_the_record_end_the_race_with_the_best_of_them(
    script, monkeypatch, kept
):
    better = [[0, 1, 2, 3], [0, 1, 3, 2]]
    weight = sum(len(msgspec.json.encode(Ply(0, tour, 100))) for tour in better)
    monkeypatch.setattr(events, "MAX_SIZE", weight - 1)
    journal = [Ply(0, tour, 100) for tour in better[:kept]]
    bots = [moves(script, *better[kept:], *better), moves(script, [0, 1, 2, 3], *[[0, 1, 2, 3]] * 9)]
    channel, happened, result = await race(script, bots, setup=TOUR, journal=journal)
    detail = f"better and better solutions have {weight:,} bytes in the record"
    assert result.finishes[0] == Finish("adjudicated", "record-full", 80.5, detail)
    assert result.finishes[1].termination == "time"
    assert len([ply for ply in plies(happened) if ply.seat == 1]) == 11
    assert channel.to(0, Over)[0].outcome.detail == detail
    assert result.scores == [1.0, 0.0]
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert fault(Record("m", TOUR, (*journal, *plies(happened)), result, now, now)) is None


async def test_of_equal_costs_the_faster_is_ahead_if_the_event_says_so(script):
    bots = [moves(script, ["c", 1], think=think) for think in (0.2, 0.1, 0.3)]
    _, _, result = await race(script, bots, setup=replace(PARK, by_time=True))
    assert result.scores == [0.5, 1.0, 0.0]


async def test_the_operator_ends_a_race_without_a_ranking(script):
    bots = [moves(script, ["c", 1]), moves(script, ["c", 1], think=5), moves(script, ["c", 1], think=5)]
    _, _, result = await race(script, bots, Stopped("a power cut"))
    assert (result.termination, result.reason, result.scores) == ("adjudicated", "a power cut", [0.5] * 3)
    assert result.finishes[0] == Finish("rule", "solved", 1.0)
    assert result.finishes[1] == Finish("adjudicated", "a power cut", None)


async def test_one_entrant_may_race_alone(script):
    _, _, result = await race(script, [moves(script, ["c", 1])], setup=replace(PARK, bots=("ann",)))
    assert (result.scores, result.finishes) == ([1.0], [Finish("rule", "solved", 1.0)])


async def test_a_race_goes_on_from_its_journal(script):
    journal = [Ply(0, ["a", 1], 400), Ply(1, ["c", 1], 300), Ply(2, None, 0, None, "crashed")]
    rejected = [RejectedMove(0, 0, '["x",1]', "no-such-vehicle", "there is no vehicle x")]
    bots = [moves(script, ["x", 1], ["c", 1]), script.silent, script.silent]
    channel, happened, result = await race(script, bots, epoch=2, journal=journal, rejected=rejected)
    assert [(ply.seat, ply.move) for ply in plies(happened)] == [(0, ["c", 1])]
    assert [event.number for event in happened if isinstance(event, events.Played)] == [4]
    assert [event.strikes_left for event in happened if isinstance(event, events.Rejected)] == [1]
    assert channel.to(0, Turn)[0].clocks_ms == [9600]
    assert not channel.to(1, GameMessage)  # an entrant that is done has nothing to prepare
    assert [(finish.termination, finish.cost) for finish in result.finishes] == [
        ("rule", 2.0),
        ("rule", 1.0),
        ("crashed", None),
    ]


async def test_a_race_that_was_over_in_the_journal_is_told_at_once(script):
    journal = [Ply(0, ["c", 1], 400), Ply(1, ["c", 1], 300), Ply(2, None, 0, None, "crashed")]
    channel, happened, result = await race(script, [script.silent] * 3, epoch=2, journal=journal)
    assert [type(event) for event in happened] == [events.Finished]
    assert result.scores == [0.75, 0.75, 0.0]
    assert [len(channel.to(seat, Over)) for seat in range(3)] == [1, 1, 1]


@pytest.mark.parametrize(
    ("setup", "wrong"),
    [
        (replace(PARK, bots=()), "a race for 1 to 64 entrants, 0 are named"),
        (replace(PARK, bots=tuple(f"b{n}" for n in range(65))), "65 are named"),
        (replace(PARK, bots=("ann", "ann")), "a bot cannot play itself"),
        (replace(PARK, opening=(["c", 1],)), "it has no opening; give the instance"),
        (replace(PARK, options={"board": "a"}), "board='a'"),
    ],
)
async def test_a_race_that_cannot_be_held_is_refused_with_the_reason(script, setup, wrong):
    with pytest.raises(ValueError, match=wrong):
        await script.events(Referee().play("m", setup, script.channel([])))
