"""What both bots for the travelling salesman have in common: the instance as tables, and the tour they go on from."""

from abc import abstractmethod
from typing import Any

from palio_clients.agents.random import generator
from palio_clients.anytime import AnytimeBot, Stop
from palio_clients.knowledge.tsp import distances
from palio_clients.search.improved import Improved
from palio_clients.search.tour_descent import Tours
from palio_clients.search.tours import near_cities
from palio_rules.game import Game
from palio_rules.games.tsp import Position
from palio_rules.games.tsp_instance import Instance, Tour

NEAR = 8  # cities beside which a city may be put; with more of them each step costs more than it brings


class TourBot(AnytimeBot):
    """Improves one tour from turn to turn.

    Tours that are better than all before are handed in, a few a second. After `seconds` without a better one it has no
    more to give; 0 goes on until the bell, or for 3 s where there is none. The same `seed` takes the same steps, -1
    different ones each time.
    """

    games = ("tsp",)

    def __init__(self, seconds: float = 0.0, seed: int = -1) -> None:
        super().__init__(seconds)
        self.random = generator(seed)
        self.tours: Tours | None = None
        self.tour: Tour | None = None
        self.steps = 0

    @abstractmethod
    def first(self, tours: Tours) -> Tour:
        """The tour to begin with."""

    @abstractmethod
    def search(self, start: Tour, tours: Tours, stop: Stop) -> Improved[Tour]:
        """The best tour that can be found from `start` until `stop`; `start` is the best one so far."""

    def prepare(self, game: Game[Any, Any], options: Any, seat: int) -> None:
        if options.cities or options.distances:  # or else the instance is drawn at random, and the first turn tells it
            self.tours = tours_of(game.start(options).instance)

    def improve(self, state: Position, stop: Stop) -> Tour:
        self.tours = self.tours or tours_of(state.instance)
        start = self.tour or state.best or self.first(self.tours)  # handed in before: this bot has crashed and is back
        return self.note(self.search(start, self.tours, stop))

    def note(self, found: Improved[Tour]) -> Tour:
        """Remember what was found, and tell the viewers."""
        self.tour, self.steps = found.state, self.steps + found.steps
        self.tell(nodes=self.steps, score=-float(found.cost), text=f"{found.cost:.10g} after {self.steps} steps")
        return found.state


def tours_of(instance: Instance) -> Tours:
    """The instance as the searches want it."""
    distance = distances(instance)
    return Tours(distance, near_cities(distance, NEAR))
