"""COMP30024, part A: a program solves Chexers for one, as `python search.py board.json` that prints its actions."""

import json
from typing import Any

from palio_clients.handouts.chexers.utils import read_action
from palio_clients.handouts.coursework import Coursework, Unfit
from palio_clients.handouts.entering import Entry
from palio_clients.handouts.loading import printed
from palio_clients.sdk.clock import Clock
from palio_rules.boards.chexers import BLOCK, COLOURS, HEXES, LETTERS, Action
from palio_rules.errors import Rejection
from palio_rules.games.chexers_solo import Position
from palio_rules.temporary import TemporaryFolder


class ChexersSoloCoursework(Coursework):
    """The adapter for Chexers for one.

    The program runs at the first action, within its time; then its actions are played.

    If its sequence does not take every piece off, the whole sequence is dropped, before the first action.
    """

    games = ("chexers_solo",)
    program = True

    def __init__(self) -> None:
        self._actions: list[Action] | None = None
        self._before = 0  # actions before the program was started

    def choose(self, state: Position, clock: Clock) -> object:
        if self._actions is None:
            self._actions, self._before = self._solved(state), state.actions
            self.report(depth=len(self._actions))
        return self._actions[state.actions - self._before]

    def _solved(self, state: Position) -> list[Action]:
        """Return the actions that the program prints, which solve the puzzle. Raises Unfit if they do not."""
        with TemporaryFolder("game") as folder:
            board = folder / "board.json"
            board.write_text(json.dumps(as_json(state.cells, state.colour)), encoding="utf-8")
            text = printed(Entry(self.root, self.path), self.handout, str(board))
        found = []
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip() and not line.lstrip().startswith("#"):
                try:
                    action = read_action(line.rstrip())
                    state.check(action)
                except Rejection as error:
                    raise Unfit(f"{self.file} printed line {number}, {line.strip()[:80]!r}: {error}") from None
                state = state.play(action)
                found.append(action)
        if left := state.cells.count(LETTERS[state.colour]):
            told = "1 piece has" if left == 1 else f"{left} pieces have"
            raise Unfit(f"{self.file} printed {len(found)} actions, after which {told} not left the board")
        return found


def as_json(cells: str, colour: int) -> dict[str, Any]:
    """Return a puzzle in the form of the course's files."""
    pieces, blocks = (
        [[*HEXES[at]] for at, cell in enumerate(cells) if cell == kind] for kind in (LETTERS[colour], BLOCK)
    )
    return {"colour": COLOURS[colour], "pieces": pieces, "blocks": blocks}
