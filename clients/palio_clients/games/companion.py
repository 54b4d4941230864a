"""The one interface between a game and the programs that play, solve and analyse it."""

from collections.abc import Hashable, Iterable
from importlib import import_module
from types import ModuleType
from typing import Any, ClassVar, Generic, TypeVar

from palio_clients.games.advice import Adviser, PlanAdviser, SearchAdviser, Unit
from palio_clients.games.engine import Engine, ReadableEngine
from palio_clients.kernels import missing
from palio_clients.search.planning import Problem
from palio_clients.solving.solver import Solver
from palio_rules.errors import BadOption
from palio_rules.game import Game, State

NOT_COMPILED = "nobody has compiled {game} yet: the readable search plays instead, hundreds of times slower"

S = TypeVar("S", bound=State[Any])
MoveT = TypeVar("MoveT")


class Companion(Generic[S, MoveT]):
    """What is known of one game beyond its rules; subclasses override what they know, the rest works by the rules.

    Instances carry no state. A module with a companion imports nothing heavy (numba, numpy): methods that need such a
    thing import it when they are called.
    """

    compiled: ClassVar[str | None] = None  # what `kernels` imports
    unit: ClassVar[Unit] = ("point", "points")  # what `evaluate` counts in, as people are told it

    # --- positions -------------------------------------------------------------------------------------------------

    def evaluate(self, state: S, seat: int, /) -> float:
        """How good an undecided position is for `seat`, about one pawn's worth to the unit; 0 if nothing is known.

        Over all seats the values add up to 0. In a race: the steps that remain at least, as a negative number.
        """
        return 0.0

    def lookback(self, state: S, depth: int, /) -> Hashable:
        """What a search of `depth` plies depends on besides the position, where the rules for draws look back.

        Of equal positions with equal lookbacks it finds the same.
        """
        return None

    def offers(self, state: S, /) -> Iterable[MoveT]:
        """In an anytime race, whole solutions that are worth submitting."""
        return state.legal_moves()

    def problem(self, state: S, seat: int = 0, /) -> Problem[Any]:
        """The way of `seat` to its goal as a search problem, as if nobody else ever moved.

        The estimate is admissible, and in a race consistent. Ask `plans` first.
        """
        raise NotImplementedError

    @property
    def plans(self) -> bool:
        """Whether `problem` is written: then `planner` can play the game, and a race is solved by A*."""
        return type(self).problem is not Companion.problem

    # --- searches --------------------------------------------------------------------------------------------------

    def kernels(self) -> ModuleType | None:
        """The package of compiled searches; None if nobody has compiled this game. Raises ImportError without numba.

        It has `warm_up()`, to be called before any clock runs: then all of it is compiled, or read from the cache. And
        where they make sense `engine(options)`, of `kernels.engine.KernelEngine`, and `plan(state, stop)`, a shortest
        plan of a race (`search.a_star.Plan`), None for a board that does not fit.
        """
        return None if self.compiled is None else import_module(self.compiled)

    def engine(self, rules: Game[S, MoveT], options: Any, seed: int = 0) -> Engine:
        """What `champion` thinks with in one match: the compiled engine, or the readable one with a remark why."""
        if remark := missing():
            return ReadableEngine(rules, self.evaluate, self.lookback, seed, remark)
        package = self.kernels()
        if package is None or not hasattr(package, "engine"):
            return ReadableEngine(rules, self.evaluate, self.lookback, seed, NOT_COMPILED.format(game=rules.name))
        from palio_clients.games.compiled_engine import CompiledEngine  # noqa: PLC0415 - numba may be missing

        return CompiledEngine(package, rules, options, seed)

    def solver(self, rules: Game[S, MoveT]) -> Solver:
        """What `palio solve` and `palio analyse` ask. Raises BadOption where nothing can be proven.

        By default proof search where somebody is against you, and A* where you race alone and there is a `problem`.
        """
        if rules.anytime:
            raise BadOption(f"{rules.name} cannot be solved here: no search proves a solution to be the best")
        if rules.kind != "race":
            from palio_clients.solving.solver import ProofSolver  # noqa: PLC0415 - the searches, once they are needed

            return ProofSolver(rules, self.evaluate, self.lookback)
        if self.plans:
            from palio_clients.solving.solver import PlanSolver  # noqa: PLC0415 - as above

            return PlanSolver(self.problem)
        raise BadOption(
            f"{rules.name} cannot be solved here: nobody has written down how far a position is from its end"
        )

    def solver_to(self, rules: Game[S, MoveT], goal: str) -> Solver:
        """A solver for the fewest turns to the position that the text `goal` describes, both sides helping.

        Raises BadOption where there is none, BadPosition for a goal that is none.
        """
        raise BadOption(
            f"--to plans turns from one position to another, and nobody has written that for {rules.name}; leave it out"
        )

    # --- people ----------------------------------------------------------------------------------------------------

    def adviser(self, rules: Game[S, MoveT]) -> Adviser | None:
        """What gives a move to a digit in `palio play`, and hints; None if nothing here searches the game."""
        if rules.kind != "race":
            return SearchAdviser(rules, self.evaluate, self.lookback, self.unit)
        return PlanAdviser(self.problem) if self.plans else None
