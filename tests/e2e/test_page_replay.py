"""A match replayed: played like a film, shown as it stood at each ply, its story in graph, moves and facts."""

import re
from typing import Any

import pytest
from page_checks import complaints, low_contrasts, overflow
from page_matches import PlayedMatch
from page_server import Stage
from page_story import furnish, replay_of
from playwright.sync_api import Page, expect

from palio_rules.contract.messages import Result
from palio_server import live

pytestmark = pytest.mark.browser

CRASH = 'Traceback (most recent call last):\n  File "bot.py", line 9\nIndexError: list index out of range'


@pytest.fixture
def over(stage: Stage) -> PlayedMatch:
    """Ten plies, a refused move before the sixth, and a crash."""
    furnish(stage)
    match = stage.add(PlayedMatch("over", "breakthrough", ("ada", "grace"), seed=2))
    match.start()
    for ply in range(10):
        if ply == 5:
            match.reject("[[0,0],[5,5]]", "not-a-step", "from a6 a pawn reaches a5 or b5, not f1")
        match.play()
    match.finish(Result("crashed", "crashed", [1.0, 0.0], 1, CRASH))
    stage.answers["matches/over/replay"] = replay_of(match)
    stage.answers["matches/over/analysis"] = None
    stage.answers["matches/over/analyse"] = analyse_state("none")
    stage.answers["matches/over"] = detail(match)
    return match


def analyse_state(state: str, **more: Any) -> dict[str, Any]:
    return {"match": "over", "state": state, "ahead": 0, "judged": 0, "positions": 11, "note": ""} | more


def detail(match: PlayedMatch) -> dict[str, Any]:
    return {
        "id": match.match,
        "round": 0,
        "created_at": "2026-05-12T14:50:00Z",
        "started_at": "2026-05-12T14:52:00Z",
        "setup": {"strikes": 3},
        "neighbours": {"previous": "before", "next": None, "encounter": None, "game": None},
        "meetings": [{"first": "ada", "second": "grace", "wins": 4, "draws": 1, "losses": 2}],
    }


def expect_ply(page: Page, ply: int) -> None:
    expect(page.locator(".stage .board")).to_have_attribute("aria-label", re.compile(rf"ply {ply}\b"))


def test_the_state_of_the_shown_ply_stands_above_and_the_result_on_a_line_of_its_own(open_page, over: PlayedMatch):
    page = open_page("match/over?ply=4")
    expect_ply(page, 4)
    mover = over.views[4].to_move
    expect(page.locator(".player").nth(mover)).to_contain_text("to move")
    expect(page.locator(".player .points")).to_have_count(0)
    expect(page.locator(".verdict")).to_contain_text("ada wins")
    page.get_by_role("button", name="go to the end, ply 10").click()
    expect_ply(page, 10)
    expect(page.locator(".player .points")).to_have_text(["1", "0"])
    expect(page.locator(".player", has_text="to move")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"/match/over$"))


def test_the_ply_stands_in_the_address_and_is_found_again(open_page, over: PlayedMatch):
    page = open_page("match/over")
    expect_ply(page, 10)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"/match/over\?ply=2$"))
    page.reload()
    expect_ply(page, 2)
    expect(page.locator(".at")).to_have_text("ply 2 of 10")


def test_it_plays_to_the_end_by_the_space_bar_and_pauses(open_page, over: PlayedMatch):
    page = open_page("match/over?ply=0")
    expect_ply(page, 0)
    page.keyboard.press(" ")
    expect(page.locator(".stage .board")).not_to_have_attribute("aria-label", re.compile(r"ply 0\b"))
    page.get_by_role("button", name="pause").click()
    expect(page.get_by_role("button", name="play", exact=True)).to_be_visible()
    paused = page.locator(".at").inner_text()
    page.keyboard.press("+")
    page.keyboard.press("+")
    expect(page.get_by_role("button", name="4\u00d7")).to_have_attribute("aria-pressed", "true")
    assert page.locator(".at").inner_text() == paused
    page.get_by_role("button", name="play", exact=True).click()
    expect_ply(page, 10)
    expect(page.get_by_role("button", name="play", exact=True)).to_be_visible()


def test_the_board_turns_and_the_link_is_copied(open_page, over: PlayedMatch):
    page = open_page("match/over?ply=3")
    expect_ply(page, 3)
    top = "() => document.querySelector('.stage .mark').getBoundingClientRect().y"
    before = page.evaluate(top)
    page.keyboard.press("f")
    expect(page.get_by_role("button", name="turn the board")).to_have_attribute("aria-pressed", "true")
    assert page.evaluate(top) != before
    page.keyboard.press("f")
    expect(page.get_by_role("button", name="turn the board")).to_have_attribute("aria-pressed", "false")
    assert page.evaluate(top) == before
    page.evaluate("() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; }")
    page.keyboard.press("c")
    page.wait_for_function("() => window.copied?.endsWith('/match/over?ply=3')")


def test_refused_moves_and_last_words_stand_in_the_list(open_page, over: PlayedMatch):
    page = open_page("match/over")
    rejected = page.locator("tr.rejection").first
    expect(rejected).to_contain_text("Refused, 1 of 3:")
    expect(rejected.locator("q")).to_have_text("from a6 a pawn reaches a5 or b5, not f1")
    end = page.locator("tr.end-row")
    expect(end).to_contain_text("white (grace) crashed")
    expect(end.locator("pre")).to_contain_text("IndexError: list index out of range")


