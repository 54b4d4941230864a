"""Replays of finished matches are kept, within a limit."""

import pytest


async def test_a_finished_replay_is_computed_once(server, client, breakthrough, monkeypatch):
    from palio_server.api import records

    server.join("ann")
    server.join("bob")
    body = breakthrough | {"bots": ["ann", "bob"]}
    match = (await client.post("/api/matches", json=body)).json()["match"]
    await server.finished(match)
    first = await client.get(f"/api/matches/{match}/replay")
    monkeypatch.setattr(records, "replay_record", lambda record: pytest.fail("computed again"))
    assert (await client.get(f"/api/matches/{match}/replay")).content == first.content


def test_the_cache_of_replays_keeps_within_its_limit():
    from palio_server.api.records import ReplayCache

    cache = ReplayCache(limit=10)
    cache.put("a", b"1234")
    cache.put("b", b"1234")
    assert cache.get("a") == b"1234"
    cache.put("c", b"1234")
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (b"1234", None, b"1234")
    cache.put("d", b"12345678901")
    assert [cache.get(name) for name in "abcd"] == [None] * 4
