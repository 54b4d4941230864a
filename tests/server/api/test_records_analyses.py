"""Analyses over HTTP: kept for finished matches, readable by all, refused if they are invalid."""

import msgspec
import pytest

from palio_rules.records.record import Analysis, JudgedPly

FIRST = JudgedPly(0, 0, "", (0.5, -0.5), (None, None))
BLUNDER = JudgedPly(1, 0, "a4-a3", (None, None), ("loss", "win"), 7, "b4-b3", "??")


def body(match, *plies, **other):
    return msgspec.json.encode(Analysis(match, 0.5, plies or (FIRST, BLUNDER), True, **other))


@pytest.fixture
async def match(server, client, breakthrough):
    server.join("ann")
    server.join("bob")
    answer = await client.post("/api/matches", json=breakthrough | {"bots": ["ann", "bob"]})
    found = answer.json()["match"]
    await server.finished(found)
    return found


async def test_an_analysis_is_kept_and_read_again(client, match, as_type):
    address = f"/api/matches/{match}/analysis"
    nothing = await client.get(address)
    assert (nothing.status_code, nothing.json()) == (200, None)
    answer = await client.put(address, content=body(match))
    assert answer.status_code == 200, answer.text
    kept = await client.get(address)
    assert kept.headers["cache-control"] == "no-store"
    assert (
        as_type(kept.content, Analysis)
        == as_type(answer.content, Analysis)
        == Analysis(match, 0.5, (FIRST, BLUNDER), True)
    )
    await client.put(address, content=body(match, FIRST))
    assert as_type((await client.get(address)).content, Analysis).plies == (FIRST,)


async def test_what_cannot_be_an_analysis_of_the_match_is_refused(client, match):
    address = f"/api/matches/{match}/analysis"
    far = msgspec.structs.replace(BLUNDER, ply=4000)
    for content, status, reason in (
        (body("another"), 422, "this is an analysis of match 'another'"),
        (body(match, BLUNDER, FIRST), 422, "plies come in order, each once"),
        (body(match, FIRST, FIRST), 422, "plies come in order, each once"),
        (body(match, FIRST, far), 422, "plies come in order, each once, from 0 to"),
        (body(match, format="palio-analysis-9"), 422, "the format is 'palio-analysis-9'"),
        (b'{"match": "x"}', 422, "seconds is missing"),
        (b'{"plays": []}', 422, "unknown key 'plays'"),
        (b"[", 400, "the body is no JSON"),
        (b" " * (8 * 2**20 + 1), 413, "a request has at most 8388608 bytes"),
    ):
        answer = await client.put(address, content=content)
        assert answer.status_code == status, answer.text
        assert reason in answer.json()["error"]["reason"]
    assert (await client.get(address)).json() is None


async def test_only_a_finished_match_can_be_analysed(server, client, breakthrough):
    assert (await client.get("/api/matches/nothing/analysis")).status_code == 404
    assert (await client.put("/api/matches/nothing/analysis", content=body("nothing"))).status_code == 404
    server.join("ann", patient=True)
    server.join("bob", patient=True)
    running = (await client.post("/api/matches", json=breakthrough | {"bots": ["ann", "bob"]})).json()["match"]
    answer = await client.put(f"/api/matches/{running}/analysis", content=body(running))
    assert answer.status_code == 409
    assert "only a finished match can be analysed" in answer.json()["error"]["reason"]


async def test_where_tokens_are_wanted_keeping_needs_one_of_scope_matches_and_reading_none(guarded_server, client_of):
    server = guarded_server
    await server.store.add_bot("ann")
    playing = await server.store.issue_token({"play"}, bot="ann")
    starting = await server.store.issue_token({"matches"})
    async with client_of(server) as client:
        for token, status in ((None, 401), (playing, 403), (starting, 404)):
            headers = {} if token is None else {"Authorization": f"Bearer {token}"}
            answer = await client.put("/api/matches/nothing/analysis", content=body("nothing"), headers=headers)
            assert answer.status_code == status, answer.text
        assert (await client.get("/api/matches/nothing/analysis")).status_code == 404  # not 401
