"""Whether the server is well."""

from palio_db.errors import Unavailable


async def test_health_says_what_is_wrong(server, client, monkeypatch):
    server.join("ann")
    answer = await client.get("/api/health")
    assert answer.status_code == 200
    assert answer.json()["version"]
    assert answer.json().items() >= {"status": "ok", "database": "reachable", "matches": 0, "bots": 1}.items()

    async def gone(**_):
        raise Unavailable("the database at nowhere does not answer")

    monkeypatch.setattr(server.store, "matches", gone)
    answer = await client.get("/api/health")
    assert (answer.status_code, answer.json()["status"], answer.json()["database"]) == (503, "degraded", "unreachable")
