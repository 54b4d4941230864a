"""Where games begin, the same for all who meet: random plies, a book in a file, or the book that ships for a game."""

from palio_server.tournament.openings.book import Book
from palio_server.tournament.openings.choice import OpeningsChoice, openings_of, parse_openings
from palio_server.tournament.openings.opening import Opening, Openings
from palio_server.tournament.openings.random_openings import RandomOpenings, openings
from palio_server.tournament.openings.shipped import SHIPPED, Shipped, shipped_for

__all__ = [
    "SHIPPED",
    "Book",
    "Opening",
    "Openings",
    "OpeningsChoice",
    "RandomOpenings",
    "Shipped",
    "openings",
    "openings_of",
    "parse_openings",
    "shipped_for",
]
