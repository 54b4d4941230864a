"""What every solver offers, and what it finds out, told in one sentence."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from palio_clients.solving.budget import Budget
from palio_rules.game import Game
from palio_rules.records.analysis import Verdict


@dataclass(frozen=True, slots=True)
class Solution:
    """What is known of a position, for the seat to move."""

    verdict: Verdict | None = None  # in a race: "win", it can be solved; "loss", it cannot. None: not proven
    distance: int | None = None  # plies until the end along `line`, which the winner can enforce; None: nobody counted
    shortest: bool = False  # nobody who wins can be faster, and nobody who loses can hold out longer
    line: tuple[Any, ...] = ()  # best play as far as it is known
    value: float | None = None  # the evaluation, where nothing is proven
    at_least: int = 0  # nothing is decided, and no race is solved, in fewer plies than this
    at_most: int | None = None  # of a race, where no shortest plan is proven: `line` is one of so many moves
    note: str = ""  # what else the sentence should say

    def in_words(self, rules: Game[Any, Any], state: Any) -> str:
        """The value in words: `white wins in 5 plies`, `solved in 18 moves`, `draw`, `not proven: ...`."""
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
        if self.value is not None:
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
    """Solves positions of one game; what it learns from one helps with the next, so keep it for a whole match."""

    how: ClassVar[str]  # the method, for people

    @abstractmethod
    def solve(self, state: Any, budget: Budget) -> Solution:
        """What can be found out about `state`, which is not over, within the budget."""

    def prepare(self, state: Any) -> None:  # noqa: B027 - most are ready
        """Compile whatever positions like this one need that others do not, before any clock runs."""

    def survey(self, state: Any, budget: Budget) -> None:  # noqa: B027 - most have nothing to learn
        """Of a race: learn all at once about whatever can be reached from `state`, where that pays."""
