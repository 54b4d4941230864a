"""People at the page's boards, in Chromium on a real server: all that they need is in the window, beside the board."""

import re
from collections.abc import Callable, Iterator

import pytest
from command import Palio
from fork_server import ForkServer
from page_axe import serious
from page_checks import listen
from page_player import by_mouse
from playwright.sync_api import Browser, Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WINDOW = {"width": 1280, "height": 720}
LARGE = 510  # px of a board that is watched in such a window

Opened = Callable[[], Page]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory, fork_server: ForkServer) -> Iterator[str]:
    palio = Palio(tmp_path_factory.mktemp("people"), fork_server)
    line = palio.start("serve", "--port", "0", "--house-bots", "4").line_with("serves on")
    found = re.search(r"http://[\w.:]+", line)
    assert found
    yield found[0]
    palio.close()


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opened]:
    """Open pages that complain of nothing."""
    said: list[str] = []
    pages: list[Page] = []

    def another() -> Page:
        page = browser.new_context(viewport=WINDOW).new_page()
        page.set_default_timeout(30_000)
        listen(page, said)
        pages.append(page)
        return page

    yield another
    for page in pages:
        page.context.close()
    assert said == []


def two_people(url: str, opened: Opened, game: str) -> tuple[Page, Page]:
    """Return the pages of a host, who sits first and is asked, and of a friend who came by the link."""
    host, friend = opened(), opened()
    host.goto(f"{url}/play/{game}")
    host.get_by_role("button", name="A friend, by link").click()
    link = host.locator(".invite input")
    expect(link).to_have_value(re.compile("/play/join/"))
    friend.goto(link.input_value())
    friend.get_by_role("button", name="Take the seat").click()
    expect(host.locator(".hand-word")).to_have_text("Your turn.")
    return host, friend


def play(page: Page, *cells: str) -> None:
    for cell in cells:
        by_mouse(page, page.locator(f'[data-cell="{cell}"]'))


def test_the_pass_of_the_other_is_said(url: str, opened: Opened):
    host, friend = two_people(url, opened, "go")
    play(host, "2 2")
    expect(friend.locator(".hand-word")).to_have_text("Your turn.")
    button = friend.get_by_role("button", name="Pass")
    box = button.bounding_box()
    assert box
    assert box["y"] + box["height"] <= WINDOW["height"]
    button.click()
    expect(host.locator(".hand-word")).to_have_text(re.compile(r"^Guest-\S+ passed\. Your turn\.$"))
    play(host, "3 3")
    expect(friend.locator(".hand-word")).to_have_text("Your turn.")


def test_a_refusal_stands_beside_a_board_that_is_as_large_as_a_watched_one(url: str, opened: Opened):
    page = opened()
    page.goto(f"{url}/play/chess")
    expect(page.locator(".game-tabs a").first).to_be_visible()
    page.get_by_role("button", name="Play random", exact=True).click()
    expect(page.locator('[data-turn] .hand-cell[data-state="source"]').first).to_be_attached()
    expect(page.locator(".game-tabs")).to_have_count(0)
    play(page, "6 4", "3 4")
    refusal = page.get_by_role("alert").filter(has_text="Not a legal move:")
    expect(refusal).to_be_visible()
    board, own, words = (
        part.bounding_box() for part in (page.locator(".hand-board"), page.locator(".play-bar[data-me]"), refusal)
    )
    assert board
    assert own
    assert words
    assert board["height"] >= LARGE
    assert own["y"] + own["height"] <= WINDOW["height"]
    assert words["x"] >= board["x"] + board["width"] + 100, "in the column of keys"
    assert words["y"] + words["height"] <= WINDOW["height"]
    play(page, "4 4")
    expect(refusal).to_have_count(0)


