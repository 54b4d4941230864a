"""Any position of ours as a state of OpenSpiel, so that its searches can think about it.

A game of OpenSpiel's own brings its state along. Breakthrough is theirs as well as ours: moves that were played here
are played there, which is many times as fast as asking our rules; other games are asked through `SpielState`.
"""

from typing import Any

import pyspiel

from palio_rules.game import Game
from palio_rules.openspiel.position import Position

MOST_ACTIONS, LONGEST = 100_000, 100_000  # what OpenSpiel wants to know of a game beforehand, and we do not
SAME_FROM = 6  # rows of Breakthrough: on a smaller board OpenSpiel has one row of pawns a side, and we have two


class SpielGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel is untyped
    """A game of ours that begins in a position."""

    def __init__(self, rules: Game[Any, Any], position: Any) -> None:
        self.rules, self.position = rules, position
        seats = len(rules.seats)
        kind = pyspiel.GameType(
            short_name=f"palio_{rules.name}",
            long_name=rules.title,
            dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
            chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
            information=pyspiel.GameType.Information.PERFECT_INFORMATION,
            utility=pyspiel.GameType.Utility.ZERO_SUM,
            reward_model=pyspiel.GameType.RewardModel.TERMINAL,
            max_num_players=seats,
            min_num_players=seats,
            provides_information_state_string=False,
            provides_information_state_tensor=False,
            provides_observation_string=False,
            provides_observation_tensor=False,
            parameter_specification={},
        )
        info = pyspiel.GameInfo(
            num_distinct_actions=MOST_ACTIONS,
            max_chance_outcomes=0,
            num_players=seats,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=LONGEST,
        )
        super().__init__(kind, info, {})

    def new_initial_state(self) -> "SpielState":
        return SpielState(self, self.position)


class SpielState(pyspiel.State):  # type: ignore[misc]
    """Actions are numbers of moves in the order in which they are listed."""

    def __init__(self, game: SpielGame, position: Any) -> None:
        super().__init__(game)
        self.rules, self.position = game.rules, position
        self._moves: list[Any] | None = None

    def moves(self) -> list[Any]:
        if self._moves is None:
            self._moves = list(self.position.legal_moves())
        return self._moves

    def current_player(self) -> int:
        seat: int | None = self.position.to_move
        over: int = pyspiel.PlayerId.TERMINAL
        return over if seat is None else seat

    def is_terminal(self) -> bool:
        return self.position.to_move is None

    def returns(self) -> list[float]:
        """From -1 for nothing to 1 for the whole point."""
        outcome = self.position.outcome()
        seats = len(self.rules.seats)
        if outcome is None:
            return [0.0] * seats
        return [(score * seats - 1) / (seats - 1) for score in outcome.scores]

    def _legal_actions(self, _: int) -> list[int]:
        return list(range(len(self.moves())))

    def _apply_action(self, action: int) -> None:
        self.position, self._moves = self.position.play(self.moves()[action]), None

    def _action_to_string(self, _: int, action: int) -> str:
        return self.rules.notation(self.position, self.moves()[action])

    def __deepcopy__(self, _: Any) -> "SpielState":
        return SpielState(self.get_game(), self.position)

    def __str__(self) -> str:
        return self.rules.render(self.position)


class Mirror:
    """What OpenSpiel sees of a match: `state_of` a position, and what its actions mean there."""

    def __init__(self, rules: Game[Any, Any], options: Any) -> None:
        self._rules, self._followed = rules, None
        if rules.name == "breakthrough" and options.rows >= SAME_FROM:
            self._followed = Followed(rules, options)

    def state_of(self, position: Any) -> Any:
        """A state of OpenSpiel in which the same player is to move, and has the same moves."""
        if isinstance(position, Position):
            return position.spiel
        if self._followed is not None and (found := self._followed.state_of(position)) is not None:
            return found
        return SpielGame(self._rules, position).new_initial_state()

    def move(self, position: Any, state: Any, action: int) -> Any:
        """The move of ours that is `action` there."""
        if isinstance(position, Position):
            return action
        if isinstance(state, SpielState):
            return state.moves()[action]
        wanted = word(state.action_to_string(state.current_player(), action))
        return next(move for move in position.legal_moves() if word(self._rules.notation(position, move)) == wanted)


class Followed:
    """A match of Breakthrough, move by move in OpenSpiel's rules, too."""

    def __init__(self, rules: Game[Any, Any], options: Any) -> None:
        self._rules = rules
        size = {"rows": options.rows, "columns": options.cols}
        self._at = (rules.start(options), pyspiel.load_game("breakthrough", size).new_initial_state())

    def state_of(self, position: Any) -> Any:
        """The state of `position`, if it was reached from the last one by four plies at most; else None."""
        layer = {self._at[0]: self._at[1]}
        for _ in range(5):
            if position in layer:
                self._at = (position, layer[position])
                return self._at[1]
            if len(layer) > 5000:
                return None
            layer = {
                ours.play(move): theirs.child(action)
                for ours, theirs in layer.items()
                for move, action in same_moves(self._rules, ours, theirs)
            }
        return None


def same_moves(rules: Game[Any, Any], ours: Any, theirs: Any) -> list[tuple[Any, int]]:
    """The legal moves of a position of Breakthrough, with OpenSpiel's actions for them."""
    seat = theirs.current_player()
    actions = {word(theirs.action_to_string(seat, action)): action for action in theirs.legal_actions()}
    return [(move, actions[word(rules.notation(ours, move))]) for move in ours.legal_moves()]


def word(text: str) -> str:
    """Of `b5-b4` or `b5xc4`, and of OpenSpiel's `b5b4` or `b5c4*`, the two squares."""
    return text.replace("-", "").replace("x", "").replace("*", "")
