"""The page, its files, the documentation, and what is not there."""

import re

import pytest

from palio_server.api.pages import WEB


async def test_the_page_is_at_the_root_and_its_files_beside_it_and_under_static(client):
    page = await client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    for file in re.findall(r'(?:src|href)="([^":]+\.\w+)"', page.text):
        for root in ("/", "/static/"):
            assert (await client.get(root + file)).status_code == (200 if (WEB / file).exists() else 404), file
    assert (await client.get("/static/app.js")).text == (WEB / "app.js").read_text()


async def test_files_are_kept_by_browsers_but_asked_about(client):
    first = await client.get("/app.js")
    assert first.headers["cache-control"] == "no-cache"
    again = await client.get("/app.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "path", ["/../cli.py", "/%2e%2e/cli.py", "/static/..%2fcli.py", "/..%5ccli.py", "//etc/passwd"]
)
async def test_nothing_outside_the_page_is_served(client, path):
    assert (await client.get(path)).status_code == 404


@pytest.mark.parametrize("path", ["/api/nothing", "/api/matches/a/b/c", "/nothing", "/api", "/docs"])
async def test_what_is_not_there_is_said_in_json(client, path):
    answer = await client.get(path)
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not-found"
    assert "/api/docs" in answer.json()["error"]["reason"]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/api/games", "GET"),
        ("DELETE", "/api/matches", "GET, POST"),
        ("PUT", "/api/matches/x/stop", "POST"),
        ("POST", "/", "GET, HEAD"),
    ],
)
async def test_a_method_that_does_not_work_names_those_that_do(client, method, path, allowed):
    answer = await client.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
    assert answer.json()["error"]["code"] == "method-not-allowed"


async def test_a_mistake_of_ours_shows_no_traceback(house, client, monkeypatch):
    monkeypatch.setattr(house.lobby, "connected", lambda game=None: 1 / 0)
    answer = await client.get("/api/bots")
    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "internal"
    assert "division" not in answer.text


async def test_the_documentation_asks_no_other_host_for_anything(client):
    docs = (await client.get("/api/docs")).text
    linked = re.findall(r'(?:src|href)="([^"]+)"', docs)
    assert linked
    for link in linked:
        assert not re.match(r"\w+:|//", link)
        assert (await client.get(f"/api/{link}")).status_code == 200, link
    assert "<script>" not in docs


async def test_openapi_describes_every_route_with_its_shapes_and_errors(client):
    document = (await client.get("/api/openapi.json")).json()
    assert set(document["paths"]) == {
        "/api/bots",
        "/api/games",
        "/api/head-to-head/{game}",
        "/api/health",
        "/api/leaderboard/{game}",
        "/api/matches",
        "/api/matches/{match}",
        "/api/matches/{match}/analysis",
        "/api/matches/{match}/record",
        "/api/matches/{match}/replay",
        "/api/matches/{match}/stop",
        "/api/tournaments",
        "/api/tournaments/{number}",
    }
    schemas = document["components"]["schemas"]
    for reference in re.findall(r'"#/components/schemas/([^"]+)"', (await client.get("/api/openapi.json")).text):
        assert reference in schemas
    assert "HTTPValidationError" not in schemas, "errors have one shape"
    body = document["paths"]["/api/matches"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert body == {"$ref": "#/components/schemas/StartRequest"}
    assert document["paths"]["/api/matches"]["post"]["security"] == [{"token": []}, {}]
    assert all("summary" in operation for path in document["paths"].values() for operation in path.values())
