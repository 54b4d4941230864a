"""Who may talk to the server, and what browsers may do with what it says."""

import pytest

from palio_server.api.guard import is_loopback
from palio_server.settings import Settings

START = {"game": "breakthrough", "bots": ["ann", "bob"]}


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("localhost", True),
        ("localhost:8000", True),
        ("LOCALHOST:1", True),
        ("127.0.0.1:8000", True),
        ("127.9.9.9", True),
        ("[::1]:8000", True),
        ("palio.localhost:8000", True),
        ("evil.example", False),
        ("evil.example:8000", False),
        ("localhost.evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("10.0.0.1", False),
        ("0.0.0.0", False),
        ("[::ffff:8.8.8.8]", False),
        ("user@evil.example", False),
        ("evil.example@localhost", True),  # no browser sends it
        ("[", False),
        ("", False),
    ],
)
def test_only_loopback_names_are_loopback(host, ours):
    assert is_loopback(host) is ours


async def test_a_name_that_was_bent_to_loopback_is_refused(server, client_of):
    async with client_of(server, "evil.example:8000") as client:
        for path in ("/", "/api/matches", "/api/openapi.json"):
            answer = await client.get(path)
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "foreign-host")


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost:9999", "http://evil.example:8000"]
)
async def test_a_foreign_page_cannot_start_a_match(client, origin):
    answer = await client.post("/api/matches", json=START, headers={"Origin": origin})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "foreign-origin")


async def test_our_own_page_and_programs_may(client):
    for headers in ({"Origin": "http://localhost:8000"}, {}):
        answer = await client.post("/api/matches", json=START, headers=headers)
        assert answer.json()["error"]["code"] == "bots-missing", "it was let in"


async def test_a_guarded_server_answers_under_any_name(guarded_server, client_of):
    async with client_of(guarded_server, "palio.example") as client:
        assert (await client.get("/api/games")).status_code == 200
        answer = await client.post("/api/matches", json=START, headers={"Origin": "https://palio.example:8443"})
        assert answer.json()["error"]["code"] == "token-missing"


async def test_an_open_server_on_the_network_answers_under_any_name_but_to_its_own_page_only(server, client_of):
    server.settings = Settings(host="0.0.0.0", auth="open")
    async with client_of(server, "palio.example") as client:
        assert (await client.get("/api/games")).status_code == 200
        answer = await client.post("/api/matches", json=START, headers={"Origin": "https://evil.example"})
        assert answer.status_code == 403


@pytest.mark.parametrize("path", ["/", "/app.js", "/api/games", "/api/docs", "/nothing", "/api/nothing"])
async def test_every_answer_carries_the_security_headers(client, path):
    headers = (await client.get(path)).headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    script = next(part for part in headers["content-security-policy"].split("; ") if part.startswith("script-src"))
    assert script == "script-src 'self'"
    assert headers["x-content-type-options"] == "nosniff"
