"""A method that an address does not know is refused with those that it knows."""

import re

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


PAGES = (
    "/",
    "/tournaments",
    "/nothing",
    "/match/{match}",
    "/match/{match}/preview.png",
    "/match/{match}/animation.gif",
    "/icon.svg",
    "/favicon.ico",
    "/robots.txt",
    "/api/docs",
    "/api/docs/files/swagger-ui.css",
    "/api/openapi.json",
    "/api/nothing",
    "/metrics",
)
TELLING_TIME = ("/metrics", "/api/health")  # what they say, and so its length, changes from look to look


async def test_head_is_answered_as_get_without_the_body_by_every_route(server, client):
    server.join("ann")
    server.join("bob")
    small = {"game": "breakthrough", "options": {"rows": 5, "cols": 3}, "bots": ["ann", "bob"]}
    match = (await client.post("/api/matches", json=small)).json()["id"]
    await server.finished(match)
    event = {"game": "breakthrough", "name": "cup", "bots": ["ann", "bob"]}
    assert (await client.post("/api/tournaments", json=event)).status_code == 201
    known = {"match": match, "game": "breakthrough", "name": "ann", "number": 1, "round": 1, "encounter": 1, "table": 0}
    known |= {"course": "ai101", "assignment": "dominoes", "submission": "none", "ply": 0}
    document = (await client.get("/api/openapi.json")).json()
    reading = [path for path, methods in document["paths"].items() if "get" in methods]
    assert len(reading) > 20
    static = [f"/{each}" for each in re.findall(r"static/[0-9a-f]{12}/[\w.]+", (await client.get("/")).text)]
    assert static
    for path in (*PAGES, *reading, *static[:3]):
        address = path.format_map(known)
        head, got = await client.head(address), await client.get(address)
        assert (head.status_code, head.content) == (got.status_code, b""), address
        passing = {"date", "content-length"} if path.startswith(TELLING_TIME) else {"date"}
        one, other = ({k: v for k, v in each.headers.items() if k not in passing} for each in (head, got))
        assert one == other, address
        assert "content-length" in head.headers, address
