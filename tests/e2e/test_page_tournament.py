"""The page of a tournament in a real browser: its head, standings, rounds, cross-table, entries."""

import re

import pytest
from msgspec.structs import replace
from page_axe import serious
from page_checks import complaints, overflow
from page_events import Swiss, add_events
from page_matches import PlayedMatch
from page_server import Stage, refusal
from page_story import furnish
from playwright.sync_api import expect

from palio_server.api.event_items import Wait

pytestmark = pytest.mark.browser


@pytest.fixture
def swiss(stage: Stage) -> Swiss:
    return add_events(furnish(stage))


def test_the_head_says_what_it_is_and_how_far(open_page, swiss):
    page = open_page("tournaments/7")
    expect(page.locator(".facts")).to_contain_text("Breakthrough · Swiss · 16 bots · 120+1")
    expect(page.locator(".facts a")).to_have_attribute("href", "games/breakthrough")
    expect(page.locator(".event-stage")).to_have_text("running, round 5 of 7")
    expect(
        page.get_by_text("33 of 56 games finished, 7 being played · 24.0 games/min · about 13 min left")
    ).to_be_visible()
    strip = page.get_by_role("navigation", name="Rounds")
    expect(strip.get_by_role("link")).to_have_count(5)
    expect(strip.get_by_role("link", name="round 5, being played")).to_be_visible()
    expect(strip.get_by_role("img", name="round 7, to come")).to_be_visible()


def test_what_is_not_as_it_should_be_is_told(stage: Stage, open_page, swiss):
    note = "it waits for 2 bots: oca, drago"
    stage.answers["tournaments/7"] = swiss.detail(stage="paused", note=note)
    page = open_page("tournaments/7")
    expect(page.locator(".notice")).to_have_text(note)


def test_what_each_open_pairing_waits_for_is_told(stage: Stage, open_page, swiss):
    why = "waits for drago: 3 of 3 slots are in SPRT 8 (323 games to come); its turn is next"
    stage.answers["tournaments/7"] = swiss.detail(waits=[Wait(33, ["oca", "drago"], 2, why)])
    page = open_page("tournaments/7")
    page.get_by_text("1 pairing has games that wait").click()
    expect(page.locator(".event-waits li")).to_have_text(f"oca \u2013 drago, 2 games: {why}.")
    assert (complaints(page), serious(page)) == ([], [])


def test_standings_have_rounds_tie_breaks_ratings_and_bars(open_page, swiss):
    page = open_page("tournaments/7")
    lines = page.locator(".event-table tbody tr")
    standings = swiss.standings()
    expect(lines.locator("th .bot")).to_have_text([line.bot for line in standings])
    head = page.locator(".event-table thead")
    expect(head).to_contain_text("Buchh. \u22121")
    first, second = standings[0], swiss.met[standings[0].bot][1]
    place = next(line.rank for line in standings if line.bot == second)
    colour = {"white": "black", "black": "white"}[swiss.colour[first.bot][1]]  # Breakthrough's first seat is Black
    cell = lines.first.locator(".round").first
    expect(cell).to_have_text(f"1 {colour[0]}{place}")
    expect(cell).to_have_attribute("title", f"round 1: won with {colour} against {second}, 1")
    expect(lines.first).to_contain_text("1963 ±39")
    expect(lines.first.get_by_role("img", name="between 1924 and 2002")).to_be_visible()
    expect(lines.filter(has_text="bruco")).to_contain_text("withdrawn")
    expect(page.get_by_text("Moving first is worth +12 Elo here.")).to_be_visible()


def test_standings_are_read_again_when_a_result_comes(stage: Stage, open_page, swiss):
    match = stage.add(PlayedMatch("e33", "breakthrough", ("civetta", "oca"), event="Siena Cup 2026", tournament=7))
    match.start()
    page = open_page("tournaments/7")
    expect(page.locator('[data-match="e33"]')).to_be_visible()
    stage.answers["tournaments/7"] = swiss.detail(finished=34, running=6)
    stage.tell(match, match.to_the_end().finish(match.result))
    expect(page.get_by_text("34 of 56 games finished")).to_be_visible()


def test_a_round_that_begins_is_shown_without_a_result(stage: Stage, open_page, swiss):
    stage.answers["tournaments/7"] = swiss.detail(stage="open", round=0, running=0, finished=0)
    page = open_page("tournaments/7")
    expect(page.locator(".event-stage")).to_have_text("open for entries")
    stage.answers["tournaments/7"] = swiss.detail(round=1)
    match = stage.add(PlayedMatch("first", "breakthrough", ("civetta", "oca"), event="Siena Cup 2026", tournament=7))
    stage.tell(match, match.start())
    expect(page.locator(".event-stage")).to_have_text("running, round 1 of 7")
    expect(page.locator('[data-match="first"]')).to_be_visible()


