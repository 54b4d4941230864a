"""Wide pages and narrow ones: tables that do not fit say so, and large screens are used."""

import pytest
from page_checks import complaints, overflow
from page_server import Stage
from page_story import furnish
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_a_table_that_does_not_fit_scrolls_and_says_so(stage: Stage, open_page):
    furnish(stage)
    page = open_page("games/breakthrough", viewport={"width": 390, "height": 800})
    table = page.get_by_role("region", name="leaderboard")
    expect(table).to_have_accessible_description("Scroll sideways for the other columns.")
    faded = page.locator(".wide-table[data-more]", has=page.get_by_role("table", name="Ratings are Elo"))
    expect(faded).to_have_count(1)
    table.evaluate("e => e.scrollTo(9999, 0)")
    expect(faded).to_have_count(0)
    name = table.get_by_role("rowheader", name="ada").bounding_box()
    assert name is not None
    assert name["x"] >= 0, "the names stay in sight"
    assert (complaints(page), overflow(page)) == ([], 0)


def test_a_table_that_fits_says_nothing(stage: Stage, open_page):
    furnish(stage)
    page = open_page("games/breakthrough")
    expect(page.get_by_role("region", name="leaderboard")).to_be_visible()
    expect(page.get_by_text("Scroll sideways")).to_have_count(0)


@pytest.mark.parametrize(("width", "root", "wide"), [(1280, 16, 1280), (1920, 16, 1792), (3840, 20, 2240)])
def test_the_content_is_as_wide_as_the_window_up_to_a_limit(stage: Stage, open_page, width, root, wide):
    furnish(stage)
    page = open_page(viewport={"width": width, "height": 900})
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)") == root
    window = page.evaluate("document.querySelector('#app').offsetWidth")
    assert page.evaluate("document.querySelector('main').offsetWidth") == min(wide, window)
    assert overflow(page) == 0
