"""A race in a real browser: standings, all boards, costs over time; live, step by step, on a phone."""

import re

import pytest
from page_checks import complaints, low_contrasts, overflow
from page_matches import MINUTE, PARK, PlayedRace
from page_server import Stage
from page_story import BOTS, furnish
from playwright.sync_api import Page, expect

from palio_rules.time_control import TimeControl

pytestmark = pytest.mark.browser

CITIES = {"cities": [[0, 0], [0, 30], [40, 30], [40, 0]]}
AROUND, ACROSS = [0, 1, 2, 3], [0, 2, 1, 3]
NONE = "\u2013"  # in the place of a rank or a cost
PHONE = {"viewport": {"width": 360, "height": 740}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}


@pytest.fixture
def park(stage: Stage) -> PlayedRace:
    """Three entrants before one garage; any move of c frees a's way."""
    race = furnish(stage) and stage.add(PlayedRace("park", "rush_hour", BOTS[:3], PARK, event="cup"))
    race.start()
    return race


@pytest.fixture
def cities(stage: Stage) -> PlayedRace:
    """Two entrants, one a little better than the other."""
    race = furnish(stage) and stage.add(PlayedRace("cities", "tsp", BOTS[:2], CITIES, time=TimeControl(move_ms=5000)))
    race.start()
    race.play(0, ACROSS, ms=400)
    race.play(1, ACROSS, ms=900)
    race.play(1, AROUND, ms=300)
    race.play(1, ACROSS, ms=300)
    return race


def opened(open_page, race: PlayedRace, **options) -> Page:
    page = open_page(f"match/{race.match}", **options)
    expect(page.locator(".stage .board")).to_be_visible()
    return page


def expect_standings(page: Page, *lines: list[str]) -> None:
    """Wait until rank, bot, cost and plies are those of `lines`."""
    for cell, texts in zip((".rank", ".bot", ".cost", "td:nth-of-type(3)"), zip(*lines, strict=True), strict=True):
        expect(page.locator(f".standings tbody {cell}")).to_have_text(texts)


def expect_large(page: Page, bot: str) -> None:
    expect(page.locator(".stage .board")).to_have_attribute("aria-label", re.compile(rf", {bot};"))


def lane(page: Page, bot: str):
    return page.locator(".lanes").get_by_role("button", name=f"show the board of {bot}")


def marks(board) -> list[str]:
    return sorted(board.locator(".mark").evaluate_all("all => all.map(g => g.getAttribute('transform'))"))


def test_standings_follow_the_race_and_ties_share_a_rank(stage: Stage, open_page, park: PlayedRace):
    page = opened(open_page, park)
    expect_standings(page, *([NONE, bot, NONE, "0"] for bot in BOTS[:3]))
    stage.tell(park, park.play(0, ["a", 1]))
    stage.tell(park, park.play(1, ["c", 1]))
    expect(page.locator(".standings tbody tr").first).to_contain_text("solved")
    expect_standings(page, ["1", "grace", "1", "1"], [NONE, "ada", NONE, "1"], [NONE, "sofia", NONE, "0"])
    expect(page.locator(".verdict")).to_contain_text("2 of 3 still racing")
    stage.tell(park, park.play(2, ["c", -1]))
    stage.tell(park, park.play(0, ["c", 1]))
    expect(page.locator(".standings tbody tr").last).to_contain_text("solved")
    expect_standings(page, ["1", "grace", "1", "1"], ["1", "sofia", "1", "1"], ["3", "ada", "2", "2"])
    stage.tell(park, park.finish())
    expect(page.locator(".verdict")).to_contain_text(
        "grace and sofia share the win 1st grace 1, 1st sofia 1, 3rd ada 2"
    )
    expect(page.locator(".clock[data-runs]")).to_have_count(0)


def test_the_large_board_follows_the_leader_until_somebody_is_picked(stage: Stage, open_page, park: PlayedRace):
    page = opened(open_page, park)
    expect_large(page, "ada")
    stage.tell(park, park.play(1, ["c", 1]))
    expect_large(page, "grace")
    lane(page, "sofia").focus()
    page.keyboard.press("Enter")
    expect_large(page, "sofia")
    expect(lane(page, "sofia")).to_have_attribute("aria-pressed", "true")
    stage.tell(park, park.play(0, ["a", 1]))
    expect_large(page, "sofia")
    page.get_by_role("button", name="show the board of ada", exact=True).click()
    expect_large(page, "ada")
    page.get_by_role("button", name="Follow the leader").click()
    expect_large(page, "grace")


def test_each_small_board_is_its_entrants_own(stage: Stage, open_page, park: PlayedRace):
    page = opened(open_page, park)
    stage.tell(park, park.play(0, ["a", 1]))
    stage.tell(park, park.play(1, ["c", 1]))
    expect(lane(page, "grace")).to_contain_text("1st · 1")
    shown = [marks(lane(page, bot)) for bot in BOTS[:3]]
    assert len({tuple(board) for board in shown}) == 3
    colours = [lane(page, bot).locator(".mark:not(.seat-none)").first.get_attribute("class") for bot in BOTS[:3]]
    assert [re.search(r"seat-\d", colour).group() for colour in colours] == ["seat-0", "seat-1", "seat-2"]


