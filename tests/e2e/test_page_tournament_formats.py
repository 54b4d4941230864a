"""The formats' own parts of the page: brackets, groups, tests, costs; and the accessibility of each."""

import pytest
from page_checks import complaints, low_contrasts, overflow
from page_events import add_events, sprt
from page_server import Stage
from page_story import furnish
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

PARTS = {
    "swiss": "tournaments/7",
    "rounds": "tournaments/7/rounds",
    "cross": "tournaments/7/cross",
    "entries": "tournaments/7/entries",
    "rules": "tournaments/7/rules",
    "knockout": "tournaments/8",
    "test": "tournaments/9",
    "groups": "tournaments/10",
    "races": "tournaments/11",
}


@pytest.fixture(autouse=True)
def events(stage: Stage) -> Stage:
    add_events(furnish(stage))
    return stage


def test_a_bracket_is_drawn_with_who_is_to_come_and_what_decided(open_page):
    page = open_page("tournaments/8")
    expect(page.locator(".bracket h2")).to_have_text(["Quarter-finals", "Semi-finals", "Final", "Third place"])
    expect(page.locator(".pairing")).to_have_count(8)
    final = page.locator(".pairing[data-final]")
    expect(final).to_contain_text("winner of semi-final 2")
    expect(page.get_by_text("loser of semi-final 2")).to_be_visible()
    expect(page.locator(".pairing", has_text="torre").locator(".chip")).to_have_text("faster clocks")
    expect(page.locator(".pairing[data-open]")).to_contain_text("waiting to play")
    expect(page.locator(".bracket-plane > svg > path")).to_have_count(6)


def test_the_way_of_a_bot_is_shown_and_another_can_be_picked(open_page):
    page = open_page("tournaments/8")
    expect(page.get_by_role("heading", name="The way of civetta")).to_be_visible()
    expect(page.locator(".bracket path[data-way]")).to_have_count(2)
    page.get_by_role("button", name="nicchio: show its way").first.press("Enter")
    way = page.locator(".bot-way li")
    expect(way).to_have_text(
        [
            "2\u20131 Quarter-final 2: beats torre (faster clocks)",
            "1\u20132 Semi-final 1: loses to civetta",
            "Third place: the opponent is not known yet",
        ]
    )
    expect(page.locator(".bracket path[data-way]")).to_have_count(1)


def test_boxes_of_a_bracket_do_not_overlap_and_lines_meet_them(open_page):
    page = open_page("tournaments/8")
    expect(page.locator(".pairing")).to_have_count(8)
    boxes = page.locator(".pairing").evaluate_all("""all => all.map(e => {
        const { left, right, top, bottom } = e.getBoundingClientRect(); return { left, right, top, bottom };
    })""")
    for one in boxes:
        for other in boxes:
            apart = one["right"] <= other["left"] or other["right"] <= one["left"]
            assert one is other or apart or one["bottom"] <= other["top"] or other["bottom"] <= one["top"]


def test_on_a_phone_the_bracket_stands_at_its_live_round_with_a_hint(open_page):
    page = open_page("tournaments/8", viewport={"width": 390, "height": 800})
    expect(page.get_by_text("Drag sideways to see the other rounds.")).to_be_visible()
    assert page.locator(".bracket").evaluate("e => e.scrollLeft") > 200
    box = page.locator(".pairing[data-open]").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert overflow(page) == 0


def test_a_sequential_test_shows_where_it_stands(stage: Stage, open_page):
    page = open_page("tournaments/9")
    expect(page.locator(".test-verdict")).to_have_text("Not decided yet")
    expect(page.get_by_role("img", name="the ratio is +2.40, between \u22122.94 and +2.94")).to_be_visible()
    expect(page.get_by_role("img", name="log-likelihood ratio after 4992 games: +2.40")).to_be_visible()
    expect(page.get_by_role("img", name="0: 162, ½: 494, 1: 1082, 1½: 588, 2: 170")).to_be_visible()
    expect(page.locator(".figures")).to_contain_text("+7.7 ±6.7")
    expect(page.locator(".figures")).to_contain_text("98.8 %")
    expect(page.get_by_role("region", name="Faults")).to_contain_text("civetta-2.0 lost 3 games on time")
    command = page.get_by_label("the command", exact=True)
    expect(command).to_contain_text('--sprt "elo0=0 elo1=6 alpha=0.05 beta=0.05 model=logistic"')
    stage.answers["tournaments/9"] = sprt("H1")
    stage.drop()
    expect(page.locator(".test-verdict")).to_have_text("Accepted")


def test_the_line_of_a_test_stays_between_its_bounds_until_it_ends(open_page):
    page = open_page("tournaments/9")
    line = page.locator(".ratio")
    expect(line).to_have_count(1)
    box = "e => { const { y, height } = e.getBBox(); return [y, y + height]; }"
    top, bottom = line.evaluate(box)
    assert page.locator(".upper").evaluate(box)[0] < top < bottom < page.locator(".bound.lower").evaluate(box)[0]


def test_groups_stand_side_by_side_and_part_those_who_go_on(open_page):
    page = open_page("tournaments/10")
    tables = page.locator(".group")
    expect(tables).to_have_count(4)
    expect(tables.first.locator("tr[data-goes-on] .bot")).to_have_text(["civetta", "aquila"])
    expect(page.get_by_role("region", name="group D")).to_be_visible()


def test_a_league_of_races_tells_what_each_has_paid(open_page):
    page = open_page("tournaments/11")
    cells = page.locator(".event-table tbody tr").nth(1).locator("td")
    expect(page.locator(".event-table thead")).to_contain_text("Over best")
    expect(cells.nth(3)).to_have_text("3/4")
    expect(cells.nth(4)).to_have_text("7200")
    expect(cells.nth(5)).to_have_text("+2.0 %")


@pytest.mark.first(3)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("part", PARTS)
def test_every_part_has_names_order_and_contrast(open_page, part, scheme):
    page = open_page(PARTS[part], color_scheme=scheme)
    expect(page.get_by_role("navigation", name="Parts of the event")).to_be_visible()
    page.wait_for_load_state("networkidle")
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    assert complaints(page) == []
    assert low_contrasts(page) == []


@pytest.mark.first(4)
@pytest.mark.parametrize("width", [360, 390, 1920])
@pytest.mark.parametrize("part", PARTS)
def test_no_part_scrolls_the_page_sideways(open_page, part, width):
    page = open_page(PARTS[part], viewport={"width": width, "height": 800})
    expect(page.get_by_role("navigation", name="Parts of the event")).to_be_visible()
    page.wait_for_load_state("networkidle")
    for menu in page.locator(".menu summary").all():
        menu.click()
        assert overflow(page) == 0
    assert overflow(page) == 0


def test_names_stay_in_sight_while_a_wide_table_scrolls(open_page):
    page = open_page("tournaments/7", viewport={"width": 390, "height": 800})
    name = page.locator(".event-table tbody th").first
    expect(name).to_be_visible()
    page.locator(".scroll").first.evaluate("e => { e.scrollLeft = 300 }")
    box, frame = name.bounding_box(), page.locator(".scroll").first.bounding_box()
    assert box is not None
    assert frame is not None
    assert abs(box["x"] - frame["x"]) < 3


def test_on_a_phone_the_current_part_is_in_sight_among_the_tabs(open_page):
    page = open_page("tournaments/7/rules", viewport={"width": 390, "height": 800})
    box = page.get_by_role("link", name="Rules of the event").bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 390
