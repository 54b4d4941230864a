"""The books that ship: balanced openings, made again by `tools/books/make.py`. See `docs/openings.md`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from palio_rules.errors import BadOption
from palio_rules.registry import game as rules_of


@dataclass(frozen=True)
class Shipped:
    """A book, and for which settings of which game it is."""

    game: str
    file: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """For people."""
        return f"the book {self.file}"

    def lines(self) -> list[str]:
        return _text(self.file).splitlines()

    def fits(self, game: str, options: Mapping[str, Any]) -> bool:
        """Whether it is for this game under these options. Raises BadOption if these are none."""
        rules = rules_of(game)
        return game == self.game and rules.parse_options(self.options) == rules.parse_options(options)


SHIPPED = (
    Shipped("breakthrough", "breakthrough-6x6.txt"),
    Shipped("breakthrough", "breakthrough-8x8.txt", {"rows": 8, "cols": 8}),
    Shipped("chexers", "chexers.txt"),
    Shipped("dominoes", "dominoes-8x8.txt"),
    Shipped("end_of_the_track", "end_of_the_track.txt"),
)


def shipped_for(game: str, options: Mapping[str, Any]) -> Shipped:
    """The book of a game under these options. Raises BadOption, with the remedy, if none ships."""
    found = next((book for book in SHIPPED if book.fits(game, options)), None)
    if found is None:
        known = ", ".join(book.file.removesuffix(".txt") for book in SHIPPED)
        raise BadOption(
            f"no book ships for {game} under these options, there are {known}; "
            "give --openings a number of random plies, or file=BOOK"
        )
    return found


@cache
def _text(file: str) -> str:
    return (files("palio_server.tournament") / "books" / file).read_text("utf-8")
