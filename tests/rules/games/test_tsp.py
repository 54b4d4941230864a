"""The travelling salesman: lengths, what is no tour, which one counts, and instances that fit into a message."""

import itertools
import random
from datetime import UTC, datetime
from math import hypot

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_matches import positions

from palio_rules.boards.cities import MAX_LISTED, Instance
from palio_rules.contract import codec as wire
from palio_rules.contract.messages import Finish, GameMessage, Result, SeatOf, Turn
from palio_rules.errors import BadOption, BadPosition, IllegalMove, MalformedMove
from palio_rules.game import Outcome
from palio_rules.games.tsp import TravellingSalesman
from palio_rules.records import Ply, Record, Setup, fault, record_from_text, record_to_text
from palio_rules.time_control import TimeControl

RULES = TravellingSalesman()
COURSE = [10, 15, 22, 8, 25, 30]  # the four cities of the problem set


def start(seed=0, **options):
    return RULES.start(RULES.parse_options(options), seed)


def test_the_course_s_routes_have_its_lengths():
    instance = start(distances=COURSE).instance
    assert [instance.length(tour) for tour in ((0, 1, 2, 3), (2, 1, 3, 0), (1, 3, 2, 0))] == [70, 70, 80]
    assert min(instance.length(tour) for tour in itertools.permutations(range(4))) == 70


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [((0, 0), (3, 4), 5), ((0, 0), (1, 1), 1), ((0, 0), (0.5, 0), 1), ((0, 0), (0.4, 0), 0), ((7, 7), (7, 7), 0)],
)
def test_each_edge_is_rounded_for_itself(a, b, distance):
    instance = Instance.of_points([a, b, (50, 50)])
    assert instance.distance(0, 1) == instance.distance(1, 0) == distance
    assert isinstance(instance.distance(0, 1), int)


@given(
    points=st.lists(st.tuples(st.integers(-500, 500), st.integers(-500, 500)), min_size=3, max_size=9),
    seed=st.integers(0, 999),
)
def test_a_tour_is_as_long_wherever_and_whichever_way_it_begins(points, seed):
    instance, tour = Instance.of_points(points), list(range(len(points)))
    random.Random(seed).shuffle(tour)
    length = sum(
        int(hypot(points[a][0] - points[b][0], points[a][1] - points[b][1]) + 0.5)
        for a, b in zip(tour, [*tour[1:], tour[0]], strict=True)
    )
    turned = tuple(tour[2:] + tour[:2])
    assert instance.length(tuple(tour)) == instance.length(turned) == instance.length(turned[::-1]) == length


def test_distances_that_are_no_integers_add_up_the_same_from_everywhere():
    instance = start(distances=[0.1, 0.2, 0.3, 0.7, 0.1, 0.4]).instance
    assert len({instance.length(tour) for tour in ((0, 1, 2, 3), (1, 2, 3, 0), (3, 2, 1, 0))}) == 1


def test_a_shorter_tour_replaces_the_best_and_no_other_does():
    state = start(distances=COURSE)
    assert (RULES.cost(state), state.outcome(), state.to_move) == (None, None, 0)
    for tour, best, length in [
        ((1, 3, 2, 0), (1, 3, 2, 0), 80),
        ((0, 1, 2, 3), (0, 1, 2, 3), 70),
        ((2, 1, 3, 0), (0, 1, 2, 3), 70),  # as short: the first one stays
        ((1, 3, 2, 0), (0, 1, 2, 3), 70),
    ]:
        state.check(tour)
        state = state.play(tour)
        assert (state.best, RULES.cost(state), state.to_move, state.outcome()) == (best, length, 0, None)
    assert state.submissions == 4


def test_the_race_is_closed_by_a_forfeit_whatever_its_reason_and_the_best_tour_counts():
    state = start(distances=COURSE)
    assert RULES.forfeit(state, 0).outcome() == Outcome("no-tour", (0.0,))
    closed = RULES.forfeit(state.play((0, 1, 2, 3)), 0)
    assert (closed.outcome(), closed.to_move, RULES.cost(closed)) == (Outcome("best-tour", (1.0,)), None, 70)
    with pytest.raises(IllegalMove, match="over"):
        closed.check((0, 1, 2, 3))


