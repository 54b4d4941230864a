"""Leaderboards in a real browser."""

import pytest
from page_server import Stage
from page_story import furnish, leader, leaderboard
from playwright.sync_api import expect

from palio_db.values import Leaderboard
from palio_server.api.rating_reader import BoardOf, RankedGame

pytestmark = pytest.mark.browser


def test_a_leaderboard_has_a_line_a_bot_in_order(stage: Stage, open_page):
    furnish(stage)
    page = open_page("games/breakthrough")
    lines = page.locator(".leaders tbody tr")
    expect(lines).to_have_count(4)
    expect(lines.locator("th")).to_have_text(["ada", "grace", "sofia", "emmy"])
    expect(lines.first).to_contain_text("1712")
    expect(lines.first).to_contain_text("±61")
    expect(lines.nth(3).get_by_title("provisional")).to_be_visible()
    expect(lines.first.get_by_role("img", name="between 1651 and 1773")).to_be_visible()
    expect(lines.first.get_by_role("img", name="WWWWDWWWLW: 8 wins, 1 draw, 1 loss")).to_be_visible()


def test_boards_of_a_game_that_were_played_have_leaderboards_of_their_own(stage: Stage, open_page):
    furnish(stage)
    wide = "breakthrough:rows=8,cols=8"
    boards = [BoardOf("breakthrough", "Breakthrough"), BoardOf(wide, "Breakthrough, rows 8, cols 8")]
    stage.answers["leaderboard/breakthrough"] = RankedGame("breakthrough", leaderboard().leaders, None, boards)
    stage.answers[f"leaderboard/{wide}"] = RankedGame(wide, [leader(1, "linda", 1800, 90)], None, boards)
    page = open_page("leaderboards/breakthrough")
    page.get_by_role("navigation", name="Boards").get_by_role("link", name="rows 8, cols 8").click()
    expect(page.locator(".leaders tbody th")).to_have_text(["linda"])
    expect(page.get_by_role("navigation", name="Game").locator("[aria-current]")).to_have_text("Breakthrough")
    page.reload()
    expect(page.locator(".leaders tbody th")).to_have_text(["linda"])
    stage.answers[f"leaderboard/{wide}"] = RankedGame(wide, [leader(1, "mary", 1900, 90)], None, boards)
    stage.update_lobby(leaderboards=(wide,))
    expect(page.locator(".leaders tbody th")).to_have_text(["mary"])


def test_intervals_share_one_scale(stage: Stage, open_page):
    furnish(stage)
    page = open_page("games/breakthrough")
    at = "all => all.map(e => Number(e.getAttribute('cx')))"
    centres = page.locator(".interval .estimate")
    expect(centres).to_have_count(4)
    places = centres.evaluate_all(at)
    ratings = [each.rating for each in leaderboard().leaders]
    steps = [(places[0] - place) / (ratings[0] - rating) for place, rating in zip(places[1:], ratings[1:], strict=True)]
    assert max(steps) - min(steps) < 1e-6


def test_provisional_bots_are_parted_from_the_settled_ones(stage: Stage, open_page):
    furnish(stage)
    page = open_page("games/breakthrough")
    expect(page.locator(".leaders tr[data-apart] th")).to_have_text(["emmy"])


def test_the_leaderboard_is_fetched_again_when_the_lobby_names_its_game(stage: Stage, open_page):
    furnish(stage)
    page = open_page("games/dominoes")
    expect(page.get_by_text("Nobody has finished a match yet.")).to_be_visible()
    stage.answers["leaderboard/dominoes"] = Leaderboard("dominoes", [leader(1, "ada", 1500, 300)])
    stage.update_lobby(leaderboards=("breakthrough",))
    stage.update_lobby(leaderboards=("dominoes",))
    expect(page.locator(".leaders tbody tr")).to_have_count(1)


def test_of_thousands_the_first_lines_are_shown_until_all_are_asked_for(stage: Stage, open_page):
    furnish(stage)
    leaders = [leader(place, f"bot-{place:04}", 2000 - place, 50) for place in range(1, 1001)]
    stage.answers["leaderboard/breakthrough"] = Leaderboard("breakthrough", leaders)
    page = open_page("leaderboards/breakthrough")
    lines = page.locator(".leaders tbody tr")
    expect(lines).to_have_count(100)
    page.get_by_role("button", name="All 1000 bots").click()
    expect(lines).to_have_count(1000)
    page.get_by_role("button", name="Only the first 100").click()
    expect(lines).to_have_count(100)
    cells = page.locator(".matrix tbody tr")
    expect(cells).to_have_count(12)
    page.get_by_role("button", name="First 200").click()
    expect(cells).to_have_count(200)
    expect(page.get_by_text("the first 200 of 1000 bots")).to_be_visible()
    page.get_by_label("find a bot").fill("bot-05")
    expect(page.get_by_text("100 of 1000 bots")).to_be_visible()


def test_head_to_head_is_read_both_ways(stage: Stage, open_page):
    furnish(stage)
    page = open_page("games/breakthrough")
    lines = page.locator(".matrix tbody tr")
    expect(lines.nth(0).locator("td").nth(2)).to_have_text("10/14")
    expect(lines.nth(1).locator("td").nth(1)).to_have_text("4/14")
    expect(lines.nth(0).get_by_title("ada against grace: +9 =2 \u22123")).to_be_visible()


def test_a_game_that_is_not_installed_is_reported_in_the_servers_words(stage: Stage, open_page):
    furnish(stage)
    page = open_page("games/ludo")
    expect(page.get_by_role("alert")).to_contain_text("there is nothing at leaderboard/ludo")
