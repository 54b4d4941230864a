"""A match: what is said in which order, what a move may be, and every way to end it but by time."""

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from palio_rules.contract.messages import (
    Error,
    GameMessage,
    Hello,
    Info,
    Move,
    Over,
    Played,
    Ready,
    Rejected,
    Resign,
    Turn,
)
from palio_rules.errors import WireError
from palio_rules.records.record import Ply, Setup
from palio_rules.time_control import TimeControl
from palio_server.match import events
from palio_server.match.channel import Garbled, Said, Stopped
from palio_server.match.referee import Referee

pytestmark = [pytest.mark.virtual_clock, pytest.mark.usefixtures("small_games")]

TWO = Setup(game="heap2", bots=("ann", "bob"), options={"stones": 5}, time=TimeControl.parse("10+1"))


def one(turn):
    return 1


async def run(script, setup, *bots, **kwargs):
    channel = script.channel(bots)
    happened = await script.events(Referee().play("m", setup, channel, **kwargs))
    assert isinstance(happened[-1], events.Finished)
    return channel, happened, happened[-1].result


async def test_a_match_from_the_first_message_to_the_last(script):
    channel, happened, result = await run(script, TWO, script.player(), script.player())
    assert [type(event).__name__ for event in happened] == ["Started", *["Played"] * 5, "Finished"]
    assert channel.kinds(0) == ["GameMessage", *["Turn", "Played", "Played"] * 2, "Turn", "Played", "Over"]
    assert channel.kinds(1) == ["GameMessage", *["Played", "Turn", "Played"] * 2, "Played", "Over"]
    assert (result.termination, result.reason, result.scores, result.seat) == ("rule", "last-stone", [1.0, 0.0], None)
    assert channel.to(1, Over)[0].outcome == result
    assert [event.number for event in happened[1:-1]] == [1, 2, 3, 4, 5]


async def test_with_time_odds_each_bot_is_told_its_own_time_and_limit(script):
    odds = replace(TWO, times=(TimeControl.parse("2/60"), TimeControl.parse(st="0.5")))
    channel, happened, _ = await run(script, odds, script.player(), script.player())
    assert [channel.to(seat, GameMessage)[0].time for seat in (0, 1)] == list(odds.times)
    first, second = channel.to(0, Turn), channel.to(1, Turn)
    assert [(turn.limit_ms, turn.moves_to_go) for turn in first] == [(60_000, 2), (59_900, 1), (119_800, 2)]
    assert [(turn.limit_ms, turn.moves_to_go) for turn in second] == [(500, UNSET), (500, UNSET)]
    assert happened[0].clocks_ms == [60_000, None]


async def test_what_a_bot_is_told_of_its_game_and_its_turn(script):
    channel, _, _ = await run(script, TWO, script.player(), script.player())
    game, turn = channel.to(1, GameMessage)[0], channel.to(1, Turn)[0]
    assert (game.seat, game.setup, game.game, game.options) == (1, "5 0,1 2", "heap2", {"stones": 5})
    assert [(seat.name, seat.bot) for seat in game.seats] == [("first", "ann"), ("second", "bob")]
    assert (game.time, game.strikes) == (TWO.time, 3)
    assert (turn.ply, turn.state, turn.moves) == (1, "4 1,0 2", [1, 2, 3])
    assert turn.id == 1_000_002
    assert turn.clocks_ms == [10_900, 10_000]
    assert turn.limit_ms == 10_000
    assert channel.to(0, Played)[0] == Played("m", 1, 0, 1, [10_900, 10_000])


async def test_a_bot_is_told_all_settings_also_those_that_nobody_has_changed(script):
    channel, _, _ = await run(script, Setup("breakthrough", TWO.bots, {"rows": 4}), script.silent, script.silent)
    assert channel.to(0, GameMessage)[0].options == {"rows": 4, "cols": 6, "first": "black"}


async def test_the_result_is_announced_only_when_the_consumer_has_dealt_with_it(script):
    channel = script.channel([script.player(), script.player()])
    await script.events(Referee().play("m", TWO, channel), until=lambda event: isinstance(event, events.Finished))
    assert not channel.to(0, Over)


async def test_the_clocks_run_when_the_last_bot_is_ready(script):
    channel, happened, _ = await run(script, TWO, script.player(ready=2.0), script.player(ready=7.5))
    turn_at = next(at for at, _, message in channel.posted if isinstance(message, Turn))
    assert turn_at == 1007.5
    assert happened[0].clocks_ms == [10_000, 10_000]


