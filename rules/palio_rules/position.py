"""Look at a position: its moves as a sequence, its contents place by place.

    state.legal_moves()[0]              a move
    len(state.legal_moves())            how many there are
    state[2, 1]                         what is on a square
    for place, content in state.items() all of the board
    print(state)                        the board, with coordinates

The words are the same in every game. Each game's `Position` says what its places and contents are.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Generic, TypeVar, overload

MoveT_co = TypeVar("MoveT_co", covariant=True)
PlaceT = TypeVar("PlaceT")
ContentT_co = TypeVar("ContentT_co", covariant=True)


class Moves(Sequence[MoveT_co], Generic[MoveT_co]):
    """The legal moves of a position, found when they are asked for.

    A loop that stops early finds no more moves than it needs; to count or to index them finds all, once. `next(moves)`
    works as well, for bots that take the first move: each call takes one more.
    """

    __slots__ = ("_all", "_find", "_rest")

    def __init__(self, find: Callable[[], Iterable[MoveT_co]]) -> None:
        """`find` gives all moves, in the game's order, each time that it is called."""
        self._find = find
        self._all: tuple[MoveT_co, ...] | None = None
        self._rest: Iterator[MoveT_co] | None = None  # of the moves that `next` has not taken

    def __iter__(self) -> Iterator[MoveT_co]:
        """Iterate over all moves; after a call of `next` over those that it has left."""
        if self._rest is not None:
            return self._rest
        return iter(self._find() if self._all is None else self._all)

    def __next__(self) -> MoveT_co:
        if self._rest is None:
            self._rest = iter(self._find())
        return next(self._rest)

    def __len__(self) -> int:
        return len(self._tuple())

    def __bool__(self) -> bool:
        return any(True for _ in self._find())

    @overload
    def __getitem__(self, index: int) -> MoveT_co: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[MoveT_co, ...]: ...
    def __getitem__(self, index: int | slice) -> MoveT_co | tuple[MoveT_co, ...]:
        return self._tuple()[index]

    def __contains__(self, move: object) -> bool:
        return move in self._tuple()

    def __eq__(self, other: object) -> bool:
        """Return True for the same moves in the same order, in a list, a tuple or another position's."""
        if isinstance(other, Moves):
            return self._tuple() == other._tuple()
        return list(self._tuple()) == other if isinstance(other, list) else self._tuple() == other

    def __hash__(self) -> int:
        return hash(self._tuple())

    def __repr__(self) -> str:
        return repr(list(self._tuple()))

    def _tuple(self) -> tuple[MoveT_co, ...]:
        if self._all is None:
            self._all = tuple(self._find())
        return self._all


class Readable(ABC, Generic[PlaceT, ContentT_co]):
    """A position that is read place by place."""

    __slots__ = ()
    __iter__: ClassVar[None] = None  # `for … in state` must not try `state[0]`, `state[1]` and so on

    @abstractmethod
    def places(self) -> Sequence[PlaceT]:
        """Return all places of the board, in the order of the text board."""

    @abstractmethod
    def __getitem__(self, place: PlaceT) -> ContentT_co:
        """Return what is on a place. Raises IndexError if there is no such place."""

    def items(self) -> Iterator[tuple[PlaceT, ContentT_co]]:
        """Yield every place with what is on it."""
        return ((place, self[place]) for place in self.places())

    def find(self, content: Any) -> list[PlaceT]:
        """Return the places that hold `content`: `state.find("B")` are Black's pawns in Breakthrough."""
        return [place for place, found in self.items() if found == content]


class Squares(Readable[tuple[int, int], str]):
    """A board of squares: a place is (row, col) from the top left corner, its content a character of the text board."""

    __slots__ = ()

    @abstractmethod
    def rows(self) -> Sequence[Sequence[str]]:
        """Return the rows from the top, a character for each square."""

    def places(self) -> list[tuple[int, int]]:
        """Return all (row, col), row by row from the top."""
        return [(row, col) for row, cells in enumerate(self.rows()) for col in range(len(cells))]

    def __getitem__(self, place: tuple[int, int]) -> str:
        """Return the character of the square (row, col).

        Raises IndexError if it is off the board, TypeError for what is no pair of numbers, as in `state[row][col]`.
        """
        rows = self.rows()
        try:
            row, col = place
            on_the_board = 0 <= row < len(rows) and 0 <= col < len(rows[0])
        except (TypeError, ValueError):
            raise TypeError(f"state[{place!r}] is no square; write state[row, col], as in state[2, 1]") from None
        if on_the_board:
            return rows[row][col]
        raise IndexError(f"{place!r} is off the board: rows are 0 to {len(rows) - 1}, columns 0 to {len(rows[0]) - 1}")

    def items(self) -> Iterator[tuple[tuple[int, int], str]]:
        """Yield ((row, col), character), row by row from the top."""
        for row, cells in enumerate(self.rows()):
            for col, cell in enumerate(cells):
                yield (row, col), cell
