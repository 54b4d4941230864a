"""Replays of finished matches are kept, within a limit."""

import pytest

from palio_db.event_values import KeptQuery


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


async def played(server, client, breakthrough):
    server.join("ann")
    server.join("bob")
    match = (await client.post("/api/matches", json=breakthrough | {"bots": ["ann", "bob"]})).json()["match"]
    return await server.finished(match)


async def test_every_position_of_a_match_can_be_tried_from(server, client, breakthrough):
    record = await played(server, client, breakthrough)
    rules, state = record.setup.rules(), record.setup.first()
    for number in range(len(record.plies) + 1):
        found = (await client.get(f"/api/matches/{record.match}/positions/{number}")).json()
        assert found["state"] == rules.format_state(state)
        assert len(found["moves"]) == len(list(state.legal_moves()))
        if number < len(record.plies):
            state = state.play(rules.read_move(state, record.plies[number].move))
    assert found["over"] is not None


@pytest.mark.parametrize("ply", [-1, 999])
async def test_a_ply_that_was_not_played_is_refused_with_those_that_were(server, client, breakthrough, ply):
    record = await played(server, client, breakthrough)
    answer = await client.get(f"/api/matches/{record.match}/positions/{ply}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown-ply")
    assert answer.json()["error"]["reason"].endswith(f"the match has plies 0 to {len(record.plies)}")


async def test_a_position_of_an_unknown_match_is_not_found(client):
    assert (await client.get("/api/matches/nowhere/positions/0")).status_code == 404


async def test_an_archived_match_has_its_result_and_says_where_its_moves_are(server, client, breakthrough):
    server.join("ann")
    server.join("bob")
    match = (await client.post("/api/matches", json=breakthrough | {"bots": ["ann", "bob"]})).json()["match"]
    await server.finished(match)
    before = (await client.get(f"/api/matches/{match}")).json()
    await server.store.archive([each async for each in server.store.kept_matches(KeptQuery())], "old.parquet")
    after = (await client.get(f"/api/matches/{match}")).json()
    place = after.pop("archived")
    assert (before.pop("archived"), place["file"]) == (None, "old.parquet")
    assert after == before
    for part in ("replay", "record", "record?format=text"):
        answer = await client.get(f"/api/matches/{match}/{part}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (410, "archived")
        assert "in old.parquet; palio import" in answer.json()["error"]["reason"]
    assert (await client.post(f"/api/matches/{match}/analyse")).status_code == 410
    assert (await client.get("/api/matches")).json()[0]["archived"] == place