def test_the_graph_leads_to_a_ply_and_shows_what_each_bot_told(open_page, over: PlayedMatch):
    page = open_page("match/over")
    plot = page.get_by_role("slider", name="place in the graph")
    expect(page.locator(".chances-plot .chances-curve")).to_have_count(2)
    expect(page.locator('.chances-plot .chances-mark[data-mark="refused"]')).to_have_count(1)
    box = plot.bounding_box()
    assert box is not None
    plot.click(position={"x": box["width"] * 0.4, "y": box["height"] / 2})
    expect_ply(page, 4)
    expect(plot).to_have_attribute("aria-valuetext", re.compile("^ply 4, ada [+\u2212]"))
    plot.press("ArrowLeft")
    expect_ply(page, 3)


def test_the_graph_grows_while_the_match_is_played(stage: Stage, open_page):
    furnish(stage)
    match = stage.add(PlayedMatch("live", "breakthrough", ("ada", "grace"), seed=2))
    match.start()
    page = open_page("match/live")
    expect(page.get_by_text("The graph grows with the first scores")).to_be_visible()
    stage.tell(match, match.play())
    stage.tell(match, match.play())
    expect(page.locator(".chances-plot .chances-curve")).to_have_count(2)
    expect(page.get_by_role("button", name="Analyse")).to_have_count(0)  # it is not over


def test_analyse_is_asked_for_once_and_says_how_far_it_is(stage: Stage, open_page, over: PlayedMatch):
    page = open_page("match/over")
    asked = []

    def post(body: Any, token: str) -> tuple[int, Any]:
        asked.append(body)
        stage.answers["matches/over/analyse"] = analyse_state("running", judged=4)
        return 202, analyse_state("queued", ahead=2)

    stage.on_post = post
    button = page.get_by_role("button", name="Analyse")
    button.click()
    expect(page.get_by_role("status").filter(has_text="position 4 of 11")).to_be_visible()
    expect(button).to_be_disabled()
    judged = {
        "ply": 5,
        "seat": 0,
        "move": "x",
        "values": [],
        "verdicts": ["loss", "win"],
        "best": "a5-a4",
        "mark": "??",
    }
    plies = [judged | {"ply": ply, "mark": "??" if ply == 5 else None, "distance": None} for ply in range(4, 11)]
    analysis = {"match": "over", "seconds": 0.5, "plies": plies, "complete": True, "format": "palio-analysis-1"}
    stage.answers["matches/over/analysis"] = analysis
    stage.raw("over", live.Analysed("over"))
    expect(page.locator(".chances-plot .chances-proven")).to_have_count(1)
    expect(page.locator('.chances-plot .chances-mark[data-mark="??"]')).to_have_count(1)
    expect(button).to_have_count(0)
    assert len(asked) == 1


def test_a_full_queue_is_told_in_the_servers_words(stage: Stage, open_page, over: PlayedMatch):
    stage.on_post = lambda body, token: (429, {"error": {"code": "queue-full", "reason": "20 matches wait already"}})
    page = open_page("match/over")
    page.get_by_role("button", name="Analyse").click()
    expect(page.get_by_role("alert")).to_have_text("20 matches wait already")


def test_facts_lead_to_bots_rules_and_the_game_before(stage: Stage, open_page, over: PlayedMatch):
    page = open_page("match/over")
    facts = page.get_by_label("about this match")
    expect(facts).to_contain_text("12 May 2026")
    expect(facts.get_by_role("link", name="Previous match")).to_have_attribute("href", "match/before")
    expect(facts.locator(".met")).to_contain_text("4 \u2013 2")
    expect(page.locator(".player").first.get_by_role("link", name="ada")).to_have_attribute("href", "bots/ada")
    expect(page.locator(".match-event").get_by_role("link", name="Breakthrough")).to_have_attribute(
        "href", "games/breakthrough"
    )
    stage.raw("over", live.Viewers("over", 6))
    expect(facts).to_contain_text("6 now")


def test_the_sound_is_off_until_asked_for_and_remembered(open_page, over: PlayedMatch):
    page = open_page("match/over?ply=2")
    sound = page.get_by_role("button", name="sound of moves")
    expect(sound).to_have_attribute("aria-pressed", "false")
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("ArrowRight")
    expect_ply(page, 3)
    page.reload()
    expect(sound).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_in_order_at_every_width(open_page, over: PlayedMatch, scheme: str):
    page = open_page("match/over?ply=6", color_scheme=scheme)
    expect_ply(page, 6)
    for width in (1920, 1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        expect(page.locator(".moves tr.line").first).to_be_visible()
        assert complaints(page) == []
        assert overflow(page) == 0
        clipped = (
            "() => [...document.querySelectorAll('.line .move')].filter((e) => e.scrollWidth > e.clientWidth).length"
        )
        assert page.evaluate(clipped) == 0
    assert low_contrasts(page) == []


def test_three_columns_on_a_wide_screen(open_page, over: PlayedMatch):
    page = open_page("match/over", viewport={"width": 1920, "height": 1080})
    expect_ply(page, 10)
    left = "(name) => document.querySelector(name).getBoundingClientRect().x"
    facts, stage_, moves = (page.evaluate(left, name) for name in (".match-facts", ".stage", ".moves"))
    assert facts < stage_ < moves
    page.set_viewport_size({"width": 390, "height": 844})
    top = "(name) => document.querySelector(name).getBoundingClientRect().y"
    order = [page.evaluate(top, name) for name in (".player", ".stage", ".steps", ".chances", ".moves", ".match-facts")]
    assert order == sorted(order)
