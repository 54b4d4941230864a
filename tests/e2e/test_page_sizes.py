"""Views at the sizes of phones, laptops and large screens: nothing is cut or covered, and boards are large."""

import re
from itertools import combinations
from typing import Any

import pytest
from msgspec.structs import replace
from page_axe import serious
from page_bots import furnish_bots, match
from page_checks import overflow
from page_events import add_events, knockout
from page_matches import PlayedMatch, PlayedRace
from page_server import Stage
from page_story import BOTS, answer_positions, described, furnish, leader, replay_of
from playwright.sync_api import FloatRect, Locator, Page, Route, expect

from palio_db.values import Leaderboard
from palio_rules.contract.messages import Result, SeatOf

pytestmark = pytest.mark.browser

PHONE, ON_ITS_SIDE = (390, 844), (844, 390)
LAPTOPS = [(1280, 800), (1440, 900)]
SIZES = [PHONE, ON_ITS_SIDE, *LAPTOPS, (1920, 1080)]
LONG = "a-very-long-bot-name-that-never-ends"
PARTS = (".match-head", ".verdict", ".steps", ".chances", ".info", ".moves", ".match-facts")


def shape(size: tuple[int, int]) -> dict[str, Any]:
    return {"width": size[0], "height": size[1]}


def box(place: Page | Locator, name: str) -> FloatRect:
    found = place.locator(name).first.bounding_box()
    assert found is not None, f"{name} is not shown"
    return found


def apart(first: FloatRect, second: FloatRect) -> bool:
    """Return True if two boxes share no pixel."""
    across = first["x"] + first["width"] <= second["x"] + 0.5 or second["x"] + second["width"] <= first["x"] + 0.5
    return across or (
        first["y"] + first["height"] <= second["y"] + 0.5 or second["y"] + second["height"] <= first["y"] + 0.5
    )


def bottom(found: FloatRect) -> float:
    return found["y"] + found["height"]


@pytest.fixture
def matches(stage: Stage) -> Stage:
    """A duel that is over and analysed, a table of three, a race."""
    furnish(stage)
    duel = stage.add(PlayedMatch("duel", "breakthrough", (LONG, "grace"), seed=2))
    duel.start()
    for _ in range(10):
        duel.play()
    duel.finish(Result("rule", "reached-far-row", [1.0, 0.0]))
    stage.answers["matches/duel/replay"] = replay_of(duel)
    sure = {"values": [], "verdicts": ["win", "loss"], "best": "a5-a4", "mark": None, "distance": None}
    plies = [{"ply": ply, "seat": 1 - ply % 2, "move": "x", **sure} for ply in range(11)]
    plies[5] |= {"mark": "??"}
    stage.answers["matches/duel/analysis"] = {
        "match": "duel",
        "seconds": 0.5,
        "plies": plies,
        "complete": True,
        "format": "palio-analysis-1",
    }
    three = stage.add(PlayedMatch("three", "chexers", BOTS[:3], seed=2))
    three.start()
    three.play()
    race = stage.add(PlayedRace("race", "tsp", BOTS[:3], {"size": 12}))
    race.start()
    race.play(0)
    for game in ("chexers", "tsp"):
        stage.answers[f"leaderboard/{game}"] = {"game": game, "leaders": []}
    return stage


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_parts_of_a_match_lie_beside_each_other_and_within_the_window(matches, open_page, size, scheme):
    for address, players in (("match/duel", 2), ("match/three", 3)):
        page = open_page(address, viewport=shape(size), color_scheme=scheme)
        expect(page.locator(".stage .board")).to_be_visible()
        expect(page.locator(".moves .line").first).to_be_visible()
        boxes = {name: box(page, name) for name in (*PARTS, ".stage")}
        boxes |= {f"player {each}": box(page, f".player >> nth={each}") for each in range(players)}
        assert [pair for pair in combinations(boxes, 2) if not apart(boxes[pair[0]], boxes[pair[1]])] == []
        assert [name for name, it in boxes.items() if it["x"] < 0 or it["x"] + it["width"] > size[0]] == []
        assert overflow(page) == 0
        assert serious(page) == []