def test_a_draw_is_offered_declined_by_a_move_and_taken(url: str, opened: Opened):
    host, friend = two_people(url, opened, "chess")
    offer = host.get_by_role("button", name="Offer a draw")
    offer.click()
    host.get_by_role("button", name="Offer it?").click()  # it asks once: an offer is not taken back
    expect(host.get_by_role("status").filter(has_text="You offer a draw.")).to_be_visible()
    expect(offer).to_be_disabled()
    told = friend.get_by_role("status").filter(has_text=re.compile(r"^Guest-\S+ offers a draw\."))
    expect(told).to_be_visible()
    assert serious(friend) == []
    friend.reload()
    expect(told).to_be_visible()
    play(host, "6 4", "4 4")
    expect(told).to_be_visible()
    play(friend, "1 4", "3 4")
    expect(told).to_have_count(0)
    expect(offer).to_be_enabled()
    friend.keyboard.press("d")
    friend.keyboard.press("d")
    host.get_by_role("button", name="Accept the draw").click()
    for page in (host, friend):
        expect(page.locator("#result")).to_have_text("Draw")
        expect(page.locator(".play-result")).to_contain_text("by agreement")


def test_no_draw_is_offered_to_a_bot_nor_in_a_game_without_draws(url: str, opened: Opened):
    host, _ = two_people(url, opened, "breakthrough")
    page = opened()
    page.goto(f"{url}/play/chess")
    page.get_by_role("button", name="Play random", exact=True).click()
    for each in (host, page):
        expect(each.get_by_role("button", name="Give up")).to_be_visible()
        expect(each.get_by_role("button", name="Offer a draw")).to_have_count(0)


def test_the_way_back_to_an_open_game_stands_on_every_view_and_says_whose_turn_it_is(url: str, opened: Opened):
    host, friend = two_people(url, opened, "breakthrough")
    way = host.get_by_role("link", name="Back to your game")
    told = host.locator(".open-game")
    expect(way).to_have_count(0)
    for view in ("Games", "Results", "Hall screen"):
        host.get_by_role("link", name=view, exact=True).first.click()
        expect(told).to_contain_text("Your turn in your game of Breakthrough.")
        expect(way).to_be_in_viewport()
    way.click()
    expect(host.locator(".hand-word")).to_have_text("Your turn.")
    play(host, "1 1", "2 1")
    expect(host.locator(".hand-word")).to_contain_text("is to move.")
    host.get_by_role("link", name="Bots", exact=True).click()
    expect(told).to_contain_text("Your game of Breakthrough goes on.")
    play(friend, "4 1", "3 1")
    expect(told).to_contain_text("Your turn in your game of Breakthrough.")
    friend.get_by_role("button", name="Give up").click()
    friend.get_by_role("button", name="Give up for good?").click()
    expect(way).to_have_count(0)


def test_the_way_back_to_a_table_says_who_is_waited_for(url: str, opened: Opened):
    host = opened()
    host.goto(f"{url}/play/chess")
    host.get_by_role("button", name="A friend, by link").click()
    expect(host.locator(".invite input")).to_have_value(re.compile("/play/join/"))
    host.get_by_role("link", name="Games", exact=True).first.click()
    expect(host.locator(".open-game")).to_contain_text("Your table of Chess waits: a friend.")
    assert serious(host) == []
    host.get_by_role("link", name="Back to your table").click()
    host.get_by_role("button", name="Leave the table").click()
    host.get_by_role("link", name="Games", exact=True).first.click()
    expect(host.get_by_role("heading", name="Games", level=1)).to_be_visible()
    expect(host.locator(".open-game")).to_be_empty()


