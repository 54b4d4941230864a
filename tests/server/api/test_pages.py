"""The page, its files, the documentation, and what is not there."""

import re

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

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
    "path", ["/../settings.py", "/%2e%2e/settings.py", "/static/..%2fsettings.py", "/..%5csettings.py", "//etc/passwd"]
)
async def test_nothing_outside_the_page_is_served(client, path):
    assert (WEB.parent / "settings.py").exists(), "there is something to be found"
    assert (await client.get(path)).status_code == 404


@pytest.mark.parametrize("path", ["/api/nothing", "/api/matches/a/b/c", "/nothing", "/api", "/docs"])
async def test_what_is_not_there_is_said_in_json(client, path):
    answer = await client.get(path)
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not-found"
    assert "/api/docs" in answer.json()["error"]["reason"]


async def test_the_documentation_asks_no_other_host_for_anything(client):
    docs = (await client.get("/api/docs")).text
    linked = re.findall(r'(?:src|href)="([^"]+)"', docs)
    assert linked
    for link in linked:
        assert not re.match(r"\w+:|//", link)
        assert (await client.get(f"/api/{link}")).status_code == 200, link
    assert "<script>" not in docs


@pytest.mark.parametrize("path", ["/api/nothing", "/api/matches", "/nothing", "/"])
async def test_a_websocket_where_there_is_none_is_refused_without_a_traceback(url, caplog, path):
    with pytest.raises(InvalidStatus, match="403"):
        await connect(url.replace("http", "ws") + path)
    assert "Traceback" not in caplog.text
