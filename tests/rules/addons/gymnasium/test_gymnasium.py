"""Gymnasium's own checks pass for every race; rewards sum to what a race costs."""

import copy
import pickle
import random
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from palio_rules.addons.gymnasium import env
from palio_rules.errors import BadOption
from palio_rules.registry import game_from_spec, games

SPECS = ["rush_hour:size=5,moves=4", "rush_hour:board=b.../b.../aa.c/.d..", "chexers_solo:colour=green", "tsp:size=12"]


def random_episode(race, seed):
    choose = random.Random(seed)
    _, info = race.reset(seed=seed)
    total, done = 0.0, False
    while not done:
        action = choose.choice(np.flatnonzero(info["action_mask"]))
        _, reward, terminated, truncated, info = race.step(action)
        total, done = total + reward, terminated or truncated
    return total, terminated, truncated, info


def test_all_races_are_tried():
    assert {text.partition(":")[0] for text in SPECS} == {
        name for name in games() if game_from_spec(name)[0].kind == "race"
    }


@pytest.mark.parametrize("text", SPECS)
def test_gymnasiums_own_checks_pass(text, capsys):
    check_env(env(text, seed=1))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("palio/RushHour-v0", {"size": 5, "moves": 3}),
        ("palio/ChexersSolo-v0", {"pieces": 1}),
        ("palio/Tsp-v0", {"size": 5}),
    ],
)
def test_gymnasium_makes_them_by_name(name, words):
    for told in (name, f"palio_rules.addons.gymnasium:{name}"):
        race = gymnasium.make(told, **words)
        observation, info = race.reset(seed=1)
        assert observation in race.observation_space
        assert info["action_mask"].sum() > 0


def test_a_solved_puzzle_gives_its_bonus_minus_its_cost():
    race = env("rush_hour:board=b.../b.../aa.c/.d..", bonus=5)
    race.reset()
    state = race.state_now
    move = next(each for each in state.legal_moves() if state.play(each).outcome())
    _, reward, terminated, truncated, info = race.step(race.encoding.index(state, move))
    assert (reward, terminated, truncated) == (4.0, True, False)
    assert (info["outcome"], info["cost"]) == ("solved", 1.0)


def test_the_rewards_of_a_tour_sum_to_its_length():
    race = env("tsp:size=12")
    for seed in range(5):
        total, terminated, truncated, info = random_episode(race, seed)
        assert (terminated, truncated) == (True, False)
        assert total == pytest.approx(-info["cost"])
        rules, options = game_from_spec("tsp:size=12")
        tour = race.state_now.path
        assert info["cost"] == rules.cost(rules.start(options, info["instance"]).play(tour))


@pytest.mark.parametrize(
    "text", ["chexers_solo:pieces=1,blocks=0,max_actions=9999", "rush_hour:board=b.../b.../aa.c/.d.."]
)
def test_the_rewards_of_a_puzzle_sum_to_its_moves(text):
    race = env(text)
    for seed in range(5):
        total, terminated, _, info = random_episode(race, seed)
        assert terminated
        assert total == pytest.approx(10 - info["cost"])


def test_who_takes_longer_than_the_rules_allow_is_cut_off():
    race = env("chexers_solo:pieces=4,max_actions=3")
    _, terminated, truncated, info = random_episode(race, 1)
    assert (terminated, truncated, info["outcome"], info["cost"]) == (False, True, "max-actions", None)


def test_who_only_plays_illegal_actions_is_cut_off_too():
    race = env("rush_hour:size=5,moves=4", max_steps=3)
    _, info = race.reset(seed=1)
    before, action = race.state_now, int(np.flatnonzero(info["action_mask"] == 0)[0])
    told = [race.step(action) for _ in range(3)]
    assert [(reward, terminated, truncated) for _, reward, terminated, truncated, _ in told] == [
        (-1.0, False, False),
        (-1.0, False, False),
        (-1.0, False, True),
    ]
    assert f"action {action} is not legal here" in told[0][4]["illegal"]
    assert race.state_now is before


def test_who_gets_stuck_has_lost_all_moves_that_were_allowed():
    race = env("chexers_solo", board="r##./##.../#.#.../......r/....../...../....", max_actions=50)
    race.reset()
    leaving = [move for move in race.state_now.legal_moves() if move.kind == "EXIT"]
    _, reward, terminated, _, info = race.step(race.encoding.index(race.state_now, leaving[0]))
    assert (reward, terminated, info["outcome"], info["cost"]) == (-50.0, True, "no-moves", None)


def test_a_tour_that_is_made_is_better_than_actions_that_are_not_legal():
    race = env("tsp:size=12")
    race.reset(seed=1)
    refused, done = 0.0, False
    while not done:
        _, reward, terminated, truncated, _ = race.step(0)
        refused, done = refused + reward, truncated
        assert not terminated
    assert refused < min(random_episode(race, seed)[0] for seed in range(20))


