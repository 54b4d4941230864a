"""One game as an AEC environment: seats are agents, and the one to move is selected.

Agents are `player_0`, `player_1`, ... in the order of the game's seats. The winner gets 1; no agent is given anything
before the end. In a duel the other one gets -1, and both 0 for a draw. At a table of n each of the others gets
-1 / (n - 1), and an agent that shares the win as much less: rewards always sum to 0.
"""

import random
import sys
from typing import Any

import numpy as np
from gymnasium import logger, spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from palio_rules.addons.encodings import Encoding, encoding_of
from palio_rules.addons.encodings.picture import Pixels, picture
from palio_rules.errors import BadOption, quoted
from palio_rules.game import Game
from palio_rules.registry import game_from_spec
from palio_rules.scene import Scene

MODES = ("human", "ansi", "rgb_array")
VERSION = 0  # of what observations and actions mean

Observation = dict[str, Any]  # "observation" and "action_mask"


def env(game: str, *, render_mode: str | None = None, **options: object) -> Any:
    """The environment of a duel or table, in the wrappers that PettingZoo recommends for board games.

    `game` is as on the command line, `breakthrough:rows=8,cols=8`; options may be keywords as well. An illegal action
    ends the game: its agent gets -1, the others 0. An action outside the space raises AssertionError.

    Raises BadOption for a game or an option that does not exist, and for a race, with the remedy.
    """
    wrapped = wrappers.TerminateIllegalWrapper(raw_env(game, render_mode=render_mode, **options), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


def raw_env(game: str, *, render_mode: str | None = None, **options: object) -> "TurnEnv":
    """As `env`, without wrappers: an action that is not legal raises BadAction, and changes nothing."""
    rules, settings = game_from_spec(game)
    if rules.kind == "race":
        raise BadOption(
            f"{rules.name} is a race, which one plays alone; use palio_rules.addons.gymnasium.env({game!r})"
        )
    if options:
        given = {name: getattr(settings, name) for name in settings.__struct_fields__}
        changed = rules.parse_options(options)
        settings = rules.parse_options({**given, **{name: getattr(changed, name) for name in options}})
    if render_mode is not None and render_mode not in MODES:
        raise BadOption(f"render_mode {quoted(render_mode)} does not exist; use {', '.join(MODES)} or None")
    return TurnEnv(rules, settings, render_mode)


class TurnEnv(AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """A duel or a table. `state_now` is the position behind the arrays."""

    def __init__(self, rules: Game[Any, Any], options: Any, render_mode: str | None = None) -> None:
        super().__init__()
        self.metadata = {
            "name": f"palio_{rules.name}_v{VERSION}",
            "render_modes": list(MODES),
            "is_parallelizable": False,
            "render_fps": 2,
        }
        self.rules, self.options, self.render_mode = rules, options, render_mode
        self.encoding: Encoding[Any, Any] = encoding_of(rules, options)
        self.possible_agents = [f"player_{seat}" for seat in range(len(rules.seats))]
        self.agents: list[str] = []
        encoding = self.encoding
        self.action_spaces = {agent: spaces.Discrete(encoding.actions) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(*encoding.bounds, encoding.shape, np.float32),
                    "action_mask": spaces.Box(0, 1, (encoding.actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._random = random.Random()  # noqa: S311  # no secret
        self.state_now: Any = None

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game. `seed` matters to games that draw their first position; `options` are ignored."""
        if seed is not None:
            self._random.seed(seed)
        self.state_now = self.rules.start(self.options, self._random.randrange(2**31))
        self.agents = self.possible_agents[:]
        self.rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[self.state_now.to_move or 0]
        self._finish()  # a game may be over before it has begun
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """Return what `agent` sees, in new arrays. The mask of an agent that is not to move is 0 everywhere."""
        seat, state = self.possible_agents.index(agent), self.state_now
        selected = state.to_move == seat
        mask = self.encoding.mask(state) if selected else np.zeros(self.encoding.actions, np.int8)
        return {"observation": self.encoding.observe(state, seat), "action_mask": mask}

    def step(self, action: Any) -> None:
        """Play `action` for the selected agent. Raises BadAction, and changes nothing, if it is not legal."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        move = self.encoding.read(self.state_now, action)
        self.state_now = self.state_now.play(move)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        seat = self.state_now.to_move
        after = (self.possible_agents.index(agent) + 1) % len(self.possible_agents)
        self.agent_selection = self.possible_agents[after if seat is None else seat]
        self._finish()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _finish(self) -> None:
        """Give rewards, if the game is over."""
        outcome = self.state_now.outcome()
        if outcome is None:
            return
        others = len(self.possible_agents) - 1
        for agent, score in zip(self.possible_agents, outcome.scores, strict=True):
            self.rewards[agent] = float(((others + 1) * score - 1) / others)
            self.infos[agent] = {"outcome": outcome.reason}
        self.terminations = dict.fromkeys(self.agents, True)

    def render(self) -> str | Pixels | None:
        """A text board, printed or returned; or an image, see `metadata["render_modes"]`. None without a mode."""
        if self.render_mode == "rgb_array":
            return picture(self.rules.scene(self.state_now) or Scene(1, 1, ()))
        if self.render_mode is None:
            logger.warn("nothing is rendered without a render_mode; give env() one")
            return None
        board = self.rules.render(self.state_now)
        if self.render_mode == "ansi":
            return board
        sys.stdout.write(f"{board}\n\n")
        return None

    def close(self) -> None:
        """There is nothing to close."""