async def test_a_ply_remembers_its_time_and_what_the_bot_said(script):
    def thinker(channel, seat, message):
        script.player(think=0.25)(channel, seat, message) if not isinstance(message, Turn) else channel.say(
            seat, Move("m", message.id, 3, Info(depth=4)), 0.25
        )

    _, happened, _ = await run(script, TWO, thinker, script.player())
    assert (happened[1].ply.seat, happened[1].ply.move, happened[1].ply.ms) == (0, 3, 250)
    assert happened[1].ply.info == Info(depth=4)
    assert happened[2].ply.info is None


async def test_a_rejected_move_says_why_and_the_turn_stays_open(script):
    moves = iter([9, "x", 2])
    channel, happened, result = await run(script, TWO, rejected_then(script, moves), script.player())
    first, second = (event for event in happened if isinstance(event, events.Rejected))
    assert (first.rejected.code, first.rejected.move, first.strikes_left) == ("wrong-count", "9", 2)
    assert (second.rejected.code, second.rejected.move, second.strikes_left) == ("not-a-number", "'x'", 1)
    rejected = channel.to(0, Rejected)[0]
    assert (rejected.id, rejected.reason, rejected.strikes_left) == (1_000_001, "cannot take 9 of 5 stones", 2)
    assert rejected.clocks_ms == [9_900, 10_000]
    assert not channel.to(1, Rejected)
    assert result.termination == "rule"


def rejected_then(script, moves, think=0.1):
    """Tries `moves` one after the other, the next whenever one is rejected."""
    patient = script.player(lambda turn: next(moves, 1), think)

    def bot(channel, seat, message):
        patient(channel, seat, message)
        if isinstance(message, Rejected):
            channel.say(seat, Move("m", message.id, next(moves, 1)), think)

    return bot


async def test_strikes_are_counted_over_the_whole_match(script):
    channel, happened, result = await run(script, TWO, rejected_then(script, iter([9, 1, 9, 9])), script.player())
    assert [event.strikes_left for event in happened if isinstance(event, events.Rejected)] == [2, 1, 0]
    assert (result.termination, result.reason, result.seat) == ("illegal", "too-many-illegal-moves", 0)
    assert result.scores == [0.0, 1.0]
    assert channel.kinds(0)[-2:] == ["Rejected", "Over"]


async def test_the_same_wrong_answer_to_a_rejection_is_another_strike(script):
    _, happened, result = await run(script, TWO, rejected_then(script, iter([9, 9, 9])), script.player())
    assert sum(isinstance(event, events.Rejected) for event in happened) == 3
    assert result.termination == "illegal"


@pytest.mark.parametrize(
    ("turn", "seat", "code"),
    [
        (1_000_000, 0, "stale-id"),
        (1_000_002, 0, "unknown-id"),
        (1_000_001, 1, "not-your-turn"),
        (1_000_002, 1, "unknown-id"),
    ],
)
async def test_a_move_out_of_place_is_answered_and_costs_nothing(script, turn, seat, code):
    channel = script.channel([script.player(think=1.0), script.player(think=1.0)])
    channel.hear(Said(seat, Move("m", turn, 1), 1000.5), 1000.5)
    happened = await script.events(Referee().play("m", TWO, channel))
    assert [(error.code, error.id, error.match) for error in channel.to(seat, Error)] == [(code, turn, "m")]
    assert happened[-1].result.termination == "rule"
    assert not any(isinstance(event, events.Rejected) for event in happened)


async def test_a_move_before_the_start_is_stale(script):
    channel = script.channel([script.player(ready=1.0), script.player(ready=1.0)])
    channel.hear(Said(0, Move("m", 1, 1), 1000.5), 1000.5)
    await script.events(Referee().play("m", TWO, channel))
    assert channel.to(0, Error)[0].code == "stale-id"


async def test_a_doubled_move_is_played_once(script):
    def twice(channel, seat, message):
        script.player()(channel, seat, message)
        if isinstance(message, Turn):
            channel.say(seat, Move("m", message.id, 1), 0.1)

    channel, happened, result = await run(script, TWO, twice, twice)
    assert sum(isinstance(event, events.Played) for event in happened) == 5
    assert not channel.to(0, Error)
    assert result.termination == "rule"


