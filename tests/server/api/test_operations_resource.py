"""A method that an address does not know is refused with those that it knows."""

import pytest


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/api/games", "GET, HEAD"),
        ("DELETE", "/api/matches", "GET, HEAD, POST"),
        ("PUT", "/api/matches/x/stop", "POST"),
        ("POST", "/api/matches/x/analysis", "GET, HEAD, PUT"),
        ("POST", "/api/docs", "GET, HEAD"),
        ("HEAD", "/api/matches/x/stop", "POST"),
        ("POST", "/", "GET, HEAD"),
    ],
)
async def test_a_method_that_does_not_work_names_those_that_do(client, method, path, allowed):
    answer = await client.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
    assert method == "HEAD" or answer.json()["error"]["code"] == "method-not-allowed"


@pytest.mark.parametrize(
    "path",
    [
        "/api/games",
        "/api/health",
        "/api/bots",
        "/api/matches",
        "/api/openapi.json",
        "/api/docs",
        "/metrics",
        "/",
        "/api/x",
    ],
)
async def test_head_is_answered_as_get_without_the_body(client, path):
    head, got = await client.head(path), await client.get(path)
    assert (head.status_code, head.content) == (got.status_code, b"")
    changing = {"date", "content-length"} if path in ("/metrics", "/api/health") else {"date"}  # they tell the time
    assert {*head.headers.items()} - {*got.headers.items()} <= {(name, head.headers.get(name)) for name in changing}
    assert int(head.headers["content-length"]) > 0
