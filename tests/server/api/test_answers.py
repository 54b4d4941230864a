"""Every error ends as one answer, with nothing in it about how the server is built."""

import pytest

from palio_db.errors import Unavailable


@pytest.mark.parametrize("path", ["matches", "matches/x", "tournaments", "leaderboard/breakthrough"])
async def test_a_database_that_does_not_answer_is_said_to_be_so(server, client, monkeypatch, path):
    async def gone(*_, **__):
        raise Unavailable("postgresql://palio:***@db does not answer")

    for name in ("search", "match", "tournaments", "leaderboard"):
        monkeypatch.setattr(server.store, name, gone)
    answer = await client.get(f"/api/{path}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "store-unavailable")
    assert "postgresql" not in answer.text, "how the server is built is nobody's business"


async def test_a_mistake_of_ours_shows_no_traceback(server, client, monkeypatch):
    monkeypatch.setattr(server.lobby, "connected", lambda game=None: 1 / 0)
    answer = await client.get("/api/bots")
    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "internal"
    assert "division" not in answer.text