async def test_a_repeated_move_gets_the_same_answer_again_whatever_it_says_now(script):
    def again(channel, seat, message):
        script.player(think=1.0)(channel, seat, message)
        if isinstance(message, Played) and message.seat == seat == 0 and message.ply == 1:
            for delay, move in ((0.1, 1), (0.2, 3), (0.3, "nonsense")):
                channel.say(0, Move("m", 1_000_001, move), delay)

    def once(channel, seat, message):
        if not (isinstance(message, Played) and len(channel.to(0, Played)) > 1):
            again(channel, seat, message)

    channel, happened, result = await run(script, TWO, once, script.player(think=1.0))
    assert [played for played in channel.to(0, Played) if played.ply == 1] == [channel.to(0, Played)[0]] * 4
    assert not channel.to(0, Error)
    assert sum(isinstance(event, events.Played) for event in happened) == 5
    assert not any(isinstance(event, events.Rejected) for event in happened)
    assert result.termination == "rule"


async def test_after_a_restart_the_journal_knows_which_move_is_repeated(script):
    channel = script.channel([script.player(think=1.0), script.player(think=1.0)])
    repeated = [(0, 1_000_001), (1, 1_000_002), (0, 1_000_002), (0, 2_000_001), (0, 3_000_001)]
    for seat, turn in repeated:
        channel.hear(Said(seat, Move("m", turn, 1), 1000.5), 1000.5)
    journal = [Ply(0, 1, 1000), Ply(1, 2, 500)]
    await script.events(Referee().play("m", TWO, channel, epoch=2, journal=journal))
    assert next(turn.id for turn in channel.to(0, Turn)) == 2_000_003
    assert [(each.ply, each.move) for each in channel.to(0, Played)][:2] == [(1, 1), (1, 1)]
    assert next((each.ply, each.move, each.clocks_ms) for each in channel.to(1, Played)) == (2, 2, [10_000, 10_500])
    assert [(error.id, error.code) for error in channel.to(0, Error)] == [
        (1_000_002, "stale-id"),
        (3_000_001, "unknown-id"),
    ]


async def test_a_message_for_another_match_is_refused(script):
    channel = script.channel([script.player(think=1.0), script.player(think=1.0)])
    for message in (Move("other", 1_000_001, 1), Resign("other")):
        channel.hear(Said(0, message, 1000.5), 1000.5)
    happened = await script.events(Referee().play("m", TWO, channel))
    assert [error.code for error in channel.to(0, Error)] == ["unknown-match"] * 2
    assert happened[-1].result.termination == "rule"


async def test_surplus_readies_and_errors_are_not_answered_a_hello_is(script):
    channel = script.channel([script.player(think=1.0), script.player(think=1.0)])
    for message in (Ready("m"), Error("oops", "what?"), Hello("ann", ["heap2"])):
        channel.hear(Said(0, message, 1000.5), 1000.5)
    await script.events(Referee().play("m", TWO, channel))
    assert [error.code for error in channel.to(0, Error)] == ["unexpected"]


@pytest.mark.parametrize("at", [1000.05, 1000.15])
async def test_a_bot_may_resign_at_any_time(script, at):
    channel = script.channel([script.player(), script.player()])
    channel.hear(Said(1, Resign("m"), at), at)
    result = (await script.events(Referee().play("m", TWO, channel)))[-1].result
    assert (result.termination, result.seat, result.scores) == ("resigned", 1, [1.0, 0.0])


async def test_a_crash_is_kept_with_the_end_of_its_traceback(script):
    channel = script.channel([script.player(), script.player()])
    channel.hear(Said(0, Error("crashed", "x" * 9000 + "ZeroDivisionError", match="m"), 1000.05), 1000.05)
    result = (await script.events(Referee().play("m", TWO, channel)))[-1].result
    assert (result.termination, result.seat) == ("crashed", 0)
    assert result.detail.endswith("ZeroDivisionError")
    assert len(result.detail) <= 4000


async def test_the_operator_stops_a_match_as_a_draw(script):
    channel = script.channel([script.player(), script.silent])
    channel.bots = [script.player(), script.player(think=100)]
    channel.hear(Stopped("power cut"), 1003.0)
    result = (await script.events(Referee().play("m", TWO, channel)))[-1].result
    assert (result.termination, result.reason, result.scores) == ("adjudicated", "power cut", [0.5, 0.5])


