"""The page, its files, the documentation, and what is not there."""

import re

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from palio_server.api.app import create_app
from palio_server.api.pages import WEB

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
LINK = r'(?:src|href)="([^":]+\.\w+)"'


async def test_what_the_page_names_is_there_for_ever(client):
    page = await client.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["cache-control"] == "no-cache"
    linked = re.findall(LINK, page.text)
    assert {re.sub("static/[0-9a-f]{12}/", "", link) for link in linked} > {"page.css", "core.js", "view_lobby.js"}
    for link in linked:
        answer = await client.get(f"/{link}")
        assert (answer.status_code, answer.headers["cache-control"]) == (200, "public, max-age=31536000, immutable")
        assert answer.headers["content-encoding"] == "gzip", link


async def test_who_takes_no_compressed_files_gets_them_as_they_are(client):
    page = await client.get("/", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in page.headers
    (styles,) = re.findall(r'href="([^"]+\.css)">', page.text)
    plain = await client.get(f"/{styles}", headers={"Accept-Encoding": "gzip;q=0"})
    packed = await client.get(f"/{styles}", headers={"Accept-Encoding": "br, gzip"})
    assert ("content-encoding" not in plain.headers, packed.headers["content-encoding"]) == (True, "gzip")
    assert plain.text == packed.text
    assert plain.headers["vary"] == "Accept-Encoding"


async def test_all_styles_are_one_file_in_the_order_of_the_page(client):
    names = re.findall(r'href="(styles/\w+\.css)">', (WEB / "index.html").read_text())
    (link,) = re.findall(r'href="([^"]+\.css)">', (await client.get("/")).text)
    text = _bare((await client.get(f"/{link}")).text)
    rule = re.compile(r"^ *[^\s/*@:}][^{;]*\{[^{}/]*\}", re.MULTILINE)
    firsts = [rule.search((WEB / name).read_text())[0] for name in names[1:]]
    places = [text.index(_bare(first)) for first in firsts]
    assert places == sorted(places)


def _bare(styles: str) -> str:
    """Return a style sheet without what the served one may leave out: white space, the last semicolon of a rule, and
    the zero before a point.
    """
    return re.sub(r"\s+|(?<![\w.])0(?=\.\d)", "", styles).replace(";}", "}")


NEEDED = r'<link rel="preload" as="fetch" crossorigin href="([^"]+)">'


@pytest.mark.parametrize(
    ("path", "needed"),
    [("/", ["games"]), ("/play/breakthrough", ["games"]), ("/tv", ["games", "tournaments"]), ("/not/here", [])],
)
async def test_a_page_names_the_answers_that_its_view_needs_first(client, path, needed):
    page = await client.get(path, headers=BROWSER)
    links = re.findall(NEEDED, page.text)
    assert links == [f"/api/{name}" for name in needed]
    for link in links:
        assert (await client.get(link)).status_code == 200
        assert page.text.index(link) > page.text.index("core.js"), "styles and scripts come first"


async def test_a_private_servers_page_requests_no_answer_without_a_token(server, monkeypatch):
    monkeypatch.setattr(server.access, "private", True)
    transport = httpx.ASGITransport(create_app(server))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
        assert re.findall(NEEDED, (await client.get("/")).text) == []


async def test_files_of_another_digest_are_not_there(client):
    answer = await client.get("/static/0123456789ab/core.js")
    assert (answer.status_code, answer.headers["cache-control"]) == (404, "no-store")


@pytest.mark.parametrize(
    "path", ["/../settings.py", "/%2e%2e/settings.py", "/static/..%2fsettings.py", "/..%5csettings.py", "//etc/passwd"]
)
async def test_nothing_outside_the_page_is_served(client, path):
    assert (WEB.parent / "settings.py").exists(), "there is something to be found"
    assert (await client.get(path)).status_code == 404


@pytest.mark.parametrize("path", ["/api/nothing", "/api/matches/a/b/c", "/nothing", "/api", "/docs", "/static/a/b"])
async def test_what_is_not_there_is_said_in_json(client, path):
    answer = await client.get(path)
    assert answer.status_code == 404
    if path != "/static/a/b":  # a script has no use for a sentence
        assert answer.json()["error"]["code"] == "not-found"
        assert "/api/docs" in answer.json()["error"]["reason"]


@pytest.mark.parametrize(
    "path", ["/nothing", "/nothing/at/all", "/tv/7/8", "/match/a/b", "/match/unknown", "/match/%00"]
)
async def test_a_browser_gets_the_page_which_says_that_nothing_is_there(client, path):
    answer = await client.get(path, headers=BROWSER)
    assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "<title>Not here · Palio</title>" in answer.text


@pytest.mark.parametrize("path", ["/", "/tournaments", "/robots.txt", "/icon.svg", "/favicon.ico", "/match/unknown"])
async def test_head_says_what_get_would(client, path):
    got, head = await client.get(path), await client.head(path)
    assert (head.status_code, head.content) == (got.status_code, b"")
    for name in ("content-type", "content-length", "cache-control", "content-security-policy"):
        assert head.headers.get(name) == got.headers.get(name), name


async def test_the_documentation_asks_no_other_host_for_anything(client):
    answer = await client.get("/api/docs")
    docs = answer.text
    linked = re.findall(r'(?:src|href)="([^"]+)"', docs)
    assert linked
    for link in linked:
        assert not re.match(r"\w+:|//", link)
        assert (await client.get(f"/api/{link}")).status_code == 200, link
    assert "<script>" not in docs
    assert "'unsafe-inline'" in answer.headers["content-security-policy"]
    assert "unsafe" not in (await client.get("/")).headers["content-security-policy"]


async def test_only_what_is_made_for_frames_may_be_framed(client):
    framed, page = await client.get("/embed/match/unknown"), await client.get("/")
    assert "frame-ancestors *" in framed.headers["content-security-policy"]
    assert "x-frame-options" not in framed.headers
    assert "cross-origin-resource-policy" not in framed.headers
    assert framed.headers["x-content-type-options"] == "nosniff"
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert page.headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize("path", ["/api/nothing", "/api/matches", "/nothing", "/"])
async def test_a_websocket_where_there_is_none_is_refused_without_a_traceback(url, caplog, path):
    with pytest.raises(InvalidStatus, match="403"):
        await connect(url.replace("http", "ws") + path)
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize("path", ["/hall/", "/hall/tournaments"])
async def test_the_page_works_below_a_proxys_path(server, path):
    transport = httpx.ASGITransport(create_app(server), root_path="/hall")
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
        page = await client.get(path)
        assert page.status_code == 200
        assert '<base href="/hall/">' in page.text
        assert f'<meta property="og:url" content="http://localhost:8000{path}">' in page.text
        (styles,) = re.findall(r'href="([^"]+\.css)">', page.text)
        assert (await client.get(f"/hall/{styles}")).status_code == 200
        assert set(re.findall(NEEDED, page.text)) == {"/hall/api/games"}


@pytest.mark.parametrize(
    ("path", "target"),
    [("/matches/m1", "/match/m1"), ("/matches/m1?ply=3", "/match/m1?ply=3"), ("/matches/a%3Fb", "/match/a%3Fb")],
)
async def test_a_plausible_address_of_a_match_leads_to_it(client, path, target):
    answer = await client.get(path, headers=BROWSER)
    assert (answer.status_code, answer.headers["location"]) == (308, target)
