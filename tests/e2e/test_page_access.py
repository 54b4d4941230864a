"""The page's accessibility: keyboard, screen reader's basics, phones, dark mode, reduced motion."""

import re

import pytest
from page_checks import complaints, low_contrasts, overflow
from page_matches import PlayedMatch
from page_server import Stage
from page_story import add_matches, furnish, replay_of
from playwright.sync_api import Page, expect

from palio_rules.contract.messages import Result

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 360, "height": 740}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}
VIEWS = {
    "lobby": "",
    "match": "match/m-breakthrough",
    "over": "match/over",
    "leaderboard": "games/breakthrough",
    "empty": "games/dominoes",
    "unknown": "match/nothing",
    "lost": "match/nowhere/at/all",
}
HEADINGS = {
    "lobby": "Live matches",
    "match": "Breakthrough",
    "over": "Dominoes",
    "unknown": "nothing",
    "lost": "Page not found",
}


@pytest.fixture
def matches(stage: Stage) -> dict[str, PlayedMatch]:
    found = add_matches(furnish(stage))
    match = found["breakthrough"]
    match.reject("[[0,0],[5,5]]", "not-a-step", "from a6 a pawn reaches a5 or b5, not f1")
    match.play()
    over = stage.add(PlayedMatch("over", "dominoes", ("ada", "a-bot-with-a-name-of-forty-characters-ok"), seed=4))
    over.start()
    for _ in range(5):
        over.play()
    over.finish(Result("crashed", "crashed", [1.0, 0.0], 1, "Traceback\n  ...\nZeroDivisionError: division by zero"))
    stage.answers |= {"matches/over/replay": replay_of(over), "matches": [listed(over)]}
    stage.answers[f"matches/{match.match}/replay"] = replay_of(match)
    return found


def listed(match: PlayedMatch):
    assert match.result is not None
    return {
        "id": match.match,
        "game": match.game,
        "title": match.rules.title,
        "status": "finished",
        "bots": list(match.bots),
        "seats": match.summary().seats,
        "scores": match.result.scores,
        "termination": match.result.termination,
        "reason": match.result.reason,
        "plies": len(match.lines),
        "finished_at": "2025-11-20T20:00:00Z",
    }


def shown(page: Page, view: str) -> Page:
    """`page`, when `view` has all that it fetches."""
    expect(page.get_by_role("heading", level=1)).to_contain_text(HEADINGS.get(view, ""))
    page.wait_for_load_state("networkidle")
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    return page


@pytest.mark.first(4)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_names_labels_and_headings_are_in_order_and_every_text_stands_out(open_page, matches, view, scheme):
    page = shown(open_page(VIEWS[view], color_scheme=scheme), view)
    assert complaints(page) == []
    assert low_contrasts(page) == []


@pytest.mark.first(2)
@pytest.mark.parametrize("view", VIEWS)
def test_a_phone_never_scrolls_sideways(open_page, matches, view):
    page = shown(open_page(VIEWS[view], **PHONE), view)
    assert overflow(page) == 0
    for details in page.locator("details").all():
        details.evaluate("e => { e.open = true }")
    assert overflow(page) == 0


def test_the_keyboard_alone_leads_from_the_lobby_through_a_match(open_page, matches):
    page = shown(open_page(), "lobby")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Play a bot")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Breakthrough: ada against grace")).to_be_focused()
    outline = "() => getComputedStyle(document.activeElement, '::after').outlineStyle"  # round the whole card
    assert page.evaluate(outline) != "none"
    page.keyboard.press("Enter")
    shown(page, "match")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("button", name="Live")).to_have_attribute("aria-pressed", "false")
    first = page.get_by_role("button", name="first position")
    for _ in range(30):  # after any other elements
        page.keyboard.press("Tab")
        if first.evaluate("e => e === document.activeElement"):
            break
    expect(first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".stage .board")).to_have_attribute("aria-label", re.compile("ply 0"))
    page.keyboard.press("End")
    expect(page.get_by_role("button", name="Live")).to_have_attribute("aria-pressed", "true")


def test_arrows_in_a_field_are_the_fields_own(open_page, matches):
    page = shown(open_page(VIEWS["match"]), "match")
    slider = page.get_by_role("slider", name="ply")
    slider.focus()
    last = int(slider.input_value())
    page.keyboard.press("ArrowLeft")
    expect(slider).to_have_value(str(last - 1))


def test_a_screen_reader_hears_the_newest_move_and_the_end(stage: Stage, open_page, matches):
    page = shown(open_page(VIEWS["match"]), "match")
    match = matches["breakthrough"]
    said = page.locator("[aria-live=polite]")
    seat = match.state.to_move
    stage.tell(match, match.play())
    expect(said).to_have_text(f"{match.rules.seats[seat]} ({match.bots[seat]}) plays {match.lines[-1].move}")
    stage.tell(match, match.finish(Result("resigned", "resigned", [0.0, 1.0], 0)))
    expect(said).to_have_text("grace wins, black (ada) resigns")


def test_a_board_is_described_and_can_be_read_as_text(open_page, matches):
    page = shown(open_page(VIEWS["match"]), "match")
    board = page.locator(".stage svg.board")
    expect(board).to_have_attribute(
        "aria-label", re.compile(r"Breakthrough, ply \d+; board of 6 by 6; black: \d+ pawns")
    )
    page.get_by_text("The board as text").click()
    expect(page.get_by_label("the board as text", exact=True)).to_have_text(matches["breakthrough"].view().text)


@pytest.mark.first(1)
@pytest.mark.parametrize(("motion", "glides"), [("no-preference", True), ("reduce", False)])
def test_pieces_glide_unless_the_viewer_wants_less_motion(stage: Stage, open_page, matches, motion, glides):
    page = open_page(VIEWS["match"], reduced_motion=motion)
    shown(page, "match")
    page.evaluate("""() => {
        window.glides = 0;
        const animate = Element.prototype.animate;
        Element.prototype.animate = function (...args) { window.glides += 1; return animate.apply(this, args); };
    }""")
    match = matches["breakthrough"]
    stage.tell(match, match.play())
    expect(page.locator(".stage .board")).to_have_attribute("aria-label", re.compile(rf"ply {len(match.lines)}\b"))
    assert (page.evaluate("window.glides") > 0) == glides


def test_a_game_without_a_picture_is_shown_as_text(stage: Stage, open_page, matches):
    match = matches["dominoes"]
    match.rules.scene = lambda state: None  # as a third-party game that draws nothing
    try:
        page = open_page(f"match/{match.match}")
        expect(page.locator(".stage pre")).to_have_text(match.view().text)
    finally:
        del match.rules.scene
