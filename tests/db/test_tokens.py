"""Tokens: shown once, stored hashed, refused once revoked."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from palio_db.errors import NameTaken, StoreError
from palio_db.tokens import SCOPES
from palio_db.values import Grant


async def test_a_token_opens_what_it_was_issued_for(store):
    await store.add_bot("anna", owner="Anna Smith")
    playing = await store.issue_token(["play"], bot="anna", note="laptop")
    running = await store.issue_token({"matches", "admin"})
    assert (await store.grant(playing)).bot == "anna"
    assert (await store.grant(playing)).scopes == {"play"}
    assert await store.grant(running) == Grant(2, None, frozenset({"matches", "admin"}))


async def test_a_token_is_unguessable_and_never_stored(store):
    tokens = [await store.issue_token(["admin"]) for _ in range(20)]
    assert len(set(tokens)) == 20
    assert all(re.fullmatch(r"palio_[A-Za-z0-9_-]{32}", token) for token in tokens)
    async with store._database.read() as connection:
        stored = str((await connection.execute(text("SELECT * FROM tokens"))).all())
    assert not any(token in stored or token[12:] in stored for token in tokens)
    assert [row.prefix for row in await store.tokens()] == [token[:12] for token in tokens]


@settings(max_examples=settings().max_examples // 4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sets(st.sampled_from(SCOPES), min_size=1), st.text(max_size=200), st.integers(0, 37))
async def test_only_the_whole_token_opens_and_only_what_was_said(store, scopes, junk, place):
    if not await store.bots():
        await store.add_bot("anna")
    token = await store.issue_token(scopes, bot="anna")
    assert (await store.grant(token)).scopes == scopes
    other = token[:place] + ("A" if token[place] != "A" else "B") + token[place + 1 :]
    for wrong in (junk, token[:-1], token + "x", token + junk + "y", other, token.upper() + "!"):
        assert await store.grant(wrong) is None
    number = (await store.tokens())[-1].id
    await store.revoke_token(number)
    assert await store.grant(token) is None


@pytest.mark.parametrize("hostile", ["", "\0", "\ud800", "' OR 1=1 --", "x" * 100_000])
async def test_a_hostile_token_is_only_a_wrong_one(store, hostile):
    await store.issue_token(["admin"])
    assert await store.grant(hostile) is None


async def test_an_operator_may_choose_the_token(store):
    await store.add_bot("anna")
    chosen = "swordfish-of-anna"
    assert await store.issue_token(["play"], bot="anna", token=chosen) == chosen
    assert await store.grant(chosen) == Grant(1, "anna", frozenset({"play"}))
    assert await store.grant("swordfish-of-ann") is None
    assert await store.token(chosen) == (await store.tokens())[0]
    assert (await store.token(chosen)).prefix == "swor"  # a short secret shows less of itself
    async with store._database.read() as connection:
        assert "dfish" not in str((await connection.execute(text("SELECT * FROM tokens"))).all())


async def test_a_token_is_issued_once_and_stays_known_when_revoked(store):
    await store.add_bot("anna")
    await store.add_bot("ben")
    chosen = "swordfish-of-anna"
    assert await store.token(chosen) is None
    await store.issue_token(["play"], bot="anna", token=chosen)
    for bot in ("anna", "ben"):
        with pytest.raises(NameTaken, match="issued already; choose another one"):
            await store.issue_token(["play"], bot=bot, token=chosen)
    await store.revoke_token(1)
    with pytest.raises(NameTaken):
        await store.issue_token(["play"], bot="anna", token=chosen)
    assert (await store.token(chosen)).revoked_at is not None
    assert await store.grant(chosen) is None


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ("", "0 characters; choose one of 16 to 128"),
        ("x" * 15, "15 characters"),
        ("x" * 129, "129 characters"),
        ("two words make a token", "a space or an unusual character"),
        ("swordfish-of-ann\n", "a space or an unusual character"),
        ("sch\u00fctzenschutzwort", "a space or an unusual character"),
        ("swordfish\0of-anna!", "a space or an unusual character"),
    ],
)
async def test_a_badly_chosen_token_is_refused_without_being_quoted(store, chosen, words):
    with pytest.raises(StoreError, match=words) as refused:
        await store.issue_token(["matches"], token=chosen)
    assert not chosen or chosen not in str(refused.value)
    assert await store.tokens() == []


@pytest.mark.parametrize("length", [16, 128])
async def test_the_shortest_and_the_longest_chosen_token_open(store, length):
    await store.issue_token(["matches"], token="~" * length)
    assert await store.grant("~" * length) is not None


async def test_revoking_twice_keeps_the_first_moment(store):
    await store.issue_token(["admin"])
    [row] = await store.tokens()
    await store.revoke_token(row.id)
    [first] = await store.tokens()
    await store.revoke_token(row.id)
    assert await store.tokens() == [first]
    assert first.revoked_at is not None


@pytest.mark.parametrize(
    ("scopes", "bot", "words"),
    [
        ([], None, "opens nothing"),
        (["plya"], None, "no scope 'plya'; did you mean 'play'?"),
        (["play"], None, "needs a bot to play as"),
        (["play"], "nobody", "no bot called 'nobody'"),
    ],
)
async def test_a_token_that_makes_no_sense_is_not_issued(store, scopes, bot, words):
    with pytest.raises(StoreError, match=re.escape(words)):
        await store.issue_token(scopes, bot=bot)
    assert await store.tokens() == []
