"""AI388U: a file plays End of the Track by a class with `policy(decode_state)`, or by a function of that name.

`decode_state` is the list of twelve (col, row), and the answer is (action, value) with an action (relative_idx, encoded
square), as in `GameSimulator.run`.
"""

import importlib
from collections.abc import Collection
from inspect import Parameter
from pathlib import Path
from typing import Any

from palio_clients.handouts.coursework import Coursework, Unfit, unpacked
from palio_clients.handouts.signatures import Form, call, missing
from palio_clients.handouts.text import Text
from palio_clients.sdk.bot import arguments
from palio_clients.sdk.clock import Clock
from palio_rules.boards.end_of_track import COLS
from palio_rules.game import Game, Options
from palio_rules.games.end_of_track import Position

GRADED = "AdversarialSearchPlayer"  # of assignment 3: the one class that its graders use
SEAT = ("player_idx", "player", "idx", "seat", "player_index", "player_id")  # the names that students use
POLICY = Form("", ("decode_state",))
PROBLEM = ("gsp", "problem", "game_state_problem")


class EndOfTheTrackCoursework(Coursework):
    """The adapter for End of the Track.

    `player` names the class or function, if there are several and none is `GRADED`.

    A class is made once a match. Its constructor gets `player_idx` (0 White, 1 Black) and `gsp` (a `GameStateProblem`)
    if it has parameters with one of their usual names.
    """

    games = ("end_of_the_track",)

    def __init__(self, player: str = "") -> None:
        self.player = player
        self._policy: Any = None

    def read(self, text: Text) -> str:
        name = self.player or (self._usual(text) if text.lacks(GRADED) else GRADED)
        if not name:
            return ""
        unknown = [each for each in text.needs(name) if each not in (*SEAT, *PROBLEM)]
        fault = text.fault(name, POLICY) if text.is_function(name) else text.fault(f"{name}.policy", POLICY)
        if unknown:
            fault = _unasked(f"{text.where(name)}: {name}", unknown[0])
        if fault:
            raise Unfit(fault)
        return ""

    def prepare(self, game: Game[Any, Any], options: Options, seat: int) -> None:
        found = self.named(self.player) if self.player else self._only_player()
        wanted = POLICY.of("policy", bound=True)
        self._policy = self.method(self._made(found, seat), "policy", wanted) if isinstance(found, type) else found

    def choose(self, state: Position, clock: Clock) -> object:
        decode_state = [(square % COLS, square // COLS) for square in state.pieces]
        answer = call(self._policy, POLICY, {"decode_state": decode_state}, self.file)
        action, value = unpacked(answer, "policy", "action, value")
        self.report(value=value)
        return action

    def _usual(self, text: Text) -> str:
        """Return the name of the only player, by the text; "" if that is not certain. Raises Unfit."""
        players, certain = text.classes_with("policy", own=True)
        real = [name for name in players if name != "Player" or name not in text.bases]
        if len(real) > 1:
            raise Unfit(_several(text.file, real))
        if not certain:
            return ""
        if real or not text.lacks("policy"):
            return real[0] if real else "policy"
        if _game_beside(text.path) is None:
            raise Unfit(missing(text.file, POLICY.of("policy")))
        return ""

    def _only_player(self) -> Any:
        """Return the class that is graded, or else the only player. Raises Unfit with the names of several."""
        if self.has(GRADED):
            return self.named(GRADED)
        own = [
            each
            for each in vars(self.module).values()
            if isinstance(each, type) and each.__module__ == self.module.__name__
        ]
        players = [each for each in dict.fromkeys(own) if callable(getattr(each, "policy", None))]
        real = [each for each in players if not _is_the_handouts(each, players)]
        if len(real) > 1:
            raise Unfit(_several(self.file, [each.__name__ for each in real]))
        if not real and not self.has("policy") and _game_beside(self.path) is not None:
            game = importlib.import_module("game")
            if isinstance(getattr(game, GRADED, None), type):
                return getattr(game, GRADED)
        return real[0] if real else self.named("policy", POLICY.of("policy"))

    def _made(self, kind: type, seat: int) -> Any:
        given: dict[str, object] = {}
        for name, default in arguments(kind).items():
            if default is not Parameter.empty:
                continue
            if name in SEAT:
                given[name] = seat
            elif name in PROBLEM:
                board = importlib.import_module("game").BoardState()
                given[name] = importlib.import_module("search").GameStateProblem(board, board, seat)
            else:
                raise Unfit(_unasked(f"{kind.__name__} of {self.file}", name))
        return kind(**given)


def _game_beside(path: Path) -> Path | None:
    """Return the student's `game.py`, if the named file is another one."""
    beside = path.with_name("game.py")
    return beside if beside != path and beside.is_file() else None


def _several(file: str, names: Collection[str]) -> str:
    choices = " or ".join(f"player={each}" for each in names)
    return f"{file} has {len(names)} players and no {GRADED}; choose one: {choices}"


def _unasked(where: str, name: str) -> str:
    return (
        f"{where} asks for {name!r}, which nobody has here; "
        f"give it a default, or ask for {SEAT[0]} and {PROBLEM[0]} only"
    )


def _is_the_handouts(kind: type, players: list[type]) -> bool:
    """Return whether a class is the base that assignment 3 hands out, `Player` with an empty policy."""
    return kind.__name__ == "Player" and any(kind in other.__mro__[1:] for other in players)
