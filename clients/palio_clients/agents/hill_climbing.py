"""Climbs from random tours, over and over: local search as CS2109S (National University of Singapore) teaches it."""

from palio_clients.agents.tour_bot import TourBot
from palio_clients.anytime import Stop
from palio_clients.knowledge.tsp import TourLandscape
from palio_clients.search.improved import Improved
from palio_clients.search.random_restarts import random_restarts
from palio_clients.search.tour_descent import Tours
from palio_rules.games.tsp_instance import Tour


class HillClimbingBot(TourBot):
    """Hill climbing with random restarts; the small changes are those of 2-opt between cities that are near."""

    def first(self, tours: Tours) -> Tour:
        return TourLandscape(tours).somewhere(self.random)

    def search(self, start: Tour, tours: Tours, stop: Stop) -> Improved[Tour]:
        return random_restarts(start, TourLandscape(tours), self.random, stop=stop)
