"""Leaderboards and tournaments in a real browser."""

import pytest
from page_server import Stage
from page_story import BOTS, EVENT, add_matches, furnish, leader, leaderboard
from playwright.sync_api import expect

from palio_db.values import Leaderboard

pytestmark = pytest.mark.browser


def test_a_leaderboard_has_a_line_a_bot_in_order(stage: Stage, open_page):
    furnish(stage)
    page = open_page("#/leaderboard/breakthrough")
    lines = page.locator(".leaders tbody tr")
    expect(lines).to_have_count(4)
    expect(lines.locator("th")).to_have_text(["ada", "grace", "sofia", "emmy"])
    expect(lines.first).to_contain_text("1712")
    expect(lines.first).to_contain_text("±61")
    expect(lines.nth(3).get_by_title("provisional")).to_be_visible()
    expect(lines.first.get_by_role("img", name="between 1651 and 1773")).to_be_visible()
    expect(lines.first.get_by_role("img", name="WWWWDWWWLW: 8 wins, 1 draw, 1 loss")).to_be_visible()


def test_intervals_share_one_scale(stage: Stage, open_page):
    furnish(stage)
    page = open_page("#/leaderboard/breakthrough")
    at = "all => all.map(e => Number(e.getAttribute('cx')))"
    centres = page.locator(".interval .estimate")
    expect(centres).to_have_count(4)
    places = centres.evaluate_all(at)
    ratings = [each.rating for each in leaderboard().leaders]
    steps = [(places[0] - place) / (ratings[0] - rating) for place, rating in zip(places[1:], ratings[1:], strict=True)]
    assert max(steps) - min(steps) < 1e-6


def test_the_leaderboard_is_fetched_again_when_the_lobby_names_its_game(stage: Stage, open_page):
    furnish(stage)
    page = open_page("#/leaderboard/dominoes")
    expect(page.get_by_text("Nobody has finished a match yet.")).to_be_visible()
    stage.answers["leaderboard/dominoes"] = Leaderboard("dominoes", [leader(1, "ada", 1500, 300)])
    stage.update_lobby(leaderboards=("breakthrough",))
    stage.update_lobby(leaderboards=("dominoes",))
    expect(page.locator(".leaders tbody tr")).to_have_count(1)


def test_head_to_head_is_read_both_ways(stage: Stage, open_page):
    furnish(stage)
    page = open_page("#/leaderboard/breakthrough")
    lines = page.locator(".matrix tbody tr")
    expect(lines.nth(0).locator("td").nth(2)).to_have_text("10/14")
    expect(lines.nth(1).locator("td").nth(1)).to_have_text("4/14")
    expect(lines.nth(0).get_by_title("ada against grace: +9 =2 \u22123")).to_be_visible()


def test_a_game_that_is_not_installed_is_reported_in_the_servers_words(stage: Stage, open_page):
    furnish(stage)
    page = open_page("#/leaderboard/chess")
    expect(page.get_by_role("alert")).to_contain_text("there is nothing at leaderboard/chess")


def tournament(finished: int, **paid: tuple[int, int, float | None, float | None]):
    def score(wins: int, draws: int, losses: int):
        return {"wins": wins, "draws": draws, "losses": losses}

    def line(rank: int, bot: str, total, against):
        costs = dict(zip(("races", "solved", "mean", "over_best"), paid[bot], strict=True)) if paid else None
        return {
            "rank": rank,
            "bot": bot,
            "total": total,
            "points": total["wins"] + total["draws"] / 2,
            "games": sum(total.values()),
            "sonneborn_berger": 1.5,
            "against": against,
            "costs": costs,
        }

    return {
        "id": 3,
        "name": EVENT,
        "game": "breakthrough",
        "bots": list(BOTS[:3]),
        "created_at": "2025-11-20T20:00:00Z",
        "total": 6,
        "scheduled": 5 - finished,
        "running": 1,
        "finished": finished,
        "aborted": 0,
        "settings": {},
        "table": [
            line(1, "ada", score(2, 1, 0), {"grace": score(1, 1, 0), "sofia": score(1, 0, 0)}),
            line(2, "grace", score(0, 1, 1), {"ada": score(0, 1, 1)}),
            line(3, "sofia", score(0, 0, 1), {"ada": score(0, 0, 1)}),
        ],
    }


def test_a_tournament_shows_its_cross_table_and_what_is_being_played(stage: Stage, open_page):
    furnish(stage).answers |= {"tournaments": [tournament(3)], "tournaments/3": tournament(3)}
    match = add_matches(stage)["breakthrough"]
    page = open_page("#/")
    page.get_by_role("link", name=EVENT).last.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(EVENT)
    expect(page.get_by_text("3 of 6 matches finished, 1 being played")).to_be_visible()
    first = page.locator(".matrix tbody tr").first
    expect(first.locator("td").nth(2)).to_have_text("1½/2")
    expect(first).to_contain_text("2½")
    expect(page.locator(f'[data-match="{match.match}"]')).to_be_visible()
    stage.answers["tournaments/3"] = tournament(4)
    stage.tell(match, match.to_the_end().finish(match.result))
    expect(page.get_by_text("4 of 6 matches finished")).to_be_visible()


def test_a_tournament_of_races_tells_what_each_has_paid(stage: Stage, open_page):
    paid = {"ada": (4, 4, 12.5, 0.0), "grace": (4, 3, 14.333333, 0.1275), "sofia": (4, 0, None, None)}
    furnish(stage).answers["tournaments/3"] = tournament(4, **paid)
    page = open_page("#/tournament/3")
    expect(page.locator(".matrix thead th").last).to_have_text("Over best")
    figures = [
        ["2½", "3", "4/4", "12.5", "+0.0 %"],
        ["½", "2", "3/4", "14.33", "+12.8 %"],
        ["0", "1", "0/4", "\u2013", "\u2013"],
    ]
    lines = page.locator(".matrix tbody tr")
    expect(lines).to_have_count(len(figures))
    for number, texts in enumerate(figures):
        expect(lines.nth(number).locator(".total")).to_have_text(texts)


def test_a_tournament_that_is_not_there_says_so(stage: Stage, open_page):
    furnish(stage)
    page = open_page("#/tournament/99")
    expect(page.get_by_text("No such tournament.")).to_be_visible()
