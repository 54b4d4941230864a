"""All results: filters that the address keeps, and pages back to the oldest."""

import re

import pytest
from page_bots import furnish_bots, match
from page_checks import complaints, low_contrasts, overflow
from page_server import Stage
from playwright.sync_api import expect

from palio_rules.contract.messages import SeatOf

pytestmark = pytest.mark.browser


def test_filters_write_the_address_and_the_address_sets_the_filters(stage: Stage, open_page):
    furnish_bots(stage)
    page = open_page("results")
    expect(page.locator(".results-table tbody tr")).to_have_count(2)
    page.get_by_label("Game").select_option("dominoes")
    expect(page).to_have_url(re.compile(r"results\?game=dominoes$"))
    with page.expect_request(re.compile(r"api/matches\?.*game=dominoes.*ended=fault")):
        page.get_by_label("Ended").select_option("fault")
    page.get_by_role("searchbox", name="Search").fill("siena")
    expect(page).to_have_url(re.compile(r"q=siena&game=dominoes&ended=fault$"))
    page.reload()
    expect(page.get_by_label("Ended")).to_have_value("fault")
    expect(page.get_by_role("searchbox", name="Search")).to_have_value("siena")


def test_what_came_with_the_address_can_be_taken_off(stage: Stage, open_page):
    furnish_bots(stage)
    page = open_page("results?bot=torre&against=oca&outcome=won")
    page.get_by_role("link", name="against oca: take off").click()
    expect(page).to_have_url(re.compile(r"results\?bot=torre&outcome=won$"))
    page.get_by_role("link", name="torre: take off").click()
    expect(page).to_have_url(re.compile(r"results$"))


def test_every_name_is_a_link(stage: Stage, open_page):
    furnish_bots(stage)
    page = open_page("results")
    expect(page.locator(".results-table tbody tr")).to_have_count(2)
    row = page.locator(".results-table tbody tr").first
    links = {each.inner_text(): each.get_attribute("href") for each in row.get_by_role("link").all()}
    assert links == {
        "torre": "bots/torre",
        "oca": "bots/oca",
        "1 \N{EN DASH} 0": "match/m0001",
        "Breakthrough": "games/breakthrough",
        "Siena Cup": "tournaments/7",
    }


def test_seats_are_shown_by_the_pieces_of_their_game(stage: Stage, open_page):
    """A pawn is a path, bars of dominoes are boxes; the seats of a game that is not installed here are discs."""
    dominoes = {"game": "dominoes", "title": "Dominoes", "seats": [SeatOf("vertical", "a"), SeatOf("horizontal", "b")]}
    gone = {"game": "gone", "title": "Gone"}
    furnish_bots(stage).answers["matches"] = [match(1), match(2, **dominoes), match(3, **gone)]
    page = open_page("results")
    rows = page.locator(".results-table tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.nth(0).locator(".token path.body")).to_have_count(2)
    boxes = rows.nth(1).locator(".token g rect.body")
    assert [(box.get_attribute("width"), box.get_attribute("height")) for box in boxes.all()] == [
        ("78", "178"),
        ("178", "78"),
    ]
    expect(rows.nth(2).locator(".token circle.body")).to_have_count(2)


def test_pages_go_back_to_the_oldest(stage: Stage, open_page):
    furnish_bots(stage).answers["matches"] = [match(number) for number in range(51)]
    page = open_page("results")
    expect(page.locator(".results-table tbody tr")).to_have_count(50)
    page.get_by_role("link", name="Older").click()
    expect(page).to_have_url(re.compile(r"before=m0049$"))
    stage.answers["matches"] = [match(51)]
    page.reload()
    expect(page.get_by_text("These are the oldest.")).to_be_visible()
    page.get_by_role("link", name="The newest").click()
    expect(page).to_have_url(re.compile(r"results$"))


def test_nothing_found_has_a_way_on(stage: Stage, open_page):
    furnish_bots(stage).answers["matches"] = []
    expect(open_page("results?q=nobody").get_by_role("link", name="All results")).to_be_visible()
    expect(open_page("results").get_by_role("link", name="Start one")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_it_can_be_read_at_any_width_in_light_and_dark(stage: Stage, open_page, width, scheme):
    furnish_bots(stage)
    page = open_page("results", viewport={"width": width, "height": 900}, color_scheme=scheme)
    expect(page.locator(".results-table tbody tr")).to_have_count(2)
    assert complaints(page) == []
    assert low_contrasts(page) == []
    assert overflow(page) == 0
