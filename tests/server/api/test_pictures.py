"""Pictures of matches, at the addresses that shared links name."""

import asyncio
import struct
import threading
from io import BytesIO
from xml.etree import ElementTree as ET

import pytest

from palio_server.api import pictures as module
from palio_server.api.answers import ApiError
from palio_server.api.pictures import Pictures
from palio_server.api.quotas import WorkQuota


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
    monkeypatch.setattr(module, "png", lambda svg: None)
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
    async def twice():
        pictures, drawn = Pictures(), []
        for _ in range(2):
            found = await pictures.of("key", lambda: drawn.append(1) or b"picture")
        return found, len(drawn)

    assert asyncio.run(twice()) == (b"picture", 1)


async def test_a_finished_match_is_an_animation_that_is_drawn_once(client, server, match, monkeypatch):
    image = pytest.importorskip("PIL.Image")
    pytest.importorskip("resvg_py")
    moving = await client.get(f"/match/{match}/animation.gif")
    assert (moving.status_code, moving.headers["content-type"]) == (200, "image/gif")
    assert "max-age=86400" in moving.headers["cache-control"]
    with image.open(BytesIO(moving.content)) as found:
        assert found.n_frames == len((await server.store.record(match)).plies) + 1
    monkeypatch.setattr(module, "gif", lambda replay: pytest.fail("it is kept"))
    again = await client.get(f"/match/{match}/animation.gif")
    assert again.content == moving.content
    tag = {"If-None-Match": moving.headers["etag"]}
    assert (await client.get(f"/match/{match}/animation.gif", headers=tag)).status_code == 304


async def test_a_match_that_is_not_over_has_no_animation_yet(server, client, breakthrough):
    for name in ("ann", "bob"):
        server.join(name, patient=True)
    found = (await client.post("/api/matches", json=breakthrough | {"bots": ["ann", "bob"]})).json()["match"]
    refused = await client.get(f"/match/{found}/animation.gif")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "not-finished")
    assert "preview.png" in refused.json()["error"]["reason"]
    assert (await client.get("/match/nothing/animation.gif")).status_code == 404


async def test_without_the_libraries_an_animation_is_refused_with_their_names(client, match, monkeypatch):
    monkeypatch.setattr(module, "gif", lambda replay: None)
    refused = await client.get(f"/match/{match}/animation.gif")
    assert refused.status_code == 501
    assert "install resvg-py and pillow" in refused.json()["error"]["reason"]


async def test_an_address_that_has_many_animations_drawn_is_told_to_wait(client):
    client._transport.app.state.work = WorkQuota(lambda: 0.0)
    answers = [await client.get(f"/match/none{number}/animation.gif") for number in range(17)]
    assert [each.status_code for each in answers] == [404] * 16 + [429]
    assert answers[-1].json()["error"]["code"] == "too-much-work"
    assert int(answers[-1].headers["retry-after"]) > 0


async def test_a_private_server_shows_strangers_no_animation(private_server, client_of):
    async with client_of(private_server) as stranger:
        for name in ("animation.gif", "preview.png", "board.svg"):
            assert (await stranger.get(f"/match/x/{name}")).status_code == 401


async def test_requests_beyond_the_waiting_ones_are_refused_and_room_comes_back():
    pictures, go_on, drawn = Pictures(10_000, 1, 2), threading.Event(), []

    def slow() -> bytes:
        drawn.append(1)
        go_on.wait(20)
        return b"picture"

    waiting = [asyncio.create_task(pictures.of(key, slow)) for key in ("a", "a")]
    await asyncio.sleep(0)
    with pytest.raises(ApiError, match="too many animations"):
        await pictures.of("b", slow)
    go_on.set()
    assert await asyncio.gather(*waiting) == [b"picture"] * 2
    assert len(drawn) == 1, "the second request of the same match waited for the first"
    assert await pictures.of("b", slow) == b"picture"


async def test_the_oldest_pictures_leave_when_the_cache_is_full():
    pictures = Pictures(limit=10)
    for key in "abc":
        await pictures.of(key, lambda: b"12345")
    assert [pictures.kept(key) is None for key in "abc"] == [True, False, False]
