"""A playout: random moves until the game is over or an evaluation ends it; how `mcts` judges a position.

Cut short, as here, in Lorentz, "Amazons discover Monte-Carlo", CG (2008): where random play says little, few random
moves and a look at the board say more.
"""

from dataclasses import dataclass
from math import exp
from random import Random
from typing import Any

from palio_clients.search.game_tree import Evaluate


@dataclass(frozen=True, slots=True)
class Playout:
    """Plays at most `plies` random plies (0: to the end); then `evaluate(state, seat)` divides the point.

    A value that is higher by `lead` makes a seat's share e times as large as the other's. A call with a state and a
    random generator returns a score from 0 to 1 for each seat; their sum is 1.
    """

    seats: int
    evaluate: Evaluate
    plies: int = 0
    lead: float = 3.0  # pawns, or what else the evaluation counts in

    def __call__(self, state: Any, random: Random) -> tuple[float, ...]:
        played = 0
        while (outcome := state.outcome()) is None:
            if played == self.plies and self.plies:
                return self.shares(state)
            moves = list(state.legal_moves())
            state = state.play(moves[int(random.random() * len(moves))])
            played += 1
        return outcome.scores  # type: ignore[no-any-return]  # a state of any game

    def shares(self, state: Any) -> tuple[float, ...]:
        """How the point of an open game is divided among the seats."""
        values = [self.evaluate(state, seat) for seat in range(self.seats)]
        highest = max(values)
        weights = [exp((value - highest) / self.lead) for value in values]
        return tuple(weight / sum(weights) for weight in weights)
