"""AI388U, assignment 2, `game.py`: the board, the rules and the simulator of End of the Track.

A square is `row * 7 + col`, a decoded one (col, row), both from the lower left corner. A state is twelve squares:
White's five blocks and ball, Black's five blocks and ball. An action is (index within the side, square), 5 is the ball.
"""

from operator import index
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from palio_rules.boards.end_of_track import BALL, BLOCKS, COLS, ROWS, SIDE, SQUARES
from palio_rules.errors import quoted
from palio_rules.games.end_of_track import START, EndOfTheTrack, Position

Action = tuple[int, int]
_RULES = EndOfTheTrack()


class BoardState:
    """The places of all pieces: `state` encoded, `decode_state` decoded."""

    def __init__(self) -> None:
        self.N_ROWS, self.N_COLS = ROWS, COLS
        self.state: NDArray[np.int64] = np.array(START)
        self.decode_state = self.make_state()

    def update(self, idx: int, val: int) -> None:
        """Put piece `idx` (0 to 11) on the encoded square `val`, without a check: `is_valid` checks."""
        self.state[idx] = val
        self.decode_state[idx] = self.decode_single_pos(val)

    def make_state(self) -> list[tuple[int, int]]:
        """Return the decoded form of `state`, a new list."""
        return [self.decode_single_pos(n) for n in self.state]

    def encode_single_pos(self, cr: tuple[int, int]) -> int:
        """Convert (col, row) to an integer."""
        col, row = cr
        return int(row * self.N_COLS + col)

    def decode_single_pos(self, n: int) -> tuple[int, int]:
        """Convert an integer to (col, row)."""
        row, col = divmod(int(n), self.N_COLS)
        return col, row

    def is_valid(self) -> bool:
        """Return whether twelve pieces can stand like this: on the board, blocks apart, each ball on an own block."""
        state = np.asarray(self.state)
        if state.shape != (2 * SIDE,) or not np.issubdtype(state.dtype, np.integer):
            return False
        pieces = state.tolist()
        blocks = pieces[:BLOCKS] + pieces[SIDE : SIDE + BLOCKS]
        on_board = all(0 <= square < SQUARES for square in pieces)
        held = pieces[BALL] in blocks[:BLOCKS] and pieces[SIDE + BALL] in blocks[BLOCKS:]
        return on_board and held and len(set(blocks)) == len(blocks)

    def is_termination_state(self) -> bool:
        """Return whether either ball is on its far row; never for a board that is not valid."""
        return self.is_valid() and winner(self) is not None


def winner(board_state: BoardState) -> int | None:
    """Return the player whose ball is on the far row, White's first; None if no ball is."""
    if board_state.state[BALL] >= SQUARES - COLS:
        return 0
    return 1 if board_state.state[SIDE + BALL] < COLS else None


class Rules:
    """The destination squares of one piece."""

    @staticmethod
    def single_piece_actions(board_state: BoardState, piece_idx: int) -> set[int]:
        """Return the encoded squares that the block `piece_idx` (0 to 4 or 6 to 10) can move to; none with the ball.

        Raises ValueError for a ball's index.
        """
        player_idx, piece = divmod(piece_idx, SIDE)
        if piece == BALL or player_idx not in (0, 1):
            raise ValueError(f"piece {piece_idx} is no block: blocks are 0 to 4 and 6 to 10")
        return {to for moved, to in _position(board_state, player_idx).legal_moves() if moved == piece}

    @staticmethod
    def single_ball_actions(board_state: BoardState, player_idx: int) -> set[int]:
        """Return the encoded squares that the ball of `player_idx` can be passed to, in any number of passes."""
        return {to for moved, to in _position(board_state, player_idx).legal_moves() if moved == BALL}


class Player(Protocol):
    """A player in a `GameSimulator`."""

    def policy(self, decode_state: list[tuple[int, int]]) -> tuple[Action, Any]:
        """Return an action, and the player's own value for it."""


class GameSimulator:
    """A game between two players; White, `players[0]`, moves in even rounds, Black in odd ones, the first is 0."""

    def __init__(self, players: list[Player] | None) -> None:
        self.game_state = BoardState()
        self.current_round = -1
        self.players = players

    def run(self) -> tuple[int, str, str]:
        """Play until a ball is on its far row; return the last round, the winner ("WHITE" or "BLACK"), and "No issues".

        Every round is printed before its action is checked, in the line of the course. An invalid action loses, and
        then the reason takes the place of "No issues". The course has no draw: two players without progress never end.
        """
        if self.players is None:
            raise ValueError("a simulator without players has nobody to ask; give it two")
        while not self.game_state.is_termination_state():
            self.current_round += 1
            player_idx = self.current_round % 2
            action, value = self.players[player_idx].policy(self.game_state.make_state())
            played = f"Round: {self.current_round} Player: {player_idx} State: {tuple(self.game_state.state)}"
            print(f"{played} Action: {action} Value: {value}")  # noqa: T201  # as the course's own does
            try:
                self.validate_action(action, player_idx)
            except ValueError as error:
                name, other = ("White", "BLACK") if player_idx == 0 else ("Black", "WHITE")
                return self.current_round, other, f"{name} provided an invalid action: {error}"
            self.update(action, player_idx)
        return self.current_round, "BLACK" if winner(self.game_state) else "WHITE", "No issues"

    def generate_valid_actions(self, player_idx: int) -> set[Action]:
        """Return every action (relative_idx, encoded square) that `player_idx` can take."""
        return {(piece, to) for piece, to in _position(self.game_state, player_idx).legal_moves()}

    def validate_action(self, action: Action, player_idx: int) -> bool:
        """Return True; raises ValueError, with the reason, if `player_idx` cannot take `action`."""
        position = _position(self.game_state, player_idx)
        try:
            relative_idx, square = (index(number) for number in action)
        except (TypeError, ValueError):
            raise ValueError(f"an action is (relative_idx, square) in integers, got {quoted(action)}") from None
        _RULES.read_move(position, [relative_idx, square])
        return True

    def update(self, action: Action, player_idx: int) -> None:
        """Take `action`, which is not checked."""
        relative_idx, square = action
        self.game_state.update(SIDE * player_idx + relative_idx, square)


def _position(board_state: BoardState, player_idx: int) -> Position:
    """Return the position for the rules, with `player_idx` to move; in the course a game that is won can go on.

    Actions can be asked of a board that is not valid, too, as long as every piece is on it.
    """
    if player_idx not in (0, 1):
        raise ValueError(f"player {quoted(player_idx)} does not exist: White is 0, Black is 1")
    pieces = tuple(np.asarray(board_state.state).tolist())
    for piece, square in enumerate(pieces):
        if square not in range(SQUARES):
            raise ValueError(f"piece {piece} is on square {quoted(square)}, off the board of 0 to {SQUARES - 1}")
    return Position(pieces, player_idx)
