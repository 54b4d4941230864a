"""Openings, the same for all who meet: random plies, a book in a file, or the book that ships for a game."""

from palio_server.tournament.openings.book import Book, Opening, Openings, RandomOpenings, openings
from palio_server.tournament.openings.choice import (
    SHIPPED,
    OpeningsChoice,
    Shipped,
    openings_of,
    parse_openings,
    shipped_for,
)

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
