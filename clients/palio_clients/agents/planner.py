"""Plans the shortest way to its own goal as if it were alone, plays the first step, and plans again.

Search-based planning with replanning, as in "End of the Track" (AI388U, University of Texas at Austin): the opponent is
part of the board, not part of the plan.
"""

from types import ModuleType
from typing import Any

from palio_clients.agents.random import generator
from palio_clients.bot import Bot
from palio_clients.clock import Clock
from palio_clients.knowledge import knowledge_of
from palio_clients.search.a_star import Plan, a_star
from palio_rules.game import Game

SHOWN = 8  # steps of a plan that viewers are told


class PlannerBot(Bot):
    """Plans with weighted A*. `weight` 1 gives the shortest plans, more finds one sooner.

    `effort` limits the states that are looked at for one move; a plan that is not complete by then leads to the most
    promising of them.
    """

    games = ("breakthrough", "dominoes", "end_of_the_track")

    def __init__(self, weight: float = 1.0, effort: int = 1500, seed: int = -1) -> None:
        if weight < 1 or effort < 1:
            raise ValueError(f"weight and effort must be at least 1, got weight={weight}, effort={effort}")
        self.weight, self.effort = weight, effort
        self.random = generator(seed)

    def prepare(self, game: Game[Any, Any], options: Any, seat: int) -> None:
        if not hasattr(knowledge_of(game.name), "alone"):
            raise ValueError(f"planner does not know how to plan in {game.name}; it plays {', '.join(self.games)}")

    def choose(self, state: Any, clock: Clock) -> Any:
        knowledge, seat = knowledge_of(self.game.name), self.seat
        assert knowledge is not None

        def successors(position: Any) -> Any:
            moves = list(knowledge.alone(position, seat))
            self.random.shuffle(moves)  # of equally short plans, not always the same
            return moves

        def remaining(position: Any) -> float:
            return float(knowledge.remaining(position, seat))

        plan = a_star(state, successors, remaining, weight=self.weight, max_expanded=self.effort, stop=clock.expired)
        self.tell(
            depth=len(plan.moves), nodes=plan.expanded, pv=plan.moves[:1], text=self._in_words(state, plan, knowledge)
        )
        return plan.moves[0] if plan.moves else self.random.choice(list(state.legal_moves()))

    def _in_words(self, state: Any, plan: Plan, knowledge: ModuleType) -> str:
        """The plan in words: no principal variation, for the opponent has no part in it."""
        steps = []
        for move in plan.moves[:SHOWN]:
            steps.append(self.game.notation(state, move))
            state = dict(knowledge.alone(state, self.seat))[move]
        return f"{'' if plan.complete else 'towards '}{' '.join(steps)}{' …' if len(plan.moves) > SHOWN else ''}"
