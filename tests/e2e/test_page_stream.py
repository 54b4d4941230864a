"""The page asks for that part of the lobby which a view shows, by one socket, and notices when the server is silent."""

import pytest
from page_bots import furnish_bots
from page_events import add_events
from page_server import LOBBY, Stage
from page_story import add_matches, furnish
from playwright.sync_api import expect

from palio_server import live

pytestmark = pytest.mark.browser

LOST = "connection lost, reconnecting …"
WISHES = {
    "": "boards=16",
    "bots": "boards=0",
    "bots/torre": "boards=6&bot=torre",
    "games/breakthrough": "boards=0",
    "tournaments": "boards=16",
    "tournaments/7": "boards=32&event=7",
    "tv": "boards=34",
    "tv?bot=ada&game=breakthrough": "boards=34&bot=ada&game=breakthrough",
    "tv?pin=m-dominoes": "",  # it may be an old one
}


@pytest.mark.parametrize("address", WISHES)
def test_a_view_asks_for_what_it_shows_and_no_more(stage: Stage, open_page, address):
    add_matches(furnish(stage))
    add_events(furnish_bots(stage))
    page = open_page(address)
    expect(page.locator("main :is(h1, h2), .tv .hero").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert stage.wishes == [WISHES[address]]


@pytest.mark.parametrize("address", ["", "match/m-breakthrough"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_cut_that_says_nothing_is_told_after_ten_seconds_and_the_picture_stays_grey(
    stage: Stage, open_page, address, scheme
):
    match = add_matches(furnish(stage))["breakthrough"]
    stage.answers["live"] = {"open": True, "reason": "", "retry_s": 0}
    page = open_page(address, color_scheme=scheme)
    page.clock.install()
    page.clock.resume()  # another test may have stopped it
    page.goto(page.url)
    clock = page.get_by_role("timer").first
    expect(clock).to_be_visible()
    topic = match.match if address else LOBBY
    stage.raw(topic, live.Heartbeat(3000))
    stage.tell(match, match.play())
    expect(page.get_by_text(f"ply {len(match.lines)}").first).to_be_visible()
    page.clock.pause_at(page.evaluate("Date.now() / 1000") + 1)
    stage.closed_to_viewers = True
    page.clock.run_for(7_000)
    expect(page.get_by_text(LOST)).to_have_count(0)
    page.clock.run_for(4_000)
    expect(page.get_by_text(LOST)).to_be_visible()
    view = page.locator(".connection ~ *").first
    expect(view).to_have_css("filter", "grayscale(1) opacity(0.75)")
    stood = clock.text_content()
    page.clock.run_for(3_000)
    assert clock.text_content() == stood, "clocks stand still"
    stage.closed_to_viewers = False
    page.clock.run_for(15_000)
    expect(page.get_by_text(LOST)).to_have_count(0)
    expect(view).to_have_css("filter", "none")
