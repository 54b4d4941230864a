"""A tournament's matches: each opening from every side; each instance drawn once, for all entrants of a race."""

from collections import Counter, defaultdict
from itertools import combinations

import pytest

from palio_rules.errors import BadOption
from palio_rules.registry import game
from palio_rules.time_control import TimeControl
from palio_server.tournament.heat import DEFAULT_TIME, MAX_SOLUTIONS, time_text
from palio_server.tournament.schedule import Schedule


def test_each_opening_is_played_twice_with_the_seats_swapped():
    matches = Schedule("breakthrough", ["a", "b", "c"], rounds=3, openings=2, seed=5).setups()
    assert len(matches) == 3 * 3 * 2
    played = defaultdict(list)
    for _, setup in matches:
        played[frozenset(setup.bots), repr(setup.opening)].append(setup.bots)
    assert all(seats == [seats[0], seats[0][::-1]] for seats in played.values())
    assert len(played) == 9


def test_every_pair_is_given_the_same_openings():
    matches = Schedule("dominoes", ["a", "b", "c", "d"], rounds=2, openings=3).setups()
    by_pair = defaultdict(set)
    for _, setup in matches:
        by_pair[frozenset(setup.bots)].add(repr(setup.opening))
    assert len(set(map(frozenset, by_pair.values()))) == 1


def test_every_bot_sits_equally_often_in_each_seat():
    matches = Schedule("breakthrough", ["a", "b", "c", "d"], rounds=3).setups()
    assert set(Counter(setup.bots[0] for _, setup in matches).values()) == {9}


def test_at_a_table_every_three_bots_play_each_opening_in_all_six_orders():
    bots = ["a", "b", "c", "d"]
    matches = Schedule("chexers", bots, rounds=2, openings=3, seed=7).setups()
    played = defaultdict(set)
    for _, setup in matches:
        played[frozenset(setup.bots), repr(setup.opening)].add(setup.bots)
    assert len(matches) == 4 * 6 * 2
    assert {trio for trio, _ in played} == set(map(frozenset, combinations(bots, 3)))
    assert len({opening for _, opening in played}) == 2
    assert all(len(orders) == 6 for orders in played.values())


def test_a_race_is_one_heat_a_round_of_all_bots_on_an_instance_of_its_own():
    matches = Schedule("chexers_solo", ["a", "b", "c"], rounds=4, seed=3).setups()
    assert [(round_, setup.bots) for round_, setup in matches] == [(number, ("a", "b", "c")) for number in range(1, 5)]
    assert len({setup.options["board"] for _, setup in matches}) == 4
    assert [setup.seed for _, setup in matches] == [3, 4, 5, 6]


def test_the_instance_stands_in_the_options_and_is_the_one_of_the_seed():
    rules = game("tsp")
    [(_, setup)] = Schedule("tsp", ["a"], seed=11, options={"size": "9"}).setups()
    assert len(setup.options["cities"]) == 9
    assert setup.start() == rules.start(rules.parse_options({"size": 9}), 11)


def test_a_given_instance_is_run_in_every_round():
    options = {"cities": [[0, 0], [0, 3], [4, 0], [4, 3]]}
    matches = Schedule("tsp", ["a", "b"], rounds=3, options=options).setups()
    assert [setup.options["cities"] for _, setup in matches] == [options["cities"]] * 3


def test_a_given_instance_that_is_none_is_refused():
    with pytest.raises(BadOption, match="board='xx'"):
        Schedule("rush_hour", ["a"], options={"board": "xx"}).setups()


def test_a_race_that_only_a_clock_ends_gets_one_where_none_is_given():
    [(_, unclocked)] = Schedule("tsp", ["a"]).setups()
    assert (unclocked.time, unclocked.max_plies) == (DEFAULT_TIME, MAX_SOLUTIONS)
    minute = TimeControl.parse("1:00")
    [(_, clocked)] = Schedule("tsp", ["a"], time=minute, limits={"max_plies": 20}).setups()
    assert (clocked.time, clocked.max_plies) == (minute, 20)
    [(_, solved)] = Schedule("chexers_solo", ["a"]).setups()
    assert solved.time == TimeControl()


def test_the_time_of_an_anytime_race_is_given_for_all_of_it():
    clock, limit = TimeControl.parse("10+0.1"), TimeControl.parse(st="0.5")
    assert [time_text(game("tsp"), time) for time in (clock, limit)] == ["10 s", "0.5 s"]
    assert [time_text(game("rush_hour"), time) for time in (clock, limit)] == ["10+0.1", "0.5/move"]
    assert time_text(game("tsp"), TimeControl()) == "inf"


def test_equal_costs_may_be_ranked_by_time():
    [(_, setup)] = Schedule("chexers_solo", ["a", "b"], by_time=True).setups()
    assert setup.by_time


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"bots": ["a"]}, "two bots at least; name one more"),
        ({"bots": ["a", "b"], "game": "chexers"}, "three bots at least; name one more"),
        ({"bots": ["a"], "game": "chexers"}, "three bots at least; name 2 more"),
        ({"bots": [], "game": "tsp"}, "one bot at least"),
        ({"bots": [f"b{number}" for number in range(65)], "game": "tsp"}, "at most 64 entrants, 65 are named"),
        ({"bots": ["a", "a"]}, "two bots are called 'a'"),
        ({"bots": ["a", "b"], "rounds": 0}, "--rounds 0 is out of range; give 1 to 10000"),
        ({"bots": ["a", "b"], "openings": -1}, "--openings -1 is out of range"),
        ({"bots": ["a", "b"], "game": "rush_hour", "openings": 2}, "rush_hour is a race and has no openings"),
        ({"bots": ["a", "b"], "by_time": True}, "breakthrough is no race: --by-time"),
        ({"bots": ["a", "b"], "game": "brakethrough"}, "did you mean 'breakthrough'"),
    ],
)
def test_a_tournament_that_cannot_be_is_refused_with_the_remedy(settings, sentence):
    with pytest.raises(BadOption, match=sentence):
        Schedule(**{"game": "breakthrough", **settings})


@pytest.mark.parametrize("name", ["breakthrough", "rush_hour"])
def test_a_wrong_option_is_refused_before_the_first_match(name):
    with pytest.raises(BadOption, match=r"no option 'row'; "):
        Schedule(name, ["a", "b"], options={"row": "6"}).matches()
