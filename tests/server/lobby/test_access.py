"""Permissions."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

import pytest
from msgspec import UNSET

from palio_db.errors import Expired
from palio_db.values import Withdrawn
from palio_rules.contract.messages import Hello
from palio_server.lobby.access import Access, AccessDenied


@dataclass(frozen=True)
class Grant:
    bot: str | None
    scopes: Collection[str]
    id: int = 1


class Tokens:
    TOKENS: ClassVar = {
        "ada's": Grant("ada", {"play"}),
        "anyone's": Grant(None, {"play"}),
        "staff's": Grant(None, {"matches"}),
        "root's": Grant(None, {"admin"}),
        "viewer's": Grant(None, {"watch"}, 2),
    }

    def __init__(self) -> None:
        self.gone: dict[int, Withdrawn] = {}

    async def withdrawn(self, tokens: Collection[int]) -> tuple[dict[int, Withdrawn], None]:
        return {token: self.gone[token] for token in tokens if token in self.gone}, None

    async def grant(self, token: str) -> Grant | None:
        if token == "old":
            raise Expired("this token expired at noon; ask for a new one")
        return self.TOKENS.get(token)


def hello(token: str | None, name: str = "ada") -> Hello:
    return Hello(name=name, games=["breakthrough"], token=UNSET if token is None else token)


async def code_of_bot(access: Access, token: str | None, name: str = "ada") -> str:
    try:
        await access.bot(hello(token, name))
    except AccessDenied as error:
        return error.code
    return "ok"


@pytest.mark.parametrize(
    ("token", "code"),
    [
        ("ada's", "ok"),
        ("anyone's", "ok"),
        ("root's", "ok"),
        (None, "token-missing"),
        ("guess", "bad-token"),
        ("staff's", "wrong-scope"),
        ("viewer's", "wrong-scope"),
        ("old", "token-expired"),
    ],
)
async def test_where_tokens_are_required_a_bot_needs_one_of_its_own(token: str | None, code: str) -> None:
    assert await code_of_bot(Access(Tokens(), "required"), token) == code


@pytest.mark.parametrize("mode", ["open", "required"])
async def test_a_token_of_another_bot_does_not_lend_its_name(mode) -> None:
    assert await code_of_bot(Access(Tokens(), mode), "ada's", "bob") == "name-not-yours"


async def test_an_open_server_wants_no_token_but_refuses_a_wrong_one() -> None:
    access = Access(Tokens(), "open")
    assert await code_of_bot(access, None) == "ok"
    assert await code_of_bot(access, "guess") == "bad-token"
    assert await access.allow(None, "matches") is None


async def test_without_a_store_every_token_is_wrong() -> None:
    access = Access(None, "open")
    assert await code_of_bot(access, None) == "ok"
    assert await code_of_bot(access, "ada's") == "bad-token"


async def test_scopes_are_kept_apart_and_admin_has_all() -> None:
    access = Access(Tokens(), "required")
    grant = await access.allow("staff's", "matches")
    assert grant is not None
    assert grant.scopes == {"matches"}
    assert await access.allow("root's", "matches") is not None
    with pytest.raises(AccessDenied, match="'matches'"):
        await access.allow("ada's", "matches")
    with pytest.raises(AccessDenied, match="wants a token"):
        await access.allow(None, "matches")


@pytest.mark.parametrize("mode", ["open", "required"])
@pytest.mark.parametrize("name", ["guest-a", "Guest-a", "house-greedy"])
async def test_a_reserved_name_needs_the_token_that_the_server_gave(mode, name) -> None:
    access = Access(None, mode)
    assert await code_of_bot(access, None, name) == "name-reserved"
    assert await code_of_bot(access, "anyone's", name) == "name-reserved"
    assert await code_of_bot(access, await access.guests.token("guest-b"), name) == "name-reserved"
    assert await code_of_bot(access, await access.guests.token(name), name) == "ok"


async def test_where_there_are_no_guests_their_tokens_open_nothing_but_house_bots_come_in() -> None:
    access = Access(None, "open", with_guests=False)
    assert await code_of_bot(access, await access.guests.token("guest-a"), "guest-a") == "no-guests"
    assert await code_of_bot(access, await access.guests.token("house-greedy"), "house-greedy") == "ok"


@pytest.mark.parametrize("token", ["ada's", "staff's", "root's", "viewer's"])
async def test_whatever_a_token_is_for_it_may_read_where_reading_needs_one(token):
    access = Access(Tokens(), private=True)
    assert await access.reader(token, None) is not None
    assert await access.reader(None, await access.sign_in(token)) is not None


async def test_where_everybody_may_read_no_token_is_asked_for_nor_looked_at():
    assert await Access(Tokens(), "required").reader("guess", "guess") is None


@pytest.mark.parametrize(
    ("token", "session", "code"),
    [
        (None, None, "token-missing"),
        (None, "7.99999999.made-up", "token-missing"),
        ("guess", None, "bad-token"),
        ("old", None, "token-expired"),
    ],
)
async def test_nobody_reads_a_private_server_without_a_token(token, session, code):
    with pytest.raises(AccessDenied) as refused:
        await Access(Tokens(), private=True).reader(token, session)
    assert refused.value.code == code


async def test_a_session_ends_with_its_token():
    tokens = Tokens()
    access = Access(tokens, private=True)
    session = await access.sign_in("viewer's")
    tokens.gone[2] = Withdrawn(None, expired=False)
    with pytest.raises(AccessDenied, match="the token has been revoked; sign in with another one"):
        await access.reader(None, session)


@pytest.mark.parametrize("scope", ["matches", "admin"])
async def test_a_token_that_reads_acts_on_nothing(scope):
    with pytest.raises(AccessDenied, match=f"no scope '{scope}', it is for watch") as refused:
        await Access(Tokens(), "required").allow("viewer's", scope)
    assert (refused.value.code, refused.value.grant.id) == ("wrong-scope", 2)