async def test_a_match_that_does_not_end_is_a_draw_at_its_ply_cap(script):
    setup = Setup(game="heap2", bots=("ann", "bob"), options={"stones": 500}, max_plies=6)
    _, happened, result = await run(script, setup, script.player(one), script.player(one))
    assert sum(isinstance(event, events.Played) for event in happened) == 6
    assert (result.termination, result.reason, result.scores) == ("adjudicated", "ply-cap", [0.5, 0.5])


async def test_a_win_with_the_last_ply_that_the_cap_allows_is_a_win(script):
    setup = Setup(game="heap2", bots=("ann", "bob"), options={"stones": 5}, max_plies=5)
    assert (await run(script, setup, script.player(one), script.player(one)))[2].termination == "rule"


async def test_nonsense_is_answered_and_too_much_of_it_loses(script):
    channel = script.channel([script.player(think=9.0), script.player()])
    for number in range(20):
        channel.hear(Garbled(0, WireError("unreadable", "not MessagePack"), 1001.0 + number / 10), 1001.0 + number / 10)
    result = (await script.events(Referee().play("m", TWO, channel)))[-1].result
    assert (result.termination, result.reason, result.seat) == ("illegal", "too-many-bad-messages", 0)
    assert [error.code for error in channel.to(0, Error)] == ["unreadable"] * 19


async def test_a_flood_of_useless_messages_loses(script):
    channel = script.channel([script.player(think=9.0), script.player()])
    for _ in range(1000):
        channel.hear(Said(1, Ready("m"), 1001.0), 1001.0)
    result = (await script.events(Referee().play("m", TWO, channel)))[-1].result
    assert (result.termination, result.reason, result.seat) == ("illegal", "flood", 1)


async def test_useless_messages_between_many_plies_are_no_flood(script):
    """Each move comes thrice: over a long match these are more than a flood's, but few between two plies."""
    setup = Setup(game="heap2", bots=("ann", "bob"), options={"stones": 250})
    channel = script.channel([script.player(one, think=0.1), script.player(one)])
    for ply in range(1, 251, 2):
        for _ in range(2):
            at = 1000.05 + 0.1 * ply
            channel.hear(Said(0, Ready("m"), at), at)
    happened = await script.events(Referee().play("m", setup, channel))
    assert happened[-1].result.termination == "rule"


async def test_a_game_with_too_many_moves_lists_none(script, monkeypatch):
    monkeypatch.setattr("palio_server.match.turns.MAX_LISTED", 2)
    channel, _, _ = await run(script, TWO, script.player(one), script.player(one))
    assert [turn.moves for turn in channel.to(0, Turn)] == [None, None, [1]]


async def test_moves_that_are_tuples_are_listed_as_they_are(script):
    from palio_rules.contract.codec import decode_from_server, encode

    setup = Setup(game="breakthrough", bots=("ann", "bob"), max_plies=1)
    first = script.player(lambda turn: turn.moves[0])
    channel, happened, _ = await run(script, setup, first, first)
    turn = decode_from_server(encode(channel.to(0, Turn)[0]))
    assert turn.moves[0] == [[1, 0], [2, 0]]
    assert happened[1].ply.move == [[1, 0], [2, 0]]


async def test_a_fault_in_the_rules_is_the_arenas_business(script):
    setup = Setup(game="broken_heap", bots=("ann", "bob"))
    with pytest.raises(ZeroDivisionError):
        await run(script, setup, script.player(lambda turn: 13), script.player())


@pytest.mark.parametrize(
    "setup",
    [
        Setup(game="heap2", bots=("ann",)),
        Setup(game="heap2", bots=("ann", "bob"), options={"stones": -1}),
        Setup(game="heap2", bots=("ann", "bob"), opening=(7,)),
        Setup(game="nim", bots=("ann", "bob")),
    ],
)
async def test_a_match_that_cannot_be_played_raises_before_anybody_is_told(script, setup):
    channel = script.channel()
    with pytest.raises(ValueError):
        await script.events(Referee().play("m", setup, channel))
    assert not channel.posted


async def test_an_opening_that_ends_the_game_needs_no_bots(script):
    setup = Setup(game="heap2", bots=("ann", "bob"), options={"stones": 3}, opening=(3,))
    _, happened, result = await run(script, setup, script.silent, script.silent)
    assert len(happened) == 1
    assert (result.termination, result.scores) == ("rule", [1.0, 0.0])
