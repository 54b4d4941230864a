"""A viewer or a player whose WebSocket the server refuses is told why, and comes in when the server says."""

from contextlib import suppress
from pathlib import Path

import pytest
from page_checks import complaints, low_contrasts, overflow
from playwright.sync_api import expect
from served_thread import served
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from palio_server.edge.places import SocketRoom
from palio_server.network import entrance

pytestmark = pytest.mark.browser

REFUSED = "WebSocket connection to"  # Chromium's own line about each socket that was not opened


@pytest.mark.parametrize(("view", "words"), [("", ".connection"), ("tv", ".tv-pill")])
@pytest.mark.slow
def test_a_server_without_room_for_viewers_says_so_until_there_is_room(
    browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, view: str, words: str
):
    monkeypatch.setattr(SocketRoom, "within", lambda _: SocketRoom(64, 64, viewers=1, viewers_of_one=1))
    monkeypatch.setattr(entrance, "FULL_S", 1.0)
    with served(tmp_path) as (host, port):
        page = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
        with connect(f"ws://{host}:{port}/ws/live") as viewer:
            viewer.recv()
            page.goto(f"http://{host}:{port}/{view}")
            reason = "this server has as many viewers as it has room for; try again in 1 s"
            expect(page.locator(words)).to_have_text(f"Not live now: {reason} (this page does so by itself).")
            expect(page.locator(".lobby[aria-busy=true]")).to_have_count(0)  # what needs no socket is there
            page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
            assert complaints(page) == []
            assert low_contrasts(page) == []
            assert overflow(page) == 0
        expect(page.get_by_text("Not live now")).to_have_count(0)
        assert [line for line in said if not line.startswith(REFUSED)] == []
        page.context.close()


def test_a_person_who_plays_is_told_why_the_server_opens_no_socket(
    browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(entrance, "FLOODS", 1.0)
    monkeypatch.setattr(entrance, "FLOODS_A_SECOND", 0.1)
    with served(tmp_path) as (host, port):
        page = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
        page.goto(f"http://{host}:{port}/play/breakthrough")
        friend = page.get_by_role("button", name="A friend, by link")
        expect(friend).to_be_enabled()
        flood(f"ws://{host}:{port}/ws/live")
        friend.click()
        told = page.locator(".connection")
        expect(told).to_contain_text("Too many floods have come from your address. Trying again in")
        assert (complaints(page), low_contrasts(page), overflow(page)) == ([], [], 0)
        expect(told).to_have_text("")
        expect(page.get_by_text("a friend …")).to_be_visible()
        expect(page.get_by_text("is not here")).to_have_count(0)  # the host is
        page.context.close()


def flood(url: str) -> None:
    """Send frames until the server closes the connection."""
    with connect(url) as flooding, suppress(ConnectionClosed):
        while True:
            flooding.pong()
