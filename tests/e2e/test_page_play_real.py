"""Whole games in Chromium: a person against the house's bots on a real server, by mouse, by keys, by a finger."""

import re
from collections.abc import Iterator

import pytest
from command import Palio
from fork_server import ForkServer
from page_axe import serious
from page_checks import complaints, listen, overflow
from page_memory import grows_little
from page_player import Player, Touch, by_finger, by_keys, by_mouse, tour
from playwright.sync_api import Browser, Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# Small boards and short games, so that each ends by its own rules within some moves.
GAMES = {
    "breakthrough": ("random", {"rows": "5", "cols": "3"}),
    "chexers": ("random", {"max_turns": "15"}),
    "dominoes": ("random", {"rows": "3", "cols": "3"}),
    "end_of_the_track": ("random", {"max_plies": "12"}),
    "rush_hour": ("", {"moves": "3"}),
    "chexers_solo": ("", {"pieces": "1", "blocks": "3"}),
    "tsp": ("", {"size": "5"}),
}
HANDS = {
    "mouse": (by_mouse, {"viewport": {"width": 1280, "height": 900}}),
    "keys": (by_keys, {"viewport": {"width": 1280, "height": 900}}),
    "finger": (by_finger, {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}),
}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory, fork_server: ForkServer) -> Iterator[str]:
    """A real server with bots of the house."""
    palio = Palio(tmp_path_factory.mktemp("play"), fork_server)
    line = palio.start("serve", "--port", "0", "--house-bots", "8").line_with("serves on")
    found = re.search(r"http://[\w.:]+", line)
    assert found
    yield found[0]
    palio.close()


def opened(browser: Browser, options: dict[str, object], said: list[str]) -> Page:
    page = browser.new_context(**options).new_page()
    page.set_default_timeout(30_000)
    listen(page, said)
    return page


@pytest.fixture
def pages(browser: Browser) -> Iterator[list[Page]]:
    """Yield the pages that a test opens; complaints of the browser in them fail it."""
    own: list[Page] = []
    yield own
    for page in own:
        page.context.close()


def sit_down(page: Page, url: str, game: str, opponent: str, settings: dict[str, str]) -> None:
    page.goto(f"{url}/play/{game}")
    expect(page.locator(".opponents button").first).to_be_visible()
    if settings:
        page.get_by_text("More options").click()
        for name, value in settings.items():
            page.locator(f'[name="option {name}"]').fill(value)
    name = f"Play {opponent}" if opponent else "Play"
    page.get_by_role("button", name=name, exact=True).click()
    if game == "tsp":  # its clock waits
        page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("[data-turn]")).to_be_attached()


@pytest.mark.parametrize("hand", HANDS)
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game(browser: Browser, url: str, pages: list[Page], game: str, hand: str):
    touch, options = HANDS[hand]
    said: list[str] = []
    page = opened(browser, options, said)
    pages.append(page)
    opponent, settings = GAMES[game]
    sit_down(page, url, game, opponent, settings)
    page.wait_for_load_state("networkidle")
    assert serious(page) == []
    assert complaints(page) == []
    if hand == "finger":
        assert overflow(page) == 0
    finish(page, game, touch)
    result = page.locator(".play-result h2")
    expect(result).to_have_text(re.compile("You (win|lose|share the win)|Draw|Solved"))
    assert serious(page) == []
    assert said == []


def finish(page: Page, game: str, touch: Touch) -> None:
    if game == "tsp":
        tour(page, touch)
    else:
        Player(page, touch, advised=game in ("rush_hour", "chexers_solo")).play_on()


# What is chosen by the buttons of usual values, and the cells that the board then has.
CHOSEN = {
    "breakthrough": ({"Rows": "8", "Cols": "5"}, 40, {"rows": 8, "cols": 5}),
    "dominoes": ({"Rows": "6", "Cols": "10"}, 60, {"rows": 6, "cols": 10}),
    "go": ({"Size": "13", "Handicap": "4", "Komi": "5.5"}, 169, {"size": 13, "handicap": 4, "komi": 5.5}),
}


