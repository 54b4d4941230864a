"""A book of openings: one a line, as moves or as a position; checked by the rules before anything is played.

    # the first two lines are the same opening
    b5-b4 c2-c3
    BBBBBB/B.BBBB/.B..../..W.../WW.WWW/WWWWWW black

Blank lines, and what follows a `#` at the beginning or after a blank, say nothing. Moves are in the game's
notation, from its first position; a position is in its own one-line text. See `docs/openings.md`.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from palio_rules.errors import BadOption, Rejection, quoted
from palio_rules.instances.effort import spend
from palio_rules.records.record import Setup
from palio_server.tournament.openings.opening import Opening

Order = Literal["random", "sequential"]
MOST_LINES = 100_000  # of a book
MOST_NAMED = 5  # lines that one remark names
_COMMENT = re.compile(r"\s#")


@dataclass(frozen=True, slots=True)
class _Line:
    number: int  # from 1
    opening: Opening
    state: Any  # to which it leads


class Book:
    """Openings in the order of their lines, or in a random one, new in each pass through the book.

    Lines that lead to a position that an earlier one has reached are left out, which `remarks` tell.
    """

    def __init__(self, found: Sequence[Opening], *, order: Order = "sequential", seed: int = 0, name: str = "") -> None:
        """Raises BadOption if it is empty."""
        if not found:
            raise BadOption(f"{name or 'the book'} has no openings; give one a line, as moves or as a position")
        self._openings, self._order, self._seed, self._name = tuple(found), order, seed, name or "the book"
        self._pass: tuple[int, list[int]] = (-1, [])
        self.remarks: tuple[str, ...] = ()

    @classmethod
    def read(
        cls,
        lines: Iterable[str],
        game: str,
        options: dict[str, Any],
        *,
        name: str = "the book",
        order: Order = "sequential",
        seed: int = 0,
        plies: int | None = None,
    ) -> "Book":
        """Check a book for a game under these options; `plies` cuts what is given as moves to so many.

        Raises BadOption with the book's `name`, the line and the reason.
        """
        reader = _Reader(game, options, name, plies)
        read = [line for number, text in enumerate(lines, 1) if (line := reader.line(number, text)) is not None]
        first = {line.state: line for line in reversed(read)}
        kept = [line for line in read if first[line.state] is line]
        book = cls([line.opening for line in kept], order=order, seed=seed, name=name)
        book.remarks = _repeated(name, [(line.number, first[line.state].number) for line in read])
        return book

    @property
    def size(self) -> int:
        return len(self._openings)

    def opening(self, index: int) -> Opening:
        """Number `index`; after the last one they come round again."""
        turn, place = divmod(index, self.size)
        if self._order == "sequential":
            return self._openings[place]
        if self._pass[0] != turn:
            self._pass = (turn, self._shuffled(turn))
        return self._openings[self._pass[1][place]]

    def check(self, wanted: int) -> tuple[str, ...]:
        """Says so if they come round again."""
        if wanted <= self.size:
            return ()
        return (f"{self._name} has {self.size} openings for {wanted} encounters: they come round again",)

    def _shuffled(self, turn: int) -> list[int]:
        places = list(range(self.size))
        Random(f"palio book {self._seed} {turn}").shuffle(places)  # noqa: S311 - a draw for a tournament, no secret
        return places


class _Reader:
    """Reads lines by the rules of one game."""

    def __init__(self, game: str, options: dict[str, Any], name: str, plies: int | None) -> None:
        self._setup, self._name, self._plies = Setup(game, (), options), name, plies
        self._rules, self._first = self._setup.rules(), self._setup.first()

    def line(self, number: int, text: str) -> _Line | None:
        """What a line says; None: nothing. Raises BadOption."""
        if number > MOST_LINES:
            raise BadOption(f"{self._name} has more than {MOST_LINES:,} lines; give a smaller book")
        text = _COMMENT.split(text.strip(), maxsplit=1)[0].rstrip()
        if not text or (text.startswith("#") and not self._is_position(text)):  # a filled corner of Dominoes is a `#`
            return None
        spend(1)
        try:
            opening, state = self._read(text)
        except (Rejection, ValueError) as error:
            raise BadOption(f"{self._name} line {number}: {error}") from None
        if (outcome := state.outcome()) is not None:
            raise BadOption(f"{self._name} line {number}: the game is over there ({outcome.reason}); take it out")
        return _Line(number, opening, state)

    def _is_position(self, text: str) -> bool:
        """Whether a line is a position as it stands: some games write a `#` in theirs."""
        try:
            self._rules.parse_state(text)
        except ValueError:
            return False
        return True

    def _read(self, text: str) -> tuple[Opening, Any]:
        """Raises Rejection or ValueError."""
        if not self._is_position(text):
            return self._moves(text.split())
        setup = Setup(self._setup.game, (), self._setup.options, position=text)
        return Opening(position=text), setup.first()

    def _moves(self, words: Sequence[str]) -> tuple[Opening, Any]:
        state, moves = self._first, []
        for place, word in enumerate(words[: self._plies], 1):
            try:
                move = self._rules.parse_notation(state, word)
                state.check(move)
            except Rejection as error:
                raise ValueError(self._objection(place, words, error)) from None
            moves.append(self._rules.move_to_wire(move))
            state = state.play(move)
        return Opening(tuple(moves)), state

    def _objection(self, place: int, words: Sequence[str], error: Rejection) -> str:
        """Why a line is no opening: its text may be meant as a position."""
        if place > 1 or len(words) == 1 or type(error).__name__ == "IllegalMove":
            return f"move {place}, {quoted(words[place - 1])}: {error}"
        try:
            self._rules.parse_state(" ".join(words))
        except ValueError as wrong:
            return f"it is neither moves ({error}) nor a position ({wrong})"
        raise AssertionError


def _repeated(name: str, pairs: Iterable[tuple[int, int]]) -> tuple[str, ...]:
    """`pairs`: a line's number and that of the first one that leads to the same position."""
    again = [pair for pair in pairs if pair[0] != pair[1]]
    if not again:
        return ()
    named = ", ".join(f"line {number} repeats line {first}" for number, first in again[:MOST_NAMED])
    more = f", and so on, {len(again)} in all" if len(again) > MOST_NAMED else ""
    return (f"{name}: {named}{more}; repeated openings are left out",)
