"""The previews of links: titles, descriptions and pictures, from the store, and escaped."""

import re

import pytest

from palio_server.api.pages import Head

SMALL = {"game": "breakthrough", "options": {"rows": 5, "cols": 3}}


def properties(text: str) -> dict[str, str]:
    return dict(re.findall(r'<meta property="([^"]+)" content="([^"]*)">', text))


async def test_a_finished_match_says_who_won_and_shows_its_board(server, client):
    server.join("ann")
    server.join("bob")
    match = (await client.post("/api/matches", json={**SMALL, "bots": ["ann", "bob"]})).json()["id"]
    await server.finished(match)
    page = await client.get(f"/match/{match}?ply=3")
    assert page.status_code == 200
    assert "<title>ann against bob, Breakthrough · Palio</title>" in page.text
    said = properties(page.text)
    assert re.match(r"(ann|bob) wins by rule: .+ after \d+ plies", said["og:description"])
    assert said["og:image"] == f"{client.base_url}/match/{match}/preview.png?ply=3"
    assert said["og:url"] == f"{client.base_url}/match/{match}"
    assert '<meta name="twitter:card" content="summary_large_image">' in page.text
    odd = await client.get(f'/match/{match}?ply="><script>')
    assert properties(odd.text)["og:image"].endswith("/preview.png")
    assert "<script>" not in odd.text


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("/", "Palio"),
        ("/tournaments", "Tournaments · Palio"),
        ("/tournaments/new", "Tournaments · Palio"),
        ("/games/chexers", "Chexers · Palio"),
        ("/write", "Write a bot · Palio"),
    ],
)
async def test_a_view_has_its_title(client, path, title):
    page = await client.get(path)
    assert page.status_code == 200
    assert f"<title>{title}</title>" in page.text
    assert page.text.count('<meta name="description"') == 1


@pytest.mark.parametrize("path", ["/match/none", "/embed/match/none", "/tournaments/77", "/tournaments/x", "/games/x"])
@pytest.mark.first(1)
async def test_what_is_unknown_has_the_status_404(client, path):
    assert (await client.get(path)).status_code == 404


async def test_names_are_escaped(server, client):
    name = '"><img src=x>&'
    created = await client.post("/api/tournaments", json={"game": "breakthrough", "name": name, "bots": ["ann", "bob"]})
    assert created.status_code == 201, created.text
    page = await client.get(f"/tournaments/{created.json()['id']}")
    assert page.status_code == 200
    assert "<img" not in page.text
    assert properties(page.text)["og:title"] == "&quot;&gt;&lt;img src=x&gt;&amp;"


def test_a_head_is_found_unless_it_says_otherwise():
    assert Head().found
