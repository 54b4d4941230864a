"""Races as Gymnasium environments, to train a policy.

    from palio_rules.addons.gymnasium import env

    race = env("rush_hour:size=5,moves=4", seed=1)
    observation, info = race.reset()
    observation, reward, terminated, truncated, info = race.step(race.action_space.sample(info["action_mask"]))

Once this module is imported, `gymnasium.make("palio/RushHour-v0")` makes them too, or at once, without an import:
`gymnasium.make("palio_rules.addons.gymnasium:palio/RushHour-v0")`. `palio[rl]` brings what it needs. Duels and tables
are environments of `palio_rules.addons.pettingzoo`.
"""

from palio_rules.extras import needs

try:
    from palio_rules.addons.gymnasium.environment import RaceEnv, env, register
except ModuleNotFoundError as error:
    raise needs(error, __name__, "rl") from error

__all__ = ["RaceEnv", "env", "register"]

register()