@pytest.mark.parametrize("game", CHOSEN)
def test_the_board_before_a_game_is_the_one_that_is_chosen(browser: Browser, url: str, pages: list[Page], game: str):
    said: list[str] = []
    page = opened(browser, {}, said)
    pages.append(page)
    page.goto(f"{url}/play/{game}")
    chosen, cells, options = CHOSEN[game]
    for name, value in chosen.items():
        button = page.get_by_role("group", name=f"usual: {name}").get_by_role("button", name=value, exact=True)
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-idle] .hand-cell")).to_have_count(cells)
    assert serious(page) == []
    assert complaints(page) == []
    with page.expect_request("**/api/play") as asked:
        page.get_by_role("button", name="Play random").click()
    assert asked.value.post_data_json["options"] == {key: str(value) for key, value in options.items()}
    expect(page.locator("[data-turn] .hand-cell")).to_have_count(cells)
    assert said == []


def test_options_that_do_not_fit_are_refused_before_the_game(browser: Browser, url: str, pages: list[Page]):
    page = opened(browser, {}, [])
    pages.append(page)
    page.goto(f"{url}/play/go")
    page.locator('[name="option size"]').fill("3")
    page.locator('[name="option handicap"]').fill("9")
    expect(page.locator(".hand-word")).to_contain_text("has no places on a board of 3x3")
    page.get_by_role("group", name="usual: Size").get_by_role("button", name="19", exact=True).click()
    expect(page.locator(".hand-word")).to_have_text("The board stands; choose whom to play.")
    expect(page.locator(".mark.stone")).to_have_count(9)


def test_two_clicks_from_play_to_the_board(browser: Browser, url: str, pages: list[Page]):
    said: list[str] = []
    page = opened(browser, {}, said)
    pages.append(page)
    page.goto(f"{url}/play")
    page.get_by_role("button", name="Play random").click()
    expect(page.locator(".hand-word")).to_have_text("Your turn.")
    expect(page.locator('.hand-cell[data-state="source"]')).to_have_count(6)
    assert said == []


def test_a_slip_is_told_in_the_referees_words_and_costs_nothing(browser: Browser, url: str, pages: list[Page]):
    said: list[str] = []
    page = opened(browser, {}, said)
    pages.append(page)
    sit_down(page, url, "breakthrough", "random", {})
    by_mouse(page, page.locator('[data-cell="1 3"]'))
    expect(page.locator(".hand-word")).to_have_text("Your turn. d5 can go to c4, d4 or e4.")
    by_mouse(page, page.locator('[data-cell="3 3"]'))
    expect(page.get_by_role("alert").filter(has_text="Not a legal move:")).to_contain_text("d5 to d3")
    expect(page.locator('[data-cell="1 3"]')).to_have_attribute("data-state", "held")
    page.locator('[data-cell="1 3"]').focus()
    page.keyboard.press("Escape")
    expect(page.locator('[data-cell="1 3"]')).to_have_attribute("data-state", "source")
    assert said == []


def test_a_piece_is_dragged_and_a_move_taken_back(browser: Browser, url: str, pages: list[Page]):
    said: list[str] = []
    page = opened(browser, {}, said)
    pages.append(page)
    sit_down(page, url, "breakthrough", "random", {})
    source, target = (page.locator(f'[data-cell="{cell}"]') for cell in ("1 3", "2 3"))
    expect(source).to_have_attribute("data-state", "source")
    (a, b) = (source.bounding_box(), target.bounding_box())
    assert a
    assert b
    page.mouse.move(a["x"] + 20, a["y"] + 20)
    page.mouse.down()
    page.mouse.move(a["x"] + 25, a["y"] + 60)
    expect(page.locator(".mark.lifted")).to_be_attached()
    page.mouse.move(b["x"] + 20, b["y"] + 20, steps=4)
    page.mouse.up()
    expect(target).to_have_attribute("aria-label", re.compile("d4, black pawn"))
    expect(page.locator("tr.line")).to_have_count(2)

    page.keyboard.press("z")
    expect(source).to_have_attribute("aria-label", re.compile("d5, black pawn"))
    expect(page.locator("tr.line")).to_have_count(0)
    expect(source).to_have_attribute("data-state", "source")
    page.keyboard.press("3")  # the best move at that depth
    expect(page.locator("tr.line")).to_have_count(2)
    assert said == []


