"""A person's actions besides moves, in Chromium on a real server: tours dragged, boards turned, rated games."""

import re
from collections.abc import Iterator

import pytest
from command import Palio
from fork_server import ForkServer
from page_checks import listen
from page_player import Player, by_mouse
from playwright.sync_api import Browser, Page, Route, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ORDER = """() => [...document.querySelectorAll(".city")]
    .map((city) => [city.getAttribute("aria-label").match(/number (\\d+)/)?.[1] ?? 0, city.dataset.city].map(Number))
    .sort((a, b) => a[0] - b[0]).map(([, city]) => city)"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory, fork_server: ForkServer) -> Iterator[str]:
    palio = Palio(tmp_path_factory.mktemp("more"), fork_server)
    line = palio.start("serve", "--port", "0", "--house-bots", "4").line_with("serves on")
    found = re.search(r"http://[\w.:]+", line)
    assert found
    yield found[0]
    palio.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that complains of nothing."""
    said: list[str] = []
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(30_000)
    listen(page, said)
    yield page
    page.context.close()
    assert said == []


def sit_down(page: Page, url: str, game: str, opponent: str = "", **settings: str) -> None:
    page.goto(f"{url}/play/{game}")
    name = f"Play {opponent}" if opponent else "Play"
    button = page.get_by_role("button", name=name, exact=True)
    expect(button).to_be_visible()
    page.get_by_text("More options").click()
    for option, value in settings.items():
        page.locator(f'[name="{option}"]').fill(value)
    button.click()


def middle(page: Page, city: int) -> tuple[float, float]:
    box = page.locator(f'[data-city="{city}"]').bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=3)
    expect(page.locator(".own-drag")).to_be_attached()
    page.mouse.move(*end, steps=3)
    page.mouse.up()


def with_options(route: Route, **options: str) -> dict[str, object] | None:
    """Return the posted body, with options that no form has; None for another method at the same address."""
    posted = route.request.post_data_json
    return None if posted is None else {**posted, "options": options}


def halfway(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2


def test_a_tour_is_made_better_by_dragging_a_city_and_a_step(page: Page, url: str):
    cities = "[[10, 10], [90, 10], [90, 90], [10, 90], [50, 45]]"
    page.goto(f"{url}/play/tsp")
    page.route("**/api/play", lambda route: route.continue_(post_data=with_options(route, cities=cities)))
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("[data-turn]")).to_be_attached()
    for city in (0, 1, 2, 3, 4):
        page.mouse.click(*middle(page, city))
    assert page.evaluate(ORDER) == [0, 1, 2, 3, 4]
    drag(page, middle(page, 4), halfway(middle(page, 0), middle(page, 1)))  # a city into a step
    assert page.evaluate(ORDER) == [0, 4, 1, 2, 3]
    drag(page, halfway(middle(page, 2), middle(page, 3)), middle(page, 4))  # a step onto a city
    assert page.evaluate(ORDER) == [0, 1, 2, 4, 3]
    page.get_by_role("button", name="Submit the tour").click()
    expect(page.locator(".play-bar[data-me]")).to_contain_text("cost")


def test_a_move_of_a_race_is_taken_back(page: Page, url: str):
    sit_down(page, url, "rush_hour", **{"option moves": "4"})
    player = Player(page, by_mouse, advised=True)
    for _ in range(2):
        assert player.wait_for_turn()
        player.move()
    expect(page.locator("tr.line")).to_have_count(2)
    first = page.locator("tr.line").first.inner_text().split()[1]
    page.keyboard.press("z")
    expect(page.locator("tr.line")).to_have_count(1)
    expect(page.locator("tr.line").first).to_contain_text(first)
    player.play_on()
    expect(page.locator(".play-result")).to_contain_text("your cost is 4")


PUZZLES = {"rush_hour": {"option moves": "4"}, "chexers_solo": {"option pieces": "1", "option blocks": "3"}}


@pytest.mark.parametrize("game", PUZZLES)
def test_a_puzzle_shows_its_solution(page: Page, url: str, game: str):
    sit_down(page, url, game, **PUZZLES[game])
    expect(page.locator('.hand-cell[data-state="source"]').first).to_be_attached()
    page.keyboard.press("h")
    expect(page.locator(".hand-word")).to_contain_text("to go by a shortest solution")
    page.keyboard.press("h")
    expect(page.locator(".play-result h2")).to_have_text("Solved")


