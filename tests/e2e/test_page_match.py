"""One match in a real browser: live, step by step, after a loss of the connection, and after its end."""

import re

import pytest
from page_matches import PlayedMatch
from page_server import Stage
from page_story import BOTS, add_matches, furnish, quick, replay_of
from playwright.sync_api import Page, expect

from palio_rules.contract.messages import Result
from palio_server import live

pytestmark = pytest.mark.browser


@pytest.fixture
def match(stage: Stage) -> PlayedMatch:
    found = add_matches(furnish(stage))["breakthrough"]
    stage.answers[f"matches/{found.match}/replay"] = replay_of(found)
    return found


@pytest.fixture
def page(open_page, match: PlayedMatch) -> Page:
    page = open_page(f"match/{match.match}")
    expect(page.locator(".stage .board")).to_be_visible()
    return page


def shown_ply(page: Page) -> int:
    return int(re.search(r"ply (\d+)", page.locator(".stage .board").get_attribute("aria-label")).group(1))


def expect_ply(page: Page, ply: int) -> None:
    expect(page.locator(".stage .board")).to_have_attribute("aria-label", re.compile(rf"ply {ply}\b"))


def pieces(page: Page) -> list[list[float]]:
    marks = page.locator(".stage .board .mark")
    return sorted(marks.evaluate_all("all => all.map(g => g.getAttribute('transform').match(/[\\d.]+/g).map(Number))"))


def expected_pieces(view: live.View) -> list[list[float]]:
    assert view.scene is not None
    return sorted([(mark.col + 0.5) * 100, (mark.row + 0.5) * 100] for mark in view.scene.marks)


def test_the_board_follows_every_delta(stage: Stage, page: Page, match: PlayedMatch):
    for _ in range(5):
        stage.tell(match, match.play())
        expect_ply(page, len(match.lines))
        assert pieces(page) == expected_pieces(match.view())
        newest = page.locator('.line[aria-current="step"]')
        expect(newest).to_contain_text(match.lines[-1].move)


def test_the_last_move_is_marked_on_the_board(page: Page, match: PlayedMatch):
    scene = match.view().scene
    assert scene is not None
    cells = page.locator(".stage .board .last").evaluate_all("all => all.map(path => path.getAttribute('d'))")
    assert sorted(cells) == sorted(f"M{col * 100} {row * 100}h100v100h-100z" for row, col in scene.last)


def test_a_rejected_move_is_shown_in_its_place_with_the_reason(stage: Stage, page: Page, match: PlayedMatch):
    seat = match.bots[match.state.to_move]
    stage.tell(match, match.reject("[[0,0],[5,5]]", "not-a-step", "from a6 a pawn reaches a5 or b5, not f1"))
    rejected = page.locator("tr.rejection")
    expect(rejected).to_contain_text("from a6 a pawn reaches a5 or b5, not f1")
    expect(rejected).to_contain_text(seat)
    expect(rejected).to_contain_text("Refused, 1 of 3:")
    stage.tell(match, match.play())
    expect(page.locator("tr.rejection + tr.line")).to_contain_text(match.lines[-1].move)


def test_only_the_clock_of_the_seat_to_move_ticks(page: Page, match: PlayedMatch):
    to_move = match.state.to_move
    names = match.rules.seats
    running = page.get_by_role("timer", name=f"clock of {names[to_move]}")
    other = page.get_by_role("timer", name=f"clock of {names[1 - to_move]}")
    first, still = running.inner_text(), other.inner_text()
    expect(running).not_to_have_text(first)
    expect(running).not_to_have_text(running.inner_text())
    assert other.inner_text() == still


def test_a_move_limit_counts_down_where_there_is_no_clock(stage: Stage, open_page):
    match = furnish(stage) and stage.add(quick("limited"))
    match.start()
    page = open_page("match/limited")
    expect(page.get_by_role("timer", name="clock of vertical")).to_have_text("0.0")
    expect(page.get_by_role("timer", name="clock of horizontal")).to_have_text("0.5")


def test_arrow_keys_step_back_and_forth_and_end_goes_live(stage: Stage, page: Page, match: PlayedMatch):
    last = len(match.lines)
    page.keyboard.press("ArrowLeft")
    expect_ply(page, last - 1)
    assert pieces(page) == expected_pieces(match.views[last - 1])
    page.keyboard.press("ArrowLeft")
    expect_ply(page, last - 2)
    page.keyboard.press("Home")
    expect_ply(page, 0)
    assert pieces(page) == expected_pieces(match.views[0])
    page.keyboard.press("ArrowRight")
    expect_ply(page, 1)
    stage.tell(match, match.play())  # the match goes on; who looks back is left in peace
    expect(page.locator("tr.line")).to_have_count(last + 1)
    assert shown_ply(page) == 1
    page.keyboard.press("End")
    expect_ply(page, last + 1)
    stage.tell(match, match.play())
    expect_ply(page, last + 2)


def test_buttons_slider_and_move_list_step_too(page: Page, match: PlayedMatch):
    last = len(match.lines)
    page.get_by_role("button", name="one ply back").click()
    expect_ply(page, last - 1)
    page.get_by_role("button", name="first position").click()
    expect_ply(page, 0)
    page.get_by_role("button", name=re.compile("^ply 4:")).click()
    expect_ply(page, 4)
    page.get_by_role("slider", name="ply").fill("2")
    expect_ply(page, 2)
    page.get_by_role("button", name="Live").click()
    expect_ply(page, last)


