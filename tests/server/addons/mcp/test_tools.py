"""Arguments of tools: whatever a model sends, it is understood or refused in one sentence that names the place."""

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_server.addons.mcp.service import TOOLS

json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
keys = sorted({name for tool in TOOLS.values() for name in tool.arguments.__struct_fields__})


def refusal(tool, arguments):
    """The sentence by which the arguments are refused; "" where they are not."""
    try:
        tool.read(arguments)
    except BadOption as error:
        return str(error)
    return ""


@given(st.sampled_from(sorted(TOOLS)), st.dictionaries(st.sampled_from(keys) | st.text(max_size=8), json, max_size=4))
def test_arguments_are_read_or_refused_as_their_schema_says(name, arguments):
    tool = TOOLS[name]
    valid = jsonschema.Draft202012Validator(tool.input_schema).is_valid(arguments)
    sentence = refusal(tool, arguments)
    assert (sentence == "") == valid
    if not valid:
        assert sentence.startswith(f"{name}: ")
        assert "\n" not in sentence


@given(st.sampled_from(sorted(TOOLS)), json)
def test_what_is_no_object_at_all_is_refused_too(name, arguments):
    sentence = refusal(TOOLS[name], arguments)
    assert sentence.startswith(f"{name}: ") or sentence == ""


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("move", {}, "move: move is missing"),
        ("move", {"move": 7}, "move: move: a text or a list is wanted, got 7"),
        ("wait_for_turn", {"timeout": 5}, "unknown key 'timeout'; did you mean 'timeout_s'?"),
        ("wait_for_turn", {"timeout_s": 600}, "timeout_s: a number <= 60.0 is wanted, got 600"),
        ("list_games", {"x": 1}, "unknown key 'x'"),
    ],
)
def test_the_sentence_names_the_argument_and_what_is_wanted(name, arguments, sentence):
    with pytest.raises(BadOption) as error:
        TOOLS[name].read(arguments)
    assert sentence in str(error.value)


def test_every_tool_describes_itself_by_valid_schemas():
    for tool in TOOLS.values():
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)
        assert tool.input_schema["type"] == tool.output_schema["type"] == "object"
        assert 20 < len(tool.description) < 700