def test_stepping_back_shows_every_board_as_it_was(stage: Stage, open_page, park: PlayedRace):
    park.play(0, ["a", 1])
    park.play(1, ["c", 1])
    park.play(0, ["c", 1])
    park.out(2, "crashed")
    park.finish()
    stage.answers["matches/park/replay"] = park.replay()
    page = opened(open_page, park)
    expect(page.locator(".standings tbody tr").last).to_contain_text("crashed")
    last = marks(lane(page, "ada"))
    page.keyboard.press("Home")
    expect(page.locator(".at")).to_contain_text("ply 0")
    expect_standings(page, *([NONE, bot, NONE, "0"] for bot in BOTS[:3]))
    start = marks(lane(page, "ada"))
    assert start == marks(lane(page, "grace")) != last
    page.keyboard.press("ArrowRight")
    expect(lane(page, "ada")).to_contain_text("1 ply")
    assert marks(lane(page, "ada")) not in (start, last)
    assert marks(lane(page, "grace")) == start
    page.get_by_role("button", name="ply 2: grace c+1").click()
    expect(lane(page, "grace")).to_contain_text("1st · 1")
    page.keyboard.press("End")
    expect_standings(page, ["1", "grace", "1", "1"], ["2", "ada", "2", "2"], [NONE, "sofia", NONE, "0"])
    assert marks(lane(page, "ada")) == last


def test_a_tour_is_drawn_and_what_changes_in_it_lights_up(stage: Stage, open_page, cities: PlayedRace):
    page = opened(open_page, cities)
    expect_large(page, "grace")
    way = page.locator(".stage .way")
    around = way.get_attribute("d")
    assert around.count("L") == len(AROUND) - 1
    lane(page, "ada").click()
    expect_large(page, "ada")
    assert way.get_attribute("d") != around
    stage.tell(cities, cities.play(0, AROUND))
    expect(way).to_have_attribute("d", around)
    for steps in (page.locator(".stage .way-gone"), page.locator(".stage .way-fresh")):
        assert steps.get_attribute("d").count("M") == 2


def test_an_anytime_race_has_a_chart_with_words_and_another_one_has_none(
    open_page, cities: PlayedRace, park: PlayedRace
):
    page = opened(open_page, cities)
    chart = page.get_by_role("img", name="best cost over thinking time")
    expect(chart).to_have_attribute(
        "aria-label", "best cost over thinking time: grace from 180 to 140 in 1.20 s; ada from 180 to 180 in 400 ms"
    )
    expect(chart.locator(".curve")).to_have_count(2)
    expect(page.locator(".legend li")).to_have_text(["grace", "ada"])
    page = opened(open_page, park)
    expect(page.locator(".chart")).to_have_count(0)


def test_the_clocks_of_all_that_still_race_run(stage: Stage, open_page, park: PlayedRace):
    page = opened(open_page, park)
    expect(page.locator(".clock[data-runs]")).to_have_count(3)
    stage.tell(park, park.play(1, ["c", 1]))
    expect(page.locator(".clock[data-runs]")).to_have_count(2)
    expect(page.get_by_role("timer", name="clock of grace")).not_to_have_attribute("data-runs", "")


def test_the_moves_of_one_entrant_can_be_had_alone(stage: Stage, open_page, cities: PlayedRace):
    page = opened(open_page, cities)
    lines = page.locator("tr.line")
    expect(lines).to_have_count(4)
    expect(lines.first).to_contain_text("ada 180")
    page.get_by_label("whose moves").select_option("grace")
    expect(page.locator("tr.line .move")).to_have_text(["180", "140", "no better"])
    stage.tell(cities, cities.reject(0, "[9]", "no-such-city", "city 9 does not exist, they are 0 to 3"))
    expect(page.locator("tr.rejection")).to_have_count(0)
    page.get_by_label("whose moves").select_option("all entrants")
    expect(page.locator("tr.rejection")).to_contain_text("city 9 does not exist")


def test_a_screen_reader_hears_who_takes_the_lead_and_who_ends_but_not_every_ply(
    stage: Stage, open_page, park: PlayedRace
):
    page = opened(open_page, park)
    said = page.locator("[aria-live=polite]")
    stage.tell(park, park.play(0, ["a", 1]))
    expect(page.locator("tr.line")).to_have_count(1)
    expect(said).to_have_text("")
    stage.tell(park, park.play(1, ["c", 1]))
    expect(said).to_have_text("grace has ended: solved, 1")
    stage.tell(park, park.leave(2))
    expect(said).to_have_text("sofia has lost its connection")
    expect(page.locator(".standings")).to_contain_text("connection lost")
    stage.tell(park, park.out(2, "disconnected"))
    stage.tell(park, park.play(0, ["c", 1]))
    stage.tell(park, park.finish())
    expect(said).to_have_text("grace wins, 1st grace 1, 2nd ada 2, sofia without a solution")


