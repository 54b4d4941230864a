"""Every act over HTTP stands in the audit: by whom, from where, whether it was done or refused; never with a token."""

import json

import pytest


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture
async def staffed(guarded_server, client_of):
    """A guarded server, its client, and a token of each scope."""
    store = guarded_server.store
    tokens = {}
    for scope in ("play", "watch", "matches", "admin"):
        await store.add_bot(scope)
        tokens[scope] = await store.issue_token([scope], bot=scope)
    async with client_of(guarded_server) as client:
        yield guarded_server, client, tokens


async def lines(server):
    return [
        (line.act, line.who, line.outcome, line.detail) for line in await server.store.audit() if line.who != "palio"
    ]


async def test_what_an_organiser_does_stands_in_the_audit(staffed, breakthrough):
    server, client, tokens = staffed
    server.join("ann", patient=True)
    server.join("bob", patient=True)
    headers = bearer(tokens["matches"])
    match = (await client.post("/api/matches", json=breakthrough | {"bots": ["ann", "bob"]}, headers=headers)).json()[
        "match"
    ]

    async def playing():
        return match in server.arena.playing()

    await server.until(playing)
    await client.post(f"/api/matches/{match}/stop", json={"reason": "rain"}, headers=headers)
    await server.finished(match)
    await client.post(f"/api/matches/{match}/void", json={"reason": "rigged"}, headers=bearer(tokens["admin"]))
    event = {"name": "cup", "game": "breakthrough", "bots": ["ann", "bob"]}
    number = (await client.post("/api/tournaments", json=event, headers=headers)).json()["id"]
    await client.post(f"/api/tournaments/{number}/entries", json={"bot": "cid"}, headers=headers)
    await client.delete(f"/api/tournaments/{number}/entries/cid", headers=headers)
    for act in ("start", "pause", "resume", "cancel"):
        answer = await client.post(f"/api/tournaments/{number}/{act}", headers=headers)
        assert answer.status_code == 200, answer.text
    found = await lines(server)
    assert [act for act, *_ in found] == [
        *("match scheduled", "match stopped", "match voided", "tournament created", "bot entered", "bot withdrawn"),
        *("tournament started", "tournament paused", "tournament resumed", "tournament cancelled"),
    ]
    shown = {
        scope: f"token {number} ({token[:12]}...) of {scope}" for number, (scope, token) in enumerate(tokens.items(), 1)
    }
    assert {who for act, who, *_ in found if act != "match voided"} == {shown["matches"]}
    assert [who for act, who, *_ in found if act == "match voided"] == [shown["admin"]]
    everything = str(await server.store.audit())
    assert "127.0.0.1" in everything
    assert not any(token in everything for token in tokens.values())


@pytest.mark.parametrize("scope", ["watch", "play", "matches"])
async def test_a_token_of_another_scope_is_refused_changes_nothing_and_is_written_down(staffed, breakthrough, scope):
    server, client, tokens = staffed
    server.join("ann")
    server.join("bob")
    finished = (
        await client.post("/api/matches", json=breakthrough | {"bots": ["ann", "bob"]}, headers=bearer(tokens["admin"]))
    ).json()["match"]
    await server.finished(finished)
    before = (await server.store.matches(), await server.store.leaderboard("breakthrough"))
    acts = {f"/api/matches/{finished}/void": {"reason": "why"}}
    if scope != "matches":
        acts |= {"/api/matches": breakthrough | {"bots": ["ann", "bob"]}, "/api/tournaments": {}}
    for path, body in acts.items():
        answer = await client.post(path, json=body, headers=bearer(tokens[scope]))
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "wrong-scope"), path
    assert (await server.store.matches(), await server.store.leaderboard("breakthrough")) == before
    refused = [line for line in await lines(server) if line[2] == "refused"]
    assert len(refused) == len(acts)
    assert {(who.split()[-1], detail) for _, who, _, detail in refused} == {(scope, "wrong-scope")}


async def test_a_guess_is_written_down_without_the_guess(staffed):
    server, client, _ = staffed
    for headers in (bearer("a-guess-at-a-token"), {}):
        assert (await client.post("/api/matches/x/stop", headers=headers)).status_code == 401
    found = [line for line in await lines(server) if line[2] == "refused"]
    assert [(who, detail) for _, who, _, detail in found] == [
        ("a client with an invalid token", "bad-token"),
        ("a client without a token", "token-missing"),
    ]
    assert "a-guess" not in str(await server.store.audit())


async def test_a_token_that_is_revoked_or_expired_opens_nothing_at_the_next_request(staffed, monkeypatch):
    from datetime import UTC, datetime, timedelta

    server, client, tokens = staffed
    headers = bearer(tokens["matches"])
    assert (await client.post("/api/matches/x/stop", headers=headers)).status_code == 404
    await server.store.revoke_bot("matches")
    answer = await client.post("/api/matches/x/stop", headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "bad-token")
    soon = datetime.now(UTC) + timedelta(hours=1)
    brief = bearer(await server.store.issue_token(["matches"], expires_at=soon))
    assert (await client.post("/api/matches/x/stop", headers=brief)).status_code == 404
    monkeypatch.setattr("palio_db.tokens.now", lambda: soon)
    answer = await client.post("/api/matches/x/stop", headers=brief)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "token-expired")
    assert "expired at" in answer.json()["error"]["reason"]


async def test_a_match_that_is_voided_says_so_wherever_it_is_shown(server, client, breakthrough):
    server.join("ann")
    server.join("bob")
    body = breakthrough | {"bots": ["ann", "bob"]}
    match = (await client.post("/api/matches", json=body)).json()["match"]
    await server.finished(match)
    assert (await client.post(f"/api/matches/{match}/void", json={})).status_code == 422
    first = await client.post(f"/api/matches/{match}/void", json={"reason": "both have one author"})
    assert (first.status_code, first.json()["changed"]) == (200, True)
    void = first.json()["void"]
    assert (void["reason"], void["by"]) == ("both have one author", "a client without a token")
    again = await client.post(f"/api/matches/{match}/void", json={"reason": "another"})
    assert (again.json()["changed"], again.json()["void"]) == (False, void)
    assert (await client.get(f"/api/matches/{match}")).json()["void"] == void
    assert (await client.get("/api/matches")).json()[0]["void"] == void
    assert (await client.get(f"/api/matches/{match}/record")).json()["void"] == void
    text = (await client.get(f"/api/matches/{match}/record?format=text")).text
    assert f"[Void {json.dumps(void['reason'])}]" in text
    assert (await client.get("/api/leaderboard/breakthrough")).json()["leaders"] == []
    assert (await client.get(f"/api/matches/{match}")).json()["meetings"] == []
    assert (await client.post("/api/matches/nonsense/void", json={"reason": "x"})).status_code == 404


async def test_a_match_that_is_not_over_cannot_be_voided(server, client, breakthrough):
    server.join("ann", patient=True)
    server.join("bob", patient=True)
    match = (await client.post("/api/matches", json=breakthrough | {"bots": ["ann", "bob"]})).json()["match"]
    answer = await client.post(f"/api/matches/{match}/void", json={"reason": "x"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not-finished")
