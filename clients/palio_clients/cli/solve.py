"""`palio solve`: the exact value of a position, if it can be proven, and a line of play that shows it."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Any

import click

from palio_clients.cli import Misuse
from palio_clients.cli.printing import say
from palio_clients.games import companion_of
from palio_clients.solving.budget import Budget
from palio_clients.solving.solver import Solution
from palio_rules.completing import a_file, game_setting, game_spec, starting
from palio_rules.errors import BadOption, BadPosition
from palio_rules.game import Game
from palio_rules.instances.files import READERS, read_file
from palio_rules.registry import game, game_from_spec

EXAMPLES = """
\b
Examples:
  palio solve dominoes:rows=6,cols=6 start
  palio solve breakthrough 'B.../..B./.W../...W black' --seconds 10
  palio solve end_of_the_track '44,37,46,34,40,34,1,2,52,4,5,52 white 0/300'
  palio solve rush_hour board.in --json
  palio solve end_of_the_track start --to '14,2,3,4,5,3,50,51,52,53,54,52 white 0/300'
"""

UNPROVEN, INTERRUPTED = 3, 130
SECONDS = 60.0
START = "start"


def _position(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[Any]:
    return starting((START,), typed) or a_file(ctx, parameter, typed)


@click.command(epilog=EXAMPLES)
@click.argument("game", shell_complete=game_spec)
@click.argument("position", default=START, shell_complete=_position)
@click.option(
    "-o",
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    shell_complete=game_setting,
    help="A setting of the game.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Draws a random first position.")
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), default=SECONDS, show_default=True, help="Time for it."
)
@click.option("--nodes", type=click.IntRange(min=1), help="Positions that may be looked at.")
@click.option("--to", "goal", metavar="POSITION", help="Plan the fewest turns to these pieces (end_of_the_track).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON value and nothing else.")
def solve(
    *,
    game: str,
    position: str,
    options: tuple[str, ...],
    seed: int,
    seconds: float,
    nodes: int | None,
    goal: str | None,
    as_json: bool,
) -> None:
    """Prove what POSITION of GAME is worth for the side to move, and show how it is played.

    POSITION is its text as in docs/reference/games.md, `start` (the default), a file with an instance (.in for
    rush_hour, .json for chexers_solo), or - for stdin. Exit code 0: proven; 3: not proven within the limits, and what
    is known is printed; 130: after Ctrl-C, likewise.
    """
    from palio_clients.cli.printing import run_interruptible  # noqa: PLC0415
    from palio_clients.kernels import missing  # noqa: PLC0415  # `palio --help` starts without searches
    from palio_clients.kernels.compilation import compilation  # noqa: PLC0415
    from palio_clients.solving.budget import Budget  # noqa: PLC0415
    from palio_rules.errors import BadOption  # noqa: PLC0415

    compilation.tell = lambda text: say(f"palio: {text}", err=True)
    before = compilation.seconds
    try:
        rules, state = read_position(game, position, options, seed)
        # Compilation must not be interrupted, so cancelling does nothing.
        made = run_interruptible(lambda: SolveTask(rules, state, goal), lambda: None)
    except BadOption as error:
        raise Misuse(str(error)) from error
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    waited = compilation.seconds - before  # later compilation is within the budget's seconds
    task, budget = made.value, Budget(seconds, inf if nodes is None else nodes)
    if why_slow := missing():
        say(f"palio: {why_slow}", err=True)
    if made.interrupted:
        budget.cancel()
    with _progress_of(budget) as draw:
        worked = run_interruptible(lambda: task.solve(budget), budget.cancel, draw)
    _print(task, worked.value, budget, (waited, compilation.seconds - before), as_json=as_json)
    if worked.value.verdict is None:
        sys.exit(INTERRUPTED if made.interrupted or worked.interrupted else UNPROVEN)


def _print(
    task: "SolveTask", solution: "Solution", budget: "Budget", compiled: tuple[float, float], *, as_json: bool
) -> None:
    """Print the solution; `compiled`: the seconds of compilation before the search, and altogether."""
    line, seconds = task.line(solution), budget.seconds()
    rate = budget.nodes / seconds if seconds else 0.0
    if as_json:
        known = task.as_dict(solution) | {"line": line, "nodes": budget.nodes, "seconds": round(seconds, 3)}
        known["compile_seconds"] = round(compiled[1], 3)
        say(json.dumps(known | {"nodes_per_second": round(rate)}))
        return
    say(task.sentence(solution))
    if line:
        say(f"{_called(solution)}: {' '.join(line)}")
    work = f"{budget.nodes:,} nodes, {seconds:.2f} s, {rate:,.0f} nodes/s; {task.how}"
    if compiled[1]:
        work += f"; {seconds + compiled[0]:.2f} s in all, {compiled[1]:.2f} s of them to compile the search, once"
    say(work)


def _called(solution: "Solution") -> str:
    """Return the name of the line; with its length, if the value does not contain it."""
    if solution.verdict is None:
        return "best line so far"
    plies = len(solution.line)
    return f"line of {plies} {'ply' if plies == 1 else 'plies'}" if solution.distance is None else "line"


@contextmanager
def _progress_of(budget: "Budget") -> Iterator[Callable[[], None]]:
    """Show the progress on stderr, with rich on a terminal; nothing elsewhere, or if rich is not installed.

    Yields a function that is to be called a few times a second.
    """
    progress = _progress() if sys.stderr.isatty() else None
    if progress is None:
        yield lambda: None
        return

    def draw() -> None:
        nodes, seconds = budget.nodes, budget.seconds()
        rate = f"{nodes / seconds:,.0f}/s" if seconds else ""
        shown = f"{nodes:,} nodes {rate} {budget.stage}"
        progress.update(task, completed=budget.used(), description=shown)

    with progress:
        task = progress.add_task("", total=1.0)
        yield draw


def _progress() -> Any:
    try:
        from rich.console import Console  # noqa: PLC0415 - it comes with the server and with `palio play`
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415 - as above
    except ModuleNotFoundError:
        return None
    columns = BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}")
    return Progress(*columns, console=Console(stderr=True), transient=True)


# The task of `palio solve`: the value of a position, or the fewest turns to another position.


def read_position(spec: str, text: str, options: tuple[str, ...] = (), seed: int = 0) -> tuple[Game[Any, Any], Any]:
    """Return the game of `spec`, with settings as in `dominoes:rows=6`, and the position that `text` means.

    Either may be a file with an instance. Raises BadOption, BadPosition or BadInstance with the place and the reason.
    """
    file = next((name for name in (spec, text) if Path(name).suffix.lower() in READERS), None)
    if file is not None:
        return _from_file(file, spec, text, options)
    rules, settings = game_from_spec(spec, options)
    if text == START:
        return rules, rules.start(settings, seed)
    if settings != rules.options_type():
        raise BadOption(f"a position holds its settings; leave those of {rules.name} out, or solve from {START!r}")
    if text == "-":
        text = sys.stdin.read().strip()
    try:
        return rules, rules.read_state(text)
    except BadPosition as error:
        raise BadPosition(f"{rules.name}: {error}") from None


def _from_file(file: str, spec: str, text: str, options: tuple[str, ...]) -> tuple[Game[Any, Any], Any]:
    found = read_file(file)
    rules = game(found.game)
    if spec not in (file, rules.name):
        raise BadOption(f"{file} is an instance of {rules.name}, not of {spec}; write palio solve {file}")
    if spec == file and text != START:
        raise BadOption(f"{file} is a position by itself; leave {text!r} out")
    given = dict(option.partition("=")[::2] for option in options)
    return rules, rules.start(rules.parse_options(found.with_settings(file, given)))


class SolveTask:
    """A position, with an optional goal."""

    def __init__(self, rules: Game[Any, Any], state: Any, goal: str | None = None) -> None:
        """Raise BadOption if the game has no solver, BadPosition for an invalid goal."""
        self.rules, self.state, self._planned = rules, state, goal is not None
        companion = companion_of(rules.name)
        self._solver = companion.solver(rules) if goal is None else companion.solver_to(rules, goal)
        self._solver.prepare(state)

    @property
    def how(self) -> str:
        """Return the method, for people."""
        return self._solver.how

    def solve(self, budget: Budget) -> Solution:
        if not self._planned and (outcome := self.state.outcome()) is not None:
            score = outcome.scores[0]
            return Solution("win" if score == 1 else "loss" if score == 0 else "draw", 0, shortest=True)
        return self._solver.solve(self.state, budget)

    def sentence(self, solution: Solution) -> str:
        if not self._planned:
            return solution.in_words(self.rules, self.state)
        if solution.distance == 1:
            return "1 turn leads there"
        turns = f"{solution.at_least if solution.distance is None else solution.distance} turns"
        return f"not proven: at least {turns}" if solution.verdict is None else f"{turns} lead there, and no fewer"

    def line(self, solution: Solution) -> list[str]:
        state, line = self.state, []
        for move in solution.line:
            line.append(self.rules.notation(state, move))
            state = state.play(move)
        return line

    def as_dict(self, solution: Solution) -> dict[str, Any]:
        """Return the result for `--json`. A position that is over has the verdict of the first seat."""
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