def test_the_parts_have_addresses_and_the_way_back_leads_through_them(open_page, swiss):
    page = open_page("tournaments/7")
    tabs = page.get_by_role("navigation", name="Parts of the event")
    expect(tabs.get_by_role("link")).to_have_text(
        ["Standings", "Rounds", "Cross-table", "Bots and entries", "Rules of the event"]
    )
    tabs.get_by_role("link", name="Rounds").click()
    expect(page.get_by_role("heading", name="Round 5 of 7")).to_be_visible()
    page.get_by_role("link", name="the round before").click()
    expect(page.get_by_role("heading", name="Round 4 of 7")).to_be_visible()
    expect(page).to_have_url(re.compile("tournaments/7/rounds/4$"))
    page.go_back()
    expect(page.get_by_role("heading", name="Round 5 of 7")).to_be_visible()
    tabs.get_by_role("link", name="Rules of the event").click()
    expect(page.locator(".rule-facts")).to_contain_text("every game")


def test_a_round_shows_boards_in_play_results_and_byes(stage: Stage, open_page, swiss):
    round_ = stage.answers["tournaments/7/rounds/5"]
    bots = round_.encounters[0].bots
    match = stage.add(
        PlayedMatch(round_.encounters[0].matches[0].match, "breakthrough", bots, event="Siena Cup 2026", tournament=7)
    )
    match.start()
    page = open_page("tournaments/7/rounds")
    boards = page.locator(".encounter")
    expect(boards).to_have_count(8)
    expect(boards.first.get_by_role("link", name="ply 0, watch")).to_be_visible()
    stage.tell(match, match.play())
    expect(boards.first.locator(".live-word")).to_have_text("ply 1")
    expect(boards.nth(1)).to_contain_text("being played")
    expect(page.locator(".byes")).to_contain_text("emmy has a bye")
    page.get_by_role("link", name="the round before").click()
    over = stage.answers["tournaments/7/rounds/4"].encounters[0]
    expect(page.get_by_text("Round 4")).to_be_visible()
    expect(boards.first.locator("[data-won]")).to_have_count(len(set(over.points)) - 1)
    expect(boards.first.locator(".encounter-games a")).to_have_attribute("href", f"match/{over.matches[0].match}")


def test_a_forfeit_is_told(stage: Stage, open_page, swiss):
    round_ = swiss.round(4)
    first = replace(round_.encounters[0], forfeits=[round_.encounters[0].bots[1]], matches=[])
    stage.answers["tournaments/7/rounds/4"] = replace(round_, encounters=[first, *round_.encounters[1:]])
    page = open_page("tournaments/7/rounds/4")
    expect(page.locator(".encounter").first).to_contain_text("forfeits")
    expect(page.locator(".encounter").first).to_contain_text("by forfeit")


def test_why_opens_in_place_and_closes_again(open_page, swiss):
    page = open_page("tournaments/7/rounds")
    why = page.locator(".encounter").nth(2).get_by_role("button")
    expect(why).to_have_attribute("aria-expanded", "false")
    why.press("Enter")
    expect(page.get_by_text("it floats down to the group on 2")).to_be_visible()
    expect(why).to_have_attribute("aria-expanded", "true")
    why.press("Enter")
    expect(page.get_by_text("it floats down to the group on 2")).to_have_count(0)


def test_the_cross_table_shows_twelve_and_finds_the_others(open_page, swiss):
    page = open_page("tournaments/7/cross")
    lines = page.locator(".matrix tbody tr")
    expect(lines).to_have_count(12)
    expect(page.get_by_text("the first 12 of 16 bots")).to_be_visible()
    assert {"4", "-4"} <= set(page.locator(".matrix td[data-heat]").evaluate_all("all => all.map(e => e.dataset.heat)"))
    last = swiss.standings()[-1].bot
    page.get_by_label("find a bot").fill(last.upper())
    expect(lines).to_have_count(1)
    expect(lines.first.locator(".bot")).to_have_text(last)
    expect(page.locator(".matrix thead th")).to_have_count(2 + 13 + 2)
    page.get_by_label("find a bot").fill("")
    page.get_by_role("button", name="All 16").click()
    expect(lines).to_have_count(16)


def test_exports_are_links(open_page, swiss):
    page = open_page("tournaments/7")
    page.get_by_text("Export", exact=True).click()
    links = page.locator(".menu a")
    hrefs = [f"api/tournaments/7/export?format={name}" for name in ("json", "csv", "md", "trf", "text")]
    expect(links).to_have_count(len(hrefs))
    assert links.evaluate_all("all => all.map(e => e.getAttribute('href'))") == hrefs
    page.keyboard.press("Escape")
    expect(links).to_have_count(0)


