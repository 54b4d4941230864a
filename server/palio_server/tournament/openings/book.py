"""A book of openings: one a line, as moves or as a position; checked by the rules before anything is played.

    # the first two lines are the same opening
    b5-b4 c2-c3
    BBBBBB/B.BBBB/.B..../..W.../WW.WWW/WWWWWW black
    BBBBBB/B.BBBB/.B..../..W.../WW.WWW/WWWWWW black moves b4-b3 f2-f3

Blank lines, and what follows a `#` at the beginning or after a blank, say nothing, but for
` # ECO B20 "Sicilian Defense"` in chess. Moves are in the game's notation, from its first position or the one before
them; a position is in its own one-line text, in chess in any form of FEN. See `docs/reference/openings.md`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import count
from random import Random
from typing import Any, Literal, Protocol

from palio_rules.errors import BadOption, Rejection, quoted
from palio_rules.instances.effort import spend
from palio_rules.records.record import Setup
from palio_server.tournament.openings.book_files import MOVES, BookFile, is_position, opening_text

# One opening, and what every source of openings offers.


@dataclass(frozen=True, slots=True)
class Opening:
    """The beginning of a game: a position, "" for the game's own first one, from which `moves` are played.

    In the form of `Setup`: moves as on the wire, the position in the game's own text.
    """

    moves: tuple[Any, ...] = ()
    position: str = ""
    eco: str = ""  # of chess, if the book has it
    name: str = ""  # the same

    def fields(self) -> dict[str, Any]:
        """Return the fields of Setup that it gives."""
        found = {"opening": self.moves, "position": self.position, "eco": self.eco, "opening_name": self.name}
        return {field: value for field, value in found.items() if value or field in ("opening", "position")}


class Openings(Protocol):
    """Openings by number, from 0. An opening's number depends on the source alone, not on earlier calls."""

    @property
    def size(self) -> int | None:
        """The number of openings before they repeat; None if unknown."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks for the user who has chosen them, in sentences."""

    def opening(self, index: int) -> Opening:
        """Return the opening with this number. Raises BadOption if there is none."""

    def check(self, wanted: int) -> tuple[str, ...]:
        """Return remarks if so many are wanted. Raises BadOption if there are too few of them."""


BookOrder = Literal["random", "sequential"]
MOST_SHUFFLED = 100_000  # openings, whose order is that of a shuffled list; of more each place is calculated
MOST_CHECKED = 1000  # openings of those that are wanted, before anything is played
MOST_PASSED = 10  # lines that are no openings, one after the other, while games are played
MOST_NAMED = 5  # lines that one remark names
_ECO = re.compile(r" ECO ([A-E][0-9]{2})\b", re.ASCII)
_NAME = re.compile(r'(?: ECO [A-E][0-9]{2})? "([^"]{1,100})"')


@dataclass(frozen=True, slots=True)
class _Line:
    number: int  # from 1
    opening: Opening
    state: Any  # to which it leads


