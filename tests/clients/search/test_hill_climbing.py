"""A climb ends at a local optimum."""

import pytest
from hypothesis import given, settings
from tour_instances import instances

from palio_clients.games.tsp.landscape import TourLandscape
from palio_clients.search.local_search import hill_climbing
from palio_clients.search.tours import Tours, two_opt


@settings(max_examples=settings().max_examples // 2)
@given(instances())
def test_a_climber_ends_where_2_opt_would_not_go_on(instance):
    distance, start = instance
    found = hill_climbing(start, TourLandscape(Tours(distance)))
    assert two_opt(found.state, distance).cost == pytest.approx(found.cost)
