"""COMP30024, part B: a file or package plays Chexers by its `Player(colour)`: `action()` asks it, `update` tells it.

A player keeps its own board: it is told of every action that is played, its own included, and of nothing else. When a
side forfeits, it is told nothing about it, as by the course's referee.
"""

from typing import Any

from palio_clients.handouts.adapters.chexers_missed import Play, leads, missed
from palio_clients.handouts.coursework import Coursework, Unfit
from palio_clients.handouts.signatures import INIT, NOTHING, Form, Text, call
from palio_clients.sdk.clock import Clock
from palio_rules.boards.chexers import COLOURS, Action
from palio_rules.game import Game, Options
from palio_rules.games.chexers import ChexersOptions, Position

PLAYERS = ("Player", "ExamplePlayer")  # as the course's referee and its skeleton call it

COLOUR = Form("", ("colour",))
METHODS = {"action": NOTHING, "update": Form("", ("colour", "action"))}


class ChexersCoursework(Coursework):
    """`player` names the class, where it is called neither Player nor ExamplePlayer. It is made once a match.

    Actions that were played before the match or while the connection was lost are told before its next turn, in order.
    So are those after a side has forfeited: until then they look as if one was missing.
    """

    games = ("chexers",)

    def __init__(self, player: str = "") -> None:
        self.player = player
        self._player: Any = None
        self._at = Position.of()  # what the player has been told of
        self._held: list[Play] = []  # actions since it has missed one, or seems to have

    def read(self, text: Text) -> str:
        name = self.player or next((each for each in PLAYERS if not text.lacks(each)), PLAYERS[0])
        faults = [text.fault(f"{name}.{INIT}", COLOUR)]
        faults += [text.fault(f"{name}.{method}", form) for method, form in METHODS.items()]
        for fault in filter(None, faults):
            raise Unfit(fault)
        return ""

    def prepare(self, game: Game[Any, Any], options: Options, seat: int) -> None:
        assert isinstance(options, ChexersOptions)
        name = self.player or next(filter(self.has, PLAYERS), PLAYERS[0])
        self._player = call(self.named(name, COLOUR.of(name)), COLOUR, {"colour": COLOURS[seat]}, self.file)
        for method, form in METHODS.items():
            self.method(self._player, method, form.of(method, bound=True))
        self._at = Position.of(max_turns=options.max_turns)
        self._catch_up(self.setup)

    def choose(self, state: Position, clock: Clock) -> object:
        self._catch_up(state)
        return call(self._player.action, METHODS["action"], {}, self.file)

    def seat_played(self, seat: int, move: Action) -> None:
        if self._held or seat != self._at.to_move or move not in self._at.legal_moves():
            self._held.append((seat, move))
        else:
            self._at = self._at.play(move)
            self._tell(seat, move)

    def _tell(self, seat: int, move: Action) -> None:
        values = {"colour": COLOURS[seat], "action": (move.kind, move.where)}
        call(self._player.update, METHODS["update"], values, self.file)

    def _catch_up(self, state: Position) -> None:
        """Tell the player how it came to `state`. Raises Unfit if that cannot be found."""
        plays = self._held if leads(self._at, self._held, state) else missed(self._at, state)
        if plays is None:
            raise Unfit(f"{self.file} has missed actions, and the position does not tell which")
        self._at, self._held = state, []
        for seat, move in plays:
            self._tell(seat, move)
