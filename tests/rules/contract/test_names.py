"""Names of bots: the same ones everywhere, and a sentence about every other one."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.contract.codec import Encoding, decode_from_bot
from palio_rules.contract.messages import Hello, Name
from palio_rules.contract.names import is_name, no_name
from palio_rules.errors import WireError

BAD = ["", " ", "ann smith", "-ann", ".", "a/b", "a+b", "a#", "élan", "a" * 65, "ann\n", "a\x00", "\u202eann", "<b>"]


@given(st.text(max_size=70) | st.text("aZ09._-", max_size=70))
def test_a_name_is_one_wherever_it_is_read(text: str) -> None:
    try:
        msgspec.convert(text, Name)
    except msgspec.ValidationError:
        assert not is_name(text)
    else:
        assert is_name(text)


@pytest.mark.parametrize("encoding", Encoding)
@pytest.mark.parametrize("name", BAD)
def test_a_hello_with_a_bad_name_is_answered_with_what_a_name_may_have(name: str, encoding: Encoding) -> None:
    hello = {"type": "hello", "name": name, "games": ["chexers"]}
    data = msgspec.json.encode(hello) if encoding is Encoding.JSON else msgspec.msgpack.encode(hello)
    with pytest.raises(WireError) as refused:
        decode_from_bot(data, encoding)
    assert refused.value.code == "bad-message"
    assert str(refused.value) == no_name(name)
    assert "letters a to z, digits" in str(refused.value)
    assert "a letter or digit first" in str(refused.value)
    assert "[A-Z" not in str(refused.value)


@pytest.mark.parametrize("name", ["a", "A", "9", "ann.b_c-d", "New-" + "0a" * 20, "a" * 64])
def test_a_good_name_is_heard(name: str) -> None:
    assert decode_from_bot(msgspec.msgpack.encode(Hello(name, ["chexers"]))) == Hello(name, ["chexers"])
