"""The page as the real server gives it: few files under a digest, each view with what it needs, matches in frames."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from page_axe import serious
from page_checks import complaints, low_contrasts
from page_server import Stage, serving
from page_story import add_matches, answer_positions, furnish, replay_of
from playwright.sync_api import Page, expect

from palio_server.api.page_files import read
from palio_server.api.pages import WEB

pytestmark = pytest.mark.browser

TREE = read({path.relative_to(WEB).as_posix(): path.read_bytes() for path in WEB.rglob("*") if path.is_file()})
MOST_KB = 97  # below 100, with some room
FREE = {"match/:id": "match/m-breakthrough", "embed/match/:id": "embed/match/m-breakthrough"}


@pytest.fixture(scope="module")
def standing_stage() -> Iterator[Stage]:
    with serving(Stage(joined=True)) as served:
        yield served


def address(pattern: str) -> str:
    """An address of a view: a match that is there, the game that is, or what is not there."""
    words = [word for word in FREE.get(pattern, pattern).split("/") if not word.endswith("?")]
    return "/".join("breakthrough" if word.startswith(":") else word for word in words)


def asked(page: Page, stage: Stage) -> list[str]:
    """The page's own files that are asked for from now on."""
    found: list[str] = []
    page.on("request", lambda request: found.append(request.url) if "/static/" in request.url else None)
    return found


@pytest.mark.parametrize("view", TREE.views, ids=lambda view: view.name)
def test_every_view_is_drawn_from_what_its_page_names(stage: Stage, open_page, view):
    add_matches(furnish(stage))
    answer_positions(stage, "breakthrough")
    page = open_page()
    files = asked(page, stage)
    page.goto(f"{stage.url}/{address(view.pattern)}")
    expect(page.locator("h1")).to_have_count(1)
    expect(page.get_by_text("could not be loaded")).to_have_count(0)
    page.wait_for_load_state("networkidle")
    scripts = {file.partition(TREE.digest + "/")[2] for file in files if file.endswith(".js")}
    assert scripts <= {*TREE.needs[view.module], "failed.js"} | {
        path for path in TREE.files if path.startswith("vendor/")
    }


def first_load(page: Page, url: str) -> dict[str, float]:
    """Load a page in an empty browser; return what each request transferred, in kB with its headers."""
    context = page.context.browser.new_context()
    fresh = context.new_page()
    session = context.new_cdp_session(fresh)
    session.send("Network.enable")
    asked: dict[str, str] = {}
    found: dict[str, float] = {}
    session.on("Network.requestWillBeSent", lambda event: asked.update({event["requestId"]: event["request"]["url"]}))
    session.on(
        "Network.loadingFinished",
        lambda event: found.update({asked[event["requestId"]]: event["encodedDataLength"] / 1000}),
    )
    fresh.goto(url, wait_until="networkidle")
    expect(fresh.locator("h1")).to_have_count(1)
    context.close()
    return found


@pytest.mark.parametrize("view", TREE.views, ids=lambda view: view.name)
def test_the_page_itself_transfers_less_than_100_kb_on_a_first_load(stage: Stage, open_page, view):
    match = add_matches(furnish(stage))["breakthrough"]
    stage.answers[f"matches/{match.match}/replay"] = replay_of(match)
    answer_positions(stage, "breakthrough")
    loaded = first_load(open_page(), f"{stage.url}/{address(view.pattern)}")
    assert any(name.endswith("/core.js") for name in loaded)
    page = {url: size for url, size in loaded.items() if "/api/" not in url}
    assert len(page) < len(loaded), "what the view asks for is counted apart"
    assert sum(page.values()) <= MOST_KB, sorted(page.items(), key=lambda each: -each[1])


def test_the_hall_asks_for_no_second_icon(stage: Stage, open_page):
    furnish(stage)
    page = open_page()
    icons: list[str] = []
    page.on("request", lambda request: icons.append(request.url) if request.url.endswith("icon.svg") else None)
    page.goto(f"{stage.url}/tv")
    expect(page.locator(".tv-head .banner")).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert [url for url in icons if "/static/" not in url] == []


def test_views_that_are_gone_to_are_loaded_then(stage: Stage, open_page):
    furnish(stage)
    page = open_page()
    expect(page.get_by_role("heading", level=1)).to_have_text("Live matches")
    files = asked(page, stage)
    page.get_by_role("link", name="Write a bot").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Write a bot")
    assert [file.rpartition("/")[2] for file in files if file.endswith(".js")] == ["view_write_bot.js"]


