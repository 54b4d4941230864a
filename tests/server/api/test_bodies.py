"""Complaints about the bodies of requests: whatever was sent, one sentence with the place."""

from typing import Annotated, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from palio_server.api.bodies import Body, complaint
from palio_server.api.matches import StopRequest
from palio_server.api.start import StartRequest


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    size: int = 0


class Outer(msgspec.Struct, forbid_unknown_fields=True):
    names: Annotated[list[str], Meta(max_length=2)]
    inner: Inner | None = None
    numbers: dict[str, int] = {}
    word: Literal["a", "b"] = "a"


def complaint_about(body, kind):
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(body, kind)
    return complaint(caught.value, body, kind)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ([], "the body: an object is wanted, got []"),
        ({}, "names is missing"),
        ({"names": ["a"] * 3}, "names: a list of length <= 2 is wanted, got ['a', 'a', 'a']"),
        ({"names": ["a", 7]}, "names[1]: a text is wanted, got 7"),
        ({"names": [], "inner": {"sise": 1}}, "inner: unknown key 'sise'; did you mean 'size'?"),
        ({"names": [], "inner": {"size": True}}, "inner.size: a whole number is wanted, got true"),
        ({"names": [], "numbers": {"x": "y"}}, "numbers[...]: a whole number is wanted"),
        ({"names": [], "word": "c"}, "word: invalid enum value 'c'"),
    ],
)
def test_a_complaint_names_the_place_and_what_came_there(body, sentence):
    assert complaint_about(body, Outer).removesuffix("; write one as /api/docs describes it") == sentence


@pytest.mark.parametrize("kind", [StartRequest, StopRequest])
def test_every_key_has_its_remedy_and_every_other_name_leads_to_a_key(kind):
    keys = {field.encode_name for field in msgspec.structs.fields(kind)}
    assert issubclass(kind, Body)
    assert set(kind.WRITE) == keys
    assert set(kind.MEANT.values()) <= keys
    assert not set(kind.MEANT) & keys


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text("abc", max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["bots", "time", "base_ms", "x"]), inner)
    ),
    max_leaves=8,
)


@given(VALUES)
def test_whatever_is_sent_is_told_in_one_sentence(body):
    try:
        msgspec.convert(body, StartRequest)
    except msgspec.ValidationError as error:
        told = complaint(error, body, StartRequest)
        assert told
        assert not {"`", "$", "\n"} & {*told}
