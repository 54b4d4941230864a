"""Asking the server for an analysis: 202 and how far it is, in a queue with an end; a finished match only, once."""

import msgspec
import pytest

from palio_rules.records.record import Analysis, JudgedPly
from palio_server.arena.analysis_queue import AnalysisState, QueueFull

PLY = JudgedPly(0, 0, "", (0.5, -0.5), (None, None))


@pytest.fixture
async def match(server, client, breakthrough):
    server.join("ann")
    server.join("bob")
    answer = await client.post("/api/matches", json=breakthrough | {"bots": ["ann", "bob"]})
    found = answer.json()["match"]
    await server.finished(found)
    return found


async def test_whoever_asks_is_told_where_the_match_stands_until_it_is_analysed(server, client, match, monkeypatch):
    asked = []

    def ask(record):
        asked.append(record.match)
        return AnalysisState(record.match, "queued", 2, 0, 9)

    monkeypatch.setattr(server.analyses, "ask", ask)
    address = f"/api/matches/{match}/analyse"
    assert (await client.get(address)).json()["state"] == "none"
    answer = await client.post(address)
    assert (answer.status_code, answer.json()["state"], answer.json()["ahead"]) == (202, "queued", 2)
    kept = msgspec.json.encode(Analysis(match, 0.5, (PLY,), complete=True))
    await client.put(f"/api/matches/{match}/analysis", content=kept)
    assert (await client.post(address)).json()["state"] == "done"
    assert (await client.get(address)).json()["state"] == "done"
    assert asked == [match]


async def test_a_full_queue_is_a_429_with_a_sentence(server, client, match, monkeypatch):
    def full(record):
        raise QueueFull("20 matches wait")

    monkeypatch.setattr(server.analyses, "ask", full)
    answer = await client.post(f"/api/matches/{match}/analyse")
    assert (answer.status_code, answer.json()["error"]["reason"]) == (429, "20 matches wait")
    assert answer.headers["retry-after"] == "60"


async def test_what_is_not_finished_or_not_known_cannot_be_analysed(server, client, breakthrough):
    assert (await client.post("/api/matches/nothing/analyse")).status_code == 404
    assert (await client.get("/api/matches/nothing/analyse")).status_code == 404
    server.join("ann", patient=True)
    server.join("bob", patient=True)
    waiting = (await client.post("/api/matches", json=breakthrough | {"bots": ["ann", "bob"]})).json()["match"]
    answer = await client.post(f"/api/matches/{waiting}/analyse")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not-finished")


async def test_no_token_is_needed_where_others_are(guarded_server, client_of):
    async with client_of(guarded_server) as client:
        assert (await client.post("/api/matches/nothing/analyse")).status_code == 404
