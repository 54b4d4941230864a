"""After Or-opt no row of cities can be moved to advantage."""

from hypothesis import given, settings
from tour_instances import instances

from palio_clients.search.tours import LONGEST, length_of, or_opt


def moved(tour):
    """Every tour in which a row of up to three cities stands elsewhere, either way round."""
    size = len(tour)
    for place in range(size):
        round_ = (*tour[place:], *tour[:place])
        for length in range(1, min(LONGEST, size - 2) + 1):
            row, rest = round_[:length], round_[length:]
            for gap in range(1, len(rest)):
                yield (*rest[:gap], *row, *rest[gap:])
                yield (*rest[:gap], *row[::-1], *rest[gap:])


@settings(max_examples=2 * settings().max_examples // 3)
@given(instances())
def test_after_or_opt_no_row_of_cities_can_be_moved_to_advantage(instance):
    distance, start = instance
    found = or_opt(start, distance)
    assert all(length_of(other, distance) >= found.cost - 1e-5 for other in moved(found.state))
