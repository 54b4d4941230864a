"""A hint for the travelling salesman: a tour that 2-opt, Or-opt and double bridges cannot soon make shorter."""

from random import Random

from palio_clients.games.advice import Advice, Unsolvable
from palio_clients.games.tsp.landscape import distances
from palio_clients.search.double_bridge import iterated_local_search
from palio_clients.search.game_tree import Stop
from palio_clients.search.improved import Steps
from palio_clients.search.tour_descent import Tours
from palio_clients.search.tours import near_cities, nearest_neighbour
from palio_rules.games.tsp import Position

MOST = 800  # cities; the table of all distances alone takes a second for more
NEAR = 8  # cities beside which a city may be put
LOOKS = 5  # at each city: so many let the first descent end
STEPS = 250  # besides, for each unit of the limit: as many double bridges


class TourAdviser:
    """Improves the best tour so far, or the nearest neighbour's; the same steps each time."""

    promise = "submit a tour by local search"

    def advise(self, state: Position, limit: int, stop: Stop) -> Advice:
        """A whole tour, the best one found; when `stop` has said so, too. Raises Unsolvable for too many cities."""
        size = state.instance.size
        if size > MOST:
            raise Unsolvable(f"{size:,} cities are too many for a hint; it takes {MOST} at most")
        table = distances(state.instance)
        tours = Tours(table, near_cities(table, NEAR))
        enough = Steps(LOOKS * size + STEPS * limit)
        start = state.best or nearest_neighbour(table)
        found = iterated_local_search(
            start,
            tours,
            Random(limit),  # noqa: S311 - a tour, not a secret
            stop=lambda cost: enough(cost) or stop(),
        )
        return Advice(found.state, f"a tour of {found.cost:.10g}{_gain(state, found.cost)}")


def _gain(state: Position, cost: float) -> str:
    """By how much that is better than what there is."""
    if state.length is None:
        return ""
    return f", {state.length - cost:.10g} shorter" if cost < state.length else ", no shorter one was found"
