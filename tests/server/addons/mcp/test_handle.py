"""A handle is text that says who a player was, and nothing else is one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from palio_rules.errors import BadOption
from palio_server.addons.mcp.handle import Handle

names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}", fullmatch=True)


@given(names, st.lists(st.sampled_from(["chexers", "dominoes"]), min_size=1, max_size=3), st.integers(1, 8))
def test_what_is_written_is_read(name, games, slots):
    handle = Handle.of(name, games, slots, "guest_x", "table")
    assert Handle.read(str(handle)) == handle


@given(st.text(max_size=200))
def test_any_other_text_is_refused_in_one_sentence(text):
    with pytest.raises(BadOption, match="is none of this server; give what `join` returned"):
        Handle.read(text)


def test_two_players_of_one_name_are_told_apart():
    assert Handle.of("ann", ["chexers"]) != Handle.of("ann", ["chexers"])


def test_a_guest_says_hello_with_its_own_token_and_others_with_theirs():
    assert Handle.of("guest-a", ["chexers"], 1, "guest_x").hello("other").token == "guest_x"
    hello = Handle.of("ann", ["chexers"], 2).hello("mine", "s1")
    assert (hello.token, hello.resume, hello.slots) == ("mine", "s1", 2)
    assert Handle.of("ann", ["chexers"]).hello(None).token is UNSET
