"""Games without a package on the page of a real server: one of a file and one of OpenSpiel, as text, moves by name."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from command import Palio
from fork_server import ForkServer
from page_checks import complaints, listen, low_contrasts
from page_player import Player, by_mouse
from playwright.sync_api import Browser, Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

DOCS = Path(__file__).parents[2] / "docs" / "tutorials" / "first-game.md"
TYPED = {"nim": "./mygame.py:Nim", "openspiel_tic_tac_toe": "openspiel:tic_tac_toe"}
TITLES = {"nim": "Nim", "openspiel_tic_tac_toe": "Tic Tac Toe"}
OFFERED = [word for typed in TYPED.values() for word in ("--game", typed)]


@pytest.fixture(scope="module")
def palio(tmp_path_factory: pytest.TempPathFactory, fork_server: ForkServer) -> Iterator[Palio]:
    command = Palio(tmp_path_factory.mktemp("own"), fork_server)
    [whole] = [
        code for code in re.findall(r"```python\n(.*?)```", DOCS.read_text(), re.DOTALL) if "class Heap:" in code
    ]
    (command.folder / "mygame.py").write_text(whole)
    yield command
    command.close()


@pytest.fixture(scope="module")
def url(palio: Palio) -> str:
    """A server that offers both, with bots of the house and two bots that have joined."""
    line = palio.start(*("serve", "--port", "0", "--house-bots", "2", *OFFERED)).line_with("serves on")
    found = re.search(r"http://[\w.:]+", line)
    assert found
    for name in ("ada", "emmy"):
        palio.start(*("join", found[0], "random", "--name", name, "--quiet", *OFFERED))
    return found[0]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(30_000)
    said: list[str] = []
    listen(page, said)
    yield page
    page.context.close()
    assert said == []


def played(palio: Palio, url: str, page: Page, game: str) -> str:
    """A match of the two bots, started when both are there; its page when it is over."""
    page.goto(url)
    expect(page.locator(".bots .bot")).to_have_text(["ada", "emmy"])
    match = palio.json("match", "start", TYPED[game], "ada", "emmy", "--url", url, "--st", "5")["match"]
    page.goto(f"{url}/match/{match}")
    expect(page.locator(".verdict")).to_contain_text(re.compile("wins|Draw"))
    return match


@pytest.mark.parametrize("game", TYPED)
def test_two_bots_play_it_and_all_of_it_is_seen(palio: Palio, url: str, page: Page, game: str):
    match = played(palio, url, page, game)
    with urlopen(f"{url}/api/matches/{match}/replay") as answer:
        replay = json.load(answer)
    expect(page.get_by_role("heading", level=1)).to_contain_text(TITLES[game])
    expect(page.locator("tr.line")).to_have_count(len(replay["lines"]))
    board = page.locator(".stage .board-text")
    expect(board).to_have_text(replay["views"][-1]["text"])
    page.keyboard.press("Home")
    expect(board).to_have_text(replay["views"][0]["text"])
    assert complaints(page) == []
    assert low_contrasts(page) == []

    page.goto(f"{url}/games/{game}")
    expect(page.get_by_role("heading", level=1)).to_contain_text(TITLES[game])
    expect(page.locator(".leaders tbody tr")).to_have_count(2)
    assert complaints(page) == []


@pytest.mark.parametrize("game", TYPED)
def test_a_person_plays_it_by_picking_moves_by_name(url: str, page: Page, game: str):
    page.goto(f"{url}/play/{game}")
    page.get_by_role("button", name="Play random", exact=True).click()
    Player(page, by_mouse).play_on()
    expect(page.locator(".play-result h2")).to_have_text(re.compile("You (win|lose|share the win)|Draw"))
    assert complaints(page) == []
