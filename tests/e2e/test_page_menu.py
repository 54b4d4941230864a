"""The page's head: its menu, its drawer on a phone, its search, and the keys that all views have."""

import re

import pytest
from page_axe import serious
from page_checks import complaints, low_contrasts, overflow
from page_server import Stage
from page_story import add_matches, furnish
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

KEYS = {"t": "/tournaments", "l": "/", "b": "/bots", "p": "/play", "r": "/results", "e": "/leaderboards", "g": "/games"}
PHONE = {"viewport": {"width": 390, "height": 800}}


def test_the_menu_is_one_row_and_marks_where_one_is(stage: Stage, open_page):
    furnish(stage)
    page = open_page("tournaments")
    views = page.get_by_role("navigation", name="Views")
    expect(views.get_by_role("link")).to_have_text(
        ["Live", "Play", "Tournaments", "Results", "Leaderboards", "Games", "Bots"]
    )
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
    for letter, path in KEYS.items():
        page.keyboard.press("g")
        page.keyboard.press(letter)
        expect(page).to_have_url(stage.url + path)


@pytest.mark.parametrize("width", [960, 1024, 1280])
def test_the_head_is_one_row_and_nothing_of_it_is_cut(stage: Stage, open_page, width):
    furnish(stage)
    page = open_page("write", viewport={"width": width, "height": 800})
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.locator(".masthead").bounding_box()["height"] < 80
    assert overflow(page) == 0


def test_leaderboards_are_in_the_menu_game_by_game(stage: Stage, open_page):
    furnish(stage)
    page = open_page("games")
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Leaderboards").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Leaderboards")
    games = page.get_by_role("navigation", name="Game")
    games.get_by_role("link", name="Breakthrough").click()
    expect(page).to_have_url(re.compile("/leaderboards/breakthrough$"))
    expect(games.locator("[aria-current]")).to_have_text("Breakthrough")
    expect(page.locator("table.leaders")).to_be_visible()
    expect(page.get_by_role("navigation", name="Views").locator("[aria-current]")).to_have_text("Leaderboards")
    assert (complaints(page), low_contrasts(page)) == ([], [])


@pytest.mark.parametrize("view", ["", "results", "games", "play", "match/m-breakthrough", "tv", "write"])
def test_a_question_mark_lists_the_keys_on_every_view(stage: Stage, open_page, view):
    add_matches(furnish(stage))
    page = open_page(view)
    expect(page.locator("main h1, .tv")).not_to_have_count(0)
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    expect(keys).to_be_visible()
    expect(keys.locator("dt", has_text="?")).to_have_count(1)
    assert serious(page) == []
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()
    page.keyboard.press("?")
    page.keyboard.press("?")
    expect(keys).to_be_hidden()


def test_a_question_mark_that_is_typed_lists_nothing(stage: Stage, open_page):
    furnish(stage)
    page = open_page("results")
    page.keyboard.press("/")
    page.keyboard.type("who?")
    expect(page.get_by_role("combobox", name="Search")).to_have_value("who?")
    expect(page.get_by_role("dialog")).to_have_count(0)
