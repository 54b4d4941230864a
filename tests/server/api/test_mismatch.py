"""The first place where a value differs from its type: found exactly when msgspec refuses the value."""

import string
from typing import Annotated, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from palio_rules.contract.messages import Name
from palio_rules.records.record import Analysis
from palio_server.api.bodies import mismatch
from palio_server.api.matches import StopRequest
from palio_server.api.start import StartRequest


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    size: int = 0


class Outer(msgspec.Struct, forbid_unknown_fields=True):
    names: Annotated[list[str], Meta(max_length=2)]
    inner: Inner | None = None
    numbers: dict[str, int] = {}
    word: Literal["a", "b"] = "a"
    share: Annotated[float, Meta(gt=0, lt=1)] | None = None
    counts: tuple[Annotated[int, Meta(ge=1)], ...] = ()
    cell: tuple[int, str] | None = None


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ([], "the body: an object is wanted, got []"),
        ({}, "names is missing"),
        ({"names": ["a"] * 3}, "names: a list of length <= 2 is wanted, got ['a', 'a', 'a']"),
        ({"names": ["a", 7]}, "names[1]: a text is wanted, got 7"),
        ({"names": [], "inner": {"sise": 1}}, "inner: unknown key 'sise'"),
        ({"names": [], "inner": {"size": True}}, "inner.size: a whole number is wanted, got true"),
        ({"names": [], "inner": {"size": 1.0}}, "inner.size: a whole number is wanted, got 1.0"),
        ({"names": [], "inner": 5}, "inner: an object is wanted, got 5"),
        ({"names": [], "numbers": {"x": "y"}}, "numbers.x: a whole number is wanted, got 'y'"),
        ({"names": [], "word": "c"}, "word: 'a' or 'b' is wanted, got 'c'"),
        ({"names": [], "share": 1}, "share: a number < 1 is wanted, got 1"),
        ({"names": [], "share": "all"}, "share: a number is wanted, got 'all'"),
        ({"names": [], "counts": [1, 0]}, "counts[1]: a whole number >= 1 is wanted, got 0"),
        ({"names": [], "cell": 5}, "cell: a list is wanted, got 5"),
        ({"names": [], "cell": [1]}, "cell: a list of length 2 is wanted, got [1]"),
        ({"names": [], "cell": [1, 2]}, "cell[1]: a text is wanted, got 2"),
    ],
)
def test_it_names_the_place_and_what_came_there(value, sentence):
    assert str(mismatch(value, Outer)) == sentence


def test_an_unknown_key_comes_with_the_nearest_one():
    found = mismatch({"names": [], "inner": {"sise": 1}}, Outer)
    assert (found.key, found.remedy) == ("inner", "did you mean 'size'?")


KEYS = [field for kind in (Outer, Inner, StartRequest, StopRequest, Analysis) for field in kind.__struct_fields__]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 200)
    | st.floats(allow_nan=False)
    | st.text(string.ascii_lowercase[:3], max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*KEYS, "base_ms", "ply", "seat", "x"]), inner)
    ),
    max_leaves=8,
)


ALMOST = st.fixed_dictionaries(
    {"names": st.lists(st.text("ab", max_size=2), max_size=3)},
    optional={name: VALUES for name in Outer.__struct_fields__ if name != "names"},
)


@pytest.mark.parametrize("kind", [Outer, StartRequest, StopRequest, Analysis])
@given(value=VALUES | ALMOST)
def test_there_is_one_exactly_where_the_value_is_refused(kind, value):
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        found = mismatch(value, kind)
        assert found is not None
        message = str(found)
        assert not {"`", "$", "\n"} & {*message}
    else:
        assert mismatch(value, kind) is None


class Named(msgspec.Struct):
    name: Name
    code: Annotated[str, Meta(pattern="^[a-c]+$")] = "a"


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ({"name": "a b"}, "name: 'a b' is no name for a bot; use up to 64 letters"),
        ({"name": "x" * 70}, "is no name for a bot; use up to 64 letters"),
        ({"name": "a", "code": "z"}, "code: 'z' has not the form that is wanted"),
    ],
)
def test_a_text_of_another_form_is_answered_without_a_regular_expression(value, sentence) -> None:
    said = str(mismatch(value, Named))
    assert sentence in said
    assert "^[" not in said
