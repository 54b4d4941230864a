"""The interface of every encoding: shape of observations, number of actions, and both ways between them."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from operator import index as as_integer
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from palio_rules.errors import Rejection, quoted
from palio_rules.game import Game, Options, State

S = TypeVar("S", bound=State[Any])
MoveT = TypeVar("MoveT")

Planes = NDArray[np.float32]  # an observation
Mask = NDArray[np.int8]  # 1 for each action that is a legal move


class BadAction(ValueError):
    """A number that is no action, or no legal one: the message says which, and why."""


class Encoding(ABC, Generic[S, MoveT]):
    """Positions and moves of one game under fixed options.

    Observations are seen from a seat: the board is turned so that every seat plays in the same direction, its
    pieces come first, and the actions are numbered as it sees them.

    Positions are the game's own. Where a move is too large to be one number, as a tour is, they are those in which
    its parts are chosen one after the other: `root` leads into them, and `whole` out again.
    """

    shape: tuple[int, ...]  # of an observation; the last axis is that of `planes`
    planes: tuple[str, ...]  # what each of them shows, in a line
    actions: int  # they are 0 to actions - 1
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)  # of each value of an observation
    in_parts: ClassVar[bool] = False  # whether a move is made of several actions
    limits: ClassVar[frozenset[str]] = frozenset()  # reasons of outcomes that say no more than that a game got too long

    def __init__(self, rules: Game[Any, Any], options: Options) -> None:
        """`options` is an instance of `rules.options_type`. Raises BadOption if these options cannot be encoded."""
        self.rules, self.options = rules, options

    @abstractmethod
    def index(self, state: S, move: MoveT) -> int:
        """The action that is the legal `move` of the side to move; no two legal moves have one in common."""

    @abstractmethod
    def move(self, state: S, index: int) -> MoveT:
        """The move that action `index` is, legal or not. Raises BadAction where it leads off the board."""

    @abstractmethod
    def observe(self, state: S, seat: int) -> Planes:
        """The position as `seat` sees it: an array of `shape`, a new one each time."""

    def mask(self, state: S) -> Mask:
        """1 for each legal action, 0 for the others; all 0 where the game is over."""
        mask = np.zeros(self.actions, np.int8)
        for move in state.legal_moves():
            mask[self.index(state, move)] = 1
        return mask

    def number(self, action: object) -> int:
        """`action`, an int or a numpy one. Raises BadAction if it is none, or none of this game's."""
        number = action_number(action)
        if not 0 <= number < self.actions:
            raise BadAction(f"action {quoted(number)} is out of range: {self.rules.name} has 0 to {self.actions - 1}")
        return number

    def read(self, state: S, action: object) -> MoveT:
        """The legal move that `action` (an int, or a numpy one) is. Raises BadAction with the reason."""
        number = self.number(action)
        try:
            move = self.move(state, number)
            state.check(move)
        except (BadAction, Rejection) as error:
            raise BadAction(f"action {number} is not legal here: {error}") from None
        return move

    # --- where a move has several parts, and for races ----------------------------------------------------------------

    def root(self, state: Any) -> S:
        """The position in which the first part of a move in `state` is chosen: `state`, if a move is one action."""
        found: S = state
        return found

    def whole(self, state: S, move: MoveT) -> Any:
        """The game's move that is complete with `move`; None while parts of it are missing."""
        return move

    def spent(self, state: S) -> float:
        """Return the cost of a race until now, less being better."""
        raise NotImplementedError(f"{type(self).__name__} does not say what a race costs; give it a method spent")

    def shown(self, first: Any, state: S) -> Any:
        """The game's own position that shows `state`, where `first` is the one from which `root` led here."""
        return state

    def longest(self, state: S) -> int:
        """After how many actions an episode of a race is broken off."""
        return 1000

    def penalty(self, state: S) -> float:
        """Return the cost of an illegal action in a race: so much that it never pays to play these to the end."""
        return 1.0


def action_number(action: object) -> int:
    """An int, a numpy integer, or an array with one of these in it. Raises BadAction for anything else."""
    value: Any = action.reshape(-1)[0] if isinstance(action, np.ndarray) and action.size == 1 else action
    if not isinstance(value, bool | np.bool_):
        with suppress(TypeError):
            return as_integer(value)
    raise BadAction(f"an action is an integer, got {quoted(action)}")


def board_of_bits(bits: int, rows: int, cols: int) -> Planes:
    """A plane of `rows` x `cols`: cell (row, col) is bit `row * cols + col`."""
    data = np.frombuffer(bits.to_bytes((rows * cols + 7) // 8, "little"), np.uint8)
    return np.unpackbits(data, count=rows * cols, bitorder="little").reshape(rows, cols).astype(np.float32)


def stacked(shape: tuple[int, ...], planes: Sequence[Planes | float]) -> Planes:
    """Planes, or a number where a whole plane has the same, as one array with the planes last."""
    found = np.empty(shape, np.float32)
    for at, plane in enumerate(planes):
        found[..., at] = plane
    return found