def test_controls_do_what_they_say_and_show_a_refusal(stage: Stage, open_page, swiss):
    def paused(body, token):
        stage.answers["tournaments/7"] = swiss.detail(stage="paused")  # not before: the page asks by itself, too
        return 200, {}

    stage.on_post = paused
    page = open_page("tournaments/7")
    page.get_by_text("Manage", exact=True).click()
    page.get_by_role("button", name="Pause").click()
    expect(page.locator(".event-stage")).to_have_text("paused")
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    stage.on_post = lambda body, token: (409, refusal("too-few", "round 5 is paired already; 9 rounds or more"))
    page.get_by_label("Rounds in all").fill("5")
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_role("alert").filter(has_text="round 5 is paired already; 9 rounds or more")).to_be_visible()
    page.get_by_role("button", name="Cancel the event").click()
    assert [path for path, _, _ in stage.posts] == ["tournaments/7/pause", "tournaments/7/extend"]
    page.get_by_role("button", name="Cancel for good?").click()
    expect(page.get_by_role("button", name="Cancel the event")).to_be_visible()
    assert stage.posts[1][1] == {"rounds": 5}
    assert stage.posts[-1][0] == "tournaments/7/cancel"


def test_bots_are_entered_and_withdrawn(stage: Stage, open_page, swiss):
    stage.on_post = lambda body, token: (200, {})
    page = open_page("tournaments/7/entries")
    expect(page.get_by_role("heading", name="16 bots entered")).to_be_visible()
    page.get_by_label("Bot", exact=True).fill("emmy")
    page.get_by_label("Rating", exact=True).fill("1500")
    page.get_by_label("Byes").fill("2, 5")
    page.get_by_role("button", name="Enter").click()
    expect(page.get_by_label("Bot", exact=True)).to_have_value("")
    stage.answers["tournaments/7"] = swiss.detail(
        entries=[replace(each, left=6) if each.bot == "oca" else each for each in swiss.detail().entries]
    )
    page.get_by_role("button", name="withdraw oca").click()
    expect(page.locator("tr", has_text="oca")).to_contain_text("withdrawn before round 6")
    entry = {"bot": "emmy", "rating": 1500, "byes": [2, 5]}
    assert [each[:2] for each in stage.posts] == [
        ("tournaments/7/entries", entry),
        ("tournaments/7/entries/oca", "DELETE"),
    ]


def test_a_league_that_is_over_can_only_be_made_longer(stage: Stage, open_page, swiss):
    stage.answers["tournaments/7"] = swiss.detail(stage="finished")
    stage.on_post = lambda body, token: (200, {})
    page = open_page("tournaments/7/entries")
    expect(page.get_by_role("heading", name="16 bots entered")).to_be_visible()
    expect(page.get_by_role("button", name="withdraw")).to_have_count(0)
    page.get_by_text("Manage", exact=True).click()
    expect(page.locator(".manage button")).to_have_text(["Change"])
    page.get_by_label("Rounds in all").fill("9")
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_role("button", name="Change")).to_be_enabled()
    assert [each[:2] for each in stage.posts] == [("tournaments/7/extend", {"rounds": 9})]


def test_an_event_that_was_cancelled_offers_no_controls(stage: Stage, open_page, swiss):
    stage.answers["tournaments/7"] = swiss.detail(stage="cancelled")
    page = open_page("tournaments/7/entries")
    expect(page.get_by_role("heading", name="16 bots entered")).to_be_visible()
    expect(page.get_by_text("Manage", exact=True)).to_have_count(0)
    expect(page.get_by_role("button", name="withdraw")).to_have_count(0)


def test_a_tournament_that_is_not_there_says_so(open_page, swiss):
    page = open_page("tournaments/99")
    expect(page.get_by_text("No such tournament.")).to_be_visible()
    page.get_by_role("link", name="To the tournaments").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Tournaments")


def test_the_most_interesting_board_is_shown_live_above_the_parts(stage: Stage, open_page, swiss):
    bots = (("civetta", "oca"), ("drago", "aquila"))
    low, top = (
        stage.add(PlayedMatch(f"e{number}", "breakthrough", pair, event="Siena Cup 2026", tournament=7, seed=number))
        for number, pair in enumerate(bots)
    )
    stage.answers["leaderboard/breakthrough"] = {"game": "breakthrough", "leaders": []}
    low.start()
    page = open_page("tournaments/7")
    board = page.get_by_role("region", name="civetta \u2013 oca")
    expect(board).to_contain_text("Shown because")
    expect(board.get_by_role("link")).to_have_attribute("href", "match/e0")
    before = board.locator(".board").inner_html()
    stage.tell(low, low.play())
    page.wait_for_function("(before) => document.querySelector('.event-board .board').innerHTML !== before", arg=before)
    stage.tell(top, top.start())
    expect(page.locator('[data-match="e1"]')).to_be_visible()
    expect(board).to_be_visible()  # it stays until it is over
    stage.tell(low, low.to_the_end().finish(low.result))
    expect(page.get_by_role("region", name="drago \u2013 aquila")).to_be_visible()
    tabs = page.get_by_role("navigation", name="Parts of the event")
    assert page.locator(".event-board").bounding_box()["y"] < tabs.bounding_box()["y"]
    assert (complaints(page), serious(page), overflow(page)) == ([], [], 0)


def test_an_event_without_a_match_has_no_large_board(open_page, swiss):
    page = open_page("tournaments/7")
    expect(page.locator(".facts")).to_be_visible()
    expect(page.locator(".event-board")).to_have_count(0)
