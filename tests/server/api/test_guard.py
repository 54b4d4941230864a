"""The guard: which clients may send requests, and what browsers may do with the answers."""

import pytest

from palio_server.settings import Settings

START = {"game": "breakthrough", "bots": ["ann", "bob"]}


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


@pytest.mark.parametrize(("host", "status"), [("localhost", 200), ("palio.example", 403), ("evil.example", 403)])
async def test_where_tokens_are_needed_a_name_must_be_known_too(guarded_server, client_of, host, status):
    async with client_of(guarded_server, host) as client:
        assert (await client.get("/api/games")).status_code == status


async def test_the_public_name_is_known_and_its_page_and_those_of_other_sites_may_act(guarded_server, client_of):
    guarded_server.settings = Settings(
        auth="required", public_url="https://palio.example", origin="https://club.example"
    )
    async with client_of(guarded_server, "palio.example") as client:
        for origin, code in (
            ("https://palio.example", "token-missing"),
            ("https://club.example", "token-missing"),
            ("https://evil.example", "foreign-origin"),
        ):
            answer = await client.post("/api/matches", json=START, headers={"Origin": origin})
            assert answer.json()["error"]["code"] == code
        assert (await client.get("/api/games")).headers["strict-transport-security"].startswith("max-age=")


async def test_pages_of_other_sites_may_read_the_answers_if_they_are_allowed(guarded_server, client_of):
    guarded_server.settings = Settings(auth="required", origin="https://club.example")
    asks = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    async with client_of(guarded_server, "localhost") as client:
        ours = await client.options("/api/matches", headers={"Origin": "https://club.example", **asks})
        assert ours.headers["access-control-allow-origin"] == "https://club.example"
        theirs = await client.options("/api/matches", headers={"Origin": "https://evil.example", **asks})
        assert "access-control-allow-origin" not in theirs.headers


async def test_an_open_server_on_the_network_answers_to_names_that_no_stranger_can_make(server, client_of):
    server.settings = Settings(host="0.0.0.0", auth="open")
    for host, status in (("192.0.2.7:8000", 200), ("hall", 200), ("evil.example", 403)):
        async with client_of(server, host) as client:
            assert (await client.get("/api/games")).status_code == status


@pytest.mark.parametrize("query", ["token=secret-token", "a=1&access_token=secret-token"])
@pytest.mark.parametrize("path", ["/", "/api/games", "/api/nothing", "/embed/x"])
async def test_a_token_in_an_address_is_refused_with_a_sentence(client, path, query, caplog):
    answer = await client.get(f"{path}?{query}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "token-in-query")
    assert "Authorization: Bearer" in answer.json()["error"]["reason"]
    assert "secret-token" not in answer.text + caplog.text
    assert answer.headers["referrer-policy"] == "no-referrer"


async def test_answers_for_one_person_are_kept_by_nobody(client):
    assert (await client.post("/api/matches", json=START)).headers["cache-control"] == "no-store"
    assert (await client.get("/api/play")).headers["cache-control"] == "no-store"
    assert "no-store" not in (await client.get("/api/games")).headers.get("cache-control", "")


async def test_only_a_named_proxy_is_believed(server, client_of):
    """`/api/games` does not tell addresses, but the page's links tell under which Host and scheme it was asked for."""
    said = {"X-Forwarded-Host": "palio.example", "X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.7"}
    for proxies, link in (("127.0.0.1", "https://palio.example/"), ("192.0.2.0/24", "http://localhost:8000/")):
        server.settings = Settings(forwarded_from=proxies)
        async with client_of(server, "localhost:8000") as client:
            assert f'"og:url" content="{link}"' in (await client.get("/", headers=said)).text


async def test_our_own_mistakes_have_the_security_headers_too(server, client_of, monkeypatch):
    async def fail(*_args, **_kwargs):
        raise RuntimeError("a bug")

    monkeypatch.setattr(server.store, "search", fail)
    async with client_of(server, "localhost") as client:
        answer = await client.get("/api/matches")
    assert answer.status_code == 500
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/", "/app.js", "/api/games", "/api/docs", "/nothing", "/api/nothing"])
async def test_every_answer_carries_the_security_headers(client, path):
    headers = (await client.get(path)).headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    script = next(part for part in headers["content-security-policy"].split("; ") if part.startswith("script-src"))
    assert script == "script-src 'self'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"]
    assert "strict-transport-security" not in headers, "that would lock people out who come by plain HTTP"