def test_a_move_thought_ahead_is_shown_played_when_the_turn_comes_or_dropped_with_a_word(url: str, opened: Opened):
    host, friend = two_people(url, opened, "chess")
    word, marked = friend.locator(".hand-word"), friend.locator(".picked.ahead")
    expect(friend.locator('.hand-cell[data-state="ahead"]')).to_have_count(16)
    play(friend, "1 4", "3 4")  # before the first turn
    expect(marked).to_have_count(2)
    expect(word).to_contain_text("Then e7 to e5; touch it again to take it back.")
    assert serious(friend) == []
    play(host, "6 4", "4 4")
    expect(host.locator(".hand-word")).to_have_text("Your turn.")
    expect(host.locator(".move-list, .moves")).to_contain_text("e5")
    expect(marked).to_have_count(0)

    play(friend, "0 1", "2 2")  # is taken back, by a touch on it and by Escape
    play(friend, "2 2")
    expect(marked).to_have_count(0)
    play(friend, "0 1", "2 2")
    expect(marked).to_have_count(2)
    friend.keyboard.press("Escape")
    expect(marked).to_have_count(0)
    expect(word).not_to_contain_text("Then")

    play(friend, "1 3", "4 3")  # no pawn goes that far
    play(host, "7 6", "5 5")
    expect(word).to_have_text("Your turn. D7 to d4, thought ahead, is not legal now.")
    expect(marked).to_have_count(0)


def test_a_piece_dragged_ahead_on_an_own_one_takes_what_takes_that(url: str, opened: Opened):
    host, friend = two_people(url, opened, "chess")
    play(host, "6 4", "4 4")
    expect(friend.locator(".hand-word")).to_have_text("Your turn.")
    play(friend, "1 3", "3 3")
    expect(host.locator(".hand-word")).to_have_text("Your turn.")
    queen, pawn = (friend.locator(f'[data-cell="{cell}"]').bounding_box() for cell in ("0 3", "3 3"))
    assert queen
    assert pawn
    friend.mouse.move(queen["x"] + 20, queen["y"] + 20)
    friend.mouse.down()
    friend.mouse.move(pawn["x"] + 25, pawn["y"] + 25, steps=4)
    friend.mouse.up()
    expect(friend.locator(".picked.ahead")).to_have_count(2)
    play(host, "4 4", "3 3")
    expect(host.locator(".moves")).to_contain_text("Qxd5")


def test_a_piece_that_was_taken_ahead_stays_in_hand_when_the_turn_comes(url: str, opened: Opened):
    host, friend = two_people(url, opened, "breakthrough")
    play(friend, "4 1")
    play(host, "1 1", "2 1")
    expect(friend.locator('.hand-cell[data-state="target"]').first).to_be_attached()
    play(friend, "3 1")
    expect(host.locator(".hand-word")).to_have_text("Your turn.")


def test_a_stone_of_go_is_not_thought_ahead(url: str, opened: Opened):
    _, friend = two_people(url, opened, "go")
    expect(friend.locator(".hand-word")).to_contain_text("is to move.")
    play(friend, "2 2")
    expect(friend.locator(".picked, .hand-cell[data-state]")).to_have_count(0)


@pytest.mark.parametrize(("game", "options"), [("chess", {}), ("go", {"Size": "19"})])
def test_all_that_is_chosen_and_played_with_is_in_the_window(
    url: str, opened: Opened, game: str, options: dict[str, str]
):
    page = opened()
    page.goto(f"{url}/play/{game}")
    for name, value in options.items():
        page.get_by_role("group", name=f"usual: {name}").get_by_role("button", name=value, exact=True).click()
    expect(page.locator("ol.opponents li")).to_have_count(5)
    expect(page.locator("[data-idle] .hand-board")).to_be_visible()
    form = (".hand-board", ".play-seating", ".play-friend", "ol.opponents", ".play-settings")
    assert below(page, form) == {}
    page.get_by_role("button", name="Play random", exact=True).click()
    expect(page.locator('[data-turn] .hand-cell[data-state="source"]').first).to_be_attached()
    assert below(page, (".bars", ".hand-board", ".play-bar[data-me]", ".hand-word", ".key-box")) == {}
    assert page.evaluate("scrollY") == 0


def below(page: Page, parts: tuple[str, ...]) -> dict[str, float]:
    """Return which parts end below the window, and where."""
    found: dict[str, float] = {}
    for part in parts:
        box = page.locator(part).first.bounding_box()
        assert box, part
        if box["y"] + box["height"] > WINDOW["height"]:
            found[part] = box["y"] + box["height"]
    return found
