"""A game in progress at one board: every position so far, and the way back. Frozen; a move gives a new one."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any, Self

from palio_rules.game import Game, Outcome


class NothingToTakeBack(ValueError):
    """There is no earlier turn to return to."""


@dataclass(frozen=True, slots=True)
class LocalMatch:
    """`positions` has one more entry than `moves`: the first position, then the one after each move."""

    rules: Game[Any, Any]
    positions: tuple[Any, ...]
    moves: tuple[Any, ...] = ()

    @classmethod
    def begin(cls, rules: Game[Any, Any], options: Any, seed: int = 0) -> Self:
        """The first position. Raises BadOption if options do not fit together."""
        return cls(rules, (rules.start(options, seed),))

    @property
    def state(self) -> Any:
        return self.positions[-1]

    @property
    def to_move(self) -> int | None:
        """The seat whose turn it is; None when the game is over."""
        seat: int | None = self.state.to_move
        return seat

    @property
    def outcome(self) -> Outcome | None:
        result: Outcome | None = self.state.outcome()
        return result

    def play(self, move: Any) -> Self:
        """The game after `move`. Raises IllegalMove, with the rules' own reason, if it cannot be played here."""
        self.state.check(move)
        return replace(self, positions=(*self.positions, self.state.play(move)), moves=(*self.moves, move))

    def undo(self, seats: Collection[int], forced: Callable[[Any], Any | None] = lambda _: None) -> Self:
        """Back to the last turn of one of `seats` before the present one, where it was not `forced` to its move.

        Raises NothingToTakeBack if there is none.
        """
        for ply in range(len(self.moves) - 1, -1, -1):
            if self.positions[ply].to_move in seats and forced(self.positions[ply]) is None:
                return replace(self, positions=self.positions[: ply + 1], moves=self.moves[:ply])
        raise NothingToTakeBack("there is no move of yours to take back")

    def again(self) -> Self:
        """A new game from the same first position."""
        return replace(self, positions=self.positions[:1], moves=())

    def follows(self, earlier: tuple[Any, ...]) -> bool:
        """Whether this game began with the moves `earlier`."""
        return self.moves[: len(earlier)] == earlier

    def notations(self) -> list[tuple[int, str]]:
        """For each move its seat, and the move as people write it."""
        return [
            (state.to_move, self.rules.notation(state, move))
            for state, move in zip(self.positions, self.moves, strict=False)
        ]