def test_one_entrant_has_one_large_board(stage: Stage, open_page):
    race = furnish(stage) and stage.add(PlayedRace("alone", "rush_hour", BOTS[:1], PARK))
    race.start()
    page = opened(open_page, race)
    expect(page.locator(".lanes")).to_have_count(0)
    expect(page.get_by_role("button", name="Follow the leader")).to_have_count(0)
    stage.tell(race, race.play(0, ["c", 1]))
    stage.tell(race, race.finish())
    expect(page.locator(".verdict")).to_contain_text("Solved ada 1")


def test_sixty_four_entrants_are_chosen_from_the_standings(stage: Stage, open_page):
    bots = [f"bot-{number:02}" for number in range(64)]
    race = furnish(stage) and stage.add(PlayedRace("many", "tsp", bots, {"size": 500}, time=MINUTE))
    race.start()
    for seat in range(0, 64, 5):
        race.play(seat)
    page = opened(open_page, race)
    expect(page.locator(".lanes")).to_have_count(0)
    expect(page.locator(".standings tbody tr")).to_have_count(64)
    assert page.locator(".stage .mark").count() == 0
    assert page.locator(".stage .dots .core").get_attribute("d").count("M") == 500
    page.get_by_role("button", name="show the board of bot-35").click()
    expect_large(page, "bot-35")
    tokens = page.locator(".standings .token").evaluate_all("all => all.map(token => token.outerHTML)")
    assert len(set(tokens)) == 64
    assert complaints(page) == []


def test_a_card_in_the_lobby_shows_the_leader_and_the_first_places(stage: Stage, open_page, park: PlayedRace):
    page = open_page()
    link = page.get_by_role("link", name="Rush Hour: a race of ada, grace, sofia")
    card = page.get_by_role("listitem").filter(has=link)
    expect(card).to_contain_text("ply 0, 3 of 3 still racing")
    stage.tell(park, park.play(1, ["c", 1]))
    expect(card.locator(".card-seats li").first).to_contain_text("grace")
    expect(card.get_by_role("img", name="Rush Hour, grace")).to_be_visible()
    stage.tell(park, park.out(0, "crashed"))
    stage.tell(park, park.out(2, "stalled"))
    stage.tell(park, park.finish())
    expect(card).to_contain_text("grace wins 1st grace 1")


def test_a_list_of_results_ranks_the_field(stage: Stage, open_page):
    seats = [{"name": "solver", "bot": bot} for bot in (*BOTS, "lise")]
    row = {
        "id": "m",
        "game": "rush_hour",
        "title": "Rush Hour",
        "status": "finished",
        "bots": [seat["bot"] for seat in seats],
        "seats": seats,
        "scores": [0.25, 1.0, 0.5, 0.75, 0.0],
        "termination": "rule",
        "reason": "ranked",
        "plies": 60,
        "finished_at": "2025-11-20T20:00:00Z",
    }
    furnish(stage).answers["matches"] = [row]
    page = open_page()
    expect(page.locator(".result-bot")).to_have_text(["1st grace", "2nd emmy", "3rd sofia", "4th ada"])
    expect(page.locator(".result-bots")).to_contain_text("and 1 more")
    expect(page.locator(".result-bot[data-won]")).to_have_text("1st grace")


@pytest.mark.first(1)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_race_is_in_order_and_every_text_stands_out(open_page, cities: PlayedRace, park: PlayedRace, scheme):
    for race in (cities, park):
        page = opened(open_page, race, color_scheme=scheme)
        assert complaints(page) == []
        assert low_contrasts(page) == []


@pytest.mark.slow
def test_a_phone_never_scrolls_sideways(open_page, cities: PlayedRace, park: PlayedRace):
    for race in (cities, park):
        assert overflow(opened(open_page, race, **PHONE)) == 0


@pytest.mark.slow
def test_a_phone_has_room_for_the_plies_of_a_very_long_race(open_page, cities: PlayedRace):
    for _ in range(10_000):
        cities.play(1, ACROSS)
    page = opened(open_page, cities, **PHONE)
    expect(page.locator(".steps .at")).to_have_text("ply 10004 of 10004")
    assert overflow(page) == 0


@pytest.mark.slow
def test_with_reduced_motion_a_changed_tour_stands_still(stage: Stage, open_page, cities: PlayedRace):
    page = opened(open_page, cities, reduced_motion="reduce")
    lane(page, "ada").click()
    expect_large(page, "ada")
    stage.tell(cities, cities.play(0, AROUND))
    fresh = page.locator(".stage .way-fresh")
    expect(fresh).to_have_count(1)
    assert fresh.evaluate("path => [path.getAnimations().length, getComputedStyle(path).opacity]") == [0, "0"]
