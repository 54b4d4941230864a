"""Planning of the shortest path to the bot's own goal: once in a race, and at every move against an opponent.

Search-based planning with replanning, as in "End of the Track" (AI388U, University of Texas at Austin): the opponent is
part of the board, not part of the plan.
"""

from math import inf
from types import ModuleType
from typing import Any

from palio_clients.agents.random import generator
from palio_clients.agents.thinking_time import ThinkingTime, kernels_for, stop_after
from palio_clients.games import companion_of
from palio_clients.kernels import missing
from palio_clients.sdk.bot import Bot
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import Resign
from palio_clients.search.game_tree import Stop, Stopped
from palio_clients.search.planning import Plan, Problem, a_star
from palio_rules.game import Game, Options
from palio_rules.instances.rush_hour import TooManyPositions
from palio_rules.registry import game, games

SHOWN = 8  # steps of a plan that viewers see as text
NODES_A_MOVE = 1500  # if a plan is made for each move
NODES_A_RACE = 300_000  # for a shortest plan: some hundred megabytes
GREEDY = 5.0  # the weight for any plan, if there is no time for a shortest one
FOR_THE_SHORTEST = 0.7  # share of the time for a shortest plan; the rest is for any plan


class PlannerBot(Bot):
    """A bot that plans with weighted A*. `weight` 1 gives the shortest plans, more finds one sooner.

    `nodes` limits the states of one plan (0: the game's default), `seconds` the time (0: a share of the clock). In a
    race it thinks once and then plays its plan, which a compiled search finds unless `weight` or `nodes` are set;
    without numba the readable search plays, with a remark on stderr. If there is not enough time for a shortest plan it
    searches any plan; if there is none in time, it goes towards the most promising position and plans again there. If
    no plan exists it resigns. `seed` decides between equal plans against an opponent, -1 differently each time.
    """

    games = tuple(name for name in games() if game(name).kind != "table" and companion_of(name).plans)

    def __init__(self, weight: float = 1.0, nodes: int = 0, seconds: float = 0.0, seed: int = -1) -> None:
        if not 1 <= weight < inf:
            raise ValueError(f"weight must be at least 1, and finite, got weight={weight:g}")
        self.weight, self.nodes, self.seconds = weight, nodes, seconds
        self.pace = ThinkingTime(nodes=nodes or NODES_A_MOVE, seconds=seconds)
        self.random = generator(seed)
        self._ahead: list[tuple[Any, Any]] = []  # the rest of a race's plan: positions, and the moves in them
        self._kernels: ModuleType | None = None
        self._remark: str | None = None

    @classmethod
    def warm_up(cls, game: Game[Any, Any]) -> None:
        if game.kind == "race":
            kernels_for(game.name, "planner")

    def prepare(self, game: Game[Any, Any], options: Options, seat: int) -> None:
        if game.name not in self.games:
            raise ValueError(f"planner does not know how to plan in {game.name}; it plays {', '.join(self.games)}")
        if game.kind == "race" and self.weight == 1 and not self.nodes:
            package = kernels_for(game.name, "planner")
            self._kernels = package if hasattr(package, "plan") else None
            self._remark = missing()

    def choose(self, state: Any, clock: Clock) -> Any:
        return self._in_race(state, clock) if self.game.kind == "race" else self._against(state, clock)

    # --- a race: one plan, which is then played --------------------------------------------------------------------

    def _in_race(self, state: Any, clock: Clock) -> Any:
        nodes = 0
        if not self._ahead or self._ahead[0][0] != state:
            plan = self._plan(state, clock)
            self._ahead, nodes, there = [], plan.expanded, state
            for move in plan.moves:
                self._ahead.append((there, move))
                there = there.play(move)
        if not self._ahead:
            return self.random.choice(list(state.legal_moves()))  # no position is more promising than this one
        line = [move for _, move in self._ahead]
        self.tell(depth=len(line), nodes=nodes, pv=line, text=self._remark)
        del self._ahead[0]
        return line[0]

    def _plan(self, state: Any, clock: Clock) -> Plan:
        """Return the best plan that is found in time. Raises Resign if there is none."""
        most = self.nodes or NODES_A_RACE
        time_s = min(self.seconds or inf, clock.share(2))
        in_time, for_the_shortest = stop_after(time_s, clock), stop_after(FOR_THE_SHORTEST * time_s, clock)
        plan = self._compiled(state, for_the_shortest)
        problem = companion_of(self.game.name).problem(state)
        if plan is None:
            plan = a_star(*problem, weight=self.weight, max_expanded=most, stop=for_the_shortest)
        if plan.complete:
            return plan
        if plan.at_least == inf:
            raise Resign
        hasty = a_star(*problem, weight=max(GREEDY, self.weight), max_expanded=most, stop=in_time)
        return hasty._replace(expanded=plan.expanded + hasty.expanded)

    def _compiled(self, state: Any, stop: Stop) -> Plan | None:
        """Return a shortest plan, or one without success in time; None if the readable search must be used."""
        if self._kernels is None:
            return None
        try:
            found: Plan | None = self._kernels.plan(state, stop)
        except (Stopped, TooManyPositions):
            return Plan((), complete=False, expanded=0)
        return found

    # --- against an opponent: a plan for each move -----------------------------------------------------------------

    def _against(self, state: Any, clock: Clock) -> Any:
        problem = self._alone(state)
        stop = stop_after(self.pace.budget(clock), clock)
        plan = a_star(*problem, weight=self.weight, max_expanded=self.pace.nodes, stop=stop)
        self.tell(depth=len(plan.moves), nodes=plan.expanded, pv=plan.moves[:1], text=self._in_words(problem, plan))
        return plan.moves[0] if plan.moves else self.random.choice(list(state.legal_moves()))

    def _alone(self, state: Any) -> Problem[Any]:
        """Return the game as a planning problem, as if the opponent never moved."""
        problem = companion_of(self.game.name).problem(state, self.seat)

        def successors(position: Any) -> list[tuple[Any, Any]]:
            moves = list(problem.successors(position))
            self.random.shuffle(moves)  # choose at random between equally short plans
            return moves

        return problem._replace(successors=successors)

    def _in_words(self, problem: Problem[Any], plan: Plan) -> str:
        """Return the plan as text, not as a principal variation, because the opponent has no part in it."""
        state, steps = problem.start, []
        for move in plan.moves[:SHOWN]:
            steps.append(self.game.notation(state, move))
            state = dict(problem.successors(state))[move]
        return f"{'' if plan.complete else 'towards '}{' '.join(steps)}{' …' if len(plan.moves) > SHOWN else ''}"
