"""A race is one record: every entrant's plies on a board of its own, and how each of them ended."""

import random
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_matches import positions
from msgspec import UNSET
from msgspec.structs import replace

from palio_rules.contract.messages import Finish, Info, Result
from palio_rules.errors import BadRecord, IllegalMove
from palio_rules.records import Ply, Record, RejectedMove, Setup, fault, record_from_text, record_to_text
from palio_rules.records.boards import boards_of

WHEN = datetime(2026, 11, 20, tzinfo=UTC)
BOARD = {"board": "b.../b.../aa.c/.d.."}  # c up or down lets a out
COURSE = {"distances": [10, 15, 20, 35, 25, 30]}


def ended(setup, plies, **changes):
    """The record of a race that ended after `plies`."""
    boards = boards_of(setup)
    for ply in plies:
        boards.play(ply)
    result = Result("rule", "ranked", boards.scores(by_time=setup.by_time), finishes=boards.finishes())
    return Record("m1", setup, tuple(plies), result, WHEN, WHEN, **changes)


SETUP = Setup("rush_hour", ("ann", "bob", "cid", "dan"), options=BOARD, max_plies=3)
PLIES = [
    Ply(1, ["c", -1], 40),
    Ply(0, ["a", 1], 90),
    Ply(2, ["a", 1], 5),
    Ply(0, ["c", 1], 30),
    Ply(2, None, 0, None, "crashed"),
    Ply(3, ["a", 1], 1),
    Ply(3, ["a", -1], 1),
    Ply(3, ["a", 1], 1),
]


def test_each_entrant_plays_its_own_board_and_less_cost_is_ahead():
    record = ended(SETUP, PLIES)
    assert record.result.scores == [2 / 3, 1.0, 1 / 6, 1 / 6]
    assert record.result.finishes == [
        Finish("rule", "solved", 2.0),
        Finish("rule", "solved", 1.0),
        Finish("crashed", "crashed", None),
        Finish("adjudicated", "ply-cap", None),
    ]
    assert fault(record) is None


def test_of_an_anytime_race_the_best_tour_counts_however_it_was_left():
    setup = Setup("tsp", ("ann", "bob", "cid"), options=COURSE)
    plies = [
        Ply(0, [0, 1, 2, 3], 10),
        Ply(1, [0, 1, 3, 2], 10),
        Ply(0, [0, 1, 3, 2], 10),
        Ply(0, None, 0, None, "time"),
        Ply(1, None, 0, None, "resigned"),
        Ply(2, None, 0, None, "disconnected"),
    ]
    record = ended(setup, plies)
    assert [(finish.termination, finish.reason) for finish in record.result.finishes] == [
        ("time", "best-tour"),
        ("resigned", "best-tour"),
        ("disconnected", "no-tour"),
    ]
    assert record.result.scores == [0.75, 0.75, 0.0]
    assert fault(record) is None
    faster = replace(setup, by_time=True)
    assert ended(faster, plies).result.scores == [0.5, 1.0, 0.0]
    assert fault(ended(faster, plies)) is None


@pytest.mark.parametrize("more", [(), (Ply(0, None, 9),), (Ply(0, None, 9), Ply(0, None, 0, None, "time"))])
def test_a_best_tour_that_is_proven_ends_the_race_of_its_entrant_and_older_records_that_went_on_are_good(more):
    record = ended(Setup("tsp", ("ann",), options=COURSE), [Ply(0, [0, 1, 3, 2], 10), *more])
    proven = not any(ply.out for ply in more)
    assert record.result.finishes == [
        Finish("adjudicated", "proven-optimal", 80.0) if proven else Finish("time", "best-tour", 80.0)
    ]
    assert fault(record) is None
    assert record_from_text(record_to_text(record)) == record


