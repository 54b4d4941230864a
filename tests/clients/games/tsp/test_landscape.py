"""What is known of the travelling salesman: distances, tours that are offered, and changes of tours."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from palio_clients.games import companion_of
from palio_clients.games.tsp.landscape import TourLandscape, distances, offers
from palio_clients.search.tours import Tours, near_cities
from palio_rules.boards.cities import Instance
from palio_rules.registry import game


def test_a_shorter_tour_looks_better_and_none_looks_worst():
    rules = game("tsp")
    state = rules.start(rules.parse_options({"cities": [[0, 0], [9, 0], [0, 9], [9, 9]]}))
    evaluate = companion_of("tsp").evaluate
    crossed = state.play((0, 3, 1, 2))
    assert evaluate(state, 0) < evaluate(crossed, 0) < evaluate(crossed.play((0, 1, 3, 2)), 0)


points = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=5, max_size=12)


@given(points)
def test_the_table_has_the_distances_of_the_race(cities):
    instance = Instance.of_points(cities)
    table = distances(instance)
    assert all(table[a][b] == instance.distance(a, b) for a in range(len(cities)) for b in range(len(cities)))


@given(points)
def test_each_city_has_all_others_near_it_nearest_first(cities):
    table = distances(Instance.of_points(cities))
    for city, near in enumerate(near_cities(table)):
        assert sorted([city, *near]) == list(range(len(cities)))
        assert [table[city][other] for other in near] == sorted(table[city][other] for other in near)


@given(points)
def test_what_is_offered_can_be_handed_in(cities):
    rules = game("tsp")
    state = rules.start(rules.parse_options({"cities": cities}))
    for tour in offers(state):
        state.check(tour)


@given(points, st.integers(0, 100))
def test_a_change_of_a_tour_adds_what_it_says(cities, seed):
    landscape, random = TourLandscape(Tours(distances(Instance.of_points(cities)))), Random(seed)
    tour = landscape.somewhere(random)
    for added, change in [*landscape.changes(tour), landscape.change(tour, random)]:
        after = landscape.changed(tour, change)
        assert sorted(after) == sorted(tour)
        assert landscape.cost(after) == landscape.cost(tour) + added


@given(points, st.integers(0, 100))
def test_all_changes_that_gain_are_among_those_that_a_climber_looks_at(cities, seed):
    table = distances(Instance.of_points(cities))
    landscape = TourLandscape(Tours(table))
    tour = landscape.somewhere(Random(seed))
    turned = [
        (*tour[:i], *tour[i : j + 1][::-1], *tour[j + 1 :]) for i in range(1, len(tour)) for j in range(i, len(tour))
    ]
    least = min(landscape.cost(after) - landscape.cost(tour) for after in turned)
    assert min((added for added, _ in landscape.changes(tour)), default=0) == min(least, 0)
