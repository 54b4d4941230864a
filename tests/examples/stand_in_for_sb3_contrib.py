"""What examples/train_maskable_ppo.py uses of sb3_contrib, without PyTorch: the same names, signatures and complaints.

It stands for sb3-contrib 2.9, and learns nothing: it plays legal actions only, the first of them if asked for the best.
"""

import json
from pathlib import Path

import numpy as np


class MaskablePPO:
    def __init__(  # noqa: PLR0917  # as sb3-contrib has it
        self,
        policy,
        env,
        learning_rate=0.0003,
        n_steps=2048,
        batch_size=64,
        n_epochs=10,
        gamma=0.99,
        gae_lambda=0.95,
        clip_range=0.2,
        clip_range_vf=None,
        normalize_advantage=True,
        ent_coef=0.0,
        vf_coef=0.5,
        max_grad_norm=0.5,
        rollout_buffer_class=None,
        rollout_buffer_kwargs=None,
        target_kl=None,
        stats_window_size=100,
        tensorboard_log=None,
        policy_kwargs=None,
        verbose=0,
        seed=None,
        device="auto",
        _init_setup_model=True,
    ):
        assert policy == "MlpPolicy"
        self.env, self.n_steps, self.seed = env, n_steps, seed
        self.observation_space, self.action_space = env.observation_space, env.action_space
        self.num_timesteps = 0

    def learn(
        self,
        total_timesteps,
        callback=None,
        log_interval=1,
        tb_log_name="MaskablePPO",
        reset_num_timesteps=True,
        use_masking=True,
        progress_bar=False,
    ):
        if not self.env.has_wrapper_attr("action_masks"):
            raise ValueError("Environment does not support action masking. Consider using ActionMasker wrapper")
        choose = np.random.default_rng(self.seed)
        observation, _ = self.env.reset(seed=self.seed)
        for _ in range(total_timesteps):
            masks = self.env.get_wrapper_attr("action_masks")()
            assert observation in self.observation_space
            assert masks.shape == (self.action_space.n,)
            action = choose.choice(np.flatnonzero(masks))
            observation, reward, terminated, truncated, info = self.env.step(action)
            assert isinstance(reward, float | int)
            assert "illegal" not in info
            self.num_timesteps += 1
            if terminated or truncated:
                observation, _ = self.env.reset()
        return self

    def save(self, path, exclude=None, include=None):
        shape, actions = self.observation_space.shape, int(self.action_space.n)
        Path(path).with_suffix(".zip").write_text(json.dumps([self.num_timesteps, shape, actions]))

    @classmethod
    def load(
        cls, path, env=None, device="auto", custom_objects=None, print_system_info=False, force_reset=True, **kwargs
    ):
        model = cls.__new__(cls)
        model.num_timesteps, shape, model.actions = json.loads(Path(path).with_suffix(".zip").read_text())
        model.shape = tuple(shape)
        return model

    def predict(self, observation, state=None, episode_start=None, deterministic=False, action_masks=None):
        if observation.shape != self.shape:
            raise ValueError(f"Error: Unexpected observation shape {observation.shape} for Box environment")
        legal = np.flatnonzero(np.asarray(action_masks).reshape(self.actions))
        return np.array(legal[0] if deterministic else np.random.default_rng().choice(legal)), state
