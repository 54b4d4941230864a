"""One race as an environment: a new instance each time, and every action costs what it costs in the race.

The reward of an action is minus what it adds to the cost of the race: -1 for each move of a puzzle, minus the way to
the next city of a tour. A puzzle that is solved gives `bonus` besides. So the return of a solved episode is the bonus
minus the cost that palio ranks by. Where no move is left, all that the rules would have allowed is lost at once: to get
stuck is never better than to go on.
"""

import sys
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from numpy.typing import NDArray

from palio_rules.addons.encodings import BadAction, Encoding, encoding_of
from palio_rules.addons.encodings.encoding import Planes
from palio_rules.addons.encodings.picture import Pixels, picture
from palio_rules.errors import BadOption, quoted
from palio_rules.game import Game
from palio_rules.registry import game_from_spec, games, is_race
from palio_rules.scene import Scene

MODES = ("human", "ansi", "rgb_array")
ATTEMPTS = 20  # seeds that are tried where one leads to no instance


class RaceEnv(gymnasium.Env[Planes, np.int64]):
    """A race. `state_now` is the position behind the arrays.

    An action that is not legal changes nothing and costs 1, or the extent of a tour's cities; the sentence why is
    `info["illegal"]`. In `info["action_mask"]` legal actions have 1. An episode terminates where the race is solved or
    stuck. It is truncated where it gets too long: by the rules (`max_moves`, `max_actions`) or after `max_steps`
    actions, illegal ones included.
    """

    metadata: dict[str, Any] = {"render_modes": list(MODES), "render_fps": 2}  # noqa: RUF012  # as in the base class

    def __init__(
        self,
        game: str,
        *,
        seed: int | None = None,
        instances: int | None = None,
        max_steps: int | None = None,
        bonus: float = 10.0,
        render_mode: str | None = None,
        **options: object,
    ) -> None:
        """`game` is as on the command line, `rush_hour:size=5,moves=4`; options may be keywords as well.

        `seed`: of the first reset that is given none. `instances`: draw one of so many, the race's own seeds 0 to
        instances - 1; puzzles take time to make, and these are kept. `max_steps`: None leaves it to the game, which
        takes its own limit. Raises BadOption for what does not exist, with the remedy.
        """
        rules, settings = game_from_spec(game)
        if rules.kind != "race":
            raise BadOption(f"{rules.name} is no race; use palio_rules.addons.pettingzoo.env({game!r})")
        if options:
            given = {name: getattr(settings, name) for name in settings.__struct_fields__}
            changed = rules.parse_options(options)
            settings = rules.parse_options({**given, **{name: getattr(changed, name) for name in options}})
        if render_mode is not None and render_mode not in MODES:
            raise BadOption(f"render_mode {quoted(render_mode)} does not exist; use {', '.join(MODES)} or None")
        for name, number in (("instances", instances), ("max_steps", max_steps)):
            if number is not None and number < 1:
                raise BadOption(f"{name}={quoted(number)} leaves nothing to play; give 1 or more, or None")
        self.rules: Game[Any, Any] = rules
        self.options: Any = settings
        self.encoding: Encoding[Any, Any] = encoding_of(rules, settings)
        self.render_mode = render_mode
        self.bonus, self.instances, self.max_steps = bonus, instances, max_steps
        self._seed = seed
        self.action_space = spaces.Discrete(self.encoding.actions)
        self.observation_space = spaces.Box(*self.encoding.bounds, self.encoding.shape, np.float32)
        self.state_now: Any = None
        self._first: Any = None  # the race's own first position, for pictures
        self._steps = 0
        self._instance = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Planes, dict[str, Any]]:
        """Begin with another instance; `options={"instance": 7}` takes the one that the race's seed 7 gives.

        Raises BadOption if the race's options lead to no instance.
        """
        if seed is None and self._seed is not None:
            seed = self._seed
        self._seed = None
        super().reset(seed=seed)
        wanted = (options or {}).get("instance")
        self._first = self._start(wanted)
        self.state_now = self.encoding.root(self._first)
        self._steps = 0
        if self.render_mode == "human":
            self.render()
        return self.encoding.observe(self.state_now, 0), self._info()

    def step(self, action: Any) -> tuple[Planes, float, bool, bool, dict[str, Any]]:
        """Play `action`; see the class for what is returned. Raises RuntimeError before the first `reset`."""
        encoding = self.encoding
        if self.state_now is None:
            raise RuntimeError("step() comes after reset()")
        state = self.state_now
        self._steps += 1
        refused, reward = "", -encoding.penalty(state)
        try:
            self.state_now = state.play(encoding.read(state, action))
        except BadAction as error:
            refused = str(error)
        else:
            reward = encoding.spent(state) - encoding.spent(self.state_now)
        outcome = self.state_now.outcome()
        too_long = outcome is not None and outcome.reason in encoding.limits
        if outcome is not None and outcome.reason == "solved" and not refused:
            reward += self.bonus
        terminated = outcome is not None and not too_long
        if outcome is not None and terminated and not any(outcome.scores):
            reward -= max(0.0, encoding.longest(state) - encoding.spent(self.state_now))
        truncated = not terminated and (too_long or self._steps >= self._longest())
        if self.render_mode == "human":
            self.render()
        info = self._info()
        if refused:
            info["illegal"] = refused
        return encoding.observe(self.state_now, 0), float(reward), terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """True for each legal action, as sb3-contrib asks for it. Raises RuntimeError before the first `reset`."""
        if self.state_now is None:
            raise RuntimeError("action_masks() comes after reset()")
        return self.encoding.mask(self.state_now).astype(np.bool_)

    def render(self) -> Any:
        """A text board, printed or returned; or an image, see `metadata["render_modes"]`. None without a mode."""
        if self.render_mode is None or self.state_now is None:
            gymnasium.logger.warn("nothing is rendered: give env() a render_mode, and call reset() first")
            return None
        shown = self._shown()
        if self.render_mode == "rgb_array":
            image: Pixels = picture(self.rules.scene(shown) or Scene(1, 1, ()))
            return image
        board = self.rules.render(shown)
        if self.render_mode == "ansi":
            return board
        sys.stdout.write(f"{board}\n\n")
        return None

    def _start(self, wanted: int | None) -> Any:
        """The first position of the instance that is wanted, or of one that is drawn."""
        if wanted is not None:
            self._instance = int(wanted)
            return self.rules.start(self.options, self._instance)
        for attempt in range(ATTEMPTS):
            self._instance = int(self.np_random.integers(self.instances or 2**31))
            try:
                return self.rules.start(self.options, self._instance)
            except BadOption:
                if attempt == ATTEMPTS - 1:
                    raise
        raise AssertionError

    def _longest(self) -> int:
        return self.max_steps or self.encoding.longest(self.state_now)

    def _info(self) -> dict[str, Any]:
        info = {"action_mask": self.encoding.mask(self.state_now), "instance": self._instance}
        outcome = self.state_now.outcome()
        if outcome is not None:
            info["outcome"] = outcome.reason
            info["cost"] = self.encoding.spent(self.state_now) if any(outcome.scores) else None
        return info

    def _shown(self) -> Any:
        """The race's own position: with the tour, once that is complete."""
        return self.encoding.shown(self._first, self.state_now)


