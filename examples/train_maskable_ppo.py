"""Train MaskablePPO of sb3-contrib for Breakthrough, and enter it into a tournament.

python examples/train_maskable_ppo.py model.zip
palio run breakthrough:rows=5,cols=5 policy:examples/train_maskable_ppo.py:Policy:path=model.zip random --rounds 20

It needs `pip install 'palio[rl]' sb3-contrib`, which brings Stable-Baselines3 and PyTorch, and a minute or two.
"""

import sys

import gymnasium
import numpy as np

from palio_rules.addons.encodings import BadAction
from palio_rules.addons.pettingzoo import raw_env

GAME = "breakthrough:rows=5,cols=5"
STEPS, SEED = 8192, 1


class Policy:
    """The policy for `palio`: a saved model, called for its best action."""

    games = ("breakthrough",)
    about = "MaskablePPO, trained against random moves in a minute."

    def __init__(self, path: str = "model.zip"):
        from sb3_contrib import MaskablePPO  # noqa: PLC0415  # the environment needs no torch

        self.model = MaskablePPO.load(path, device="cpu")

    def act(self, observation, action_mask):
        action, _ = self.model.predict(observation, action_masks=action_mask, deterministic=True)
        return action


class OneSeat(gymnasium.Env):
    """A duel or a table from the view of one seat: the other seats' play is part of the environment.

    The seat is drawn for each game. `opponent` has the form of a policy's `act`, `Policy("older.zip").act` for example;
    None is any legal action. Rewards are those of the game. An illegal action ends it, with -1.
    """

    def __init__(self, game=GAME, opponent=None, render_mode=None):
        self.game, self.opponent, self.render_mode = raw_env(game, render_mode=render_mode), opponent, render_mode
        self.metadata = self.game.metadata
        self.me = self.game.possible_agents[0]
        self.observation_space = self.game.observation_space(self.me)["observation"]
        self.action_space = self.game.action_space(self.me)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.me = str(self.np_random.choice(self.game.possible_agents))
        self.game.reset(seed=int(self.np_random.integers(2**31)))
        return self.until_my_turn()["observation"], {}

    def step(self, action):
        try:
            self.game.step(action)
        except BadAction as error:
            return self.game.observe(self.me)["observation"], -1.0, True, False, {"illegal": str(error)}
        seen = self.until_my_turn()["observation"]
        return seen, self.game.rewards[self.me], self.game.terminations[self.me], False, self.game.infos[self.me]

    def action_masks(self):
        """Return what MaskablePPO needs: True for each legal action."""
        return self.game.observe(self.me)["action_mask"].astype(bool)

    def until_my_turn(self):
        while self.game.agent_selection != self.me and not self.game.terminations[self.me]:
            seen = self.game.observe(self.game.agent_selection)
            if self.opponent is None:
                action = self.np_random.choice(np.flatnonzero(seen["action_mask"]))
            else:
                action = self.opponent(seen["observation"], seen["action_mask"])
            self.game.step(action)
        return self.game.observe(self.me)

    def render(self):
        return self.game.render()


def train(path, steps=STEPS, seed=SEED):
    from sb3_contrib import MaskablePPO  # noqa: PLC0415

    model = MaskablePPO("MlpPolicy", OneSeat(), n_steps=1024, seed=seed, verbose=1)
    model.learn(total_timesteps=steps)
    model.save(path)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    train(sys.argv[1])
