"""`/api/admin/void`, `rename`, `forget` and `bans`: what an operator does to bots and people over HTTP."""

import pytest

from palio_server.lobby.bans import BanWatch


async def played(server, *bots, rounds=1):
    for bot in bots:
        if not server.lobby.is_here(bot):
            server.join(bot)
    for _ in range(rounds):
        setup = {"game": "breakthrough", "options": {"rows": 5, "cols": 3}, "bots": bots}
        async with server.client() as client:
            match = (await client.post("/api/matches", json=setup)).json()["id"]
        await server.finished(match)


@pytest.fixture
def playing(server, client_of):
    server.client = lambda: client_of(server)
    return server


async def board(client):
    return {
        line["bot"]: line["games"]
        for line in (await client.get("/api/leaderboard/breakthrough:rows=5,cols=3")).json()["leaders"]
    }


async def test_all_matches_of_a_bot_are_counted_voided_and_count_again(playing, client):
    await played(playing, "ann", "bob", rounds=3)
    await played(playing, "cid", "bob")
    asked = {"bot": "ann", "reason": "it had help"}
    counted = await client.post("/api/admin/void", json={**asked, "count": True})
    assert counted.json() == {"changed": 0, "left": 3, "games": []}
    assert (await client.post("/api/admin/void", json=asked)).json() == {
        "changed": 3, "left": 0, "games": ["breakthrough:rows=5,cols=3"],
    }  # fmt: skip
    assert await board(client) == {"bob": 1, "cid": 1}
    listed = (await client.get("/api/matches", params={"bot": "ann"})).json()
    assert {each["void"]["reason"] for each in listed} == {"it had help"}
    one = (await client.delete(f"/api/matches/{listed[0]['id']}/void")).json()
    assert one == {"match": listed[0]["id"], "changed": True}
    assert (await client.post("/api/admin/void", json={**asked, "undo": True})).json()["changed"] == 2
    assert await board(client) == {"ann": 3, "bob": 4, "cid": 1}


@pytest.mark.parametrize(
    ("path", "body", "status", "sentence"),
    [
        ("void", {"reason": "why"}, 422, "say whose matches"),
        ("void", {"bot": "ann"}, 422, "for a reason"),
        ("void", {"bot": "nn", "reason": "why", "count": True}, 404, "no bot called 'nn' has played"),
        ("void", {"address": "here", "reason": "why"}, 422, "'here' is no address and no network"),
        ("rename", {"bot": "nn", "to": "x"}, 404, "no bot called 'nn'"),
        ("rename", {"bot": "ann", "to": "bob"}, 409, "there is, or was, a bot called 'bob' already"),
        ("rename", {"bot": "ann", "to": "a b"}, 422, "is no name for a bot"),
        ("forget", {}, 422, "say whom to forget"),
        ("forget", {"owner": "eve"}, 404, "no bot has the owner 'eve'"),
        ("bans", {"kind": "bot", "value": "ann", "reason": " "}, 422, "a ban has a reason"),
        ("bans", {"kind": "address", "value": "::1", "reason": "why"}, 422, "this machine"),
        ("bans", {"kind": "address", "value": "0.0.0.0/0", "reason": "why"}, 422, "every address"),
        ("bans", {"kind": "owner", "value": "eve", "reason": "why"}, 404, "no bot has the owner 'eve'"),
        ("bans", {"kind": "planet", "value": "x", "reason": "why"}, 422, "kind"),
    ],
)
async def test_what_cannot_be_done_is_refused_in_a_sentence(playing, client, path, body, status, sentence):
    await played(playing, "ann", "bob")
    answer = await client.post(f"/api/admin/{path}", json=body)
    assert answer.status_code == status, answer.text
    assert sentence in answer.json()["error"]["reason"]


async def test_a_former_name_leads_to_the_bot_and_a_session_under_it_ends(playing, client):
    await played(playing, "ann", "bob")
    answer = await client.post("/api/admin/rename", json={"bot": "ann", "to": "zoe"})
    assert answer.json() == {"names": ["zoe"], "changed": 1, "left": False, "games": ["breakthrough:rows=5,cols=3"]}
    await BanWatch(playing.store, playing.lobby, playing.access.bans).look()
    assert not playing.lobby.is_here("ann")
    for path in ("/api/bots/ann", "/api/bots/ann/history", "/api/bots/ann/report?game=breakthrough:rows=5,cols=3"):
        moved = await client.get(path)
        assert (moved.status_code, moved.headers["Location"]) == (308, path.replace("ann", "zoe"))
        assert (await client.get(path, follow_redirects=True)).status_code == 200
    assert playing.access.bans.of("Ann", "").reason == "the bot Ann is called zoe now; come under that name"
    assert (await client.get("/api/bots/nobody")).status_code == 404


async def test_an_owner_is_forgotten_with_all_bots(playing, client):
    await playing.store.add_bot("ann", "eve")
    await playing.store.add_bot("bob", "eve")
    await played(playing, "ann", "bob")
    gone = (await client.post("/api/admin/forget", json={"owner": "eve"})).json()
    assert set(await board(client)) == set(gone["names"])
    assert (await client.get("/api/bots/ann")).status_code in (200, 404)  # its connection ends with the next look
    assert await playing.store.bots() == []


async def test_bans_are_made_listed_and_lifted_and_an_operator_is_not_kept_out(guarded_server, client_of):
    token = await guarded_server.store.issue_token(["admin"], bot=None)
    async with client_of(guarded_server) as client:
        client.headers["Authorization"] = f"Bearer {token}"
        sent = {"kind": "address", "value": "2001:DB8::7", "reason": "it floods", "until": "2099-01-01T00:00:00Z"}
        made = (await client.post("/api/admin/bans", json=sent)).json()
        assert (made["value"], made["until"]) == ("2001:db8::/64", "2099-01-01T00:00:00Z")
        again = (await client.post("/api/admin/bans", json={**sent, "reason": "again", "until": None})).json()
        assert again["id"] == made["id"]
        assert (await client.get("/api/admin/bans")).json() == [again]
        lifted = await client.delete(f"/api/admin/bans/{made['id']}")
        assert lifted.json() == again
        assert (await client.delete(f"/api/admin/bans/{made['id']}")).status_code == 404
        acts = [line["act"] for line in (await client.get("/api/admin/audit")).json()]
        assert acts[:3] == ["ban lifted", "banned", "banned"]