class Book:
    """Openings in the order of their lines, or in a random one, new in each pass through the book.

    Lines that lead to a position that an earlier one has reached are left out, which `remarks` says.
    """

    def __init__(
        self,
        found: Sequence[Opening],
        *,
        order: BookOrder = "sequential",
        seed: int = 0,
        name: str = "",
        start: int = 1,
    ) -> None:
        """`start` is the number, from 1, of the opening in that order with which play begins. Raises BadOption if it is
        empty, or has not so many.
        """
        if not found:
            raise BadOption(f"{name or 'the book'} has no openings; give one a line, as moves or as a position")
        if start > len(found):
            raise BadOption(f"--openings start={start}: {name or 'the book'} has only {len(found)} openings")
        self._openings, self._order, self._seed, self._name = found, order, seed, name or "the book"
        self._skipped = start - 1
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
        order: BookOrder = "sequential",
        seed: int = 0,
        plies: int | None = None,
        start: int = 1,
        unit: str = "line",
    ) -> "Book":
        """Return a book checked for a game under these options; `plies` limits lines of moves to so many.

        Raises BadOption with the book's `name`, the number of the line (or other `unit`) and the reason.
        """
        reader = _Reader(game, options, name, plies, unit)
        read = [line for number, text in enumerate(lines, 1) if (line := reader.line(number, text)) is not None]
        first = {line.state: line for line in reversed(read)}
        kept = [line for line in read if first[line.state] is line]
        book = cls([line.opening for line in kept], order=order, seed=seed, name=name, start=start)
        book.remarks = _repeated(name, unit, [(line.number, first[line.state].number) for line in read])
        return book

    @classmethod
    def of_file(
        cls,
        file: BookFile,
        game: str,
        options: dict[str, Any],
        *,
        name: str,
        order: BookOrder = "sequential",
        seed: int = 0,
        plies: int | None = None,
        start: int = 1,
    ) -> "Book":
        """Return a large book, whose openings are read and checked when they are asked for. Raises BadOption."""
        found = _InFile(file, _Reader(game, options, name, plies, file.unit), plies)
        return cls(found, order=order, seed=seed, name=name, start=start)

    @property
    def size(self) -> int:
        return len(self._openings)

    def opening(self, index: int) -> Opening:
        """Return number `index`; after the last one they repeat.

        In the place of a line of a large file that is no opening stands the next one that is. Raises BadOption.
        """
        place = self._place(index)
        for after in range(MOST_PASSED):
            with suppress(BadOption):
                return self._openings[(place + after) % self.size]
        return self._openings[place]

    def check(self, wanted: int) -> tuple[str, ...]:
        """Return a remark if they repeat. Raises BadOption for a line among the first ones that is no opening."""
        for index in range(min(wanted, self.size, MOST_CHECKED)):
            self._openings[self._place(index)]
        if wanted <= self.size:
            return ()
        return (f"{self._name} has {self.size} openings for {wanted} encounters: they come round again",)

    def _place(self, index: int) -> int:
        turn, place = divmod(index + self._skipped, self.size)
        if self._order == "sequential":
            return place
        seed = f"palio book {self._seed} {turn}"
        if self.size > MOST_SHUFFLED:
            return permuted(place, self.size, seed)
        if self._pass[0] != turn:
            places = list(range(self.size))
            Random(seed).shuffle(places)  # noqa: S311 - a draw for a tournament, no secret
            self._pass = (turn, places)
        return self._pass[1][place]


def permuted(place: int, size: int, seed: str) -> int:
    """Return the number at this place of a random order of `range(size)`, without making the order.

    A Feistel cipher of four rounds orders the numbers of an even number of bits; those that are too large are
    encrypted again. Black and Rogaway, "Ciphers with arbitrary finite domains" (2002).
    """
    half = (size.bit_length() + 1) // 2
    mask = (1 << half) - 1
    while True:
        left, right = place >> half, place & mask
        for turn in range(4):
            mixed = blake2b(f"{seed} {turn} {right}".encode(), digest_size=8).digest()
            left, right = right, left ^ (int.from_bytes(mixed) & mask)
        place = left << half | right
        if place < size:
            return place


class _InFile(Sequence[Opening]):
    """The openings of a large file. A line that is none, or repeats another, is not known before it is read."""

    def __init__(self, file: BookFile, reader: "_Reader", plies: int | None) -> None:
        self._file, self._reader, self._plies = file, reader, plies

    def __len__(self) -> int:
        return len(self._file.places)

    def __getitem__(self, index: Any) -> Any:
        number, text = self._file.line(index, self._plies)
        line = self._reader.line(number, text)
        assert line is not None  # else it would not have been counted
        return line.opening


class _Reader:
    """A reader of lines by the rules of one game."""

    def __init__(self, game: str, options: dict[str, Any], name: str, plies: int | None, unit: str) -> None:
        self._setup, self._name, self._plies, self._unit = Setup(game, (), options), name, plies, unit
        self._rules, self._first = self._setup.rules(), self._setup.first()

    def line(self, number: int, text: str) -> _Line | None:
        """Return the opening of a line; None if it has none. Raises BadOption."""
        text, comment = opening_text(text, self._rules)
        eco, name = (each.match(comment) if self._rules.exchanged_as == "pgn" else None for each in (_ECO, _NAME))
        if not text:
            return None
        spend(1)
        try:
            opening, state = self._read(text)
        except (Rejection, ValueError) as error:
            raise BadOption(f"{self._name} {self._unit} {number}: {error}") from None
        if (outcome := state.outcome()) is not None:
            remedy = "give plies=N to play fewer moves of it" if opening.moves else "take it out"
            raise BadOption(f"{self._name} {self._unit} {number}: the game is over there ({outcome.reason}); {remedy}")
        opening = replace(opening, eco=eco[1] if eco else "", name=name[1].strip() if name else "")
        return _Line(number, opening, state)

    def _read(self, text: str) -> tuple[Opening, Any]:
        """Return an opening and its position. Raises Rejection or ValueError."""
        before, between, moves = text.partition(MOVES)
        if not between and not is_position(text, self._rules):
            return self._moves(self._first, text.split())
        first = Setup(self._setup.game, (), self._setup.options, position=before).first()
        opening, state = self._moves(first, moves.split())
        return Opening(opening.moves, before), state

    def _moves(self, state: Any, words: Sequence[str]) -> tuple[Opening, Any]:
        moves = []
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
        """Return why a line is not an opening: its text may be meant as a position."""
        if place > 1 or len(words) == 1 or type(error).__name__ == "IllegalMove":
            return f"move {place}, {quoted(words[place - 1])}: {error}"
        try:
            self._rules.read_state(" ".join(words))
        except ValueError as wrong:
            return f"it is neither moves ({error}) nor a position ({wrong})"
        raise AssertionError


