"""What `palio solve` was asked: the value of a position, as it was typed, or the fewest turns to another one."""

import sys
from pathlib import Path
from typing import Any

from palio_clients.games import companion_of
from palio_clients.solving.budget import Budget
from palio_clients.solving.solver import Solution
from palio_rules.errors import BadOption, BadPosition
from palio_rules.game import Game
from palio_rules.instances.files import READERS, read_file
from palio_rules.registry import game, game_from_spec

START = "start"


def read_position(spec: str, text: str, options: tuple[str, ...] = (), seed: int = 0) -> tuple[Game[Any, Any], Any]:
    """The game of `spec`, with settings as in `dominoes:rows=6`, and the position that `text` means.

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
        return rules, rules.parse_state(text)
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


class Task:
    """A position, and a goal if there is one."""

    def __init__(self, rules: Game[Any, Any], state: Any, goal: str | None = None) -> None:
        """Raises BadOption where nothing can be proven, BadPosition for a goal that is none."""
        self.rules, self.state, self._planned = rules, state, goal is not None
        companion = companion_of(rules.name)
        self._solver = companion.solver(rules) if goal is None else companion.solver_to(rules, goal)
        self._solver.prepare(state)

    @property
    def how(self) -> str:
        """The method, for people."""
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
        """What is known, for `--json`. A position that is over has the verdict of the first seat."""
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
