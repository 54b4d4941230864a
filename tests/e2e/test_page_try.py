"""Moves tried from a position of a match, in Chromium on a real server: by mouse, keys and finger; and played on."""

import re
from collections.abc import Iterator

import pytest
from command import Palio
from fork_server import ForkServer
from page_axe import serious
from page_checks import complaints, listen, low_contrasts, overflow
from page_player import Player, Touch, by_finger, by_keys, by_mouse
from playwright.sync_api import Browser, Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

HANDS = {
    "mouse": (by_mouse, {"viewport": {"width": 1280, "height": 800}}),
    "keys": (by_keys, {"viewport": {"width": 1280, "height": 800}}),
    "finger": (by_finger, {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}),
}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory, fork_server: ForkServer) -> Iterator[str]:
    """A real server with bots of the house, and two finished matches: breakthrough and a puzzle."""
    palio = Palio(tmp_path_factory.mktemp("try"), fork_server)
    palio("run", "breakthrough", "random:seed=1", "random:seed=2", "--games", "1")
    palio("run", "rush_hour", "planner", "-o", "moves=4")
    line = palio.start("serve", "--port", "0", "--house-bots", "8").line_with("serves on")
    found = re.search(r"http://[\w.:]+", line)
    assert found
    yield found[0]
    palio.close()


@pytest.fixture
def open_at(browser: Browser) -> Iterator:
    """Yield a function that opens a page; complaints of the browser fail the test."""
    opened: list[Page] = []
    said: list[str] = []

    def open_page(address: str, **options: object) -> Page:
        page = browser.new_context(**options).new_page()
        page.set_default_timeout(30_000)
        listen(page, said)
        opened.append(page)
        page.goto(address)
        return page

    yield open_page
    for page in opened:
        page.context.close()
    assert said == []


def match_of(page: Page, url: str, game: str) -> str:
    """The newest match of a game, by its identity."""
    answer = page.request.get(f"{url}/api/matches?game={game}")
    return str(answer.json()[0]["id"])


def to_try(page: Page, url: str, game: str, ply: int) -> None:
    page.goto(f"{url}/match/{match_of(page, url, game)}?ply={ply}")
    page.get_by_role("button", name="Try from here").click()
    expect(page.locator(".trying")).to_be_visible()
    expect(page).to_have_url(re.compile(rf"/try/{game}\?match=\w+&ply={ply}"))


def move_anywhere(page: Page, touch: Touch) -> None:
    touch(page, page.locator('.hand-cell[data-state="source"]').first)
    touch(page, page.locator('.hand-cell[data-state="target"]').first)


@pytest.mark.parametrize("hand", HANDS)
def test_both_sides_are_moved_from_any_ply_with_the_best_moves_beside(open_at, url: str, hand: str):
    touch, options = HANDS[hand]
    page = open_at(url, **options)
    to_try(page, url, "breakthrough", 3)
    word = page.locator(".hand-word")
    expect(word).to_have_text("White to move.")
    expect(page.locator(".trying-best li")).to_have_count(5)
    expect(page.locator(".trying .note")).to_contain_text(re.compile(r"For white, \d plies deep"))
    expect(page.get_by_role("img", name=re.compile(r"Evaluation: \d+ % for black"))).to_be_visible()
    assert (complaints(page), serious(page), low_contrasts(page)) == ([], [], [])
    if hand == "finger":
        assert overflow(page) == 0
    move_anywhere(page, touch)
    expect(word).to_have_text("Black to move.")
    move_anywhere(page, touch)
    expect(word).to_have_text("White to move.")
    expect(page.locator(".trying-line").first.get_by_role("button")).to_have_count(2)
    page.get_by_role("button", name="To ply 3").click()
    expect(page.get_by_role("button", name="Back")).to_be_disabled()
    page.get_by_role("button", name="On", exact=True).click()
    expect(word).to_have_text("Black to move.")
    best = page.locator(".trying-best button").first
    name = best.inner_text()
    best.click()  # what was tried after it is forgotten
    expect(page.locator(".trying-line").first.get_by_role("button").last).to_have_text(name)


def test_keys_go_there_and_back(open_at, url: str):
    page = open_at(url)
    page.goto(f"{url}/match/{match_of(page, url, 'breakthrough')}?ply=4")
    expect(page.locator("output.at")).to_contain_text("ply 4")
    page.keyboard.press("t")
    expect(page.locator(".hand-word")).to_have_text("Black to move.")
    move_anywhere(page, by_mouse)
    expect(page.locator(".hand-word")).to_have_text("White to move.")
    page.locator("h1").click(force=True, position={"x": 0, "y": 0})
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".hand-word")).to_have_text("Black to move.")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".hand-word")).to_have_text("White to move.")
    page.get_by_role("link", name="The match at ply 4").click()
    expect(page.locator("output.at")).to_contain_text("ply 4")


def test_a_bot_plays_on_from_there(open_at, url: str):
    page = open_at(url)
    to_try(page, url, "breakthrough", 5)
    move_anywhere(page, by_mouse)
    expect(page.locator(".hand-word")).to_have_text("Black to move.")
    pieces = page.locator(".hand-under .mark").count()
    page.get_by_label("Against").select_option("house greedy")
    expect(page.get_by_label("Your seat")).to_have_value("0")
    page.get_by_role("button", name="Play on").click()
    expect(page).to_have_url(re.compile("/play/breakthrough$"))
    expect(page.locator(".hand-word")).to_have_text("Your turn.")
    assert page.locator(".hand-under .mark").count() == pieces
    player = Player(page, by_mouse)
    assert player.wait_for_turn()
    player.move()
    expect(page.locator("tr.line")).to_have_count(2)


def test_a_puzzle_is_tried_from_any_ply_too(open_at, url: str):
    page = open_at(url)
    to_try(page, url, "rush_hour", 2)
    expect(page.locator(".trying .note")).to_contain_text("to go by a shortest solution")
    expect(page.locator(".trying-gauge")).to_have_count(0)
    page.locator(".trying-best button").click()
    expect(page.locator(".trying .note")).to_contain_text("to go by a shortest solution")
    assert (complaints(page), serious(page)) == ([], [])


def test_a_ply_that_was_not_played_says_which_were(open_at, url: str):
    page = open_at(url)
    page.goto(f"{url}/try/breakthrough?match={match_of(page, url, 'breakthrough')}&ply=999")
    expect(page.get_by_role("alert")).to_contain_text("there is no ply 999, the match has plies 0 to")


def test_the_plausible_address_of_a_match_leads_to_it(open_at, url: str):
    page = open_at(url)
    match = match_of(page, url, "breakthrough")
    page.goto(f"{url}/matches/{match}?ply=2")
    expect(page).to_have_url(f"{url}/match/{match}?ply=2")
    expect(page.locator("output.at")).to_contain_text("ply 2")