def _repeated(name: str, unit: str, pairs: Iterable[tuple[int, int]]) -> tuple[str, ...]:
    """Return a remark on repetitions; `pairs`: a line's number and that of the first one that leads to the same
    position.
    """
    again = [pair for pair in pairs if pair[0] != pair[1]]
    if not again:
        return ()
    named = ", ".join(f"{unit} {number} repeats {unit} {first}" for number, first in again[:MOST_NAMED])
    more = f", and so on, {len(again)} in all" if len(again) > MOST_NAMED else ""
    return (f"{name}: {named}{more}; repeated openings are left out",)


# Openings drawn at random: a few legal plies, the same for every pair of bots, so that games differ.

TRIES = 50  # walks without a new opening for each opening found, before these count as all


class RandomOpenings:
    """Openings of `plies` random legal moves from a position, the same for the same seed; found on demand.

    No two lead to the same position, and none of them ends the game. Number i is the i-th different one of an endless
    series of random walks, so an event that is extended keeps those that it has. After the last opening of a game they
    repeat.
    """

    size: int | None = None
    remarks: tuple[str, ...] = ()

    def __init__(self, game: Any, start: Any, plies: int, seed: int) -> None:
        """`start` is the position to begin from."""
        self._game, self._start, self.plies = game, start, plies
        self._random = Random(f"palio openings {seed}")  # noqa: S311 - a draw for a tournament, no secret
        self._found: list[Opening] = []
        self._reached: set[Any] = set()
        self._misses = 0  # walks since the last new opening

    def opening(self, index: int) -> Opening:
        """Return an opening; after the last one they repeat. Raises BadOption if the game has none."""
        if self.plies == 0:
            return Opening()
        while len(self._found) <= index and not self._exhausted:
            self._look()
        if not self._found:
            self.check(1)
        return self._found[index % len(self._found)]

    def check(self, wanted: int) -> tuple[str, ...]:
        """Find so many. Raises BadOption if the game has too few."""
        while self.plies and len(self._found) < wanted:
            if self._exhausted:
                raise BadOption(
                    f"{self._game.name} has too few openings of {self.plies} plies: {wanted} are wanted, "
                    f"{len(self._found)} were found; give more --openings plies, or fewer --rounds"
                )
            self._look()
        return ()

    def __iter__(self) -> Iterator[Opening]:
        """Yield all openings."""
        for number in count():
            try:
                self.check(number + 1)
            except BadOption:
                return
            yield self.opening(number)

    @property
    def _exhausted(self) -> bool:
        """True if so many walks found nothing new that all are found."""
        return self._misses >= TRIES * (1 + len(self._found))

    def _look(self) -> None:
        """Take one more walk."""
        self._misses += 1
        found = self._walk()
        if found is not None and found[0] not in self._reached:
            self._reached.add(found[0])
            self._found.append(Opening(found[1]))
            self._misses = 0

    def _walk(self) -> tuple[Any, tuple[Any, ...]] | None:
        """Return a random line of play, or None where the game ends on the way."""
        state, moves = self._start, []
        for _ in range(self.plies):
            spend(1)
            legal = list(state.legal_moves())
            if not legal:
                return None
            move = self._random.choice(legal)
            moves.append(self._game.move_to_wire(move))
            state = state.play(move)
        return (state, tuple(moves)) if state.outcome() is None else None


def openings(game: Any, start: Callable[[], Any], plies: int, wanted: int, seed: int) -> list[tuple[Any, ...]]:
    """Return the moves of the first `wanted` of `RandomOpenings`. Raises BadOption if the game has too few."""
    source = RandomOpenings(game, start(), plies, seed)
    source.check(wanted)
    return [source.opening(number).moves for number in range(wanted)]
