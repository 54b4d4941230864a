"""What is typed for OpenSpiel's bots."""

import pytest

from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.loader import load

pytestmark = pytest.mark.usefixtures("own_games")


def test_a_bot_has_a_name_of_its_settings_and_plays_what_has_turns():
    found = load("openspiel:mcts:simulations=7,seed=3")
    assert found.name == "openspiel-mcts-simulations7-seed3"
    assert {"breakthrough", "dominoes", "chexers"} <= set(found.games)
    assert "tsp" not in found.games


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("openspiel:mtcs", "there is no 'mtcs' among the bots of OpenSpiel; did you mean 'mcts'"),
        ("openspiel:mcts:sims=3", "Mcts has no setting 'sims'"),
        ("openspiel:mcts:simulations=0", "simulations and rollouts are 1 or more"),
        ("openspiel:", "has no name before its settings"),
    ],
)
def test_what_is_no_bot_is_refused_in_a_sentence(spec, sentence):
    with pytest.raises(BadBot) as caught:
        load(spec)
    assert sentence in str(caught.value)
