"""Tokens expire and rotate; a dump of the database holds none that anybody could use."""

import asyncio
import re
import sqlite3
from datetime import timedelta

import pytest

from palio_db import tokens
from palio_db.columns import now
from palio_db.errors import Expired, StoreError
from palio_db.notices import TOKENS
from palio_db.store import Store
from palio_db.values import Actor, Withdrawn

HOUR = timedelta(hours=1)


@pytest.fixture
def clock(monkeypatch):
    """Time that passes only when it is told to."""

    class Clock:
        moment = now()

        def now(self):
            return self.moment

    found = Clock()
    monkeypatch.setattr("palio_db.tokens.now", found.now)
    return found


async def works(store, token):
    try:
        return await store.grant(token) is not None
    except Expired:
        return False


async def test_a_token_opens_until_its_moment_and_then_says_what_to_do(store, clock):
    await store.add_bot("anna")
    token = await store.issue_token(["play"], bot="anna", expires_at=clock.moment + HOUR)
    clock.moment += HOUR - timedelta(milliseconds=1)
    assert (await store.grant(token)).bot == "anna"
    assert [bot.tokens for bot in await store.bots()] == [1]
    clock.moment += timedelta(milliseconds=1)
    with pytest.raises(
        Expired, match=r"expired at \d{4}-\d\d-\d\d \d\d:\d\d UTC; `palio bot add anna` makes a new one"
    ):
        await store.grant(token)
    assert [bot.tokens for bot in await store.bots()] == [0]
    [row] = await store.tokens()
    assert not row.is_valid(clock.moment)
    assert row.revoked_at is None


async def test_a_token_lives_for_ever_unless_it_was_said_otherwise(store, clock):
    token = await store.issue_token(["matches"])
    clock.moment += timedelta(days=36500)
    assert await works(store, token)
    assert (await store.tokens())[0].expires_at is None


async def test_a_token_that_would_have_expired_is_not_issued(store):
    with pytest.raises(StoreError, match="would have expired already"):
        await store.issue_token(["matches"], expires_at=now() - HOUR)
    assert await store.tokens() == []


async def test_a_rotated_token_works_beside_the_new_one_until_the_overlap_is_over(store, clock):
    await store.add_bot("anna")
    old = await store.issue_token(["play", "matches"], bot="anna", note="laptop")
    new, former = await store.rotate_token("anna", 24 * HOUR)
    assert former.expires_at == clock.moment + 24 * HOUR
    assert [await works(store, token) for token in (old, new)] == [True, True]
    assert (await store.grant(new)).scopes == {"play", "matches"}
    assert [(row.note, row.bot) for row in await store.tokens()] == [("laptop", "anna")] * 2
    with pytest.raises(StoreError, match=r"anna has 2 tokens that work .*: palio bot revoke --token 1, or wait until "):
        await store.rotate_token("anna", HOUR)
    clock.moment += 24 * HOUR
    assert [await works(store, token) for token in (old, new)] == [False, True]
    third, _ = await store.rotate_token("anna", timedelta(0))
    assert [await works(store, token) for token in (old, new, third)] == [False, False, True]


async def test_the_oldest_of_two_may_be_taken_back_to_rotate_again(store):
    await store.add_bot("anna")
    await store.issue_token(["play"], bot="anna")
    await store.rotate_token("anna", HOUR)
    await store.revoke_token(1)
    await store.rotate_token("anna", HOUR)
    assert [row.id for row in await store.tokens() if row.is_valid(now())] == [2, 3]


async def test_of_two_who_rotate_at_once_one_is_refused(store):
    await store.add_bot("anna")
    await store.issue_token(["play"], bot="anna")
    done = await asyncio.gather(*(store.rotate_token("anna", HOUR) for _ in range(4)), return_exceptions=True)
    assert sum(isinstance(one, StoreError) for one in done) == 3
    assert len(await store.tokens()) == 2


async def test_a_new_token_lasts_as_long_as_the_old_one_was_to_last_and_a_rotation_prolongs_nothing(store, clock):
    await store.add_bot("anna")
    await store.issue_token(["play"], bot="anna", expires_at=clock.moment + 30 * HOUR)
    clock.moment += 20 * HOUR
    _, former = await store.rotate_token("anna", 24 * HOUR)
    assert former.expires_at == clock.moment + 10 * HOUR
    assert (await store.tokens())[1].expires_at == clock.moment + 30 * HOUR


async def test_a_bot_without_a_working_token_has_nothing_to_rotate(store):
    await store.add_bot("anna")
    with pytest.raises(StoreError, match="no token that works; make one with `palio bot add anna`"):
        await store.rotate_token("anna", HOUR)
    await store.revoke_bot("anna")
    with pytest.raises(StoreError, match="'anna' is revoked"):
        await store.rotate_token("anna", HOUR)


async def test_whoever_watches_over_tokens_sees_each_way_in_which_they_end(store, clock):
    for bot in ("anna", "ben", "cleo"):
        await store.add_bot(bot)
    for bot, lasts in (("anna", HOUR), ("ben", None), ("cleo", 2 * HOUR)):
        await store.issue_token(["play"], bot=bot, expires_at=lasts and clock.moment + lasts)
    await store.issue_token(["watch"])
    assert await store.withdrawn([1, 2, 3, 4]) == ({}, clock.moment + HOUR)
    assert await store.changes() == {}
    clock.moment += HOUR
    await store.revoke_bot("ben")
    await store.revoke_token(4)
    gone, end = await store.withdrawn(range(1, 900))
    assert (gone.pop(1), gone.pop(2)) == (Withdrawn("anna", expired=True), Withdrawn("ben", expired=False))
    assert gone == {number: Withdrawn(None, expired=False) for number in range(4, 900)}  # a deleted one ends as well
    assert end == clock.moment + HOUR
    assert await store.changes() == {TOKENS: 2}
    assert await store.withdrawn([]) == ({}, None)


async def test_a_dump_of_the_database_holds_no_token(store, url, tmp_path):
    """Neither in its text nor in its bytes: whole, or as much of one as would do."""
    await store.add_bot("anna")
    chosen = "swordfish-of-anna-smith"
    issued = [
        await store.issue_token(["play"], bot="anna", by=Actor("command line (eve)")),
        await store.issue_token(["admin"], token=chosen),
        (await store.rotate_token("anna", HOUR))[0],
    ]
    await store.secret("guests")
    if url.startswith("sqlite"):
        async with await Store.open(url):
            with sqlite3.connect(tmp_path / "palio.db") as connection:
                text = "\n".join(connection.iterdump())
        dump = text.encode() + b"".join(path.read_bytes() for path in tmp_path.glob("palio.db*"))
    else:
        dump = await _all_of_postgresql(store)
    assert b"anna" in dump
    for token in issued:
        shown = tokens.SHOWN if token is not chosen else tokens.SHOWN_OF_CHOSEN
        for form in (token[shown:], token[shown:].encode().hex(), token):
            assert form.encode() not in dump
    assert not re.search(rb"guest_[A-Za-z0-9_-]{43}", dump)


async def _all_of_postgresql(store):
    from sqlalchemy import text

    async with store._database.read() as connection:
        tables = await connection.scalars(text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"))
        rows = [(await connection.execute(text(f"SELECT t::text FROM {table} t"))).all() for table in tables.all()]
    return str(rows).encode()