def test_a_page_of_before_an_upgrade_is_loaded_again_once(stage: Stage, open_page):
    furnish(stage)
    page = open_page()
    expect(page.get_by_role("heading", level=1)).to_have_text("Live matches")
    newer = page.content().replace("/page.css", "/page.css?newer")
    page.route("**/write", lambda route: route.fulfill(body=newer, content_type="text/html"))
    page.route("**/view_write_bot.js", lambda route: route.fulfill(status=404, body=""))
    with page.expect_event("framenavigated"):
        page.get_by_role("link", name="Write a bot").click()
    with page.expect_event("load"):
        pass
    expect(page.get_by_text("could not be loaded")).to_be_visible()
    page.unroute("**/write")
    page.unroute("**/view_write_bot.js")
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Write a bot")


def test_a_match_is_shown_in_a_frame_of_another_site(stage: Stage, open_page):
    match = add_matches(furnish(stage))["breakthrough"]
    page = open_page("embed/match/m-breakthrough", viewport={"width": 400, "height": 520})
    expect(page.get_by_role("banner")).to_have_count(0)
    expect(page.get_by_role("contentinfo")).to_have_count(0)
    expect(page.get_by_role("link", name="Open in Palio")).to_have_attribute("href", re.compile("match/m-breakthrough"))
    assert (complaints(page), low_contrasts(page)) == ([], [])
    with blog(
        f'<!doctype html><title>A blog</title><iframe src="{stage.url}/{FREE["embed/match/:id"]}"></iframe>'
    ) as url:
        page.goto(url)
        inside = page.frame_locator("iframe")
        expect(inside.get_by_text(f"ply {len(match.lines)} of")).to_be_visible()
        stage.tell(match, match.play())
        expect(inside.get_by_text(f"ply {len(match.lines)} of {len(match.lines)}")).to_be_visible()


@contextmanager
def blog(text: str) -> Iterator[str]:
    """The address of another site, whose only page this is."""

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/" else 204)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(text.encode() if self.path == "/" else b"")

        def log_message(self, *_words: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join(10)


def test_a_view_loads_its_own_style_sheet_and_no_other_after_the_shared_one(stage: Stage, open_page):
    furnish(stage)
    page = open_page()
    expect(page.get_by_role("heading", level=1)).to_have_text("Live matches")
    sheets = "[...document.styleSheets].map(({ href }) => href.split('/').at(-1))"
    assert page.evaluate(sheets) == ["page.css", "view_lobby.css"]
    files = asked(page, stage)
    page.get_by_role("link", name="Write a bot").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Write a bot")
    assert [file.rpartition("/")[2] for file in files if file.endswith(".css")] == ["view_write.css"]
    page.goto(f"{stage.url}/admin")
    expect(page.locator("main h1")).to_be_visible()
    assert page.evaluate(sheets) == ["page.css", "view_admin.css"]


BROKEN = {
    "missing": {"status": 404, "body": ""},
    "unreadable": {"body": "const = ;", "content_type": "text/javascript"},
    "failing": {"body": "throw new Error('broken');", "content_type": "text/javascript"},
}


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("file", ["core.js", "vendor/preact.js"])
def test_a_page_whose_script_fails_says_so_and_can_be_loaded_again(stage: Stage, open_page, pages, file, how):
    furnish(stage)
    page = open_page()
    page.route(f"**/static/*/{file}", lambda route: route.fulfill(**BROKEN[how]))
    page.goto(f"{stage.url}/bots")
    said = page.get_by_role("alert")
    expect(said).to_contain_text("This page could not start")
    expect(said.get_by_role("button")).to_be_in_viewport()
    assert serious(page) == []
    page.unroute(f"**/static/*/{file}")
    said.get_by_role("button", name="Load it again").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Bots")
    expect(page.locator("#failed")).to_have_count(0)
    pages.complaints.clear()  # the browser names the error


def test_a_view_whose_first_drawing_fails_says_so(stage: Stage, open_page, pages):
    furnish(stage)
    page = open_page()
    broken = "export const components_write_bot = { WriteBot() { throw new Error('broken'); } };"
    page.route("**/view_write_bot.js", lambda route: route.fulfill(body=broken, content_type="text/javascript"))
    page.goto(f"{stage.url}/write")
    expect(page.get_by_role("alert")).to_contain_text("This page could not start")
    pages.complaints.clear()


def test_a_page_that_has_started_does_not_say_that_it_has_not(stage: Stage, open_page, pages):
    furnish(stage)
    page = open_page()
    expect(page.get_by_role("heading", level=1)).to_have_text("Live matches")
    page.evaluate("new Promise((done) => setTimeout(() => { setTimeout(done, 0); throw new Error('later'); }, 0))")
    expect(page.locator("#failed")).to_have_count(0)
    pages.complaints.clear()
