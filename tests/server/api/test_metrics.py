"""`/metrics` says what has happened on the server, to those who may read it."""

import pytest
from msgspec import structs
from prometheus_client.parser import text_string_to_metric_families

from palio_db.errors import Unavailable
from palio_rules.records.record import Setup
from palio_server.arena.running_match import TIMED


async def scrape(client, **headers):
    answer = await client.get("/metrics", headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


async def test_a_match_is_counted_from_its_first_ply_to_its_result(server, client, breakthrough):
    before = await scrape(client)
    assert before["palio_matches_finished_total", "rule"] == before["palio_plies_total",] == 0
    server.join("ann")
    server.join("bob")
    answer = await client.post("/api/matches", json=breakthrough | {"bots": ["ann", "bob"], "options": {}})
    record = await server.finished(answer.json()["match"])
    found = await scrape(client)
    assert found["palio_bots", "websocket"] == 2
    assert found["palio_plies_total",] == len(record.plies)
    assert found["palio_turn_duration_seconds_count",] == len(record.plies) // TIMED
    assert found["palio_matches_finished_total", record.result.termination] == 1
    assert found["palio_result_commit_duration_seconds_count",] == 1
    assert found["palio_database_commit_duration_seconds_count",] >= 2
    assert found["palio_bus_messages_total",] > 2 * len(record.plies)
    assert found["palio_health_status", "writes"] == 0
    assert found["palio_matches_running",] == found["palio_matches_waiting",] == 0


async def test_matches_that_wait_are_counted_and_left_out_where_the_database_is_away(server, client, monkeypatch):
    for _ in range(3):
        await server.arena.schedule(Setup("breakthrough", ("nobody", "no-one")))
    assert (await scrape(client))["palio_matches_waiting",] == 3

    async def gone():
        raise Unavailable("the database at nowhere does not answer")

    monkeypatch.setattr(server.store, "count_waiting", gone)
    assert ("palio_matches_waiting",) not in await scrape(client)


async def test_a_refused_hello_is_counted_by_its_code(server, client):
    server.lobby.refusals["unknown-game"] += 2
    assert (await scrape(client))["palio_hellos_refused_total", "unknown-game"] == 2


async def test_where_tokens_are_needed_any_will_do_and_none_will_not(guarded_server, client_of):
    token = await guarded_server.store.issue_token(["watch"])
    async with client_of(guarded_server) as client:
        answer = await client.get("/metrics")
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "token-missing")
        assert (await client.get("/metrics", headers={"Authorization": "Bearer wrong"})).status_code == 401
        assert await scrape(client, Authorization=f"Bearer {token}")


@pytest.mark.parametrize(("role", "has_arena"), [("referee", True), ("gateway", False)])
async def test_a_server_with_a_part_of_the_work_tells_its_numbers_too(server, client_of, role, has_arena):
    server.settings = structs.replace(server.settings, role=role, mqtt="mqtt://127.0.0.1:1883")
    async with client_of(server) as client:
        found = await scrape(client)
        assert found["palio_plies_total",] == found["palio_viewers",] == 0
        assert (("palio_health_status", "arena") in found) is has_arena
        assert (await client.get("/api/health/ready")).status_code == 200
