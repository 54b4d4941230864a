"""OpenSpiel's searches, one class each; see Lanctot et al. (2019) and the modules of `open_spiel`."""

import random
from abc import abstractmethod
from collections.abc import Callable
from math import inf, isfinite
from typing import Any

import pyspiel

from palio_clients.agents.thinking_time import ThinkingTime, stop_after
from palio_clients.sdk.bot import Bot
from palio_clients.sdk.clock import Clock
from palio_rules.addons.openspiel.position import Position
from palio_rules.game import Game
from palio_rules.registry import game, games

# Any of our positions as a state of OpenSpiel, so that its searches can think about it.
#
# A game of OpenSpiel's own brings its state along. Breakthrough is theirs as well as ours: moves that were played here
# are played there, which is many times as fast as asking our rules; other games are asked through `SpielState`.

MOST_ACTIONS, LONGEST = 100_000, 100_000  # what OpenSpiel wants to know of a game beforehand, and we do not
SAME_FROM = 6  # rows of Breakthrough: on a smaller board OpenSpiel has one row of pawns a side, and we have two


class SpielGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel is untyped
    """One of our games, begun in a position."""

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
    """A match as OpenSpiel sees it: `state_of` a position, and the meaning of its actions there."""

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
        """Return our move that is `action` there."""
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


MEMORY_MB = 512  # of a tree
TURNS = tuple(name for name in games() if game(name).kind != "race")
DUELS = tuple(name for name in TURNS if game(name).kind == "duel")


class SpielBot(Bot):
    """The common part of OpenSpiel's bots: they see its states, and answer with its actions."""

    games = TURNS
    about = "A search of OpenSpiel, the library of DeepMind."

    def __init__(self, seed: int = -1) -> None:
        """`seed` -1: another game each time."""
        self.seed = random.SystemRandom().randrange(2**31) if seed < 0 else seed

    def prepare(self, game: Any, options: Any, seat: int) -> None:
        self.mirror = Mirror(game, options)

    def choose(self, state: Any, clock: Clock) -> Any:
        seen = self.mirror.state_of(state)
        return self.mirror.move(state, seen, self.action(seen, clock))

    @abstractmethod
    def action(self, state: Any, clock: Clock) -> int:
        """The action to play in OpenSpiel's `state`."""


class UniformRandom(SpielBot):
    """Any legal action, all alike: `pyspiel.make_uniform_random_bot`."""

    def prepare(self, game: Any, options: Any, seat: int) -> None:
        super().prepare(game, options, seat)
        self.bot = pyspiel.make_uniform_random_bot(seat, self.seed)

    def action(self, state: Any, clock: Clock) -> int:
        action: int = self.bot.step(state)
        return action


class Mcts(SpielBot):
    """Monte Carlo tree search: `pyspiel.MCTSBot` with random rollouts.

    `simulations` a move, each with `rollouts` random games; `uct_c` is UCT's constant, `solve` proves wins on the way.
    A clock ends it earlier; `seconds` is the time a move.
    """

    def __init__(
        self,
        simulations: int = 1000,
        uct_c: float = 2.0,
        rollouts: int = 1,
        seconds: float = 0.0,
        solve: bool = True,  # noqa: FBT001, FBT002  # a setting of a bot
        seed: int = -1,
    ) -> None:
        super().__init__(seed)
        if simulations < 1 or rollouts < 1 or not 0 <= uct_c < inf:
            given = f"got simulations={simulations}, rollouts={rollouts}, uct_c={uct_c:g}"
            raise ValueError(f"simulations and rollouts are 1 or more, uct_c is 0 or more; {given}")
        self.simulations, self.uct_c, self.solve = simulations, uct_c, solve
        self.pace = ThinkingTime(nodes=simulations, seconds=seconds)
        self.evaluator = pyspiel.RandomRolloutEvaluator(rollouts, self.seed)
        self.moves = 0

    def action(self, state: Any, clock: Clock) -> int:
        seconds = self.pace.budget(clock)
        self.moves += 1
        bot = pyspiel.MCTSBot(
            state.get_game(),
            self.evaluator,
            self.uct_c,
            self.simulations,
            MEMORY_MB,
            self.solve,
            self.seed + self.moves,
            False,
            max_wall_clock_time=max(seconds, 0.001) if isfinite(seconds) else -1.0,
        )
        root = bot.mcts_search(state)
        best = root.best_child()
        self.tell(nodes=root.explore_count, score=best.total_reward / max(1, best.explore_count))
        action: int = best.action
        return action


class AlphaBeta(SpielBot):
    """Alpha-beta: `open_spiel.python.algorithms.minimax.alpha_beta_search`, deeper and deeper until the time is up.

    `depth` in plies at most. What is not over there is worth the mean of `rollouts` random games (0: nothing).
    """

    games = DUELS

    def __init__(self, depth: int = 4, rollouts: int = 2, seconds: float = 0.0, seed: int = -1) -> None:
        super().__init__(seed)
        if depth < 1 or rollouts < 0:
            raise ValueError(f"depth is 1 or more and rollouts 0 or more, got depth={depth}, rollouts={rollouts}")
        self.depth, self.pace = depth, ThinkingTime(depth=depth, seconds=seconds)
        self.rollouts, self.random = rollouts, random.Random(self.seed)  # noqa: S311

    def action(self, state: Any, clock: Clock) -> int:
        stop = stop_after(self.pace.budget(clock), clock)
        seat: int = state.current_player()
        best: int = self.random.choice(state.legal_actions())
        if len(state.legal_actions()) == 1:
            return best

        def value(leaf: Any) -> float:
            if stop():
                raise _TimeIsUp
            return sum(self.rollout(leaf, seat) for _ in range(self.rollouts)) / max(1, self.rollouts)

        for depth in range(1, self.depth + 1):
            try:
                score, found = self.search(state, depth, value, seat)
            except _TimeIsUp:
                break
            best = found
            self.tell(depth=depth, score=score)
            if abs(score) >= state.get_game().max_utility():  # it is decided
                break
        return best

    def rollout(self, state: Any, seat: int) -> float:
        """Return the score of `seat` in a random game from here."""
        state = state.clone()
        while not state.is_terminal():
            state.apply_action(self.random.choice(state.legal_actions()))
        value: float = state.player_return(seat)
        return value

    def search(self, state: Any, depth: int, value: Callable[[Any], float], seat: int) -> tuple[float, int]:
        """The value of `state` for `seat`, and the best action."""
        from open_spiel.python.algorithms import minimax  # noqa: PLC0415  # only where it is asked for

        found: tuple[float, int] = minimax.alpha_beta_search(
            state.get_game(), state=state, value_function=value, maximum_depth=depth, maximizing_player_id=seat
        )
        return found


class Minimax(AlphaBeta):
    """Minimax without pruning: `open_spiel.python.algorithms.minimax.expectiminimax`, which takes no chances here."""

    def __init__(self, depth: int = 2, rollouts: int = 2, seconds: float = 0.0, seed: int = -1) -> None:
        super().__init__(depth, rollouts, seconds, seed)

    def search(self, state: Any, depth: int, value: Callable[[Any], float], seat: int) -> tuple[float, int]:
        from open_spiel.python.algorithms import minimax  # noqa: PLC0415

        found: tuple[float, int] = minimax.expectiminimax(state, depth, value, seat)
        return found


class _TimeIsUp(Exception): ...