@pytest.mark.parametrize(("size", "least"), [(LAPTOPS[0], 580), (LAPTOPS[1], 680), (SIZES[-1], 840)], ids=str)
def test_a_board_is_as_high_as_the_window_with_its_players_above_and_below(matches, open_page, size, least):
    page = open_page("match/duel", viewport=shape(size))
    expect(page.locator(".stage .board")).to_be_visible()
    board, above, below = (box(page, name) for name in (".stage", "[data-place=above]", "[data-place=below]"))
    assert board["height"] >= least
    assert bottom(above) <= board["y"]
    assert bottom(board) <= below["y"]
    assert bottom(below) <= size[1]
    assert above["x"] == below["x"] == board["x"]
    for name in (".verdict", ".steps", ".chances", ".moves"):
        part = box(page, name)
        assert part["x"] >= board["x"] + board["width"], f"{name} stands beside the board"
        assert bottom(part) <= size[1], f"{name} is seen without scrolling"
    assert box(page, ".match-head")["height"] < 45, "one line"


def test_players_change_sides_when_the_board_is_turned(matches, open_page):
    page = open_page("match/duel")
    above = page.locator("[data-place=above] .bot")
    before = above.inner_text()
    page.get_by_role("button", name="turn the board").click()
    expect(above).not_to_have_text(before)


def test_the_bar_beside_the_board_says_how_the_duel_stands(matches, open_page):
    page = open_page("match/duel?ply=4")
    bar = page.get_by_role("img", name=f"As the analysis found, 100 % for {LONG}")
    expect(bar).to_be_visible()
    assert abs(box(page, ".stage .gauge")["height"] - box(page, ".stage")["height"]) < 2
    page = open_page("match/three")
    expect(page.locator(".stage .board")).to_be_visible()
    expect(page.locator(".gauge")).to_have_count(0)


def test_one_graph_has_what_bots_told_what_was_found_and_the_blunder(matches, open_page):
    page = open_page("match/duel")
    graph = page.get_by_role("region", name="Chances")
    expect(graph.locator("svg .chances-curve[d]").first).to_be_visible()
    expect(graph.locator(".chances-plot .chances-found")).to_have_count(1)
    expect(graph.locator('.chances-plot [data-mark="??"]')).to_have_count(1)
    expect(page.locator(".chart")).to_have_count(0)


@pytest.mark.parametrize("address", ["match/duel", "match/three", "match/race"])
def test_on_a_phone_on_its_side_the_board_is_on_the_left_and_seen_whole(matches, open_page, address):
    page = open_page(address, viewport=shape(ON_ITS_SIDE))
    expect(page.locator(".stage .board")).to_be_visible()
    board = box(page, ".stage .board")
    assert bottom(board) <= ON_ITS_SIDE[1]
    assert board["height"] > 220
    for name in (".verdict", ".steps-way"):
        part = box(page, name)
        assert part["x"] >= board["x"] + board["width"]
        assert bottom(part) <= ON_ITS_SIDE[1]


@pytest.fixture
def won_race(stage: Stage) -> PlayedRace:
    """A race of long names that is over."""
    race = furnish(stage) and stage.add(
        PlayedRace("won", "tsp", (LONG, LONG.replace("-", "_"), *BOTS[:3]), {"size": 12})
    )
    race.start()
    for seat in range(5):
        race.play(seat)
    race.finish()
    return race


@pytest.mark.parametrize("size", [PHONE, ON_ITS_SIDE], ids=str)
def test_on_a_phone_the_verdict_of_a_race_is_read_whole_and_covers_nothing(stage: Stage, won_race, open_page, size):
    stage.answers["matches/won/replay"] = won_race.replay()
    page = open_page("match/won", viewport=shape(size))
    verdict = page.locator(".verdict[data-over]")
    expect(verdict).to_contain_text("and 2 more")
    assert verdict.evaluate("e => [e, ...e.children].every((part) => part.scrollWidth <= part.clientWidth + 1)")
    inner = verdict.locator("span").first.bounding_box()
    assert inner is not None
    assert bottom(inner) <= bottom(box(page, ".verdict"))
    assert apart(box(page, ".verdict"), box(page, ".steps"))
    assert overflow(page) == 0


