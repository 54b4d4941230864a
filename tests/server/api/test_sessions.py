"""A private server is read with a token, in a browser by a cookie, which allows only reading."""

import asyncio

import httpx
import msgspec
import pytest
from websockets.asyncio.client import connect

from palio_server.api.app import create_app
from palio_server.lobby.token_watch import TokenWatch
from palio_server.network.http_server import serving
from palio_server.network.listeners import bind, url_of

READS = ("/api/games", "/api/matches", "/api/leaderboard/breakthrough", "/api/tournaments", "/api/bots", "/api/play")


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture
async def private_url(private_server):
    listener = bind("127.0.0.1", 0)
    async with serving(create_app(private_server), listener):
        yield url_of(listener)


async def test_without_a_token_a_private_server_shows_nothing(private_server, client_of):
    async with client_of(private_server) as client:
        for path in (*READS, "/match/x/board.svg", "/api/tournaments/1/export"):
            answer = await client.get(path)
            assert (answer.status_code, answer.json()["error"]["code"]) == (401, "token-missing"), path
        assert (await client.post("/api/play", json={"game": "breakthrough"})).status_code == 401
        assert (await client.get("/api/session")).json()["private"] is True
        assert (await client.get("/api/health")).status_code == 200
        assert (await client.get("/api/openapi.json")).status_code == 200
        page = await client.get("/tournaments/1", headers={"Accept": "text/html"})
        assert (page.status_code, "<title>Palio</title>" in page.text) == (200, True)


@pytest.mark.parametrize("scope", ["watch", "play", "matches", "admin"])
async def test_any_token_reads_by_its_header_or_by_a_cookie(private_server, client_of, scope):
    await private_server.store.add_bot("ada")
    token = await private_server.store.issue_token([scope], bot="ada")
    async with client_of(private_server) as client:
        for path in READS:
            assert (await client.get(path, headers=bearer(token))).status_code == 200, path
        signed_in = await client.post("/api/session", headers=bearer(token))
        assert signed_in.status_code == 201
        cookie = signed_in.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert token not in cookie
        assert "Secure" not in cookie, "this is plain HTTP"
        for path in READS:
            assert (await client.get(path)).status_code == 200, path
        await client.delete("/api/session")
        assert (await client.get("/api/games")).status_code == 401


async def test_over_tls_the_cookie_is_for_tls_only(private_server, client_of):
    token = await private_server.store.issue_token(["watch"])
    private_server.settings = msgspec.structs.replace(private_server.settings, public_url="https://palio.example")
    transport = httpx.ASGITransport(create_app(private_server))
    async with httpx.AsyncClient(transport=transport, base_url="https://localhost:8000") as client:
        assert "; Secure" in (await client.post("/api/session", headers=bearer(token))).headers["set-cookie"]


async def test_a_session_acts_on_nothing(private_server, client_of, breakthrough):
    token = await private_server.store.issue_token(["admin"])
    private_server.join("ann")
    private_server.join("bob")
    async with client_of(private_server) as client:
        await client.post("/api/session", headers=bearer(token))
        body = breakthrough | {"bots": ["ann", "bob"]}
        for path, sent in (("/api/matches", body), ("/api/matches/x/stop", {}), ("/api/matches/x/void", {})):
            answer = await client.post(path, json=sent)
            assert (answer.status_code, answer.json()["error"]["code"]) == (401, "token-missing")
    assert await private_server.store.matches() == []


@pytest.mark.parametrize("wrong", ["guess", "Basic YWRhOmFkYQ=="])
async def test_nobody_signs_in_with_a_wrong_token(private_server, client_of, wrong):
    headers = {"Authorization": wrong if " " in wrong else f"Bearer {wrong}"}
    async with client_of(private_server) as client:
        answer = await client.post("/api/session", headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "bad-token")
        assert "set-cookie" not in answer.headers
        assert (await client.post("/api/session")).status_code == 401


async def test_a_token_that_is_revoked_reads_no_more_and_its_sockets_are_closed(private_server, client_of, private_url):
    store = private_server.store
    token = await store.issue_token(["watch"])
    watch = TokenWatch(store, private_server.lobby, private_server.access.readers)
    async with httpx.AsyncClient(base_url=private_url) as client:
        await client.post("/api/session", headers=bearer(token))
        cookie = {"Cookie": "; ".join(f"{name}={value}" for name, value in client.cookies.items())}
        socket_url = private_url.replace("http", "ws") + "/ws/live"
        async with (
            connect(socket_url, additional_headers=bearer(token), proxy=None) as program,
            connect(socket_url, additional_headers=cookie, proxy=None) as browser,
        ):
            for socket in (program, browser):
                assert "lobby" in await asyncio.wait_for(socket.recv(), 10)
            await store.revoke_token(1)
            await watch.look(changed=True)
            for socket in (program, browser):
                await asyncio.wait_for(socket.wait_closed(), 10)
                assert (socket.close_code, socket.close_reason) == (1008, "token-revoked")
        answer = await client.get("/api/games")
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "token-revoked")
    async with connect(socket_url, proxy=None) as nobody:
        await asyncio.wait_for(nobody.wait_closed(), 10)
        assert (nobody.close_code, nobody.close_reason) == (1008, "token-missing")


async def test_elsewhere_nobody_has_to_sign_in(guarded_server, client_of):
    async with client_of(guarded_server) as client:
        assert (await client.get("/api/session")).json()["private"] is False
        for path in READS:
            assert (await client.get(path)).status_code == 200, path