def test_an_episode_through_gymnasiums_own_checks_warns_of_nothing():
    race = gymnasium.make("palio/Tsp-v0", size=6)
    assert random_episode(race, 1)[1]
    vector = gymnasium.make_vec("palio/Tsp-v0", num_envs=2, vectorization_mode="sync", size=6)
    observations, infos = vector.reset(seed=1)
    assert observations.shape == (2, 6, 6)
    assert infos["action_mask"].shape == (2, 6)
    vector.close()


def test_rendering_without_a_mode_is_warned_of():
    race = env("tsp:size=6", seed=1)
    race.reset()
    with pytest.warns(UserWarning, match=r"give env\(\) a render_mode"):
        assert race.render() is None


@pytest.mark.parametrize("missing", ["gymnasium", "numpy"])
def test_without_its_libraries_the_extra_is_named(missing):
    code = f"import sys; sys.modules[{missing!r}] = None\nimport palio_rules.addons.gymnasium"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert f"needs {missing}, which is not installed; pip install 'palio[rl]'" in told.stderr.splitlines()[-1]


@pytest.mark.parametrize("text", SPECS)
def test_masks_are_asked_for_by_the_name_that_sb3_contrib_knows_through_wrappers_too(text):
    race = gymnasium.make(env(text, seed=1).spec)
    assert race.has_wrapper_attr("action_masks")  # how sb3-contrib finds out whether there are masks
    with pytest.raises(RuntimeError, match=r"action_masks\(\) comes after reset\(\)"):
        race.get_wrapper_attr("action_masks")()
    _, info = race.reset(seed=1)
    for _ in range(3):
        masks = race.get_wrapper_attr("action_masks")()
        assert masks.dtype == bool
        assert masks.tolist() == info["action_mask"].tolist()
        _, _, terminated, truncated, info = race.step(int(np.flatnonzero(masks)[0]))
        if terminated or truncated:
            break


def test_environments_in_processes_of_their_own_give_what_one_here_gives():
    """As SubprocVecEnv has them: made anew elsewhere, then asked by name."""
    vector = gymnasium.make_vec("palio/Tsp-v0", num_envs=2, vectorization_mode="async", size=6)
    try:
        seen, infos = vector.reset(seed=[3, 4])
        masks = vector.call("action_masks")
    finally:
        vector.close()
    for at, seed in enumerate((3, 4)):
        race = env("tsp:size=6")
        own, info = race.reset(seed=seed)
        assert (seen[at] == own).all()
        assert (masks[at] == infos["action_mask"][at]).all()
        assert (masks[at] == info["action_mask"]).all()


def test_the_seed_of_an_environment_is_that_of_its_first_reset():
    one, other = env("tsp", seed=7), env("tsp")
    assert (one.reset()[0] == other.reset(seed=7)[0]).all()
    assert (one.reset()[0] == other.reset()[0]).all()
    assert not (one.reset()[0] == one.reset()[0]).all()


def test_instances_are_those_of_the_race():
    race = env("tsp:size=9", instances=3)
    drawn = {race.reset(seed=seed)[1]["instance"] for seed in range(30)}
    assert drawn == {0, 1, 2}
    observation, info = race.reset(options={"instance": 42})
    assert info["instance"] == 42
    rules, options = game_from_spec("tsp:size=9")
    first = race.encoding.root(rules.start(options, 42))
    assert (observation == race.encoding.observe(first, 0)).all()


def test_a_race_is_rendered(capsys):
    race = env("tsp:size=5", render_mode="rgb_array")
    race.reset(seed=1)
    empty = race.render()
    for action in (1, 2, 3, 4):
        race.step(action)
    assert empty.shape == race.render().shape
    assert (empty != race.render()).any()
    race = env("rush_hour:board=b.../b.../aa.c/.d..", render_mode="human")
    race.reset()
    assert "b . . ." in capsys.readouterr().out


@pytest.mark.parametrize("text", SPECS)
def test_it_can_be_copied_and_sent_elsewhere_and_draws_the_same_from_there(text):
    race = env(text, seed=1)
    race.reset()
    for other in (copy.deepcopy(race), pickle.loads(pickle.dumps(race))):
        assert other.state_now == race.state_now
        assert (copy.deepcopy(race).reset()[0] == other.reset()[0]).all()


@pytest.mark.parametrize(
    ("game", "words", "message"),
    [
        ("breakthrough", {}, r"breakthrough is no race; use palio_rules\.addons\.pettingzoo\.env\('breakthrough'\)"),
        ("rush_our", {}, "unknown game 'rush_our'; did you mean 'rush_hour'"),
        ("tsp", {"sise": 3}, "tsp has no option 'sise'; did you mean 'size'"),
        ("tsp", {"max_steps": 0}, "max_steps=0 leaves nothing to play"),
        ("tsp", {"render_mode": "gif"}, "render_mode 'gif' does not exist"),
    ],
)
def test_what_cannot_be_made_is_one_sentence(game, words, message):
    with pytest.raises(BadOption, match=message):
        env(game, **words)