@pytest.mark.parametrize("size", [(320, 480), (1280, 800)], ids=str)
def test_the_small_boards_of_a_race_stand_beside_each_other_in_its_frame(stage: Stage, won_race, open_page, size):
    stage.answers["matches/won/replay"] = won_race.replay()
    page = open_page("embed/match/won", viewport=shape(size))
    boards = page.locator(".lane-board")
    expect(boards).to_have_count(5)
    boxes = [box(page, f".lane-board >> nth={each}") for each in range(5)]
    assert all(apart(one, other) for one, other in combinations(boxes, 2))
    assert len({round(each["width"]) for each in boxes}) == 1
    assert overflow(page) == 0


@pytest.mark.parametrize("size", [PHONE, ON_ITS_SIDE], ids=str)
def test_on_a_phone_the_verdict_stays_where_it_is_when_the_round_of_its_match_comes_to_be_known(
    matches, open_page, size
):
    matches.matches["race"].live.tournament = 7
    title = "The long cup of the seventeen contrade of Siena"
    matches.matches["race"].live.event_name = title
    page = open_page("", viewport=shape(size))
    asked: list[Route] = []
    page.route("**/api/matches/race", lambda route, _: asked.append(route))
    with page.expect_request("**/api/matches/race"):
        page.goto(f"{matches.url}/match/race")
    expect(page.locator(".stage .board")).to_be_visible()
    before = box(page, ".verdict")
    about = {"id": "race", "round": 12, "void": None, "archived": None, "meetings": [], "setup": {"strikes": 3}}
    asked[0].fulfill(json=about)
    expect(page.locator(".match-event")).to_contain_text("round 12")
    assert box(page, ".verdict") == before


@pytest.mark.parametrize("width", [1000, 1280, 1536, 1920])
def test_the_boards_of_a_race_do_not_cover_what_follows_the_leader(matches, open_page, width):
    page = open_page("match/race", viewport={"width": width, "height": 800})
    expect(page.locator(".lane")).to_have_count(3)
    follow = box(page, ".follow")
    assert all(apart(follow, box(page, f".lane >> nth={each}")) for each in range(3))
    assert apart(box(page, ".stage"), box(page, ".lanes"))
    assert overflow(page) == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_no_view_is_wider_than_the_window(matches, open_page, size, scheme):
    add_events(matches)
    furnish_bots(matches)
    page = open_page("", viewport=shape(size), color_scheme=scheme)
    views = ("", "match/race", "play", "games/breakthrough", "tournaments", "tournaments/7", "tournaments/8")
    for address in (*views, "tournaments/9", "results", "bots", "bots/torre"):
        page.goto(f"{matches.url}/{address}")
        expect(page.locator("main")).to_be_visible()
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        assert (address, overflow(page)) == (address, 0)


@pytest.mark.parametrize("size", LAPTOPS, ids=str)
def test_results_and_leaderboards_show_their_last_column_on_a_laptop(stage: Stage, open_page, size):
    answers = furnish_bots(stage).answers
    racers = ["random", "greedy", "hill_climbing", "alpha_beta-depth2"]
    race = {"bots": racers, "seats": [SeatOf(f"{place}", bot) for place, bot in enumerate(racers, 1)]}
    race |= {"scores": [0.0, 1 / 3, 2 / 3, 1.0], "title": "Travelling Salesman", "reason": "ranked"}
    answers["matches"] = [match(1), match(2) | race]
    leaders = [leader(1, LONG, 1800, 30), leader(2, "oca", 1700, 30)]
    answers["leaderboard/breakthrough"] = Leaderboard("breakthrough", leaders)
    shown = {"results": "When", "games/breakthrough": "Time a move", "leaderboards/breakthrough": "On time"}
    for address, column in shown.items():
        page = open_page(address, viewport=shape(size))
        head = page.get_by_role("columnheader", name=column).bounding_box()
        table = box(page, ".scroll")
        assert head is not None
        assert head["x"] + head["width"] <= table["x"] + table["width"] + 1


def test_on_a_phone_a_long_name_gives_way_to_how_a_match_ended(stage: Stage, open_page):
    furnish_bots(stage).answers["matches"] = [match(1) | {"bots": [LONG * 2, "oca"]}]
    page = open_page("results", viewport=shape(PHONE))
    row = page.locator(".results-table tbody tr")
    expect(row).to_have_count(1)
    how, name = row.locator("td").nth(1), row.locator(".bot-link span").first
    right = how.evaluate("e => e.getBoundingClientRect().right + e.scrollWidth - e.clientWidth")
    assert right <= PHONE[0]
    assert name.evaluate("e => e.scrollWidth > e.clientWidth"), "the name is cut, with dots"
    assert overflow(page) == 0


