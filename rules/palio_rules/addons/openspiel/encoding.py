"""OpenSpiel's own observations and numbers of actions, for programs that learn."""

from typing import Any, ClassVar

import numpy as np

from palio_rules.addons.encodings import Encoding
from palio_rules.addons.encodings.encoding import Planes
from palio_rules.addons.openspiel.position import Position
from palio_rules.errors import BadOption


class SpielEncoding(Encoding[Position, int]):
    """An action is OpenSpiel's own number; an observation its observation tensor.

    The shape is OpenSpiel's, too: its planes often come first, and boards are not turned.
    """

    bounds: ClassVar[tuple[float, float]] = (-np.inf, np.inf)  # some games show counts and scores
    limits: ClassVar[frozenset[str]] = frozenset({"max-plies"})

    def __init__(self, rules: Any, options: Any) -> None:
        """Raises BadOption for a game that OpenSpiel shows in no numbers."""
        super().__init__(rules, options)
        game = rules.start(options).spiel.get_game()
        if not game.get_type().provides_observation_tensor:
            raise BadOption(f"{rules.name} has no encoding: OpenSpiel shows its positions in no numbers; learn another")
        self.shape = tuple(game.observation_tensor_shape())
        self.planes = tuple(f"value {at} of the last axis, as OpenSpiel has it" for at in range(self.shape[-1]))
        self.actions = game.num_distinct_actions()

    def index(self, state: Position, move: int) -> int:
        return move

    def move(self, state: Position, index: int) -> int:
        return index

    def observe(self, state: Position, seat: int) -> Planes:
        return np.array(state.spiel.observation_tensor(seat), np.float32).reshape(self.shape)