@pytest.mark.slow
def test_a_swipe_over_the_board_steps(open_page, match: PlayedMatch):
    page = open_page(f"match/{match.match}", viewport={"width": 360, "height": 740}, has_touch=True)
    expect(page.locator(".stage .board")).to_be_visible()
    swipe = """(stage, [from, to]) => {
        const touch = (x) => new Touch({ identifier: 1, target: stage, clientX: x, clientY: 300 });
        stage.dispatchEvent(new TouchEvent("touchstart", { changedTouches: [touch(from)], bubbles: true }));
        stage.dispatchEvent(new TouchEvent("touchend", { changedTouches: [touch(to)], bubbles: true }));
    }"""
    page.locator(".stage").evaluate(swipe, [100, 250])
    expect_ply(page, len(match.lines) - 1)
    page.locator(".stage").evaluate(swipe, [250, 100])
    expect_ply(page, len(match.lines))


def test_a_dropped_socket_ends_in_a_fresh_snapshot(stage: Stage, page: Page, match: PlayedMatch):
    before = stage.connections[match.match]
    stage.drop(stay_closed=True)
    expect(page.get_by_text("connection lost, reconnecting")).to_be_visible()
    for _ in range(4):
        match.play()  # without viewers
    stage.closed_to_viewers = False
    expect_ply(page, len(match.lines))
    expect(page.locator("tr.line")).to_have_count(len(match.lines))
    assert stage.connections[match.match] == before + 1
    expect(page.get_by_text("connection lost")).to_have_count(0)


def test_a_gap_in_the_numbers_ends_in_a_fresh_snapshot(stage: Stage, page: Page, match: PlayedMatch):
    match.play()  # lost on the way
    stage.tell(match, match.play())
    expect_ply(page, len(match.lines))
    expect(page.locator("tr.line")).to_have_count(len(match.lines))
    assert stage.connections[match.match] == 2


def test_an_absent_bot_is_reported(stage: Stage, page: Page, match: PlayedMatch):
    stage.tell(match, match.leave(1))
    expect(page.get_by_label("players")).to_contain_text("connection lost")
    stage.tell(match, match.come_back(1))
    expect(page.get_by_label("players")).not_to_contain_text("connection lost")


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("result", "words"),
    [
        (Result("time", "flag-fell", [0.0, 1.0], 0), "grace wins 0 \u2013 1 black (ada) loses on time: the flag fell"),
        (
            Result("illegal", "too-many-illegal-moves", [1.0, 0.0], 1),
            "ada wins 1 \u2013 0 white (grace) forfeits by illegal",
        ),
        (
            Result("crashed", "crashed", [1.0, 0.0], 1, "Traceback\nZeroDivisionError"),
            "ada wins 1 \u2013 0 white (grace) crashed",
        ),
        (Result("adjudicated", "ply-cap", [0.5, 0.5]), "Draw ½ \u2013 ½ adjudicated: the limit of plies was reached"),
    ],
    ids=lambda value: value.termination if isinstance(value, Result) else "",
)
def test_the_end_is_reported_in_words(stage: Stage, page: Page, match: PlayedMatch, result, words):
    stage.tell(match, match.finish(result))
    expect(page.locator(".verdict")).to_contain_text(words)
    expect(page.locator(".clock[data-runs]")).to_have_count(0)
    if result.detail:
        page.get_by_text("What the bot said last").click()
        expect(page.get_by_text("ZeroDivisionError")).to_be_visible()


def test_a_finished_match_can_be_stepped_through(stage: Stage, open_page):
    match = furnish(stage) and stage.add(PlayedMatch("over", "end_of_the_track", BOTS[:2], seed=3))
    match.start()
    for _ in range(12):
        match.play()
    match.finish(Result("resigned", "resigned", [0.0, 1.0], 0))
    stage.answers["matches/over/replay"] = replay_of(match)
    page = open_page("match/over")
    expect(page.locator(".verdict")).to_contain_text("grace wins")
    page.keyboard.press("ArrowLeft")
    expect_ply(page, 11)
    assert pieces(page) == expected_pieces(match.views[11])
    page.keyboard.press("Home")
    expect_ply(page, 0)
    assert pieces(page) == expected_pieces(match.views[0])


def test_a_match_that_is_not_known_says_so(stage: Stage, open_page):
    furnish(stage)
    page = open_page("match/nothing")
    expect(page.get_by_text("This match is not known here.")).to_be_visible()


def test_nothing_shifts_while_moves_arrive(stage: Stage, page: Page, match: PlayedMatch):
    measure = """() => [".stage", ".steps", ".player", ".verdict", ".moves-box", ".info"].map(
        (name) => { const {x, y, width, height} = document.querySelector(name).getBoundingClientRect();
                    return [x, y, width, height].map(Math.round); })"""
    before = page.evaluate(measure)
    for _ in range(6):
        stage.tell(match, match.play())
    stage.tell(match, match.reject("[]", "not-a-move", "a move is [[row, col], [row, col]], got []"))
    expect(page.locator("tr.rejection")).to_be_visible()
    assert page.evaluate(measure) == before
    page.keyboard.press("Home")
    expect_ply(page, 0)
    assert page.evaluate(measure) == before
    page.keyboard.press("End")
    stage.tell(match, match.finish(Result("time", "flag-fell", [0.0, 1.0], 0)))
    expect(page.locator(".verdict")).to_contain_text("wins")
    assert page.evaluate(measure) == before
