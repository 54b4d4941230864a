"""Bots: registered once whatever the case, listed with their tokens, revoked rather than forgotten."""

import pytest

from palio_db.errors import NameTaken, NotFound, StoreError


async def test_names_that_differ_only_in_case_are_taken(store):
    await store.add_bot("Anna")
    for name in ("Anna", "anna", "ANNA"):
        with pytest.raises(NameTaken, match="already; choose another name"):
            await store.add_bot(name)
    assert [row.name for row in await store.bots()] == ["Anna"]


async def test_bots_are_listed_by_name_with_their_working_tokens(store):
    for name in ("zoe", "Ben", "anna"):
        await store.add_bot(name, owner=f"{name}'s owner")
    await store.issue_token(["play"], bot="ben")
    await store.issue_token(["play"], bot="BEN")
    await store.revoke_token(1)
    assert [(row.name, row.owner, row.tokens) for row in await store.bots()] == [
        ("anna", "anna's owner", 0),
        ("Ben", "Ben's owner", 1),
        ("zoe", "zoe's owner", 0),
    ]


async def test_revoking_a_bot_shuts_all_of_its_tokens(store):
    await store.add_bot("Anna")
    await store.add_bot("ben")
    token, other = await store.issue_token(["play"], bot="anna"), await store.issue_token(["play"], bot="ben")
    await store.revoke_bot("anna")
    assert await store.grant(token) is None
    assert (await store.grant(other)).bot == "ben"
    with pytest.raises(StoreError, match="'anna' is revoked; add it again first"):
        await store.issue_token(["play"], bot="anna")
    await store.add_bot("Anna", owner="new")
    assert await store.grant(token) is None
    assert (await store.grant(await store.issue_token(["play"], bot="anna"))).bot == "Anna"


async def test_revoked_names_are_told_from_others(store):
    for name in ("anna", "ben", "zoe"):
        await store.add_bot(name)
    await store.issue_token(["play"], bot="ben")
    await store.revoke_token(1)  # its bot may get another one
    await store.revoke_bot("anna")
    await store.revoke_bot("zoe")
    moments = {row.name: row.revoked_at for row in await store.bots()}
    assert await store.revoked_bots(["anna", "ben", "eve"]) == {"anna": moments["anna"]}
    assert await store.revoked_bots([]) == {}
    await store.add_bot("anna")
    assert await store.revoked_bots(["anna"]) == {}


async def test_what_is_not_there_is_named_with_the_nearest(store):
    await store.add_bot("anna")
    with pytest.raises(NotFound, match="no bot called 'ana'; did you mean 'anna'"):
        await store.revoke_bot("ana")
    with pytest.raises(NotFound, match="no token 7"):
        await store.revoke_token(7)


@pytest.mark.parametrize("name", ["guest-anna", "GUEST-anna", "house-greedy"])
async def test_a_name_that_the_server_gives_is_no_name_for_a_bot(store, name):
    with pytest.raises(StoreError, match=r"names that begin with guest- or house- are given by the server"):
        await store.add_bot(name)
    assert await store.bots() == []
