"""Counts of changes: they go up with the change, and not without it."""

import pytest

from palio_db.errors import NotFound
from palio_db.store import Store


async def test_another_process_sees_a_change_as_soon_as_it_is_committed(store, url):
    await store.issue_token(["admin"])
    async with await Store.open(url) as server:
        assert await server.changes() == {}
        await store.revoke_token(1)
        assert await server.changes() == {"tokens": 1}
        await store.revoke_token(1)
        assert await server.changes() == {"tokens": 2}


async def test_an_act_that_fails_is_no_change(store):
    with pytest.raises(NotFound):
        await store.revoke_token(1)
    assert await store.changes() == {}
