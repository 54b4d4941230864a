"""The interface of every solver, and its result, in one sentence."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import ceil, inf
from typing import Any, ClassVar

from palio_clients.search.game_tree import (
    WIN,
    Best,
    Evaluate,
    History,
    Lookback,
    NoisyMoves,
    Stop,
    Stopped,
    Table,
    deepening,
    nothing,
)
from palio_clients.search.minimax import alpha_beta, paranoid
from palio_clients.search.planning import Plan, Problem, a_star
from palio_clients.search.proof_number import proof_number
from palio_clients.solving.budget import Budget
from palio_rules.game import Game
from palio_rules.records.record import Verdict


@dataclass(frozen=True, slots=True)
class Solution:
    """The known result of a position, for the seat to move."""

    verdict: Verdict | None = None  # in a race: "win", solvable; "loss", unsolvable. None: not proven
    distance: int | None = None  # plies until the end along `line`, which the winner can enforce; None: not counted
    shortest: bool = False  # no win is faster, and no defence is longer
    line: tuple[Any, ...] = ()  # best play as far as known
    value: float | None = None  # the evaluation, if nothing is proven
    depth: int = 0  # plies that were searched for `value`
    at_least: int = 0  # a lower bound of the plies to a decision, or to the solution of a race
    at_most: int | None = None  # of a race without a proven shortest plan: `line` has so many moves
    note: str = ""  # a further part of the sentence; of a duel in the place of `value`

    def in_words(self, rules: Game[Any, Any], state: Any) -> str:
        """Return the value in words: `white wins in 5 plies`, `solved in 18 moves`, `draw`, `not proven: ...`."""
        if (outcome := state.outcome()) is not None:
            return f"over: {outcome.reason}"
        if rules.kind == "race":
            return self._of_race()
        if self.verdict is None:
            return f"not proven: {self._bounds(rules, state)}"
        if self.verdict == "draw":
            return "draw"
        seat = state.to_move if self.verdict == "win" else 1 - state.to_move
        against = ", whatever the others do" if rules.kind == "table" else ""
        return f"{rules.seats[seat]} wins{self._when()}{against}"

    def _when(self) -> str:
        if self.distance is None:
            return ""
        return f" {'in' if self.shortest else 'within'} {_count(self.distance, 'ply', 'plies')}"

    def _bounds(self, rules: Game[Any, Any], state: Any) -> str:
        known = []
        if self.at_least > 1:
            who = "nobody can" if rules.kind == "duel" else f"{rules.seats[state.to_move]} cannot"
            known.append(f"{who} force a win within {_count(self.at_least - 1, 'ply', 'plies')}")
        if self.note:
            known.append(self.note)
        elif self.value is not None:
            known.append(f"{rules.seats[state.to_move]} {self.value:+.2f} by evaluation")
        return ", ".join(known) or "nothing is known"

    def _of_race(self) -> str:
        note = f" ({self.note})" if self.note else ""
        if self.verdict == "win":
            return f"solved in {_count(self.distance or 0, 'move', 'moves')}{note}"
        if self.verdict == "loss":
            return f"cannot be solved{note}"
        known = f", {_count(self.at_most, 'move', 'moves')} are enough" if self.at_most is not None else ""
        return f"not proven: at least {_count(self.at_least, 'move', 'moves')}{known}"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


class Solver(ABC):
    """A solver of positions of one game; its memory helps with the next position, so keep it for a whole match."""

    how: ClassVar[str]  # the method, for people

    @abstractmethod
    def solve(self, state: Any, budget: Budget) -> Solution:
        """Return what can be proven about `state`, which is not over, within the budget."""

    def prepare(self, state: Any) -> None:  # noqa: B027 - optional hook
        """Compile what positions like this one need in addition, before any clock runs."""

    def survey(self, state: Any, budget: Budget) -> None:  # noqa: B027 - optional hook
        """Learn about all positions reachable from `state` at once, in a race, if that is worth it."""


# Shortest plans for races: A*, which proves its results.

PROOF = 0.8  # of the budget; the rest is for any plan
STATES = 2_000_000  # expanded states: about two gigabytes
GREEDY = 3.0  # the weight for any plan


class PlanSolver(Solver):
    """A solver of a race that `problem` describes as a search problem, with a consistent estimate."""

    how = "A* with a consistent estimate"

    def __init__(self, problem: Callable[[Any], Problem[Any]]) -> None:
        self._problem = problem

    def solve(self, state: Any, budget: Budget) -> Solution:
        problem = self._problem(state)
        budget.stage = "A*"
        plan = _searched(problem, 1.0, budget.share(PROOF))
        if plan.complete:
            return self.within_the_rules(state, plan.moves)
        if plan.at_least == inf:
            return Solution("loss")
        budget.stage = "any plan"
        hasty = _searched(problem, GREEDY, budget)
        known = (len(hasty.moves), hasty.moves) if hasty.complete else (None, ())
        return Solution(at_least=ceil(plan.at_least), at_most=known[0], line=known[1])

    def within_the_rules(self, state: Any, plan: tuple[Any, ...]) -> Solution:
        """Return a shortest plan as a solution, if the race is not over before it ends."""
        for made, move in enumerate(plan, 1):
            state = state.play(move)
            if made < len(plan) and state.outcome() is not None:
                return Solution("loss", note=f"it takes {len(plan)} moves, and the race ends after {made}")
        outcome = state.outcome()
        assert outcome is not None
        if outcome.scores[0] != 1:  # the last move came too late
            return Solution("loss", note=f"it takes {len(plan)} moves, which is too many by the rules")
        return Solution("win", len(plan), shortest=True, line=plan)


def _searched(problem: Problem[Any], weight: float, budget: Budget) -> Plan:
    return a_star(*problem, weight=weight, max_expanded=STATES, stop=budget.tick)


# Proofs by search: the winner, if all seats play as well as possible.
#
# First iterative deepening, which finds the quickest win if it is near. Then proof-number search for the side to move;
# if draws exist, for the other side, too. With three or more seats only one thing is proven: that the seat to move wins
# against any play of the others.

NEAR = 0.4  # share of the budget for the quickest win
NEAR_NODES = 1_000_000
TREE = 500_000  # positions in a proof tree: about a gigabyte


class ProofSolver(Solver):
    """A solver of games with an opponent. `draws`: whether a game can end without a winner."""

    how = "iterative deepening, then proof-number search"

    def __init__(
        self,
        rules: Game[Any, Any],
        evaluate: Evaluate,
        lookback: Lookback = nothing,
        noisy: NoisyMoves | None = None,
        *,
        draws: bool = True,
    ) -> None:
        self._duel, self._draws = rules.kind == "duel", draws
        self._evaluate, self._lookback, self._noisy = evaluate, lookback, noisy
        self._order = History(noisy=noisy)

    def solve(self, state: Any, budget: Budget) -> Solution:
        near = self._near(state, budget.share(NEAR, NEAR_NODES))
        return near if near.verdict is not None else self.far(state, budget, near)

    def _near(self, state: Any, budget: Budget) -> Solution:
        """Return the quickest win, or the longest defence, if the search reaches the end; else the evaluation."""
        table = Table(lookback=self._lookback)

        def search(depth: int, stop: Stop) -> Best:
            if self._duel:
                return alpha_beta(
                    state, depth, self._evaluate, order=self._order, table=table, noisy=self._noisy, stop=stop
                )
            return paranoid(state, depth, self._evaluate, order=self._order, stop=stop)

        best = Best(None, 0.0, 0, 0, ())
        for best in deepening(search, budget.tick):
            budget.stage = f"depth {best.depth}"
            if best.depth == 1:
                budget.spend(best.nodes)  # the first depth is always searched, without a check of the limits
        plies = WIN - abs(best.score)
        if best.depth < plies < WIN / 2:  # quiescence has found it; there may be a quicker one
            with suppress(Stopped):
                best = search(int(plies), budget.tick)
        return decided(best, shortest=plies <= best.depth) or Solution(
            line=best.pv, value=best.score, depth=best.depth, at_least=best.depth + 1
        )

    def far(self, state: Any, budget: Budget, near: Solution) -> Solution:
        """Return the result of proof-number search alone; or `near`, the known one, if that finds nothing."""
        seat = state.to_move
        budget.stage = "proof tree"
        half = budget.share(0.5) if self._duel and self._draws else budget
        ours = proof_number(state, max_nodes=min(TREE, budget.left()), stop=half.tick)
        if ours.wins:
            return Solution("win", len(ours.line), line=ours.line)
        if not self._duel:
            return near
        if ours.wins is False and not self._draws:
            return Solution("loss", len(ours.line), line=ours.line)
        if not self._draws:
            return near
        theirs = proof_number(state, 1 - seat, max_nodes=min(TREE, budget.left()), stop=budget.tick)
        if theirs.wins:
            return Solution("loss", len(theirs.line), line=theirs.line)
        return Solution("draw", line=theirs.line) if ours.wins is False and theirs.wins is False else near


def decided(best: Best, *, shortest: bool) -> Solution | None:
    """Return the solution of a search that reached the end of the game; None if it did not."""
    if abs(best.score) <= WIN / 2 or abs(best.score) == inf:
        return None
    return Solution("win" if best.score > 0 else "loss", int(WIN - abs(best.score)), shortest, best.pv)
