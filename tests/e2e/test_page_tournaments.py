"""The list of tournaments, and the form that makes one, in a real browser."""

import re

import pytest
from page_checks import complaints, low_contrasts, overflow
from page_events import CONTRADE, add_events, item
from page_matches import PlayedMatch
from page_server import Stage, refusal
from page_story import furnish
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


@pytest.fixture
def events(stage: Stage) -> Stage:
    add_events(furnish(stage))
    return stage


def test_the_menu_leads_to_the_list_and_the_list_to_an_event(open_page, events):
    page = open_page()
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Tournaments").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Tournaments")
    cup = page.get_by_role("link", name="Siena Cup 2026")
    expect(cup).to_contain_text("Breakthrough · Swiss · 16 bots")
    expect(cup).to_contain_text("round 5 of 7")
    expect(cup).to_contain_text("drago leads")
    expect(page.get_by_role("link", name="Winter cup")).to_contain_text("civetta won")
    cup.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Siena Cup 2026")
    expect(page.get_by_role("navigation", name="Views").locator("[aria-current]")).to_have_text("Tournaments")


@pytest.mark.parametrize(
    ("verdict", "said"), [("H1", "nn is stronger"), ("H0", "nn is not stronger"), ("continue", "not decided")]
)
def test_a_test_that_is_over_says_in_the_list_what_it_found(open_page, events, verdict, said):
    test = item(4, "Is nn better?", "sprt", ["nn", "old"], stage="finished", leader="nn", verdict=verdict)
    events.answers["tournaments"] = [test]
    expect(open_page("tournaments").get_by_role("link", name="Is nn better?")).to_contain_text(said)


def test_the_list_names_what_is_being_played_and_follows_results(open_page, events):
    match = events.add(PlayedMatch("m", "breakthrough", CONTRADE[:2], event="Siena Cup 2026", tournament=7))
    match.start()
    page = open_page("tournaments")
    cup = page.get_by_role("link", name="Siena Cup 2026")
    expect(cup).to_contain_text("now civetta \u2013 aquila")
    events.answers["tournaments"][0]["finished"] = 34
    events.tell(match, match.to_the_end().finish(match.result))
    expect(cup).to_contain_text("34/56")
    expect(cup).not_to_contain_text("now civetta")


def test_an_empty_list_names_the_command(stage: Stage, open_page):
    furnish(stage)
    page = open_page("tournaments")
    expect(page.get_by_text("No tournament yet.")).to_be_visible()
    expect(page.locator("pre")).to_contain_text("palio run breakthrough --format swiss")


def fill(page: Page, name: str = "Spring cup") -> None:
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Format").select_option("swiss")
    page.get_by_label("Rounds").fill("5")
    page.get_by_label("Clock").fill("10+0.1")
    page.get_by_role("button", name="All 4").click()


def test_the_form_begins_with_a_round_robin_and_nobody_ticked(open_page, events):
    page = open_page("tournaments/new")
    expect(page.get_by_label("Format")).to_have_value("round_robin")
    bots = page.get_by_role("group", name="Bots")
    expect(bots.get_by_role("checkbox")).to_have_count(4)
    expect(bots.get_by_role("checkbox", checked=True)).to_have_count(0)
    expect(bots).to_contain_text("0 bots")
    bots.get_by_role("button", name="All 4").click()
    expect(bots.get_by_role("checkbox", checked=True)).to_have_count(4)
    bots.get_by_role("button", name="None of them").click()
    expect(bots.get_by_role("checkbox", checked=True)).to_have_count(0)
    page.get_by_label("emmy").check()
    expect(bots).to_contain_text("1 bot")


def test_the_form_makes_an_event_and_starts_it(open_page, events):
    events.on_post = lambda body, token: (201, {"id": 7})
    page = open_page("tournaments/new")
    fill(page)
    page.get_by_label("sofia").uncheck()
    page.get_by_label("Others, by name").fill("late-one, ada")
    page.get_by_role("button", name="Make and start").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Siena Cup 2026")
    [(path, body, _)] = events.posts
    assert path == "tournaments"
    assert body == {
        "name": "Spring cup",
        "game": "breakthrough",
        "format": "swiss",
        "rules": {"rounds": 5},
        "options": {},
        "bots": ["ada", "grace", "emmy", "late-one"],
        "admits": "listed",
        "tc": "10+0.1",
        "start": True,
    }


def test_an_event_that_is_to_start_by_hand_is_not_started(open_page, events):
    events.on_post = lambda body, token: (201, {"id": 7})
    page = open_page("tournaments/new")
    fill(page)
    page.get_by_label("Start by hand").check()
    page.get_by_role("button", name="Make the tournament").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Siena Cup 2026")
    assert "start" not in events.posts[0][1]


@pytest.mark.parametrize(
    ("reason", "label"),
    [
        ("swiss: rounds must be at least 1, got -5", "Rounds"),
        ("'10+0.1' is no time control; write seconds+increment", "Clock"),
        ("games_per_encounter: 3 is neither 1 nor 2", "games per encounter"),
    ],
)
def test_a_refusal_stands_at_the_field_that_it_is_about(open_page, events, reason, label):
    events.on_post = lambda body, token: (422, refusal("bad-value", reason))
    page = open_page("tournaments/new")
    fill(page)
    page.get_by_role("button", name="Make and start").click()
    field = page.get_by_label(label)
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_be_focused()
    expect(page.locator(".field", has=field).get_by_role("alert")).to_have_text(reason)


def test_a_time_to_start_is_asked_for_before_anything_is_posted(open_page, events):
    events.on_post = lambda body, token: (201, {"id": 7})
    page = open_page("tournaments/new")
    page.get_by_label("Start at a time").check()
    page.get_by_role("button", name="Make the tournament").click()
    expect(page.get_by_text("Say when it starts")).to_be_visible()
    expect(page.get_by_label("Starts at")).to_be_focused()
    assert events.posts == []
    page.get_by_label("Starts at").fill("2026-12-24T18:00")
    page.get_by_role("button", name="Make the tournament").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Siena Cup 2026")
    assert re.fullmatch(r"2026-12-2\dT\d\d:00:00\.000Z", events.posts[0][1]["starts_at"])


def test_a_refusal_about_no_field_stands_above_the_button_and_a_token_is_asked_for(open_page, events):
    reason = "this server wants a token that may manage; palio token makes one"
    events.on_post = lambda body, token: (201, {"id": 7}) if token else (401, refusal("bad-token", reason))
    page = open_page("tournaments/new")
    fill(page)
    page.get_by_role("button", name="Make and start").click()
    expect(page.locator(".form-error")).to_have_text(reason)
    page.get_by_label("Token").fill("secret")
    page.get_by_role("button", name="Make and start").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Siena Cup 2026")
    assert events.posts[-1][2] == "Bearer secret"


@pytest.mark.first(2)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", ["tournaments", "tournaments/new"])
@pytest.mark.parametrize("width", [390, 1280])
def test_list_and_form_are_for_everybody(open_page, events, view, scheme, width):
    page = open_page(view, color_scheme=scheme, viewport={"width": width, "height": 800})
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("ournament"))
    page.wait_for_load_state("networkidle")
    for details in page.locator("main details").all():
        details.evaluate("e => { e.open = true }")
    assert overflow(page) == 0
    assert complaints(page) == []
    assert low_contrasts(page) == []
