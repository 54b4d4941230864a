"""Duels and tables as PettingZoo environments, to train a policy.

    from palio_rules.addons.pettingzoo import env

    game = env("breakthrough:rows=5,cols=5")  # or env("breakthrough", rows=5, cols=5)
    game.reset(seed=1)
    for agent in game.agent_iter():
        observation, reward, termination, truncation, info = game.last()
        over = termination or truncation
        game.step(None if over else game.action_space(agent).sample(observation["action_mask"]))

`palio[rl]` brings what it needs. Races are environments of `palio_rules.addons.gymnasium`.
"""

from palio_rules.extras import needs

try:
    from palio_rules.addons.pettingzoo.environment import TurnEnv, env, raw_env
except ModuleNotFoundError as error:
    raise needs(error, __name__, "rl") from error

__all__ = ["TurnEnv", "env", "raw_env"]
