"""OpenSpiel's searches, one class each; see Lanctot et al. (2019) and the modules of `open_spiel`."""

import random
from abc import abstractmethod
from collections.abc import Callable
from math import inf, isfinite
from typing import Any

import pyspiel

from palio_clients.agents.pace import Pace, stop_after
from palio_clients.openspiel.wrapped import Mirror
from palio_clients.sdk.bot import Bot
from palio_clients.sdk.clock import Clock
from palio_rules.registry import game, games

MEMORY_MB = 512  # of a tree
TURNS = tuple(name for name in games() if game(name).kind != "race")
DUELS = tuple(name for name in TURNS if game(name).kind == "duel")


class SpielBot(Bot):
    """What OpenSpiel's bots share: they see its states, and answer with its actions."""

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
        self.pace = Pace(nodes=simulations, seconds=seconds)
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
        self.depth, self.pace = depth, Pace(depth=depth, seconds=seconds)
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
        """What a random game from here gives to `seat`."""
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
