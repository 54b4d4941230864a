"""The little language of names and settings: read back as written, and refused with the part that is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_rules.spec import Spec

words = st.text(st.characters(codec="ascii", categories=["L", "N", "P"], exclude_characters=":,="), min_size=1)


@given(name=words, settings=st.dictionaries(words, words, max_size=4))
def test_a_spec_is_read_back_as_it_was_written(name, settings):
    spec = Spec(name, settings)
    assert Spec.parse(str(spec)) == spec


@pytest.mark.parametrize(
    ("text", "name", "settings"),
    [
        ("random", "random", {}),
        ("alpha_beta:depth=4", "alpha_beta", {"depth": "4"}),
        (" alpha_beta : depth = 4 , seed = 7 ", "alpha_beta", {"depth": "4", "seed": "7"}),
        ("exec:cmd=./engine --flags=1", "exec", {"cmd": "./engine --flags=1"}),
    ],
)
def test_settings_follow_a_colon(text, name, settings):
    assert Spec.parse(text) == Spec(name, settings)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' has no name before its settings; write name:key=value"),
        (":depth=4", "':depth=4' has no name before its settings"),
        ("mcts:", "'' in 'mcts:' is no setting; write key=value, separated by commas"),
        ("mcts:depth", "'depth' in 'mcts:depth' is no setting"),
        ("mcts:depth=", "'depth=' in 'mcts:depth=' is no setting"),
        ("mcts:=4", "'=4' in 'mcts:=4' is no setting"),
        ("mcts:depth=4,", "'' in 'mcts:depth=4,' is no setting"),
        ("mcts:depth=4,depth=5", "'mcts:depth=4,depth=5' sets 'depth' twice; keep one of them"),
    ],
)
def test_a_text_that_is_no_spec_is_refused_with_the_remedy(text, message):
    with pytest.raises(BadOption) as caught:
        Spec.parse(text)
    assert message in str(caught.value)


@given(text=st.text())
def test_any_text_is_a_spec_or_raises_bad_option(text):
    try:
        spec = Spec.parse(text)
    except BadOption:
        return
    assert spec.name
