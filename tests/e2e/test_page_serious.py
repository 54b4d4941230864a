"""Events, bots, results and the pages of text, as axe-core sees them; and by keys alone."""

import re

import pytest
from page_axe import serious
from page_bots import furnish_bots
from page_checks import complaints, low_contrasts, overflow
from page_events import add_events
from page_server import Stage, refusal
from page_story import add_matches
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
VIEWS = {
    "events": ("tournaments", "Tournaments"),
    "new event": ("tournaments/new", "New tournament"),
    "standings": ("tournaments/7", "Standings"),
    "rounds": ("tournaments/7/rounds", "Round"),
    "cross-table": ("tournaments/7/cross", "Cross-table"),
    "entries": ("tournaments/7/entries", "entered"),
    "rules": ("tournaments/7/rules", "Rules of the event"),
    "bracket": ("tournaments/8", "How ties are broken"),
    "test": ("tournaments/9", "Log-likelihood ratio"),
    "groups": ("tournaments/10", "Groups"),
    "bots": ("bots", "Bots"),
    "bot": ("bots/torre", "Opponents"),
    "results": ("results", "Results"),
    "writing": ("write", "Write a bot"),
    "lost": ("match/nowhere/at/all", "Page not found"),
}


@pytest.fixture
def events(stage: Stage) -> Stage:
    furnish_bots(stage)
    add_matches(stage)
    add_events(stage)
    return stage


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_nothing_serious_is_found(open_page, events, view, scheme):
    address, heading = VIEWS[view]
    page = open_page(address, color_scheme=scheme, reduced_motion="reduce")
    expect(page.get_by_role("heading", name=heading).first).to_be_attached()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    assert serious(page) == []
    assert (complaints(page), low_contrasts(page)) == ([], [])


@pytest.mark.parametrize("view", VIEWS)
def test_no_view_is_wider_than_a_phone(open_page, events, view):
    address, heading = VIEWS[view]
    page = open_page(address, **PHONE)
    expect(page.get_by_role("heading", name=heading).first).to_be_attached()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    assert overflow(page) == 0


@pytest.mark.parametrize("view", ["entries", "standings"])
def test_a_table_wider_than_a_phone_says_so(open_page, events, view):
    page = open_page(VIEWS[view][0], **PHONE)
    table = page.locator(".wide-table").first
    expect(table.get_by_text("Scroll sideways for the other columns.")).to_be_visible()
    table.locator(".scroll").evaluate("it => { it.scrollLeft = it.scrollWidth }")
    expect(table).not_to_have_attribute("data-more", "")


def test_a_part_of_the_page_is_one_landmark_also_with_a_wide_table(open_page, events):
    page = open_page(VIEWS["standings"][0], **PHONE)
    expect(page.locator(".wide-table .scroll").first).to_be_visible()
    expect(page.get_by_role("region", name="Standings")).to_have_count(1)


def test_a_refused_entry_stands_at_its_field_and_nothing_typed_is_lost(open_page, events):
    said = "'a b' is no name for a bot; use up to 64 letters a to z, digits, dots, dashes and underscores"
    events.on_post = lambda body, token: (422, refusal("bad-bots", said))
    page = open_page("tournaments/7/entries")
    form = page.get_by_role("form", name="Enter a bot")
    name = form.get_by_label("Bot")
    name.focus()
    page.keyboard.type("a b")
    page.keyboard.press("Tab")
    page.keyboard.type("1650")
    page.keyboard.press("Enter")
    expect(form.locator(".field[data-wrong]").get_by_role("alert")).to_have_text(said)
    expect(name).to_be_focused()
    expect(name).to_have_value("a b")
    expect(form.get_by_label("Rating")).to_have_value("1650")
    assert serious(page) == []


def test_results_are_filtered_by_keys_alone(open_page, events):
    page = open_page("results")
    page.get_by_role("searchbox", name="Search").focus()
    page.keyboard.press("Tab")
    expect(page.get_by_label("Game")).to_be_focused()
    page.keyboard.type("Brea")
    expect(page).to_have_url(re.compile(r"results\?game=breakthrough$"))
    expect(page.get_by_label("Game")).to_be_focused()


def test_a_bot_in_a_bracket_shows_its_way_and_leads_to_its_page(open_page, events):
    page = open_page("tournaments/8")
    first = page.locator(".pairing li").first
    name = first.locator(".bot").inner_text()
    first.get_by_role("button").click()
    expect(page.get_by_role("heading", name=f"The way of {name}")).to_be_visible()
    page.get_by_role("heading", name=f"The way of {name}").get_by_role("link").click()
    expect(page).to_have_url(re.compile(f"/bots/{re.escape(name)}$"))
    page.go_back()
    page.locator(".pairing li").first.get_by_role("link").click()
    expect(page).to_have_url(re.compile(f"/bots/{re.escape(name)}$"))