# Races by the names that Gymnasium knows them by: `palio/RushHour-v0`, `palio/ChexersSolo-v0`, `palio/Tsp-v0`.

ENTRY_POINT = "palio_rules.addons.gymnasium.environment:RaceEnv"
VERSION = 0  # of what observations and actions mean


def env(game: str, **settings: Any) -> RaceEnv:
    """The environment of a race, without wrappers; see `RaceEnv` for the settings. Raises BadOption.

    Its `spec` makes it again, as Gymnasium's own checks and its vectors do.
    """
    made = RaceEnv(game, **settings)
    kwargs = {"game": game, **{name: value for name, value in settings.items() if name != "render_mode"}}
    made.spec = EnvSpec(id=name_of(made.rules.name), entry_point=ENTRY_POINT, kwargs=kwargs)
    return made


def name_of(game: str) -> str:
    """The name that Gymnasium knows a race by.

    >>> name_of("rush_hour")
    'palio/RushHour-v0'
    """
    return f"palio/{''.join(word.capitalize() for word in game.split('_'))}-v{VERSION}"


def register() -> None:
    """Tell Gymnasium of every installed race, third-party ones included."""
    for game in filter(is_race, games()):
        name = name_of(game)
        if name not in gymnasium.registry:
            gymnasium.register(name, entry_point=ENTRY_POINT, kwargs={"game": game})
