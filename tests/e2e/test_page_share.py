"""Sharing a match: a link and pictures of the ply that is shown, an animation of all of it, a frame of 300 pixels."""

import base64
from datetime import UTC, datetime

import pytest
from page_checks import complaints
from page_matches import PlayedMatch
from page_server import Stage
from page_story import GAMES, add_matches, described, furnish, replay_of
from playwright.sync_api import Page, expect

from palio_rules.contract.messages import Result
from palio_rules.records.record import Record, Setup
from palio_server.live.animation import HEIGHT, WIDTH, gif
from palio_server.live.replay import replay_record

pytestmark = pytest.mark.browser


def share(page: Page):
    return page.get_by_role("group", name="share the match")


def test_links_and_pictures_are_those_of_the_ply_that_is_shown(stage: Stage, open_page):
    match = add_matches(furnish(stage))["breakthrough"]
    stage.answers[f"matches/{match.match}/replay"] = replay_of(match)
    page = open_page(f"match/{match.match}?ply=2")
    picture = share(page).get_by_role("link", name="Picture of this ply")
    expect(picture).to_have_attribute("href", f"match/{match.match}/preview.png?ply=2")
    expect(picture).to_have_attribute("download", f"match-{match.match}-2.png")
    expect(share(page).get_by_role("link", name="Board as SVG")).to_have_attribute(
        "href", f"match/{match.match}/board.svg?ply=2"
    )
    page.keyboard.press("ArrowRight")
    expect(picture).to_have_attribute("href", f"match/{match.match}/preview.png?ply=3")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    share(page).get_by_role("button", name="copy a link to this ply").click()
    expect(share(page).get_by_role("status")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == f"{stage.url}/match/{match.match}?ply=3"


def test_an_animation_is_offered_when_the_match_is_over_and_not_before(stage: Stage, open_page):
    match = add_matches(furnish(stage))["breakthrough"]
    page = open_page(f"match/{match.match}")
    moving = share(page).get_by_role("link", name="Animated GIF")
    expect(share(page)).to_be_visible()
    expect(moving).to_have_count(0)
    stage.tell(match, match.finish(Result("rule", "reached-far-row", [1.0, 0.0])))
    expect(moving).to_have_attribute("href", f"match/{match.match}/animation.gif")
    expect(moving).to_have_attribute("download", f"match-{match.match}.gif")


@pytest.mark.parametrize(
    ("game", "forms"),
    [("chess", ["text", "PGN", "JSON"]), ("go", ["text", "SGF", "JSON"]), ("dominoes", ["text", "JSON"])],
)
def test_the_record_is_offered_in_each_form_that_the_game_has(stage: Stage, open_page, game, forms):
    furnish(stage).answers["games"] = [described(game)]
    match = stage.add(PlayedMatch(f"m-{game}", game, ["ada", "grace"]))
    match.start()
    match.finish(Result("resigned", "resigned", [1.0, 0.0], 1))
    page = open_page(f"match/{match.match}")
    links = page.get_by_text("The record as").get_by_role("link")
    expect(links).to_have_text(forms)
    for form, link in zip(forms, links.all(), strict=True):
        expect(link).to_have_attribute("href", f"api/matches/{match.match}/record?format={form.lower()}")
        name = None if form in ("text", "JSON") else f"match-m-{game}.{form.lower()}"
        assert link.get_attribute("download") == name


def test_the_browser_shows_the_animation(open_page):
    now = datetime(2025, 7, 2, tzinfo=UTC)
    setup, result = Setup("breakthrough", ("ada", "bob"), seed=1), Result("adjudicated", "stopped", [0.5, 0.5])
    moving = gif(replay_record(Record("m", setup, (), result, now, now)))
    page = open_page()
    size = page.evaluate(
        """async (data) => {
          const image = new Image();
          image.src = `data:image/gif;base64,${data}`;
          await image.decode();
          return [image.naturalWidth, image.naturalHeight];
        }""",
        base64.b64encode(moving).decode(),
    )
    assert size == [WIDTH, HEIGHT]


@pytest.mark.parametrize("name", [*GAMES, "go-9", "go-13", "go-19"])
def test_a_frame_of_300_by_300_pixels_holds_board_players_and_buttons(stage: Stage, open_page, name):
    add_matches(furnish(stage))
    game, _, size = name.partition("-")
    if size:
        match = stage.add(PlayedMatch(f"m-{name}", game, ["ada", "grace"], options={"size": int(size)}))
        match.start()
        for _ in range(9):
            match.play()
    page = open_page(f"embed/match/m-{name}", viewport={"width": 300, "height": 300})
    expect(page.get_by_role("link", name="Open in Palio")).to_be_visible()
    outside = page.locator(".embed-board, .embed-seats li, .embed-steps > *").evaluate_all(
        """(all) => all.map((each) => [each.className, each.getBoundingClientRect()])
          .filter(([, box]) => box.left < 0 || box.right > 300 || box.top < 0 || box.bottom > 300)
          .map(([name, box]) => `${name} ${box.left} ${box.right} ${box.top} ${box.bottom}`)"""
    )
    assert outside == []
    assert page.evaluate("document.documentElement.scrollWidth") == 300
    assert complaints(page) == []
