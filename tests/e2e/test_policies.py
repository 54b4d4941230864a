"""Trained policies play: the one that docs/how-to/policies.md shows, and the one that examples/ trains."""

import re
import subprocess
import sys

import pytest
from serving import ROOT

PAGE = (ROOT / "docs" / "how-to" / "policies.md").read_text()
EXAMPLE = ROOT / "examples" / "train_breakthrough.py"


@pytest.fixture
def policy(palio):
    listing = re.search(r"```python\n(# policy\.py\n.*?)```", PAGE, re.DOTALL)[1]
    (palio.folder / "policy.py").write_text(listing)
    return palio


@pytest.mark.slow
def test_the_policy_on_the_page_plays_as_it_stands(policy):
    told = policy("run", "breakthrough", "policy:./policy.py:Policy:seed=3", "policy:policy:Policy", "--rounds", "2")
    assert "policy-Policy-seed3 vs policy-Policy" in told.stdout
    assert re.search(r"\[\d\.\d+\] 4\n", told.stdout)


@pytest.mark.slow
def test_it_speaks_the_whole_protocol(policy):
    told = policy("check-bot", "policy:./policy.py")
    assert "policy plays breakthrough" in told.stdout
    assert " 0 failed" in told.stdout


@pytest.mark.slow
def test_an_answer_that_is_no_action_loses_the_match_and_the_record_says_why(palio):
    (palio.folder / "wild.py").write_text("def wild(observation, action_mask):\n    return action_mask.size\n")
    told = palio(
        "run", "breakthrough", "wild=policy:./wild.py:wild", "random:seed=1", "--rounds", "1", "--pgnout", "all.txt"
    )
    text = told.stdout + told.stderr + (palio.folder / "all.txt").read_text()
    assert "Score of wild vs random-seed1: 0 - 2 - 0  [0.000] 2" in told.stdout
    assert "the policy decided on 108: action 108 is out of range: breakthrough has 0 to 107" in text


@pytest.mark.slow
def test_a_file_that_is_not_there_is_told_at_once(palio):
    told = palio("run", "breakthrough", "policy:./gone.py", "random", code=2)
    assert "there is no file './gone.py'; check the path" in told.stderr


@pytest.mark.slow
@pytest.mark.timeout(280)
def test_the_example_trains_a_policy_that_beats_random(palio):
    weights = palio.folder / "weights.npz"
    subprocess.run([sys.executable, str(EXAMPLE), str(weights)], check=True, cwd=palio.folder)
    listing = re.search(r"^palio run (breakthrough:rows=5.*) --rounds 50$", PAGE, re.MULTILINE)[1]
    game, policy, other = listing.replace("examples/train_breakthrough.py", str(EXAMPLE)).split()
    told = palio("run", game, f"{policy},seed=2", f"{other}:seed=1", "--rounds", "20")
    won, lost, drawn = map(int, re.search(r": (\d+) - (\d+) - (\d+)  \[", told.stdout).groups())
    assert won + lost + drawn == 40
    assert won >= 34
