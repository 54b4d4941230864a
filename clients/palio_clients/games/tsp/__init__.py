"""The companion of the travelling salesman: tours, searches and evaluation."""

from palio_clients.games.advice import Adviser
from palio_clients.games.companion import Companion
from palio_clients.games.tsp.landscape import evaluate, offers
from palio_clients.solving.solver import Solver
from palio_rules.boards.cities import Tour
from palio_rules.errors import BadOption
from palio_rules.game import Game
from palio_rules.games.tsp import Position


class TravellingSalesmanCompanion(Companion[Position, Tour]):
    """Tours by the nearest neighbour, and local search, readable and compiled."""

    compiled = f"{__name__}.kernels"
    evaluate = staticmethod(evaluate)
    offers = staticmethod(offers)

    def adviser(self, rules: Game[Position, Tour]) -> Adviser:
        from palio_clients.games.tsp.landscape import TourAdviser  # noqa: PLC0415 - loads the searches

        return TourAdviser()

    def solver(self, rules: Game[Position, Tour]) -> Solver:
        raise BadOption(
            f"{rules.name} cannot be solved here: no search proves a tour to be the best; "
            "or_opt finds good ones (palio run), and TSPLIB lists the best that are known"
        )
