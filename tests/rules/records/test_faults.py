"""Records: complete enough to play again, and honest: whatever is altered afterwards is found."""

import random
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_matches import positions
from msgspec import UNSET
from msgspec.structs import replace

from palio_rules.contract.messages import Info, Result
from palio_rules.records import Ply, Record, RejectedMove, Setup, fault
from palio_rules.time_control import TimeControl

WHEN = datetime(2026, 11, 20, 21, 0, 0, 123456, tzinfo=UTC)
SEATS = {"breakthrough": "black white", "dominoes": "vertical horizontal", "end_of_the_track": "white black"}


def played(game="breakthrough", seed=1, options=None, opening=2):
    """A random match, from an opening of random moves to its end."""
    choose = random.Random(seed)
    setup = Setup(game, ("ann", "bob"), options=options or {}, time=TimeControl(10_000, 100))
    rules, state, moves, plies = setup.rules(), setup.start(), [], []
    while state.to_move is not None:
        move = choose.choice(list(state.legal_moves()))
        info = Info(depth=3, score=choose.random()) if choose.random() < 0.3 else None
        if len(moves) < opening:
            moves.append(rules.move_to_wire(move))
        else:
            plies.append(Ply(state.to_move, rules.move_to_wire(move), choose.randrange(5000), info))
        state = state.play(move)
    ended = state.outcome()
    return Record(
        "m1",
        replace(setup, opening=tuple(moves)),
        tuple(plies),
        Result("rule", ended.reason, list(ended.scores)),
        WHEN,
        WHEN,
        (RejectedMove(0, 0, "[[9,0],[9,1]]", "off-board", "row 9 is off the 6x6 board"),),
        "spring",
    )


RECORD = played()


@settings(max_examples=settings().max_examples // 5)
@given(game=st.sampled_from(sorted(SEATS)), seed=st.integers(0, 10**6))
def test_a_record_reproduces_and_survives_json(game, seed):
    record = played(game, seed)
    assert fault(record) is None
    again = msgspec.json.decode(msgspec.json.encode(record), type=Record)
    assert again == record
    assert fault(again) is None


def test_the_positions_of_a_record_are_those_of_the_match():
    states = list(positions(RECORD))
    assert len(states) == len(RECORD.plies) + 1
    assert states[0] == RECORD.setup.start()
    assert states[-1].outcome().reason == RECORD.result.reason


def altered(**changes):
    return replace(RECORD, **changes)


def with_result(**changes):
    return replace(RECORD, result=replace(RECORD.result, **changes))


def with_setup(**changes):
    return replace(RECORD, setup=replace(RECORD.setup, **changes))


def with_ply(number, **changes):
    plies = list(RECORD.plies)
    plies[number] = replace(plies[number], **changes)
    return replace(RECORD, plies=tuple(plies))


WINNER = RECORD.result.scores.index(1)
LAST = len(RECORD.plies)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (with_result(scores=RECORD.result.scores[::-1]), "the rules say"),
        (with_result(reason="no-pawns-left"), "recorded as no-pawns-left"),
        (with_result(scores=[1.0]), "its result does not fit 2 seats"),
        (with_result(seat=2), "its result does not fit 2 seats"),
        (with_result(termination="time", seat=1 - WINNER), "ended by time, but the rules had ended it"),
        (altered(plies=RECORD.plies[:-1]), "the last position is not final"),
        (altered(plies=RECORD.plies + RECORD.plies[-1:]), f"ply {LAST + 1} was played by seat"),
        (altered(plies=RECORD.plies[1:]), "ply 1 was played by seat 1, but it was not that seat's turn"),
        (with_ply(2, seat=1), "ply 3 was played by seat 1"),
        (with_ply(0, move=[[9, 9], [9, 9]]), "ply 1 is not legal: row 9 is off the 6x6 board"),
        (with_ply(4, move=[[0, 0], [1, 0]]), "ply 5 is not legal"),
        (with_ply(4, move="a6-a5"), "ply 5 is not legal: a move is"),
        (with_ply(4, ms=-1), "ply 5 took -1 ms"),
        (with_ply(4, out="time"), "ply 5 is not legal: the game ends when seat 0 forfeits, it does not play on"),
        (with_setup(opening=([[9, 9], [9, 9]],)), "the setup cannot be played: row 9 is off the 6x6 board"),
        (with_setup(game="braekthrough"), "did you mean 'breakthrough'?"),
        (with_setup(options={"rows": 9}), "the setup cannot be played: breakthrough option rows=9"),
        (with_setup(options={"rows": 7}), "the setup cannot be played"),
        (with_setup(bots=("ann",)), "has 2 seats for different bots, the record has ann"),
        (with_setup(bots=("ann", "ann")), "has 2 seats for different bots"),
        (with_setup(max_plies=5), f"it has {LAST} plies, but was to be adjudicated after 5"),
        (altered(refusals=(replace(RECORD.refusals[0], ply=LAST + 1),)), "rejected moves are out of order, or beyond"),
        (altered(refusals=(replace(RECORD.refusals[0], seat=2),)), "a move of a seat was rejected that does not exist"),
        (altered(format="palio-record-9"), "its format is 'palio-record-9'"),
    ],
)
def test_every_alteration_is_found(record, message):
    assert message in fault(record)


@pytest.mark.parametrize("termination", ["illegal", "time", "disconnected", "crashed", "stalled", "resigned"])
def test_a_forfeit_is_lost_by_the_seat_at_fault(termination):
    cut = replace(RECORD, plies=RECORD.plies[:6])
    assert fault(replace(cut, result=Result(termination, "flag-fell", [0.0, 1.0], 0))) is None
    assert "seat 0 lost by" in fault(replace(cut, result=Result(termination, "flag-fell", [1.0, 0.0], 0)))
    assert "does not say whose" in fault(replace(cut, result=Result(termination, "flag-fell", [1.0, 0.0])))


def test_a_draw_by_agreement_stands_only_where_draws_could_be_offered():
    agreed = replace(RECORD, plies=RECORD.plies[:6], result=Result("adjudicated", "agreement", [0.5, 0.5]))
    for offers, wrong in ((UNSET, None), (True, None), (False, "but no draw could be offered")):
        found = fault(replace(agreed, setup=replace(agreed.setup, draw_offers=offers)))
        assert found is None if wrong is None else wrong in found
    won = replace(agreed, setup=replace(agreed.setup, draw_offers=True), result=replace(agreed.result, scores=[1.0, 0]))
    assert "by agreement, but with [1.0, 0]" in fault(won)


def test_an_adjudicated_match_has_no_final_position():
    cut = replace(RECORD, plies=RECORD.plies[:6])
    assert fault(replace(cut, result=Result("adjudicated", "ply-cap", [0.5, 0.5]))) is None
