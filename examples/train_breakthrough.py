"""Train a small policy for Breakthrough by self-play, and enter it into a tournament.

python examples/train_breakthrough.py weights.npz
palio run breakthrough:rows=5,cols=5 policy:examples/train_breakthrough.py:Policy:path=weights.npz random --rounds 50

REINFORCE (Williams, 1992) with a linear softmax policy: after each game every action of the winner becomes more likely,
and every action of the loser less. Both sides share one table of weights, because the environment shows the board from
the seat to move. It needs `pip install 'palio[rl]'`, and some ten seconds.
"""

import sys

import numpy as np

GAME = "breakthrough:rows=5,cols=5"
GAMES, RATE, SEED = 3000, 0.05, 1


class Policy:
    """The policy for `palio`: `act` takes an observation and returns the number of an action."""

    games = ("breakthrough",)
    about = "A linear policy, trained by REINFORCE in ten seconds."

    def __init__(self, path: str = "weights.npz", seed: int = 0):
        self.weights = np.load(path)["weights"]
        self.random = np.random.default_rng(seed)

    def act(self, observation, action_mask):
        return self.random.choice(action_mask.size, p=chances(self.weights, observation, action_mask))


def chances(weights, observation, action_mask):
    """Return the probability of each action: softmax over the legal ones."""
    worth = np.where(action_mask, observation.ravel() @ weights, -np.inf)
    likely = np.exp(worth - worth.max())
    return likely / likely.sum()


def train(games=GAMES, seed=SEED):
    from palio_rules.addons.pettingzoo import raw_env  # noqa: PLC0415  # playing needs no environment

    random, game = np.random.default_rng(seed), raw_env(GAME)
    seen = game.observation_space("player_0")["observation"].shape
    weights = np.zeros((int(np.prod(seen)), int(game.action_space("player_0").n)))
    for number in range(games):
        game.reset(seed=number)
        taken = {agent: [] for agent in game.agents}
        while not any(game.terminations.values()):
            agent = game.agent_selection
            shown = game.observe(agent)
            observation, mask = shown["observation"], shown["action_mask"]
            likely = chances(weights, observation, mask)
            action = random.choice(mask.size, p=likely)
            taken[agent].append((observation.ravel(), likely, action))
            game.step(action)
        for agent, reward in game.rewards.items():
            for observation, likely, action in taken[agent]:
                step = -likely
                step[action] += 1  # the gradient of the action's log-likelihood
                weights += RATE * reward * np.outer(observation, step)
    return weights


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    np.savez(sys.argv[1], weights=train())