def test_on_a_phone_a_bot_shows_whether_it_is_here(stage: Stage, open_page):
    furnish_bots(stage)
    page = open_page("bots", viewport=shape(PHONE))
    here = page.locator(".bot-present").first.bounding_box()
    assert here is not None
    assert here["x"] + here["width"] <= PHONE[0]


def test_a_decided_bracket_that_does_not_fit_begins_with_its_first_round(stage: Stage, open_page):
    add_events(furnish(stage))
    bracket = knockout()
    rounds = [
        replace(
            round_, matches=[replace(each, winner=each.winner or each.bots[0] or "civetta") for each in round_.matches]
        )
        for round_ in bracket.bracket.rounds
    ]
    bracket = replace(bracket, bracket=replace(bracket.bracket, rounds=rounds))
    stage.answers["tournaments/8"] = bracket
    page = open_page("tournaments/8", viewport={"width": 600, "height": 800})
    frame = page.locator(".bracket")
    expect(frame).to_be_visible()
    assert frame.evaluate("e => e.scrollWidth > e.clientWidth && e.scrollLeft === 0")


@pytest.mark.parametrize("size", [(360, 640), PHONE], ids=str)
def test_long_names_and_three_figures_of_a_seed_fit_a_bracket_on_a_phone(stage: Stage, open_page, size):
    add_events(furnish(stage))
    event = knockout()
    first, *others = event.bracket.rounds
    one, *more = first.matches
    one = replace(one, bots=[LONG.replace("-", "_"), "tartuca"], seeds=[1, 128], winner=LONG.replace("-", "_"))
    drawn = replace(event.bracket, rounds=[replace(first, matches=[one, *more]), *others])
    stage.answers["tournaments/8"] = replace(event, bracket=drawn)
    page = open_page("tournaments/8", viewport=shape(size))
    expect(page.locator(".bracket")).to_be_visible()
    page.get_by_role("button", name=LONG.replace("-", "_")).first.click()
    expect(page.locator(".bot-way")).to_contain_text(LONG.replace("-", "_"))
    assert overflow(page) == 0
    single = page.locator(".pairing .seed").filter(has_text=re.compile("^1$")).first.bounding_box()
    triple = page.locator(".pairing .seed").filter(has_text="128").bounding_box()
    assert single is not None
    assert triple is not None
    assert triple["height"] == single["height"], "one line"


def test_the_gauge_of_a_test_is_as_wide_as_its_panel(stage: Stage, open_page):
    add_events(furnish(stage))
    page = open_page("tournaments/9")
    gauge = page.locator(".llr-gauge")
    expect(gauge).to_be_visible()
    assert abs(box(gauge, ".rail")["width"] - box(gauge, "svg")["width"]) < 3


def test_level_encounters_stay_in_their_columns(stage: Stage, open_page):
    add_events(furnish(stage))
    page = open_page("tournaments/7")
    cells = page.locator(".event-table td.round.level")
    expect(cells.first).to_be_visible()
    assert set(cells.evaluate_all("all => all.map((e) => getComputedStyle(e).display)")) == {"table-cell"}


def test_a_long_name_in_the_lobby_makes_the_page_no_wider(stage: Stage, open_page):
    furnish(stage)
    for number in range(2):
        stage.add(PlayedMatch(f"m{number}", "breakthrough", (LONG, LONG[::-1]), seed=number)).start()
    page = open_page("", viewport=shape(PHONE))
    expect(page.locator(".card .bot").first).to_be_visible()
    assert overflow(page) == 0


