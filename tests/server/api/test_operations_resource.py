"""A method that an address does not know is refused with those that it knows."""

import pytest


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/api/games", "GET"),
        ("DELETE", "/api/matches", "GET, POST"),
        ("PUT", "/api/matches/x/stop", "POST"),
        ("POST", "/api/matches/x/analysis", "GET, PUT"),
        ("POST", "/api/docs", "GET"),
        ("HEAD", "/api/openapi.json", "GET"),
        ("POST", "/", "GET, HEAD"),
    ],
)
async def test_a_method_that_does_not_work_names_those_that_do(client, method, path, allowed):
    answer = await client.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
    assert method == "HEAD" or answer.json()["error"]["code"] == "method-not-allowed"
