"""Names of guests, and the tokens that prove them."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.contract.messages import Name
from palio_server.lobby.access import LONGEST_WISH, BadName, Guests


@given(st.none() | st.text("abcXYZ019._-", min_size=1, max_size=LONGEST_WISH))
def test_every_name_that_is_given_is_a_name_of_the_protocol(wish):
    name = Guests().name(wish)
    assert msgspec.convert(name, Name) == name
    assert name.startswith("guest-" if wish is None else f"guest-{wish}-")


@pytest.mark.parametrize("wish", ["", "a b", "a/b", "ä", "a" * (LONGEST_WISH + 1), "a\n"])
def test_a_wish_that_is_no_name_is_refused_and_quoted(wish):
    with pytest.raises(BadName, match="is no name for a guest; use 1 to 27 letters a to z, digits"):
        Guests().name(wish)


async def test_a_token_proves_its_own_name_only():
    guests = Guests()
    token = await guests.token("guest-a")
    assert await guests.proves("guest-a", token)
    for name, other in [("guest-b", token), ("guest-a", token[:-1]), ("guest-a", ""), ("guest-a", "\ud800")]:
        assert not await guests.proves(name, other)


async def test_who_has_the_same_secret_knows_the_tokens_of_another_server_and_asks_for_it_once():
    asked = []

    async def secret():
        asked.append(1)
        return b"x" * 32

    here, there = Guests(secret), Guests(secret)
    token = await here.token("guest-a")
    assert await there.proves("guest-a", token)
    assert await there.proves("guest-a", token)
    assert len(asked) == 2
    assert not await Guests().proves("guest-a", token)
