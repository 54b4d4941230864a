"""What `palio solve` was asked: the value of a position, or the fewest turns to another one."""

from typing import Any

from palio_clients.solving import solver_of
from palio_clients.solving.budget import Budget
from palio_clients.solving.solution import Solution
from palio_rules.errors import BadOption
from palio_rules.game import Game

PLANNED = "end_of_the_track"  # the course's problem; plans in other games are what their races ask for


class Task:
    """A position, and a goal if there is one."""

    def __init__(self, rules: Game[Any, Any], state: Any, goal: str | None = None) -> None:
        """Raises BadOption where nothing can be proven, BadPosition for a goal that is none."""
        self.rules, self.state, self.goal = rules, state, None
        if goal is not None:
            if rules.name != PLANNED:
                raise BadOption(f"--to plans turns in {PLANNED}, not in {rules.name}; leave it out")
            self.goal = rules.parse_state(goal)
        self._solver = solver_of(rules)
        self._solver.prepare(state)

    @property
    def how(self) -> str:
        """The method, for people."""
        return self._solver.how if self.goal is None else "shortest plans, pruned by the turns that pieces need"

    def solve(self, budget: Budget) -> Solution:
        if self.goal is not None:
            from palio_clients.solving.end_of_the_track import plan  # noqa: PLC0415 - with its game

            return plan(self.state, self.goal, budget)
        if (outcome := self.state.outcome()) is not None:
            score = outcome.scores[0]
            return Solution("win" if score == 1 else "loss" if score == 0 else "draw", 0, shortest=True)
        return self._solver.solve(self.state, budget)

    def sentence(self, solution: Solution) -> str:
        """The value in words."""
        if self.goal is None:
            return solution.told(self.rules, self.state)
        if solution.distance == 1:
            return "1 turn leads there"
        turns = f"{solution.at_least if solution.distance is None else solution.distance} turns"
        return f"not proven: at least {turns}" if solution.verdict is None else f"{turns} lead there, and no fewer"

    def line(self, solution: Solution) -> list[str]:
        """Its moves in notation."""
        state, told = self.state, []
        for move in solution.line:
            told.append(self.rules.notation(state, move))
            state = state.play(move)
        return told

    def as_dict(self, solution: Solution) -> dict[str, Any]:
        """What is known, for `--json`. A position that is over tells the verdict of the first seat."""
        to_move = self.state.to_move
        return {
            "game": self.rules.name,
            "position": self.rules.format_state(self.state),
            "to_move": None if to_move is None else self.rules.seats[to_move],
            "told": self.sentence(solution),
            "verdict": solution.verdict,
            "distance": solution.distance,
            "shortest": solution.shortest,
            "at_least": solution.at_least,
            "at_most": solution.at_most,
            "value": solution.value,
            "how": self.how,
        }
