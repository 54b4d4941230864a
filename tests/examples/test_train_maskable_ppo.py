"""The example that trains MaskablePPO: Gymnasium takes its environment, and what it trains plays."""

import importlib.util
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = ROOT / "examples" / "train_maskable_ppo.py"
PAGE = (ROOT / "docs" / "how-to" / "policies.md").read_text()
GAMES = [
    "breakthrough:rows=5,cols=5",
    "chexers:max_turns=30",
    "dominoes:rows=4,cols=4",
    "end_of_the_track:max_plies=40",
]


@pytest.fixture
def example():
    spec = importlib.util.spec_from_file_location("train_maskable_ppo", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("text", GAMES)
def test_gymnasiums_own_checks_pass(example, text):
    check_env(example.OneSeat(text), skip_render_check=True)


@pytest.mark.parametrize("text", GAMES)
def test_every_seat_is_played_to_the_end_and_rewarded_as_the_game_rewards_it(example, text):
    seat, choose, played = example.OneSeat(text), random.Random(text), {}
    for seed in range(20):
        seen, _ = seat.reset(seed=seed)
        over = False
        while not over:
            assert seat.game.agent_selection == seat.me
            assert (seen == seat.game.observe(seat.me)["observation"]).all()
            seen, reward, over, truncated, info = seat.step(choose.choice(np.flatnonzero(seat.action_masks())))
            assert not truncated
            assert over or reward == 0
        scores = seat.game.state_now.outcome().scores
        own = scores[seat.game.possible_agents.index(seat.me)]
        assert reward == pytest.approx((len(scores) * own - 1) / (len(scores) - 1))
        assert info["outcome"]
        played.setdefault(seat.me, []).append(reward)
    assert set(played) == set(seat.game.possible_agents)


def test_an_illegal_action_is_a_lost_game(example):
    seat = example.OneSeat()
    seat.reset(seed=1)
    illegal = int(np.flatnonzero(~seat.action_masks())[0])
    _, reward, terminated, _, info = seat.step(illegal)
    assert (reward, terminated) == (-1.0, True)
    assert f"action {illegal} is not legal here" in info["illegal"]


def test_an_opponent_is_asked_as_a_policy_is(example):
    masks = []

    def first(observation, action_mask):
        assert observation.shape == (5, 5, 4)
        masks.append(action_mask)
        return action_mask.argmax()

    seat = example.OneSeat(opponent=first)
    seat.reset(seed=1)
    seat.step(int(np.flatnonzero(seat.action_masks())[0]))
    assert masks
    assert all(mask.any() for mask in masks)


@pytest.mark.slow
def test_what_it_trains_plays_as_the_page_says(tmp_path):
    """With a stand-in for sb3_contrib, which brings PyTorch."""
    (tmp_path / "examples").mkdir()
    shutil.copy(EXAMPLE, tmp_path / "examples")
    shutil.copy(Path(__file__).with_name("stand_in_for_sb3_contrib.py"), tmp_path / "examples" / "sb3_contrib.py")
    commands = re.search(
        r"sb3-contrib\n(python examples/train_maskable_ppo\.py .*)\n(palio run .*) --rounds 20\n", PAGE
    )
    train, play = (line.split() for line in commands.groups())
    subprocess.run([sys.executable, *train[1:]], cwd=tmp_path, check=True)
    program = Path(sys.executable).with_name("palio")
    told = subprocess.run(
        [program, *play[1:], "--rounds", "1"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr
    assert "Finished game 2" in told.stdout
    assert "crashed" not in told.stdout
    assert "rejected" not in told.stdout + told.stderr


@pytest.mark.parametrize("name", ["model.py", "legal.py"])
def test_the_listings_on_the_page_are_python(name):
    listing = re.search(rf"```python\n(# {re.escape(name)}\n.*?)```", PAGE, re.DOTALL)[1]
    compile(listing, name, "exec")
