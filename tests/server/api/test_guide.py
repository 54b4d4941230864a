"""The documentation at /guide/, where a site has been built; a page that links to it, and only then."""

import re

import pytest

from palio_rules.errors import BadOption
from palio_server.api import guide
from palio_server.settings import Settings, load

HELP = '<link rel="help" href="{}">'


@pytest.fixture
def site(tmp_path):
    for name, text in {
        "site/index.html": "<p>Tutorials",
        "site/how-to/index.html": "<p>Run a server",
        "site/assets/page.js": "0",
        "site/404.html": "<p>No such page",
        "secret.txt": "secret",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return str(tmp_path / "site")


@pytest.fixture
def answer(server, client_of):
    async def asked(docs, path):
        server.settings = Settings(docs=docs)
        async with client_of(server) as client:
            return await client.get(path)

    return asked


async def test_a_built_site_is_linked_and_served(site, answer):
    page = await answer(site, "/")
    assert HELP.format("/guide/") in page.text
    front = await answer(site, "/guide/")
    assert (front.status_code, front.text) == (200, "<p>Tutorials")
    assert (await answer(site, "/guide/how-to/")).text == "<p>Run a server"
    assert (await answer(site, "/guide")).headers["location"] == "/guide/"


async def test_its_pages_have_the_headers_of_the_page_and_may_style_elements(site, answer):
    script = (await answer(site, "/guide/assets/page.js")).headers
    assert (script["x-content-type-options"], script["cache-control"]) == ("nosniff", "no-cache")
    headers = (await answer(site, "/guide/")).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["cache-control"] == "no-cache"
    assert "script-src 'self';" in headers["content-security-policy"]
    assert "style-src 'self' 'unsafe-inline'" in headers["content-security-policy"]


@pytest.mark.parametrize(
    "path", ["../secret.txt", "%2e%2e/secret.txt", "..%2fsecret.txt", "how-to/..%2f..%2fsecret.txt"]
)
async def test_no_path_leads_out_of_the_folder(site, answer, path):
    said = await answer(site, f"/guide/{path}")
    assert said.status_code in {404, 405}
    assert "secret" not in said.text.replace("secret.txt", "")


async def test_a_page_that_is_not_there_is_the_sites_own_404(site, answer):
    said = await answer(site, "/guide/nothing/")
    assert (said.status_code, said.text) == (404, "<p>No such page")


async def test_an_address_elsewhere_is_linked_and_nothing_is_served(answer):
    assert HELP.format("https://docs.example/palio/") in (await answer("https://docs.example/palio/", "/")).text
    assert (await answer("https://docs.example/palio/", "/guide/")).status_code == 404


async def test_without_a_site_there_is_neither_link_nor_path(answer):
    assert 'rel="help"' not in (await answer(None, "/")).text
    assert (await answer(None, "/guide/")).status_code == 404


def test_a_folder_without_a_site_is_refused_with_the_remedy(tmp_path):
    with pytest.raises(
        BadOption, match=re.escape("there is no index.html in this folder; build the site with `make docs`")
    ):
        load({"PALIO_DOCS": str(tmp_path)})


def test_the_site_of_a_checkout_is_found_where_it_was_built(tmp_path, monkeypatch):
    monkeypatch.setattr(guide, "BUILT", tmp_path / "site")
    assert guide.built() is None
    (tmp_path / "docs").mkdir()
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").touch()
    assert guide.built() == str(tmp_path / "site")
