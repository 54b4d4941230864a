"""A match as an engine is told of it: where it began, and the moves since then, in the engine's own words.

`RulesPositions` translates by the rules of the game. Where moves travel as the engine writes them, as in chess,
`WirePositions` passes them on: between two engines no rules are computed here, and the referee judges every move.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol

from palio_clients.engines import texts
from palio_clients.engines.texts import Writing
from palio_clients.sdk.failures import PlayerFailed
from palio_rules.contract.messages import GameMessage, Turn
from palio_rules.errors import MalformedMove
from palio_rules.game import Game
from palio_rules.games.chess_text import san_and_after


class Positions(Protocol):
    """The positions of one match. `moves` are those since the base, as texts."""

    moves: list[str]

    def play(self, ply: int, wire: Any) -> None:
        """Follow the match by a move. What does not fit is corrected by the next turn, which has the whole position."""

    def catch_up(self, turn: Turn) -> None:
        """Begin again at the turn's position if moves are unknown, after a lost connection. Raises PlayerFailed."""

    def command(self) -> str:
        """Return the `position` command."""

    def read(self, text: str) -> Any:
        """Return an engine's move in its wire form. Raises MalformedMove for a text that is no move."""

    def legal(self, turn: Turn) -> list[str]:
        """Return all moves that can be played at this turn, as texts."""

    def line(self, turn: Turn, pv: Sequence[str]) -> tuple[list[str], str]:
        """Return an engine's line in notation, as far as it can be played, and the first text that cannot."""


def positions_of(rules: Game[Any, Any], game: GameMessage, writing: Writing) -> Positions:
    """Return the positions of a match that begins. Raises PlayerFailed if the rules do not know it."""
    if writing != "startpos" and texts.moves_as_on_the_wire(rules):
        return WirePositions(rules, game)
    return RulesPositions(rules, game, writing)


class RulesPositions:
    """Positions by the rules, for moves that engines write otherwise than they travel."""

    def __init__(self, rules: Game[Any, Any], game: GameMessage, writing: Writing) -> None:
        self._rules, self._writing = rules, writing
        try:
            chosen = rules.parse_options(game.options)
            self._base = self._state = rules.parse_state(game.setup)
        except ValueError as error:
            raise PlayerFailed(f"these rules do not know what the server plays: {error}") from error
        self._own, self._default = rules.start(chosen), rules.start(rules.options_type())
        self.moves: list[str] = []

    def play(self, ply: int, wire: Any) -> None:
        del ply
        with suppress(ValueError):
            move = self._rules.read_move(self._state, wire)
            self.moves.append(texts.write_move(self._rules, self._state, move))
            self._state = self._state.play(move)

    def catch_up(self, turn: Turn) -> None:
        if self._rules.format_state(self._state) == turn.state:
            return
        try:
            self._base = self._state = self._rules.parse_state(turn.state)
        except ValueError as error:
            raise PlayerFailed(f"these rules do not understand the server's position: {error}") from error
        self.moves = []

    def command(self) -> str:
        return texts.position(self._rules, self._base, self.moves, self._own, self._default, self._writing)

    def read(self, text: str) -> Any:
        return self._rules.move_to_wire(texts.read_move(self._rules, self._state, text))

    def legal(self, turn: Turn) -> list[str]:
        del turn
        return [texts.write_move(self._rules, self._state, move) for move in self._state.legal_moves()]

    def line(self, turn: Turn, pv: Sequence[str]) -> tuple[list[str], str]:
        del turn
        return _line(self._state, pv, self._step)

    def _step(self, state: Any, text: str) -> tuple[str, Any]:
        move = texts.read_move(self._rules, state, text)
        state.check(move)
        return self._rules.notation(state, move), state.play(move)


class WirePositions:
    """Positions of a game whose moves travel as engines write them, and whose positions are FEN.

    The rules are only asked for the notation of a line that viewers see.
    """

    def __init__(self, rules: Game[Any, Any], game: GameMessage) -> None:
        self._rules = rules
        self._base, self.moves = _fen_and_moves(rules, game.setup)
        self._start_fen = rules.format_state(rules.start(rules.options_type()))
        self._plies = 0
        self._board: Any = None  # after `_followed` of the moves; None: not needed yet
        self._followed = 0

    def play(self, ply: int, wire: Any) -> None:
        if ply == self._plies + 1 and isinstance(wire, str):
            self.moves.append(wire)
            self._plies = ply

    def catch_up(self, turn: Turn) -> None:
        if turn.ply != self._plies:
            self._base, self.moves = _fen_and_moves(self._rules, turn.state)
            self._plies = turn.ply
            self._board = None

    def command(self) -> str:
        place = texts.STARTPOS if self._base == self._start_fen else f"{texts.FEN} {self._base}"
        return " ".join(["position", place, *([texts.MOVES, *self.moves] if self.moves else [])])

    def read(self, text: str) -> Any:
        if not texts.is_wire_move(text):
            raise MalformedMove("not-a-move", f"{text[:40]!r} is no move of {self._rules.name}")
        return text.casefold()

    def legal(self, turn: Turn) -> list[str]:
        if turn.moves is not None:
            return [str(move) for move in turn.moves]
        state = texts.board_of(self._rules, turn.state)
        return [str(self._rules.move_to_wire(move)) for move in state.legal_moves()]

    def line(self, turn: Turn, pv: Sequence[str]) -> tuple[list[str], str]:
        if not pv:
            return [], ""
        try:
            self._follow()
        except ValueError:
            return [], ""
        return _line(self._board, pv, self._step)

    def _step(self, state: Any, text: str) -> tuple[str, Any]:
        return san_and_after(state, self._rules.read_move(state, text.casefold()))

    def _follow(self) -> None:
        """Play the moves since the last line that was shown: this takes less time than reading a position."""
        if self._board is None:
            self._board, self._followed = texts.board_of(self._rules, self._base), 0
        for move in self.moves[self._followed :]:
            self._board = self._board.play(move)
        self._board, self._followed = texts.without_earlier(self._board), len(self.moves)


def _fen_and_moves(rules: Game[Any, Any], text: str) -> tuple[str, list[str]]:
    try:
        return texts.fen_and_moves(rules, text)
    except ValueError as error:
        raise PlayerFailed(f"these rules do not understand the server's position: {error}") from error


def _line(state: Any, pv: Sequence[str], step: Callable[[Any, str], tuple[str, Any]]) -> tuple[list[str], str]:
    """`step` returns a move in notation, and the position after it. Raises Rejection unless it can be played."""
    line: list[str] = []
    for text in pv:
        if state.to_move is None and len(set(state.outcome().scores)) == 1:
            break  # engines think on after a draw by rule
        try:
            notation, state = step(state, text)
        except ValueError:
            return line, text
        line.append(notation)
    return line, ""
