"""Late acceptance takes worse tours, but not permanently."""

from random import Random

from tour_instances import Walk

from palio_clients.search.local_search import hill_climbing, late_acceptance
from palio_clients.search.tours import Steps


def test_late_acceptance_goes_up_as_far_as_it_stood_some_steps_ago():
    walk = Walk(10, 5, 8, 3)
    assert hill_climbing(0, walk).cost == 5
    assert late_acceptance(0, walk, Random(1), stop=Steps(9), memory=3).cost == 3
    assert late_acceptance(0, walk, Random(1), stop=Steps(9), memory=1).cost == 5
