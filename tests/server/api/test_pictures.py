"""Pictures of matches, at the addresses that shared links name."""

import struct
from xml.etree import ElementTree as ET

import pytest


@pytest.fixture
async def match(server, client, breakthrough):
    server.join("ann")
    server.join("bob")
    found = (await client.post("/api/matches", json=breakthrough | {"bots": ["ann", "bob"]})).json()["match"]
    await server.finished(found)
    return found


async def test_a_board_is_drawn_at_any_ply(client, match):
    newest = await client.get(f"/match/{match}/board.svg")
    assert newest.headers["content-type"].startswith("image/svg+xml")
    assert "max-age=86400" in newest.headers["cache-control"]
    ET.fromstring(newest.text)  # our own
    start = await client.get(f"/match/{match}/board.svg?ply=0")
    later = await client.get(f"/match/{match}/board.svg?ply=1")
    assert len({newest.text, start.text, later.text}) == 3
    assert (await client.get(f"/match/{match}/board.svg?ply=999")).text == newest.text


async def test_who_has_the_picture_is_not_sent_it_again(client, match):
    tag = (await client.get(f"/match/{match}/board.svg")).headers["etag"]
    again = await client.get(f"/match/{match}/board.svg", headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")


async def test_a_preview_is_a_png_with_the_result(client, match):
    pytest.importorskip("resvg_py")
    preview = await client.get(f"/match/{match}/preview.png")
    assert preview.headers["content-type"] == "image/png"
    assert struct.unpack(">II", preview.content[16:24]) == (1200, 630)
    assert (await client.get(f"/match/{match}/preview.png?ply=0")).content != preview.content


async def test_without_the_library_the_answer_says_what_to_install(client, match, monkeypatch):
    from palio_server.api import pictures

    monkeypatch.setattr(pictures, "png", lambda svg: None)
    answer = await client.get(f"/match/{match}/preview.png")
    assert answer.status_code == 501
    assert "install resvg-py" in answer.json()["error"]["reason"]


async def test_a_match_that_is_not_known_and_a_ply_that_is_no_number(client, match):
    assert (await client.get("/match/nothing/board.svg")).status_code == 404
    bad = await client.get(f"/match/{match}/board.svg?ply=x")
    assert bad.status_code == 422
    assert "ply" in bad.json()["error"]["reason"]


async def test_the_page_of_the_match_is_still_at_its_address(client, match):
    assert "<!doctype html>" in (await client.get(f"/match/{match}")).text


def test_a_picture_is_drawn_once_and_kept():
    import asyncio

    from palio_server.api.pictures import Pictures

    async def twice():
        pictures, drawn = Pictures(), []
        for _ in range(2):
            found = await pictures.of("key", lambda: drawn.append(1) or b"picture")
        return found, len(drawn)

    assert asyncio.run(twice()) == (b"picture", 1)
