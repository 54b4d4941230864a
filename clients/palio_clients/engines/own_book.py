"""The moves that an engine plays without thinking: from an opening book of its own, while it lasts."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from palio_clients.engines import texts
from palio_clients.sdk.failures import BadBot, PlayerFailed
from palio_rules.contract.messages import Turn
from palio_rules.errors import BadOption, BadPosition
from palio_rules.game import Game
from palio_rules.games.chess_book import Book

DEPTH = 1000  # moves; as in cutechess-cli
SHOWN = 3  # illegal moves of a book that a sentence lists


@cache
def _book(file: str) -> Book:
    """Return a book that many matches share. Raises BadOption."""
    return Book.read(file)


@dataclass(frozen=True, slots=True)
class OwnBook:
    """A book in Polyglot's format, used for the first `depth` moves of a game; `seed` decides between its moves."""

    file: str
    depth: int = DEPTH
    seed: int = 1

    def check(self) -> None:
        """Raise BadBot for a file that is no book."""
        try:
            _book(self.file)
        except BadOption as error:
            raise BadBot(str(error)) from None

    def check_game(self, rules: Game[Any, Any], called: str) -> None:
        """Raise PlayerFailed for a game whose moves no such book has."""
        if not texts.moves_as_on_the_wire(rules):
            raise PlayerFailed(f"{called} has the book {self.file}, which is for chess, and plays {rules.name}")

    def move(self, rules: Game[Any, Any], turn: Turn, last: str, complain: Callable[[str], None]) -> str | None:
        """Return the book's move for a turn, None if it has none. `last` is the move before, "" if there is none."""
        if turn.ply >= 2 * self.depth:
            return None
        try:
            state = texts.board_of(rules, turn.state)
        except BadPosition:  # the engine is told of it, and complains
            return None
        choice = _book(self.file).choice(state, last)
        if choice.illegal:
            more = f" and {len(choice.illegal) - SHOWN} more" if len(choice.illegal) > SHOWN else ""
            moves = ", ".join(choice.illegal[:SHOWN])
            complain(f"the book {self.file} has illegal moves, which are left out: {moves}{more} in `{turn.state}`")
        return choice.drawn(Random(f"{self.seed} {turn.match} {turn.ply}"))  # noqa: S311  # a draw for a game
