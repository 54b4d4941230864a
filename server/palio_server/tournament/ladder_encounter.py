"""What those who meet on the ladder play: one opening from every side, or a heat that tells strong bots apart."""

from dataclasses import replace
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from palio_rules.errors import BadOption
from palio_rules.game import Game
from palio_rules.records.record import Setup
from palio_rules.registry import game as rules_of
from palio_rules.time_control import TimeControl
from palio_server.tournament.heat import terms
from palio_server.tournament.openings import Book, Opening, RandomOpenings, shipped_for

PLIES = 2  # of each seat, in random openings where no book ships for a game
POOL = 200  # random openings at most
REMEMBERED = 20_000  # groups whose openings so far are known; then all is forgotten


class _Pages(NamedTuple):
    """Where a group is in the book of its game."""

    first: int  # the number of its first opening
    met: int  # encounters so far


class Encounters:
    """Draws what groups play. A group has its game's openings one after the other, from a random one on.

    When they come round again, or may have been played before, each goes on with one random move of each seat: bots
    that leave nothing to chance would play the same games again, and these would count as new evidence.
    """

    def __init__(self, time: TimeControl, rng: Random) -> None:
        self._time, self._rng = time, rng
        self._books: dict[str, Book] = {}
        self._pages: dict[frozenset[str], _Pages] = {}  # of each group; its game is a member, too

    def setups(self, game: str, names: tuple[str, ...], *, met_before: bool = False) -> list[Setup]:
        """A match for each of them to begin: `names` are the seats of the first one, then all move up by one.

        So each sits once in each seat, and all is played from one opening. Each match has a seed of its own.
        `met_before`: they may have played openings of the book that nobody here knows of.
        """
        opening = self._opening(game, names, met_before=met_before)
        lineups = [names[first:] + names[:first] for first in range(len(names))]
        return [Setup(game, lineup, seed=self.seed(), time=self._time, **opening.fields()) for lineup in lineups]

    def heat(self, game: str, names: tuple[str, ...]) -> Setup:
        """A race on an instance that is still to be drawn by its seed. Of equal costs the faster one is ahead."""
        rules = rules_of(game)
        more: dict[str, Any] = terms(rules, self._time)
        return Setup(game, names, dict(rules.hard), seed=self.seed(), by_time=True, **more)

    def seed(self) -> int:
        return self._rng.randrange(2**31)

    def _opening(self, game: str, names: tuple[str, ...], *, met_before: bool) -> Opening:
        book = self._book(game)
        if len(self._pages) > REMEMBERED:
            self._pages.clear()
        group = frozenset((*names, f"{game}:"))  # no bot is called so
        first, met = self._pages.get(group) or _Pages(self._rng.randrange(book.size), 0)
        self._pages[group] = _Pages(first, met + 1)
        opening = book.opening(first + met)
        return opening if met < book.size and not met_before else self._gone_on(game, opening)

    def _gone_on(self, game: str, opening: Opening) -> Opening:
        """`opening` and a random move of each seat; the opening itself where that would end the game."""
        rules, start = rules_of(game), Setup(game, (), **opening.fields()).start()
        try:
            more = RandomOpenings(rules, start, len(rules.seats), self.seed()).opening(0)
        except BadOption:
            return opening
        return replace(opening, moves=(*opening.moves, *more.moves))

    def _book(self, game: str) -> Book:
        if game not in self._books:
            self._books[game] = book_of(game, self.seed())
        return self._books[game]


def book_of(game: str, seed: int) -> Book:
    """The book that ships for a game as it is usually played, or random openings as far as it has some."""
    try:
        shipped = shipped_for(game, {})
    except BadOption:
        return Book(_random(rules_of(game), seed) or [Opening()], name=game)
    return Book.read(shipped.lines(), game, {}, name=shipped.name)


def _random(rules: Game[Any, Any], seed: int) -> list[Opening]:
    start = rules.start(rules.parse_options({}), seed)
    source = RandomOpenings(rules, start, PLIES * len(rules.seats), seed)
    return list(islice(source, POOL))
