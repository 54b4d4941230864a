"""Secrets of the server's own: made once, whoever asks first."""

import asyncio

import pytest

from palio_db.errors import StoreError
from palio_db.store import Store


async def test_a_secret_is_made_once_and_stays(store, url):
    made = await store.secret("guests")
    assert len(made) == 32
    assert await store.secret("guests") == made
    assert await store.secret("others") != made
    async with await Store.open(url) as again:
        assert await again.secret("guests") == made


async def test_two_servers_that_ask_together_get_the_same_one(store, url):
    async with await Store.open(url) as other:
        found = await asyncio.gather(*(each.secret("guests") for each in (store, other) * 4))
    assert len(set(found)) == 1


async def test_a_secret_has_a_name(store):
    with pytest.raises(StoreError, match="the secret's name"):
        await store.secret("")
