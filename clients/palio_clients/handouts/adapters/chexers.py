"""COMP30024, part B: a file or package plays Chexers by its `Player(colour)`: `action()` asks it, `update` tells it.

A player keeps its own board: it is told of every action that is played, its own included, and of nothing else. When a
side forfeits, it is told nothing about it, as by the course's referee.
"""

from typing import Any

from palio_clients.handouts.adapters.chexers_missed import Play, leads, missed
from palio_clients.handouts.coursework import Coursework, Unfit
from palio_clients.sdk.clock import Clock
from palio_rules.boards.chexers import COLOURS, Action
from palio_rules.game import Game, Options
from palio_rules.games.chexers import ChexersOptions, Position

PLAYERS = ("Player", "ExamplePlayer")  # as the course's referee and its skeleton call it


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

    def prepare(self, game: Game[Any, Any], options: Options, seat: int) -> None:
        assert isinstance(options, ChexersOptions)
        name = self.player or next(filter(self.has, PLAYERS), PLAYERS[0])
        self._player = self.named(name)(COLOURS[seat])
        for method in ("action", "update"):
            if not callable(getattr(self._player, method, None)):
                raise Unfit(f"{name} of {self.file} has no {method}; keep the handout's own names")
        self._at = Position.of(max_turns=options.max_turns)
        self._catch_up(self.setup)

    def choose(self, state: Position, clock: Clock) -> object:
        self._catch_up(state)
        return self._player.action()

    def seat_played(self, seat: int, move: Action) -> None:
        if self._held or seat != self._at.to_move or move not in self._at.legal_moves():
            self._held.append((seat, move))
        else:
            self._at = self._at.play(move)
            self._tell(seat, move)

    def _tell(self, seat: int, move: Action) -> None:
        self._player.update(COLOURS[seat], (move.kind, move.where))

    def _catch_up(self, state: Position) -> None:
        """Tell the player how it came to `state`. Raises Unfit if that cannot be found."""
        plays = self._held if leads(self._at, self._held, state) else missed(self._at, state)
        if plays is None:
            raise Unfit(f"{self.file} has missed actions, and the position does not tell which")
        self._at, self._held = state, []
        for seat, move in plays:
            self._tell(seat, move)