def test_a_tour_that_is_said_to_be_proven_and_is_not_is_found_out():
    record = ended(Setup("tsp", ("ann", "bob"), options=COURSE), [Ply(0, [0, 1, 3, 2], 10), Ply(1, [0, 1, 2, 3], 10)])
    claimed = [record.result.finishes[0], Finish("adjudicated", "proven-optimal", 95.0)]
    wrong = fault(replace(record, result=replace(record.result, finishes=claimed)))
    assert wrong == "entrant 2 is recorded as proven-optimal, but nothing proves that no solution costs less than 95"


ROUTES = st.lists(st.tuples(st.integers(0, 1), st.permutations(range(5)), st.integers(0, 999)), max_size=12)


def thinned(setup, plies):
    """The plies of an anytime race as referees keep them: those that are no better have no solution."""
    boards, rules, kept = boards_of(setup), setup.rules(), []
    for ply in plies:
        before = rules.cost(boards.of(ply.seat))
        after = rules.cost(boards.play(ply))
        kept.append(ply if ply.move is None or before is None or after < before else replace(ply, move=None, info=None))
    return kept


@given(ROUTES, st.booleans())
def test_a_race_ends_alike_whether_solutions_that_are_no_better_are_kept_or_not(routes, by_time):
    setup = Setup("tsp", ("ann", "bob"), options={"size": 5}, seed=3, by_time=by_time)
    plies = [Ply(seat, route, ms, Info(text="look {here}")) for seat, route, ms in routes]
    plies += [Ply(0, None, 0, None, "time"), Ply(1, None, 0, None, "time")]
    full, thin = ended(setup, plies), ended(setup, thinned(setup, plies))
    assert thin.result == full.result
    assert fault(thin) is None
    assert record_from_text(record_to_text(thin)) == thin
    rules = setup.rules()
    assert [*map(rules.format_state, positions(thin))] == [*map(rules.format_state, positions(full))]
    assert len(msgspec.json.encode(thin)) <= len(msgspec.json.encode(full))


TOURS = [Ply(0, [0, 1, 3, 2], 10), Ply(0, None, 20), Ply(1, [0, 1, 2, 3], 5), Ply(0, None, 0, None, "time")]


def test_a_solution_that_is_no_better_is_a_line_without_it():
    record = ended(Setup("tsp", ("ann", "bob"), options=COURSE), [*TOURS, Ply(1, None, 1, Info(depth=3))])
    assert fault(record) is None
    text = record_to_text(record)
    assert "1: 0-1-3-2 {0.010s}\n1: {no better 0.020s}\n2: 0-1-2-3 {0.005s}\n" in text
    assert "2: {no better 0.001s depth=3}\n" in text
    assert record_from_text(text) == record


@pytest.mark.parametrize(
    ("plies", "wrong"),
    [
        ([Ply(0, None, 5)], "ply 1 is not legal: a solution that is no better can only come after another one"),
        ([*TOURS, Ply(0, None, 5)], "ply 5 was played by seat 0, but it was not that seat's turn"),
    ],
)
def test_a_solution_that_could_not_have_been_handed_in_is_found_out(plies, wrong):
    record = ended(Setup("tsp", ("ann", "bob"), options=COURSE), TOURS)
    assert fault(replace(record, plies=tuple(plies))) == wrong
    with pytest.raises(IllegalMove):
        list(positions(replace(record, plies=tuple(plies))))


def test_other_games_have_no_ply_without_a_move():
    assert "ply 1 is not legal" in fault(replace(ended(SETUP, PLIES), plies=(Ply(0, None, 5),)))


@pytest.mark.parametrize("plies", [PLIES, [], PLIES[:3]])
@pytest.mark.parametrize("by_time", [False, True])
def test_a_race_is_read_back_from_text_as_it_was_written(plies, by_time):
    refusals = (RejectedMove(2, 3, '["x",1]', "no-such-vehicle", "there is no vehicle x"),) if plies else ()
    record = ended(replace(SETUP, by_time=by_time), plies, refusals=refusals, event="Cup")
    detailed = [replace(finish, detail="a } detail\nof two lines") for finish in record.result.finishes]
    record = replace(record, result=replace(record.result, finishes=detailed))
    assert record_from_text(record_to_text(record)) == record


