"""CSCI 104: a file solves Rush Hour by its `Solver`, a program `rh` by its menu; the solution is played move by move.

A Python file keeps the handout's names. `Board` is made of a stream with the rows, `Solver` of a board and a heuristic;
`run`, and then `solution`, a list of (vehicle, amount). A program is started as `rh BOARDFILE HEUR`; `?` and `Q` are
typed, and the solution is read from what it prints.
"""

import io
import re
import sys
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from palio_clients.handouts.coursework import Coursework, Unfit, plain
from palio_clients.handouts.executable import Executable
from palio_clients.handouts.signatures import INIT, NOTHING, Form, call
from palio_clients.handouts.text import Text
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import Resign
from palio_rules.errors import Rejection
from palio_rules.game import Game, Options
from palio_rules.games.rush_hour import Move, Position, RushHour
from palio_rules.temporary import TemporaryFolder

Heur = Literal[0, 1, 2]
HEURISTICS = ("BFSHeuristic", "DirectHeuristic", "IndirectHeuristic")  # by their numbers
SOLVER, BOARD = Form("", ("board", "heuristic")), Form("", ("stream",))
METHODS = ("run", "solution")
TYPED = "?\nQ\n"
_RULES = RushHour()
_FOUND = re.compile(
    r"Solution found with expansions: *(?P<expansions>[0-9]{1,18})\s*\n"
    r"(?P<moves>(?:[ \t]*[a-zA-Z][ \t]+[+-]?[0-9]{1,9}[ \t\r]*(?:\n|$))*)"
)
_NONE = re.compile("No Solution exists!")


class Way:
    """A solution that is played from `start` on, as long as the board follows it."""

    def __init__(self, start: Position, moves: Iterable[object]) -> None:
        self._expected: Position | None = start
        self._moves = deque(moves)
        self._told = f"a solution of {len(self._moves)} moves, after which a cannot escape yet"

    def leads_to(self, state: Position) -> bool:
        """Return whether `state` is the expected position after the moves so far; False after a rejected move."""
        return state == self._expected

    def next(self, state: Position, file: str) -> Any:
        """Return the next move, in plain values. Raises Unfit after the last one."""
        if not self._moves:
            raise Unfit(f"{file} found {self._told}")
        move = plain(self._moves.popleft())
        try:
            self._expected = state.play(_RULES.read_move(state, move))
        except Rejection:
            self._expected = None  # the referee gives the reason
        return move


class RushHourCoursework(Coursework):
    """The adapter for Rush Hour in Python. `heur` is the heuristic: 0 none, 1 direct, 2 indirect."""

    games = ("rush_hour",)

    def __init__(self, heur: Heur = 2) -> None:
        self.heur = heur
        self._way: Way | None = None
        self._solver: Any = None

    def read(self, text: Text) -> str:
        faults = [text.fault(f"Solver.{INIT}", SOLVER), *(text.fault(f"Solver.{each}", NOTHING) for each in METHODS)]
        own = {"Board": BOARD, HEURISTICS[self.heur]: NOTHING}
        faults += [text.fault(f"{name}.{INIT}", form) for name, form in own.items() if not text.lacks(name)]
        for fault in filter(None, faults):
            raise Unfit(fault)
        return ""

    def prepare(self, game: Game[Any, Any], options: Options, seat: int) -> None:
        self._solver = self.named("Solver", SOLVER.of("Solver"))

    def choose(self, state: Position, clock: Clock) -> object:
        if self._way is None or not self._way.leads_to(state):
            self._way = Way(state, self._solved(state))
        return self._way.next(state, self.file)

    def _solved(self, state: Position) -> list[object]:
        rows = io.StringIO("\n".join([*state.rows(), ""]))
        board = call(self.given("Board", "board"), BOARD, {"stream": rows}, self.file)
        heuristic = call(self.given(HEURISTICS[self.heur], "heur"), NOTHING, {}, self.file)
        solver = call(self._solver, SOLVER, {"board": board, "heuristic": heuristic}, self.file)
        run, solution = (self.method(solver, each, NOTHING.of(each, bound=True)) for each in METHODS)
        call(run, NOTHING, {}, self.file)
        moves = list(call(solution, NOTHING, {}, self.file))
        if callable(expansions := getattr(solver, "num_expansions", None)):
            self.report(nodes=call(expansions, NOTHING, {}, self.file))
        if not moves:
            raise Resign  # the handout's answer if there is no solution
        return moves


class RushHourExecutable(Executable):
    """The adapter for a Rush Hour program. `heur` is the number that the program gets."""

    games = ("rush_hour",)

    def __init__(self, heur: Heur = 2) -> None:
        self.heur = heur
        self._way: Way | None = None

    async def choose(self, state: Position, clock: Clock) -> Move:
        if self._way is None or not self._way.leads_to(state):
            self._way = Way(state, await self._solved(state))
        vehicle, amount = self._way.next(state, self.file)
        return Move(vehicle, amount)

    async def _solved(self, state: Position) -> list[Move]:
        with TemporaryFolder("game") as folder:
            printed = await self.ask([_written(folder, state.rows()), str(self.heur)], TYPED)
        if _NONE.search(printed):
            print(f"{self.file} printed 'No Solution exists!', and so it resigns", file=sys.stderr)  # noqa: T201
            raise Resign
        found = _FOUND.search(printed)
        if found is None:
            raise self.unfit("printed neither 'Solution found with expansions: N' nor 'No Solution exists!'", printed)
        self.tell(nodes=int(found["expansions"]))
        return [Move(vehicle, int(amount)) for vehicle, amount in map(str.split, found["moves"].splitlines())]


def _written(folder: Path, rows: list[str]) -> str:
    file = Path(folder, "board.in")
    file.write_text("".join(f"{row}\n" for row in rows))
    return str(file)
