"""Games on the page: the list, the rules of each, and a board to try them on."""

from typing import Any

import pytest
from page_checks import complaints, low_contrasts, overflow
from page_server import Stage
from page_story import GAMES, MORE, answer_positions, described, furnish, rules_of
from playwright.sync_api import expect

from palio_db.values import Leaderboard
from palio_rules.registry import game

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


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


def test_a_pawn_on_the_last_row_becomes_the_piece_that_is_chosen_on_the_board(stage: Stage, open_page):
    furnish(stage)
    stage.answers["games"].append(described("chess"))
    stage.answers |= {"games/chess/rules": rules_of("chess"), "leaderboard/chess": Leaderboard("chess", [])}
    played = answer_positions(stage, "chess")
    page = open_page("games/chess")
    page.get_by_role("button", name="Try the moves").click()
    status = page.locator(".hand-word")

    def touch(square: str) -> None:
        page.locator(f'[data-cell="{8 - int(square[1])} {"abcdefgh".index(square[0])}"]').click()

    moves = ["a2a4", "b7b5", "a4b5", "a7a6", "b5a6", "c8b7", "a6b7", "h7h6"]
    for number, move in enumerate(moves, 1):
        touch(move[:2])
        touch(move[2:])
        expect(status).to_contain_text("White to move" if number % 2 == 0 else "Black to move")
    touch("b7")
    touch("a8")
    expect(status).to_contain_text("Choose queen on a8, rook on a7, bishop on a6 or knight on a5.")
    pieces = ("queen", "rook", "bishop", "knight")
    expect(page.locator(".choice .mark")).to_have_class([f"mark {piece} seat-white" for piece in pieces])
    touch("a5")
    expect(status).to_contain_text("Black to move")
    assert played == [*moves, "b7a8n"]
    expect(page.get_by_label("a8, white knight")).to_be_attached()


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
