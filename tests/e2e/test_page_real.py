"""The page on the real server, with real bots: matches and races are started, watched, ranked and replayed."""

import json
import re
from collections.abc import Iterator
from urllib.request import urlopen

import pytest
from command import Palio
from page_checks import complaints, listen, overflow
from playwright.sync_api import Browser, Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

BOTS = {"ada": "alpha_beta:depth=2", "emmy": "random"}


@pytest.fixture
def bots(request: pytest.FixtureRequest) -> dict[str, str]:
    """The bots that are there, by name."""
    return getattr(request, "param", BOTS)


@pytest.fixture
def url(palio: Palio, bots: dict[str, str]) -> str:
    """The address of a real server at which the bots wait to play."""
    found = re.search(r"http://[\w.:]+", palio.start("serve", "--port", "0").line_with("serves on"))[0]
    for name, spec in bots.items():
        palio.start("join", found, spec, "--name", name, "--quiet")
    return found


@pytest.fixture
def page(browser: Browser, url: str) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    said: list[str] = []
    listen(page, said)
    page.goto(url)
    yield page
    context.close()
    assert said == []


def test_a_match_is_started_watched_ranked_and_replayed(page: Page, url: str):
    bots = page.locator(".bots .bot")
    expect(bots).to_have_text(sorted(BOTS), timeout=30_000)
    page.get_by_label("Game").select_option("breakthrough")
    page.get_by_label("black", exact=True).select_option("ada")
    page.get_by_label("white", exact=True).select_option("emmy")
    page.get_by_label("Clock", exact=True).fill("20+0.1")
    page.get_by_role("button", name="Start").click()

    expect(page.get_by_role("heading", level=1)).to_contain_text("Breakthrough")
    expect(page.locator(".verdict")).to_contain_text(re.compile("wins|Draw"), timeout=60_000)
    page.wait_for_load_state("networkidle")
    assert complaints(page) == []

    match = page.url.rpartition("/")[2]
    with urlopen(f"{url}/api/matches/{match}/replay") as answer:
        replay = json.load(answer)
    expect(page.locator("tr.line")).to_have_count(len(replay["lines"]))
    for key, view in {"ArrowLeft": replay["views"][-2], "Home": replay["views"][0], "End": replay["views"][-1]}.items():
        page.keyboard.press(key)
        board = page.locator(".stage .board")
        expect(board).to_have_attribute("aria-label", re.compile(rf"ply {view['ply']}\b"))
        expect(board.locator(".mark")).to_have_count(len(view["scene"]["marks"]))

    page.reload()  # the same match, now from the store
    expect(page.locator("tr.line")).to_have_count(len(replay["lines"]))

    page.goto(f"{url}/games/breakthrough")
    expect(page.locator(".leaders tbody th")).to_have_count(2)
    expect(page.locator(".leaders tbody tr").filter(has_text="ada")).to_contain_text("1")
    assert complaints(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    assert overflow(page) == 0

    page.get_by_role("link", name="Palio, to the lobby").click()
    expect(page.locator(".lobby[aria-busy=true]")).to_have_count(0)
    expect(page.locator(".results tbody tr")).to_have_count(1)
    assert complaints(page) == []


def test_the_servers_own_sentence_is_shown_when_a_match_cannot_be_started(page: Page):
    expect(page.locator(".bots .bot")).to_have_count(2, timeout=30_000)
    page.get_by_label("Clock", exact=True).fill("soon")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("alert")).to_contain_text("'soon' is no time control")


@pytest.mark.parametrize("view", ["", "tv", "play/breakthrough"])
def test_an_answer_that_the_page_requests_before_its_scripts_is_requested_once(page: Page, url: str, view: str):
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto(f"{url}/{view}")
    named = [
        page.evaluate("link => link.href", link) for link in page.query_selector_all("link[rel=preload][as=fetch]")
    ]
    assert f"{url}/api/games" in named
    page.wait_for_load_state("networkidle")
    assert {each: requested.count(each) for each in named} == dict.fromkeys(named, 1)


def start_race(page: Page, game: str, **settings: str) -> None:
    """Let all bots that are here race, from the form."""
    expect(page.locator(".bots .bot")).to_have_count(2, timeout=30_000)
    page.get_by_label("Game").select_option(game)
    for label, value in settings.items():
        page.get_by_label(label, exact=True).fill(value)
    page.get_by_role("button", name="Start").click()


@pytest.mark.parametrize("bots", [{"ada": "planner", "emmy": "random"}], indirect=True, ids=["planner, random"])
def test_a_race_is_watched_to_its_end_and_stepped_through(page: Page, url: str):
    start_race(page, "rush_hour", Clock="60")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Rush Hour")
    expect(page.locator(".verdict")).to_contain_text(re.compile("win"), timeout=60_000)
    expect(page.locator(".lanes .board")).to_have_count(2)
    page.wait_for_load_state("networkidle")
    assert complaints(page) == []

    match = page.url.rpartition("/")[2]
    with urlopen(f"{url}/api/matches/{match}") as answer:
        finishes = json.load(answer)["result"]["finishes"]
    paid = {bot: finish["cost"] for bot, finish in zip(("ada", "emmy"), finishes, strict=True)}
    first = page.locator(".standings tbody tr").first
    expect(first.locator(".bot")).to_have_text("ada")
    expect(first.locator(".cost")).to_have_text(f"{paid['ada']:g}")
    page.keyboard.press("Home")
    expect(page.locator(".standings .cost")).to_have_text(["\u2013", "\u2013"])
    different = """(count) => new Set([...document.querySelectorAll(".lane-board .board")].map(
        (board) => [...board.querySelectorAll(".mark")].map((mark) => mark.getAttribute("transform")).join()
    )).size === count"""
    page.wait_for_function(different, arg=1)  # the boards may be drawn after the costs
    page.keyboard.press("End")
    expect(first.locator(".cost")).to_have_text(f"{paid['ada']:g}")
    page.wait_for_function(different, arg=2)

    page.get_by_role("navigation", name="Views").get_by_role("link", name="Live").click()
    expect(page.locator(".results tbody tr")).to_contain_text("1st ada")


@pytest.mark.parametrize("bots", [{"ada": "or_opt:seed=1", "emmy": "random"}], indirect=True, ids=["or_opt, random"])
def test_an_anytime_race_draws_its_tours_and_costs(page: Page):
    start_race(page, "tsp", Clock="4")
    expect(page.locator(".stage .way")).to_have_attribute("d", re.compile("L"), timeout=30_000)
    expect(page.locator(".chart .curve")).to_have_count(2, timeout=30_000)
    expect(page.locator(".verdict")).to_contain_text("ada wins", timeout=60_000)
    expect(page.locator(".standings tbody .bot")).to_have_text(["ada", "emmy"])
    assert complaints(page) == []
