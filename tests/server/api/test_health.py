"""The health of the server."""

from datetime import datetime

from palio_db.errors import Unavailable
from palio_rules.version import BUILD
from palio_server.lobby.programs import announce_stop, notice


async def test_health_says_what_is_wrong_and_since_when(server, client, monkeypatch):
    async def taken_up():
        return server.arena.taken_up

    await server.until(taken_up)
    server.join("ann")
    answer = await client.get("/api/health")
    assert answer.status_code == 200
    assert answer.json()["version"] == BUILD
    assert answer.json().items() >= {"status": "ok", "database": "reachable", "matches": 0, "bots": 1}.items()
    assert {part["name"]: part["status"] for part in answer.json()["parts"]} == dict.fromkeys(
        ("server", "database", "writes", "disk", "journal", "arena", "leases", "loop"), "ok"
    )

    async def gone(**_):
        raise Unavailable("the database at nowhere does not answer")

    monkeypatch.setattr(server.store, "matches", gone)
    answer = await client.get("/api/health")
    assert (answer.status_code, answer.json()["status"], answer.json()["database"]) == (503, "failing", "unreachable")
    (database,) = [part for part in answer.json()["parts"] if part["name"] == "database"]
    assert database.items() >= {"status": "failing", "ok": False}.items()
    assert datetime.fromisoformat(database["since"]).tzinfo is not None


async def test_a_server_without_its_database_is_ready_all_the_same(server, client, monkeypatch):
    async def gone(**_):
        raise Unavailable("the database at nowhere does not answer")

    monkeypatch.setattr(server.store, "matches", gone)
    answer = await client.get("/api/health/ready")
    assert (answer.status_code, answer.json()) == (200, {"ready": True, "parts": []})


async def test_a_server_that_stops_is_alive_and_not_ready(server, client):
    announce_stop(server.lobby, server.bus, notice(5))
    answer = await client.get("/api/health/ready")
    assert (answer.status_code, answer.json()["ready"]) == (503, False)
    assert [part["name"] for part in answer.json()["parts"]] == ["server"]
    assert (await client.get("/api/health/live")).json() == {"alive": True}
