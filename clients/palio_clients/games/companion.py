"""The interface between a game and the programs that play, solve and analyse it."""

from collections.abc import Hashable, Iterable
from importlib import import_module
from types import ModuleType
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from palio_clients.games.advice import Adviser, PlanAdviser, SearchAdviser, Unit
from palio_clients.games.engine import Engine, ReadableEngine
from palio_clients.kernels import missing
from palio_clients.search.game_tree import Best, Noisy, NoisyMoves, Stop
from palio_clients.search.planning import Problem
from palio_clients.solving.solver import Solver
from palio_rules.errors import BadOption
from palio_rules.game import Game, State

NOT_COMPILED = "nobody has compiled {game} yet: the readable search plays instead, hundreds of times slower"


class TreeSearch(Protocol):
    """A game's own Monte Carlo tree search: at least one simulation, then until `nodes` or `stop`."""

    def __call__(self, state: Any, *, nodes: int, seed: int, stop: Stop) -> Best:
        """Return the most visited move, its score from 0 to 1, the tree's depth, the simulations, the line."""


S = TypeVar("S", bound=State[Any])
MoveT = TypeVar("MoveT")


class Companion(Generic[S, MoveT]):
    """The knowledge about one game beyond its rules; subclasses override methods, the defaults work by the rules alone.

    Instances have no state. A module with a companion imports nothing heavy (numba, numpy): methods that need such a
    library import it when they are called.
    """

    compiled: ClassVar[str | None] = None  # the module that `kernels` imports
    unit: ClassVar[Unit] = ("point", "points")  # the unit of `evaluate`, as people see it

    # --- positions -------------------------------------------------------------------------------------------------

    def evaluate(self, state: S, seat: int, /) -> float:
        """Return the value of an undecided position for `seat`, about one pawn a unit; 0 if nothing is known.

        Over all seats the values add up to 0. In a race: a lower bound of the remaining steps, as a negative number.
        """
        return 0.0

    def noisy_moves(self, state: S, beyond: int, /) -> Noisy[MoveT]:
        """Return the moves that a search must not stop before, `beyond` plies below its depth: see `Noisy`.

        Without it, as in a game without exchanges, a search may stop anywhere. Read it as `noisy`.
        """
        raise NotImplementedError

    @property
    def noisy(self) -> NoisyMoves | None:
        """Return `noisy_moves`, if it is defined."""
        return None if type(self).noisy_moves is Companion.noisy_moves else self.noisy_moves

    def lookback(self, state: S, depth: int, /) -> Hashable:
        """Return the part of the history on which a search of `depth` plies depends, if draw rules use the history.

        For equal positions with equal lookbacks the search has the same result.
        """
        return None

    def rest(self, state: S, /) -> MoveT | None:
        """Return the move that leaves all as it is where no move gains anything, as a pass; None: play on."""
        return None

    def offers(self, state: S, /) -> Iterable[MoveT]:
        """Return whole solutions that are worth submitting, for an anytime race."""
        return state.legal_moves()

    def problem(self, state: S, seat: int = 0, /) -> Problem[Any]:
        """Return the path of `seat` to its goal as a search problem, as if no other seat ever moved.

        The estimate is admissible, and in a race consistent. Check `plans` first.
        """
        raise NotImplementedError

    @property
    def plans(self) -> bool:
        """Return whether `problem` is defined: then `planner` can play the game, and A* solves a race."""
        return type(self).problem is not Companion.problem

    # --- searches --------------------------------------------------------------------------------------------------

    def kernels(self) -> ModuleType | None:
        """Return the package of compiled searches; None if this game has none. Raises ImportError without numba.

        It has `warm_up()`, to be called before any clock runs, which compiles everything or reads it from the cache.
        Optional are `engine(options)`, of `kernels.engine.KernelEngine`, and `plan(state, stop)`, a shortest plan of a
        race (`search.a_star.Plan`), None for a board that does not fit.
        """
        return None if self.compiled is None else import_module(self.compiled)

    def engine(self, rules: Game[S, MoveT], options: Any, seed: int = 0) -> Engine:
        """Return the engine of `champion` for one match: the compiled one, or the readable one with a remark why."""
        if remark := missing():
            return ReadableEngine(rules, self.evaluate, self.lookback, seed, remark, self.noisy)
        package = self.kernels()
        if package is None or not hasattr(package, "engine"):
            remark = NOT_COMPILED.format(game=rules.name)
            return ReadableEngine(rules, self.evaluate, self.lookback, seed, remark, self.noisy)
        from palio_clients.games.compiled_engine import CompiledEngine  # noqa: PLC0415 - numba may be missing

        return CompiledEngine(package, rules, options, seed)

    def tree_search(self) -> TreeSearch | None:
        """Return the game's own Monte Carlo tree search for `mcts`, compiled and warm; None for the common one.

        For games whose random play tells nothing without knowledge of the game.
        """
        return None

    def values(self, state: S, depth: int, stop: Stop, /) -> list[tuple[MoveT, float]] | None:
        """Return the moves worth playing, the best first, with their values by a search of the game's own.

        None: each move is searched by alpha-beta or max^n. Raises Unsolvable if nothing tells what moves are worth.
        """
        return None

    def solver(self, rules: Game[S, MoveT]) -> Solver:
        """Return the solver for `palio solve` and `palio analyse`. Raises BadOption if nothing can be proven.

        The default is proof search for a game with an opponent, and A* for a race with a `problem`.
        """
        if rules.anytime:
            raise BadOption(f"{rules.name} cannot be solved here: no search proves a solution to be the best")
        if rules.kind != "race":
            from palio_clients.solving.solver import ProofSolver  # noqa: PLC0415 - loads the searches

            return ProofSolver(rules, self.evaluate, self.lookback, self.noisy)
        if self.plans:
            from palio_clients.solving.solver import PlanSolver  # noqa: PLC0415 - as above

            return PlanSolver(self.problem)
        raise BadOption(
            f"{rules.name} cannot be solved here: nobody has written down how far a position is from its end"
        )

    def solver_to(self, rules: Game[S, MoveT], goal: str) -> Solver:
        """Return a solver for the fewest turns to the position that the text `goal` describes, both sides helping.

        Raises BadOption if there is none, BadPosition for an invalid goal.
        """
        raise BadOption(
            f"--to plans turns from one position to another, and nobody has written that for {rules.name}; leave it out"
        )

    # --- people ----------------------------------------------------------------------------------------------------

    def adviser(self, rules: Game[S, MoveT]) -> Adviser | None:
        """Return the adviser for digits in `palio play`, and for hints; None if no search here plays the game."""
        if rules.kind != "race":
            return SearchAdviser(rules, self.evaluate, self.lookback, self.unit, self.noisy)
        return PlanAdviser(self.problem) if self.plans else None
