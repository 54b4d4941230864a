"""What every solver offers."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from palio_clients.solving.budget import Budget
from palio_clients.solving.solution import Solution


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