def test_the_own_side_is_below_and_the_board_can_be_turned(page: Page, url: str):
    sit_down(page, url, "breakthrough", "random")
    expect(page.locator("[data-turn]")).to_be_attached()
    own, other = page.locator('[data-cell="0 0"]'), page.locator('[data-cell="5 0"]')
    expect(own).to_have_attribute("aria-label", re.compile("a6, black pawn"))

    def below() -> bool:
        boxes = own.bounding_box(), other.bounding_box()
        assert boxes[0]
        assert boxes[1]
        return boxes[0]["y"] > boxes[1]["y"]

    assert below()
    page.locator('[data-cell="1 3"]').focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")  # ahead
    assert page.evaluate("() => document.activeElement.dataset.cell") == "2 3"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Turn the board").click()
    assert not below()
    page.keyboard.press("f")
    assert below()
    by_mouse(page, page.locator('[data-cell="1 3"]'))
    by_mouse(page, page.locator('[data-cell="2 3"]'))
    expect(page.locator("tr.line").first).to_contain_text("d5-d4")


def test_black_of_chess_is_below(page: Page, url: str):
    page.goto(f"{url}/play/chess")
    page.get_by_label("Your seat").select_option("black")
    page.get_by_role("button", name="Play random", exact=True).click()
    expect(page.locator(".play-bar[data-me]")).to_contain_text("black")
    expect(page.locator("[data-turn]")).to_be_attached()
    kings = [page.locator(f'[data-cell="{row} 4"]') for row in (0, 7)]
    expect(kings[0]).to_have_attribute("aria-label", re.compile("e8, black king"))
    own, other = (king.bounding_box() for king in kings)
    assert own
    assert other
    assert own["y"] > other["y"]


def test_the_clock_waits_until_start_even_after_a_reload(page: Page, url: str):
    page.goto(f"{url}/play/breakthrough")
    page.get_by_label("Clock", exact=True).select_option("60+1")
    page.get_by_role("button", name="Play random").click()
    start = page.get_by_role("button", name="Start", exact=True)
    expect(start).to_be_focused()
    page.reload()
    expect(start).to_be_visible()
    expect(page.locator(".hand-board")).to_be_visible()
    expect(page.locator("[data-turn]")).to_have_count(0)
    start.click()
    expect(page.locator("[data-turn]")).to_be_attached()
    page.reload()  # the clock runs: there is nothing to be started
    expect(page.locator("[data-turn]")).to_be_attached()
    expect(start).to_have_count(0)


def test_another_table_gives_the_first_one_back(page: Page, url: str):
    sit_down(page, url, "breakthrough", "random")
    expect(page.locator("[data-turn]")).to_be_attached()
    match = page.get_by_role("link", name="Watch this match").get_attribute("href") or ""
    page.goto(f"{url}/play/dominoes")
    expect(page.locator(".play-elsewhere")).to_contain_text("You sit at a table of Breakthrough")
    page.get_by_role("button", name="Play random").click()
    expect(page.locator("[data-turn]")).to_be_attached()
    answer = page.request.get(f"{url}/api/matches/{match.split('/')[-1]}")
    assert answer.json()["status"] == "aborted"


def test_a_seat_is_taken_back_from_another_tab(page: Page, url: str):
    sit_down(page, url, "breakthrough", "random")
    expect(page.locator("[data-turn]")).to_be_attached()
    kept = page.evaluate("() => sessionStorage.getItem('palio-table')")
    other = page.context.new_page()
    other.goto(url)
    other.evaluate("(kept) => sessionStorage.setItem('palio-table', kept)", kept)
    other.goto(f"{url}/play/breakthrough")
    expect(other.locator("[data-turn]")).to_be_attached()
    expect(page.locator("[data-turn]")).to_have_count(0)
    page.get_by_role("button", name="Play here").click()
    expect(page.locator("[data-turn]")).to_be_attached()
    expect(other.get_by_text("This match goes on in another tab")).to_be_visible()


def test_with_a_token_a_game_is_rated(page: Page, palio: Palio):
    token = palio("bot", "add", "ada").stdout.strip().splitlines()[-1].split()[-1]
    line = palio.start("serve", "--port", "0", "--auth", "--house-bots", "2").line_with("serves on")
    found = re.search(r"http://[\w.:]+", line)
    assert found
    page.goto(f"{found[0]}/play/dominoes")
    page.get_by_text("Play for a rating").click()
    page.get_by_role("textbox", name="Token").fill(token)
    page.get_by_label("rated, under the token's name").check()
    page.get_by_role("button", name="Play random").click()
    expect(page.locator(".play-bar[data-me]")).to_contain_text("rated")
    expect(page.get_by_role("button", name="Hint")).to_be_disabled()
    page.keyboard.press("q")
    page.keyboard.press("q")
    expect(page.locator(".play-result")).to_contain_text("you gave up")
    leaders = page.request.get(f"{found[0]}/api/leaderboard/dominoes").json()
    assert "ada" in str(leaders)