def test_a_reload_goes_on_with_the_game(browser: Browser, url: str, pages: list[Page]):
    said: list[str] = []
    page = opened(browser, {}, said)
    pages.append(page)
    sit_down(page, url, "dominoes", "random", {"rows": "4", "cols": "4"})
    player = Player(page, by_mouse)
    assert player.wait_for_turn()
    player.move()
    expect(page.locator("tr.line")).to_have_count(2)
    page.reload()
    expect(page.locator("tr.line")).to_have_count(2)
    player.play_on()
    expect(page.locator(".play-result h2")).to_have_text(re.compile("You (win|lose)"))
    assert said == []


def test_a_game_is_given_up_and_played_again(browser: Browser, url: str, pages: list[Page]):
    said: list[str] = []
    page = opened(browser, {}, said)
    pages.append(page)
    sit_down(page, url, "breakthrough", "random", {})
    page.keyboard.press("q")
    expect(page.get_by_role("button", name="Give up for good?")).to_be_visible()
    page.keyboard.press("q")
    expect(page.locator(".play-result")).to_contain_text("You lose")
    expect(page.locator(".play-result")).to_contain_text("you gave up")
    expect(page.get_by_role("button", name="Next: greedy")).to_be_visible()
    page.get_by_role("button", name="Rematch").click()
    expect(page.locator(".hand-word")).to_have_text("Your turn.")
    assert said == []


# By a script in the page: each handle that the test's browser gives out would keep what it names. It ends with the
# first turn of a game, so that what two calls leave on the page can be compared: a board with all its pieces.
_PLAYS = """async (moves) => {
    const shown = () => new Promise(requestAnimationFrame);
    const any = (all) => all[Math.floor(Math.random() * all.length)];
    let first = false;
    for (;;) {
        const rematch = [...document.querySelectorAll(".play-result button")].find((e) => e.textContent === "Rematch");
        const source = any(document.querySelectorAll('[data-turn] .hand-cell[data-state="source"]'));
        if (source && first && moves <= 0) return;
        if (source) {
            first = false;
            source.click();
            await shown();
            any(document.querySelectorAll('.hand-cell[data-state="target"]'))?.click();
            moves -= 1;
        } else if (rematch && !rematch.disabled) {
            await new Promise((done) => setTimeout(done, 1000)); // at a person's pace, as the server's limits have it
            rematch.click();
            first = true;
            while (document.querySelector(".play-result")) await shown();
        }
        await shown();
    }
}"""


def test_game_after_game_leaves_nothing_behind(browser: Browser, url: str, pages: list[Page]):
    said: list[str] = []
    page = opened(browser, {}, said)
    pages.append(page)
    sit_down(page, url, "breakthrough", "random", {"rows": "8", "cols": "8"})  # of many moves each
    done = 0

    def play_until(plies: int) -> None:
        nonlocal done
        page.evaluate(_PLAYS, (plies - done) // 2)
        done = plies

    grows_little(page, play_until)
    assert said == []


def test_a_friend_comes_by_the_link(browser: Browser, url: str, pages: list[Page]):
    said: list[str] = []
    host, guest = opened(browser, {}, said), opened(browser, {"viewport": {"width": 390, "height": 844}}, said)
    pages += [host, guest]
    host.goto(f"{url}/play/dominoes")
    host.get_by_role("button", name="A friend, by link").click()
    link = host.locator(".invite input")
    expect(link).to_have_value(re.compile("/play/join/"))
    assert serious(host) == []
    guest.goto(link.input_value())
    assert serious(guest) == []
    guest.get_by_role("button", name="Take the seat").click()
    expect(host.locator(".hand-word")).to_have_text("Your turn.")
    Player(host, by_mouse).move()
    expect(guest.locator(".hand-word")).to_have_text("Your turn.")
    assert said == []