def test_examples_of_moves_are_the_order_of_the_cities_and_the_best_tour():
    state = start(distances=COURSE)
    assert list(state.legal_moves()) == [(0, 1, 2, 3)]
    assert list(state.play((1, 3, 2, 0)).legal_moves()) == [(0, 1, 2, 3), (1, 3, 2, 0)]


@pytest.mark.parametrize(
    ("tour", "code", "reason"),
    [
        ((0, 1, 2), "city-missing", "city 3 is not visited, a tour has all 4"),
        ((0, 1, 2, 3, 1), "visited-twice", "city 1 is visited twice"),
        ((0, 1, 2, 2), "visited-twice", "city 2 is visited twice"),
        ((0, 1, 2, 4), "no-such-city", "city 4 does not exist, they are 0 to 3"),
        ((0, 1, 2, -1), "no-such-city", "city -1 does not exist"),
        ((10**400, 1, 2, 3), "no-such-city", "city <an integer of 1329 bits> does not exist"),
    ],
)
def test_what_is_no_tour_is_rejected_with_its_reason(tour, code, reason):
    with pytest.raises(IllegalMove) as caught:
        start(distances=COURSE).check(tour)
    assert caught.value.code == code
    assert reason in str(caught.value)


@settings(max_examples=2 * settings().max_examples)
@given(tour=st.lists(st.integers(-1, 5), min_size=3, max_size=6))
def test_check_passes_exactly_the_permutations(tour):
    state = start(size=5)
    if sorted(tour) == [0, 1, 2, 3, 4]:
        state.check(tuple(tour))
    else:
        with pytest.raises(IllegalMove):
            state.check(tuple(tour))


@pytest.mark.parametrize("value", [[], [0.0, 1, 2], [[0, 1], 2], "012", {"0": 1}, [True, 0, 2]])
def test_what_is_no_list_of_cities_is_malformed(value):
    with pytest.raises(MalformedMove, match="got "):
        RULES.move_from_wire(value)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"cities": [[0, 0], [1, 1]]}, "tsp: an instance has 3 to 2000 cities, got 2"),
        ({"cities": [[0, 0]] * 3, "distances": [1, 2, 3]}, "tsp has options cities and distances; give one of them"),
        ({"distances": [1, 2, 3, 4]}, "tsp: 4 distances are too many for 3 cities and too few for 4"),
        ({"distances": [1]}, "tsp: an instance has 3 to 2000 cities, got 2"),
        ({"distances": [1, 2, -3]}, "tsp: the distance from 1 to 2 is out of range: -3 is not within 0"),
        ({"cities": [[1 / 3, 2 / 3]] * 700}, "tsp: an instance of 700 cities fits into 24000 characters"),
    ],
)
def test_options_that_do_not_fit_are_refused_with_the_reason(options, reason):
    with pytest.raises(BadOption) as caught:
        start(**options)
    assert reason in str(caught.value)


@pytest.mark.parametrize("size", [3, 30, 500])
def test_random_cities_are_different_and_the_same_for_the_same_seed(size):
    state = start(seed=4, size=size)
    assert state == start(seed=4, size=size)
    assert state != start(seed=5, size=size)
    assert len(set(state.instance.points)) == state.instance.size == size


# --- texts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("euc 0,0;0,3;4,0 - 0", "a position is an instance, the best tour or -"),
        ("geo 0,0;0,3;4,0 - 0 open", "a position is an instance"),
        ("euc 0,0;0,3;4,0,1 - 0 open", "city 2 is x,y, got 3 numbers"),
        ("euc 0,0;0,3;4,x - 0 open", "'x' is no number"),
        ("euc 0,0;0,3;4,0.0 - 0 open", "an instance is written in one way only"),
        ("euc 0,0;0,3 - 0 open", "an instance has 3 to 2000 cities, got 2"),
        ("euc 0,0;0,3;4,2000000000 - 0 open", "city 2: y is out of range: 2000000000"),
        ("list 1,2;3,4 - 0 open", "4 distances are too many for 3 cities"),
        ("list 1;2,3 - 0 open", "an instance is written in one way only"),
        ("euc 0,0;0,3;4,0 0,1,2 0 open", "0 tours were submitted, the best one is '0,1,2'"),
        ("euc 0,0;0,3;4,0 - 3 open", "3 tours were submitted, the best one is '-'"),
        ("euc 0,0;0,3;4,0 0,1,1 3 open", "the best tour is none: city 1 is visited twice"),
        ("euc 0,0;0,3;4,0 0,,1 3 open", "the best tour is none: a tour is written"),
    ],
)
def test_a_text_that_is_no_position_is_refused_with_the_place(text, reason):
    with pytest.raises(BadPosition) as caught:
        RULES.parse_state(text)
    assert reason in str(caught.value)


