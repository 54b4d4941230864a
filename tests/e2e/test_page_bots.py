"""A bot's page and the list of all bots, in a real browser."""

import re

import pytest
from msgspec.structs import replace
from page_bots import GAME, furnish_bots, rated, report, torre
from page_checks import complaints, low_contrasts, overflow
from page_matches import PlayedMatch
from page_server import Stage
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_a_name_in_a_list_leads_to_the_bots_page(stage: Stage, open_page):
    furnish_bots(stage)
    page = open_page("bots")
    expect(page.get_by_role("row").filter(has_text="torre")).to_contain_text("Breakthrough 1876")
    expect(page.get_by_role("row").filter(has_text="oca")).to_contain_text("absent")
    page.get_by_role("link", name="torre", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("torre")
    expect(page.get_by_text("Alpha-beta with a table of a million positions.")).to_be_visible()
    expect(page.get_by_role("link", name="place 5 of 16")).to_be_visible()


def test_the_chart_is_drawn_and_read_by_keys(stage: Stage, open_page):
    furnish_bots(stage)
    page = open_page("bots/torre")
    chart = page.get_by_role("slider", name="Rating over time")
    expect(chart.locator("canvas")).to_be_visible()
    assert chart.locator("canvas").evaluate(
        "it => it.getContext('2d').getImageData(0, 0, it.width, it.height).data.some(byte => byte)"
    )
    expect(chart).to_have_attribute("aria-valuetext", re.compile("1873, give or take 41"))
    chart.focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(chart).to_have_attribute("aria-valuetext", re.compile("1866, give or take 42"))
    rows = chart.locator("xpath=..").locator(".chart-table tbody tr")
    expect(rows).to_have_count(40)
    page.get_by_role("button", name="30 days").click()
    expect(rows).to_have_count(16)


def test_filters_of_recent_matches_ask_the_server_and_a_fault_is_the_bots_own(stage: Stage, open_page):
    furnish_bots(stage)
    page = open_page("bots/torre")
    expect(page.locator(".bot-matches li")).to_have_count(2)
    expect(page.locator(".bot-matches [data-fault]")).to_have_text("lost on time")
    expect(page.locator(".bot-matches .token path.body")).to_have_count(2)  # pawns, the pieces of the game
    with page.expect_request(re.compile(r"api/matches\?.*outcome=fault")):
        page.get_by_role("button", name="Faults").click()
    with page.expect_request(re.compile(r"api/matches\?.*seat=1")):
        page.get_by_role("button", name="As White", exact=True).click()
    expect(page.get_by_role("link", name="Search all 683")).to_have_attribute("href", re.compile("bot=torre.*seat=1"))


def test_what_is_done_with_a_bot_is_one_click_away(stage: Stage, open_page):
    furnish_bots(stage)
    page = open_page("bots/torre?game=dominoes")
    expect(page.get_by_role("link", name="Dominoes 1590?")).to_have_attribute("aria-current", "page")
    play = page.get_by_role("link", name="Play against torre")
    expect(play).to_have_attribute("href", "play/dominoes?against=torre")
    expect(page.get_by_role("link", name="Follow in the hall")).to_have_attribute("href", "tv?bot=torre")
    page.get_by_role("link", name="All games").click()
    expect(page.locator(".outcomes")).to_have_count(2)


def test_its_running_match_is_shown_and_moves(stage: Stage, open_page):
    furnish_bots(stage)
    running = stage.add(PlayedMatch("live", "breakthrough", ("oca", "torre")))
    page = open_page("bots/torre")
    expect(page.locator(".now")).to_contain_text("ply 0")
    stage.tell(running, running.play())
    expect(page.locator(".now")).to_contain_text("ply 1")


def test_what_a_language_model_costs_is_shown_of_one_only(stage: Stage, open_page):
    furnish_bots(stage)
    page = open_page("bots/torre")
    expect(page.get_by_role("heading", name="Rating")).to_be_visible()
    expect(page.get_by_role("heading", name="Language model")).to_have_count(0)
    costs = {"tokens_in": 912.4, "tokens_out": 31.0, "cost": 0.0042, "latency_ms": 1530.0, "cost_total": 2.87}
    stage.answers["bots/torre"] = torre(ratings=[rated(GAME, "Breakthrough", 1876.4, **costs)])
    page = open_page("bots/torre")
    expect(page.locator(".model-costs p")).to_have_text(
        [
            "912 + 31 tokens a move, read and written",
            "$0.0042 a game, $2.87 in all",
            "1.53 s until it has answered, a move",
        ]
    )


def test_a_leaderboard_has_columns_of_costs_where_a_language_model_has_played(stage: Stage, open_page):
    furnish_bots(stage)
    page = open_page(f"games/{GAME}")
    expect(page.locator("table.leaders tbody tr").first).to_be_visible()
    expect(page.get_by_role("columnheader", name="Cost a game")).to_have_count(0)
    board = stage.answers[f"leaderboard/{GAME}"]
    asked = replace(board.leaders[0], tokens_in=912.4, tokens_out=31.0, cost=0.0042, latency_ms=1530.0)
    stage.answers[f"leaderboard/{GAME}"] = replace(board, leaders=[asked, *board.leaders[1:]])
    page = open_page(f"games/{GAME}")
    lines = page.locator("table.leaders tbody tr")
    expect(page.get_by_role("columnheader", name="Cost a game")).to_be_visible()
    expect(lines.nth(0).locator("td").nth(-3)).to_have_text("912 + 31")
    expect(lines.nth(0).locator("td").nth(-2)).to_have_text("$0.0042")
    expect(lines.nth(0).locator("td").nth(-1)).to_have_text("1.53 s")
    expect(lines.nth(1).locator("td").nth(-1)).to_have_text("")


def test_many_opponents_are_folded(stage: Stage, open_page):
    furnish_bots(stage).answers["bots/torre/report"] = report(30)
    page = open_page("bots/torre")
    lines = page.locator(".opponents tbody tr")
    expect(lines).to_have_count(12)
    page.get_by_role("button", name="All 30").click()
    expect(lines).to_have_count(30)


def test_two_programs_under_one_name_are_said(stage: Stage, open_page):
    furnish_bots(stage).answers["bots/torre"] = torre(conflict=["torre.py 1, palio 1.0.0", "other.py 2, palio 1.0.0"])
    page = open_page("bots/torre")
    expect(page.get_by_text("Two programs play under this name now.")).to_be_visible()
    expect(page.get_by_text("other.py 2, palio 1.0.0")).to_be_visible()
    expect(page.get_by_text("none while two programs play under this name")).to_be_visible()
    expect(page.locator(".rating-now, .tabs b")).to_have_count(0)


def test_empty_states_say_what_to_do(stage: Stage, open_page):
    furnish_bots(stage).answers["profiles"] = {"total": 0, "bots": []}
    page = open_page("bots")
    expect(page.get_by_text("No bots yet.")).to_be_visible()
    expect(page.get_by_text(f"palio join {stage.url}")).to_be_visible()
    stage.answers["bots/torre"] = torre(ratings=[], connected=False)
    page = open_page("bots/torre")
    expect(page.get_by_text("No rated match yet.")).to_be_visible()


def test_an_unknown_bot_has_a_way_on(stage: Stage, open_page):
    furnish_bots(stage)
    page = open_page("bots/tore")
    expect(page.get_by_text("No such bot.")).to_be_visible()
    expect(page.get_by_role("link", name="Search the bots")).to_have_attribute("href", "bots?q=tore")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280, 1920, 3840])
@pytest.mark.parametrize("path", ["bots/torre", "bots"])
def test_it_can_be_read_at_any_width_in_light_and_dark(stage: Stage, open_page, path, width, scheme):
    furnish_bots(stage)
    page = open_page(path, viewport={"width": width, "height": 900}, color_scheme=scheme)
    expect(
        page.get_by_role("link", name="torre" if path == "bots" else "Play against torre", exact=True)
    ).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert complaints(page) == []
    assert low_contrasts(page) == []
    assert overflow(page) == 0
