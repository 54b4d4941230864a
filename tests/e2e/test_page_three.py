"""A game of three seats in a real browser: three colours, three clocks, seats that are out, shared wins."""

import re

import pytest
from page_checks import complaints, low_contrasts, overflow
from page_matches import PlayedMatch
from page_server import Stage
from page_story import BOTS, furnish
from playwright.sync_api import Page, expect

from palio_rules.contract.messages import Result

pytestmark = pytest.mark.browser

COLOURS = ("red", "green", "blue")


@pytest.fixture
def match(stage: Stage) -> PlayedMatch:
    found = furnish(stage) and stage.add(PlayedMatch("three", "chexers", BOTS[:3], seed=4, event="cup"))
    found.start()
    for _ in range(7):
        found.play()
    return found


@pytest.fixture
def page(open_page, match: PlayedMatch) -> Page:
    page = open_page("match/three")
    expect(page.locator(".stage .board")).to_be_visible()
    return page


def test_each_seat_has_its_colour_on_the_board_at_its_clock_and_in_the_moves(page: Page, match: PlayedMatch):
    for seat, colour in enumerate(COLOURS):
        expect(page.locator(f".player .token.seat-{colour}")).to_have_count(1)
        expect(page.get_by_role("timer", name=f"clock of {colour}")).to_have_count(1)
        mine = sum(mark.seat == seat for mark in match.view().scene.marks)
        expect(page.locator(f".stage .mark.seat-{colour}")).to_have_count(mine)
        moves = sum(line.seat == seat for line in match.lines)
        expect(page.locator(f"tr.line .token.seat-{colour}")).to_have_count(moves)
    expect(page.locator(".player[data-moves]")).to_contain_text("grace")


def test_a_seat_that_is_thrown_out_stays_out_until_one_looks_back(stage: Stage, page: Page, match: PlayedMatch):
    out = page.locator(".player[data-out]")
    expect(out).to_have_count(0)
    stage.tell(match, match.throw_out())
    expect(out).to_contain_text("grace")
    expect(out).to_contain_text("green, out")
    expect(page.locator("[aria-live=polite]")).to_have_text("green (grace) is out")
    expect(page.locator("tr.line .move").last).to_have_text("out")
    stage.tell(match, match.play())
    expect(page.locator(".player[data-moves]")).not_to_contain_text("grace")
    page.get_by_role("button", name=re.compile("^ply 7:")).click()
    expect(out).to_have_count(0)


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("scores", "words", "points"),
    [
        ([0.0, 1.0, 0.0], "grace wins 0 \u2013 1 \u2013 0 by rule: four exits", ["0", "1", "0"]),
        ([0.5, 0.0, 0.5], "ada and sofia share the win ½ \u2013 0 \u2013 ½", ["½", "0", "½"]),
        ([1 / 3] * 3, "Draw ⅓ \u2013 ⅓ \u2013 ⅓", ["⅓", "⅓", "⅓"]),
    ],
    ids=["a win", "a shared win", "a draw"],
)
def test_wins_and_shares_are_reported(stage: Stage, page: Page, match: PlayedMatch, scores, words, points):
    stage.tell(match, match.finish(Result("rule", "four-exits", scores)))
    expect(page.locator(".verdict")).to_contain_text(words)
    expect(page.locator(".player .points")).to_have_text(points)
    page.set_viewport_size({"width": 360, "height": 740})
    ends = page.locator(".player .points").evaluate_all("all => all.map((one) => one.getBoundingClientRect().right)")
    assert max(ends) - min(ends) < 1, "on a phone the scores stand below each other, however long the names are"


@pytest.mark.first(1)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_three_seats_are_in_order_and_every_text_stands_out(stage: Stage, open_page, match: PlayedMatch, scheme):
    match.throw_out()
    page = open_page("match/three", color_scheme=scheme)
    expect(page.locator(".player[data-out]")).to_be_visible()
    assert complaints(page) == []
    assert low_contrasts(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    assert overflow(page) == 0


def test_a_card_in_the_lobby_has_three_clocks(open_page, match: PlayedMatch):
    page = open_page()
    link = page.get_by_role("link", name="Chexers: ada against grace against sofia")
    card = page.get_by_role("listitem").filter(has=link)
    expect(card.get_by_role("timer")).to_have_count(3)
    expect(card.locator("[data-moves]")).to_contain_text("grace")