def test_the_text_of_a_race_says_whose_each_ply_is():
    text = record_to_text(ended(SETUP, PLIES[:5]))
    assert '[Entrant.2 "bob"]' in text
    assert '[Finish.2 "rule solved 1.0"]\n[Finish.3 "crashed crashed -"]' in text
    assert "2: c-1 {0.040s}\n1: a+1 {0.090s}\n3: a+1 {0.005s}\n1: c+1 {0.030s}\n3: {out 3 crashed 0.000s}\n" in text


@settings(max_examples=settings().max_examples // 2)
@given(seed=st.integers(0, 10**6), longest=st.integers(0, 30))
def test_random_races_reproduce_and_are_read_back(seed, longest):
    choose = random.Random(seed)
    game, options = choose.choice([("rush_hour", BOARD), ("tsp", COURSE), ("chexers_solo", {"pieces": 1, "blocks": 2})])
    setup = Setup(game, tuple(f"bot{n}" for n in range(choose.randint(1, 5))), options=options, max_plies=30)
    boards, plies = boards_of(setup), []
    for _ in range(longest):
        here = [seat for seat, end in enumerate(boards.ends()) if end is None]
        if not here:
            break
        seat = choose.choice(here)
        moves = list(boards.of(seat).legal_moves())
        gone = choose.random() < 0.1
        move = None if gone else setup.rules().move_to_wire(choose.choice(moves))
        plies.append(Ply(seat, move, choose.randrange(999), None, choose.choice(["time", "crashed"]) if gone else None))
        boards.play(plies[-1])
    for seat, end in enumerate(boards.ends()):
        if end is None:
            plies.append(Ply(seat, None, 0, None, "stalled"))
    record = ended(setup, plies)
    assert fault(record) is None
    assert record_from_text(record_to_text(record)) == record


RECORD = ended(SETUP, PLIES)


@pytest.mark.parametrize(
    ("record", "wrong"),
    [
        (replace(RECORD, result=replace(RECORD.result, finishes=UNSET)), "recorded are nothing, found 2, 1, -, -"),
        (replace(RECORD, result=replace(RECORD.result, finishes=RECORD.result.finishes[:3])), "recorded are 2, 1, -,"),
        (replace(RECORD, result=replace(RECORD.result, scores=[1.0, 1.0, 0.0, 0.0])), "the costs 2, 1, -, - give"),
        (replace(RECORD, plies=(*PLIES, Ply(2, ["a", -1], 1))), "entrant 3 has left the race already"),
        (replace(RECORD, plies=(*PLIES, Ply(1, ["a", 1], 1))), "it was not that seat's turn"),
        (replace(RECORD, plies=(*PLIES, Ply(1, None, 1, None, "time"))), "the race of entrant 2 is over already"),
        (replace(RECORD, plies=(*PLIES, Ply(4, ["a", 1], 1))), "ply 9 was played by seat 4"),
        (replace(RECORD, plies=(*PLIES, Ply(3, ["a", -1], 1), Ply(3, ["a", 1], 1))), "5 plies"),
        (replace(RECORD, setup=replace(SETUP, bots=("ann", "ann", "cid", "dan"))), "seats for different bots"),
    ],
)
def test_a_race_that_was_altered_is_found_out(record, wrong):
    assert wrong in fault(record)


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ("[Entrant.2", "[Entrant.9", r"\[Entrant.2 ...\] is missing"),
        ('[Finish.1 "rule solved 2.0"]\n', "", r"\[Finish.1 ...\] is missing"),
        ("rule solved 2.0", "rule solved", "is a termination, a reason and a cost or -"),
        ("2: c-1", "9: c-1", "'9' is no seat of rush_hour"),
        ("2: c-1", "c-1", "the number of an entrant comes here"),
    ],
)
def test_a_text_that_cannot_be_read_is_refused_with_the_place(old, new, wrong):
    text = record_to_text(RECORD)
    assert old in text
    with pytest.raises(BadRecord, match=wrong):
        record_from_text(text.replace(old, new))
