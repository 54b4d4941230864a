"""A position of one of OpenSpiel's games: the moves that led there, and OpenSpiel's state beside them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple, Self

from palio_rules.addons.openspiel.library import load
from palio_rules.errors import IllegalMove, quoted
from palio_rules.game import Outcome, only_moves


class Variant(NamedTuple):
    """A game with its settings: those that are OpenSpiel's, in order, and ours."""

    game: str  # OpenSpiel's short name
    settings: tuple[tuple[str, Any], ...]  # only what differs from OpenSpiel's own
    max_plies: int

    @property
    def initial(self) -> "Position":
        return Position(self, (), loaded(self.game, self.settings).new_initial_state())


@cache
def loaded(game: str, settings: tuple[tuple[str, Any], ...]) -> Any:
    """OpenSpiel's game, made once. Raises BadOption."""
    return load(game, dict(settings))


@dataclass(frozen=True, slots=True)
class Position:
    """Two positions are the same if the same moves were made: OpenSpiel's rules may look back at every one.

    A move is the number of an action, as OpenSpiel counts them.
    """

    variant: Variant
    actions: tuple[int, ...]
    spiel: Any = field(compare=False, repr=False)  # OpenSpiel's state, which is never changed
    _names: dict[int, str] = field(
        default_factory=dict, compare=False, repr=False
    )  # of the legal moves, when asked for

    @property
    def to_move(self) -> int | None:
        if len(self.actions) >= self.variant.max_plies or self.spiel.is_terminal():
            return None
        seat: int = self.spiel.current_player()
        return seat

    def legal_moves(self) -> Iterator[int]:
        """In OpenSpiel's order, which is that of the numbers."""
        return iter(() if self.to_move is None else self.spiel.legal_actions())

    @only_moves
    def check(self, move: int) -> None:
        if self.to_move is None:
            raise IllegalMove("game-over", "the game is over")
        if move not in self.spiel.legal_actions():
            raise IllegalMove("not-legal", f"this action cannot be played here, got {quoted(move)}")

    def play(self, move: int) -> Self:
        return type(self)(self.variant, (*self.actions, move), self.spiel.child(move))

    def outcome(self) -> Outcome | None:
        """Return the scores: the seats with the highest return have won, and share the win."""
        if self.spiel.is_terminal():
            returns = self.spiel.returns()
        elif len(self.actions) >= self.variant.max_plies:
            return Outcome("max-plies", (1 / self.spiel.num_players(),) * self.spiel.num_players())
        else:
            return None
        best = max(returns)
        share = 1 / returns.count(best)
        scores = tuple(share if value == best else 0.0 for value in returns)
        return Outcome("draw" if share == 1 / len(returns) else "win" if share == 1 else "shared-win", scores)

    def names(self) -> Mapping[int, str]:
        """Return OpenSpiel's names of the legal moves, without white space; with `#` and a number if two are alike."""
        if not self._names and (seat := self.to_move) is not None:
            said = {move: _word(self.spiel.action_to_string(seat, move)) for move in self.spiel.legal_actions()}
            words = list(said.values())
            alike = {word for word in words if words.count(word) > 1} if len(set(words)) < len(words) else set()
            self._names.update({move: f"{word}#{move}" if word in alike else word for move, word in said.items()})
        return self._names

    def __reduce__(self) -> tuple[Any, ...]:
        return position, (self.variant, self.actions)

    def __deepcopy__(self, _: dict[int, Any]) -> Self:
        return self  # nothing in it ever changes


def position(variant: Variant, actions: tuple[int, ...]) -> Position:
    """After these legal moves, which are trusted."""
    spiel = loaded(variant.game, variant.settings).new_initial_state()
    for action in actions:
        spiel.apply_action(action)
    return Position(variant, actions, spiel)


def _word(text: str) -> str:
    """As one word: what records divide by, and what they take for comments, is replaced."""
    return "_".join(text.replace("{", "(").replace("}", ")").split()) or "_"
