"""Games on the page: the list, the rules of each, and a board to try them on."""

from typing import Any

import msgspec
import pytest
from page_checks import complaints, low_contrasts, overflow
from page_server import Stage
from page_story import GAMES, MORE, furnish
from playwright.sync_api import expect

from palio_rules.registry import game
from palio_server.api.positions import meant_by_touches, position_item

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


def answer_positions(stage: Stage, name: str) -> list[Any]:
    """Let the rules of one game answer for its positions; gives the list of moves that were asked for."""
    rules, played = game(name), []

    def position(body: dict[str, Any], _token: str) -> tuple[int, Any]:
        state = rules.parse_state(body["state"]) if body.get("state") else rules.start(rules.parse_options({}), 1)
        if body.get("play") is not None:
            played.append(body["play"])
            state = state.play(rules.read_move(state, body["play"]))
        cells = [tuple(cell) for cell in body.get("touched") or ()]
        item = position_item(rules, state, meant_by_touches(rules, state, cells) if cells else None)
        return 200, msgspec.to_builtins(item)

    stage.on_post = position
    return played


def test_every_game_stands_in_the_list_with_its_line_and_its_links(stage: Stage, open_page):
    furnish(stage)
    page = open_page("games")
    cards = page.locator(".game-card")
    expect(cards).to_have_count(len(GAMES) + len(MORE))
    for name in (*GAMES, *MORE):
        card = cards.filter(has=page.get_by_role("heading", name=game(name).title, exact=True))
        expect(card).to_contain_text(game(name).line)
        expect(card.locator(".game-board .board")).to_be_attached()
        expect(card.get_by_role("link", name="Play")).to_have_attribute("href", f"play/{name}")
    expect(page.locator(".legend li")).to_have_text(
        ["last move", "picked", "can go here", "can capture", "keyboard cursor", "refused"]
    )


def test_a_game_shows_its_rules_from_the_one_source(stage: Stage, open_page):
    furnish(stage)
    page = open_page("games/breakthrough")
    rules = page.locator(".game-rules")
    expect(rules).to_contain_text("A race of pawns. Black fills the two top rows and moves down")
    expect(rules.get_by_role("heading", name="How it ends")).to_be_visible()
    expect(rules.locator("code", has_text="reached-far-row")).to_be_visible()
    expect(rules.locator("tbody tr")).to_have_count(3)
    expect(rules.get_by_text("Wire move")).to_be_hidden()
    rules.get_by_text("For programs").click()
    expect(rules.get_by_text("Wire move")).to_be_visible()
    expect(page.locator(".leaders tbody tr")).to_have_count(4)


def test_both_sides_are_played_by_one_hand_and_moves_taken_back(stage: Stage, open_page):
    furnish(stage)
    played = answer_positions(stage, "breakthrough")
    page = open_page("games/breakthrough")
    page.get_by_role("button", name="Try the moves").click()
    status = page.locator(".hand-word")
    expect(status).to_contain_text("Black to move")

    def cell(row: int, col: int) -> Any:
        return page.locator(".game-try [role=gridcell]").nth(row * 6 + col)

    cell(1, 0).click()
    cell(2, 0).click()
    expect(status).to_contain_text("White to move")
    assert played == [[[1, 0], [2, 0]]]
    page.get_by_role("button", name="One move back").click()
    expect(status).to_contain_text("Black to move")
    expect(page.get_by_role("button", name="One move back")).to_be_disabled()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", ["games", "games/chexers"])
def test_everybody_can_read_them_on_a_phone_too(stage: Stage, open_page, address, scheme):
    furnish(stage)
    stage.answers["leaderboard/chexers"] = stage.answers["leaderboard/dominoes"]
    page = open_page(address, **PHONE, color_scheme=scheme)
    expect(page.locator(".board").first).to_be_attached()
    assert complaints(page) == []
    assert low_contrasts(page) == []
    assert overflow(page) == 0
