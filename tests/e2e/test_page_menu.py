"""The page's head: its menu, its drawer on a phone, its search, and the keys that all views have."""

import re

import pytest
from page_checks import complaints, low_contrasts, overflow
from page_server import Stage
from page_story import furnish
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 800}}


def test_the_menu_is_one_row_and_marks_where_one_is(stage: Stage, open_page):
    furnish(stage)
    page = open_page("tournaments")
    views = page.get_by_role("navigation", name="Views")
    expect(views.get_by_role("link")).to_have_text(["Live", "Play", "Tournaments", "Games", "Bots"])
    expect(views.locator("[aria-current]")).to_have_text("Tournaments")
    tops = views.get_by_role("link").evaluate_all(
        "links => new Set(links.map(a => a.getBoundingClientRect().top)).size"
    )
    assert tops == 1


def test_on_a_phone_the_views_are_in_a_drawer(stage: Stage, open_page):
    furnish(stage)
    page = open_page(**PHONE)
    live = page.get_by_role("link", name="Live", exact=True)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(live).to_be_hidden()
    assert page.locator("header").bounding_box()["height"] < 72
    page.get_by_role("button", name="Menu").click()
    expect(live).to_be_visible()
    expect(page.get_by_role("link", name="Hall screen")).to_be_visible()
    assert (complaints(page), low_contrasts(page), overflow(page)) == ([], [], 0)
    page.keyboard.press("Escape")
    expect(live).to_be_hidden()
    expect(page.get_by_role("button", name="Menu")).to_be_focused()
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="Tournaments").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Tournaments")
    expect(live).to_be_hidden()


@pytest.mark.parametrize("options", [{}, PHONE], ids=["wide", "phone"])
def test_the_search_offers_what_has_such_a_name(stage: Stage, open_page, options):
    furnish(stage)
    page = open_page(**options)
    page.get_by_role("heading", name="Live matches").click()
    page.keyboard.press("/")
    search = page.get_by_role("combobox", name="Search")
    expect(search).to_be_focused()
    page.keyboard.type("dom")
    offers = page.get_by_role("listbox", name="Found").get_by_role("option")
    expect(offers).to_have_text([re.compile("Dominoes *game"), re.compile("dom *in all results")])
    assert (complaints(page), low_contrasts(page), overflow(page)) == ([], [], 0)
    page.keyboard.press("ArrowDown")
    expect(page.locator(".offers [aria-selected=true]")).to_contain_text("Dominoes")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/games/dominoes$"))
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("/")
    page.keyboard.type("gr/b")  # letters that are keys elsewhere
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/results\?q=gr%2Fb$"))


def test_g_and_a_letter_goes_to_a_view(stage: Stage, open_page):
    furnish(stage)
    page = open_page("write")
    expect(page.get_by_role("heading", level=1)).to_have_text("Write a bot")
    assert (complaints(page), low_contrasts(page)) == ([], [])
    for letter, path in {"t": "/tournaments", "l": "/", "b": "/bots", "p": "/play", "g": "/games"}.items():
        page.keyboard.press("g")
        page.keyboard.press(letter)
        expect(page).to_have_url(stage.url + path)