def test_costs_of_a_race_are_never_cut(stage: Stage, open_page):
    furnish(stage)
    race = stage.add(PlayedRace("race", "tsp", (LONG, "grace", "sofia"), {"size": 200}))
    race.start()
    race.play(0)
    race.play(1)
    for address, cost in (("", ".card-cost"), ("tv", ".bar-score")):
        page = open_page(address, viewport=shape(PHONE))
        found = page.locator(cost).filter(has_text=re.compile("[0-9]{4}"))
        expect(found.first).to_be_visible()
        for each in found.all():
            assert each.evaluate("e => e.scrollWidth <= e.clientWidth && e.getClientRects().length === 1")
            high = each.evaluate("e => e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).fontSize)")
            assert high < 2.2, "one line"
        assert overflow(page) == 0


@pytest.mark.parametrize("size", [PHONE, ON_ITS_SIDE, LAPTOPS[0]], ids=str)
def test_beside_a_players_name_no_word_is_cut(matches, open_page, size):
    page = open_page("match/three", viewport=shape(size))
    expect(page.locator(".player .tally").first).to_be_visible()
    cut = page.locator(".role").evaluate_all(
        """all => all.flatMap((role) => {
            const edge = role.getBoundingClientRect();
            const words = document.createTreeWalker(role, NodeFilter.SHOW_TEXT, (node) =>
                node.data.trim() && !node.parentElement.closest(".unseen") ? 1 : 3); // accept or skip it
            const cut = [];
            while (words.nextNode()) {
                const range = document.createRange();
                range.selectNodeContents(words.currentNode);
                const box = range.getBoundingClientRect();
                if (box.top < edge.bottom - 2 && box.right > edge.right + 1) cut.push(words.currentNode.data);
            }
            return cut;
        })"""
    )
    assert cut == []
    short = page.locator(".player .bot").filter(has_text="grace")
    assert short.evaluate("e => e.scrollWidth <= e.clientWidth"), "a short name is whole"


def test_on_a_phone_on_its_side_a_position_is_tried_with_the_moves_beside_the_board(stage: Stage, open_page):
    furnish(stage)
    answer_positions(stage, "breakthrough")
    page = open_page("try/breakthrough", viewport=shape(ON_ITS_SIDE))
    expect(page.locator(".hand-board")).to_be_visible()
    board, best = box(page, ".hand-board"), box(page, ".trying-side")
    assert bottom(board) <= ON_ITS_SIDE[1]
    assert board["height"] > 180
    assert best["x"] >= board["x"] + board["width"]
    assert best["y"] < board["y"] + 20
    assert overflow(page) == 0


def test_on_a_phone_on_its_side_the_large_board_of_the_hall_is_no_higher_than_the_window(matches, open_page):
    page = open_page("tv", viewport=shape(ON_ITS_SIDE))
    expect(page.locator(".hero-board .board").first).to_be_visible()
    assert box(page, ".hero-board")["height"] <= 250


@pytest.mark.parametrize("size", [PHONE, ON_ITS_SIDE], ids=str)
def test_the_game_that_is_chosen_is_in_sight_among_its_neighbours(stage: Stage, open_page, size):
    furnish(stage)
    answer_positions(stage, "tsp")
    page = open_page("play/tsp", viewport=shape(size))
    current = page.locator(".game-tabs [aria-current]")
    expect(current).to_have_text("Travelling Salesman")
    found, row = current.bounding_box(), box(page, ".game-tabs")
    assert found is not None
    assert found["x"] >= row["x"]
    assert found["x"] + found["width"] <= row["x"] + row["width"] + 1


@pytest.mark.parametrize("size", [PHONE, LAPTOPS[0]], ids=str)
def test_three_options_with_usual_values_leave_room_for_an_opponent(stage: Stage, open_page, size):
    usual = {"type": "int", "default": 9, "choices": None, "minimum": 1, "maximum": 19, "examples": [0, 2, 3, 4, 6, 9]}
    options = [
        {"name": name, "description": f"the {name}, two lines " * 3, **usual} for name in ("size", "komi", "stones")
    ]
    furnish(stage).answers["games"] = [described("breakthrough") | {"options": options}]
    stage.answers["play"] = {"house": [], "limit": 4, "tables": 0, "guests": True}
    answer_positions(stage, "breakthrough")
    page = open_page("play/breakthrough", viewport=shape(size))
    expect(page.locator(".examples button")).to_have_count(18)
    opponent = page.get_by_role("button", name="Play ada")
    expect(opponent).to_be_visible()
    place = opponent.bounding_box()
    assert place is not None
    assert place["y"] + place["height"] <= size[1]