@given(numbers=st.lists(st.floats(0, 1e6) | st.integers(0, 10**6), min_size=6, max_size=6))
def test_every_number_comes_back_from_the_text(numbers):
    for options in ({"distances": numbers}, {"cities": list(zip(numbers[::2], numbers[1::2], strict=True))}):
        state = start(**options)
        assert RULES.parse_state(RULES.format_state(state)) == state


def largest():
    yield "random", {"size": 2000}
    yield "long decimals", {"cities": [[n + 0.125, n / 4 + 1000] for n in range(1500)]}
    yield "short decimals", {"cities": [[0.5, 1.5]] * 2000}
    yield "distances", {"distances": [99_999] * (MAX_LISTED * (MAX_LISTED - 1) // 2)}
    yield "short decimal distances", {"distances": [0.5] * (MAX_LISTED * (MAX_LISTED - 1) // 2)}


@pytest.mark.parametrize("encoding", wire.Encoding)
@pytest.mark.parametrize("options", [pytest.param(options, id=name) for name, options in largest()])
def test_the_largest_instances_fit_into_a_message(options, encoding):
    state = start(**options)
    size = state.instance.size
    text = RULES.format_state(state)
    game = GameMessage("m" * 64, "tsp", options, text, 0, [SeatOf("solver", "b" * 40)], TimeControl(), 3)
    worst = state.play(tuple(reversed(range(size))))
    moves = [RULES.move_to_wire(move) for move in worst.legal_moves()]
    turn = Turn("m" * 64, 2**52, 10**6, RULES.format_state(worst), moves, [10**8], 10**8)
    for message in (game, turn):
        data = wire.encode(message, encoding)
        assert len(data) <= wire.MAX_BYTES
        assert wire.decode_from_server(data, encoding) == message


def test_a_record_of_an_anytime_race_ends_with_the_ply_that_closed_it():
    setup = Setup("tsp", ("ann",), options={"distances": COURSE}, time=TimeControl(1000))
    when = datetime(2026, 11, 20, tzinfo=UTC)
    plies = (Ply(0, [1, 3, 2, 0], 400), Ply(0, [0, 1, 2, 3], 300), Ply(0, None, 0, None, "time"))
    finish = Finish("time", "best-tour", 70)
    record = Record("m1", setup, plies, Result("rule", "ranked", [1.0], finishes=[finish]), when, when)
    assert fault(record) is None
    *_, last = positions(record)
    assert RULES.cost(last) == 70
    assert record_from_text(record_to_text(record)) == record


# --- for people ------------------------------------------------------------------------------------------------------


def test_the_map_has_a_mark_for_each_city_and_the_length_below():
    state = start(cities=[[0, 0], [0, 30], [40, 0]])
    lines = RULES.render(state).splitlines()
    assert "".join(lines[:-2]).count("o") == 3
    assert lines[-2:] == ["3 cities", "no tour yet, 0 submitted, open"]
    assert RULES.render(state.play((0, 1, 2))).endswith("best tour 120, 1 submitted, open")


@pytest.mark.parametrize("options", [{"size": 7}, {"distances": COURSE}, {"cities": [[5, 5]] * 4}, {"size": 300}])
def test_the_scene_joins_the_cities_in_the_order_of_the_tour(options):
    state = start(**options)
    assert RULES.scene(state).path == ()
    tour = tuple(reversed(range(state.instance.size)))
    scene = RULES.scene(state.play(tour))
    cells = [(mark.row, mark.col) for mark in scene.marks]
    assert list(scene.path) == [cells[city] for city in tour]
    assert {mark.text for mark in scene.marks} == ({""} if len(cells) > 40 else set(map(str, tour)))
