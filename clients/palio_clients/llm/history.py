"""The moves of a match in notation, as far as a bot knows them: after a crash it knows those since it came back."""

from typing import Any

from palio_rules.game import Game


class History:
    """Follows a match from position to position; what does not fit is forgotten, and it begins anew."""

    def __init__(self, game: Game[Any, Any], setup: Any | None) -> None:
        self.moves: list[tuple[int, str]] = []  # seat and notation
        self._game = game
        self._at = setup
        self._ours: Any = None  # our last move, until it is known whether it was played
        self._others: list[tuple[int, Any]] = []

    def we_played(self, move: Any) -> None:
        self._ours = move

    def other_played(self, seat: int, move: Any) -> None:
        self._others.append((seat, move))

    def reach(self, state: Any) -> bool:
        """It is our turn in `state`. False if it was so already: our last move was not played."""
        ours, others = self._ours, self._others
        self._ours, self._others = None, []
        if self._at == state and not others and self.moves_on(state):
            return False
        found, at = [], self._at
        try:
            if at is not None:
                seats = [] if ours is None else [(at.to_move, ours)]
                for seat, move in [*seats, *others]:
                    if at.to_move != seat:
                        raise ValueError("another seat has left")  # noqa: TRY301
                    found.append((seat, self._note(at, move)))
                    at = at.play(move)
        except (ValueError, KeyError, IndexError, TypeError):
            at = None
        self.moves = [*self.moves, *found] if at == state else []
        self._at = state
        return True

    def moves_on(self, state: Any) -> bool:
        """Whether the game tells positions apart: in an anytime race a tour no better leaves all as it was."""
        return not self._game.anytime

    def _note(self, at: Any, move: Any) -> str:
        if not self._game.anytime:
            return self._game.notation(at, move)
        cost = self._game.cost(at.play(move))
        return f"{cost:g}" if cost is not None else "none"
