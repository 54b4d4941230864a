"""Engine authors' evenings with Debian's Stockfish: tests, Swiss, odds, a cluster, kills, and people at the board."""

import re
import signal
from typing import Any

import pytest
from command import Palio
from page_checks import listen
from page_player import Player, Touch, by_finger, by_keys, by_mouse
from playwright.sync_api import Browser

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

OPENINGS = ("--openings", "4", "--sandbox", "off")
SHORT = (*OPENINGS, "--max-plies", "60")


def engine(program: str, name: str, *settings: str) -> str:
    return ",".join([f"{name}=uci:{program}", "option.Hash=1", *settings])


def sane(palio: Palio, games: int) -> None:
    """Every record replays, and no engine lost by a fault."""
    assert f"{games} matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify").stdout
    ended = {match["termination"] for match in palio.json("match", "list", "--status", "finished", "--limit", "1000")}
    assert ended <= {"rule", "adjudicated"}


def test_a_change_of_an_engine_is_tested(palio: Palio, stockfish: str):
    bots = engine(stockfish, "new", "nodes=1000"), engine(stockfish, "old", "nodes=1")
    done = palio.json("run", "chess", *bots, "--sprt", "elo0=0 elo1=100 max_pairs=60", *OPENINGS)
    assert done["sprt"]["state"] == "H1"
    sane(palio, done["games"]["finished"])


def test_eight_settings_of_an_engine_play_a_swiss(palio: Palio, stockfish: str):
    bots = [engine(stockfish, f"n{nodes}", f"nodes={nodes}") for nodes in (1, 2, 5, 10, 20, 50, 100, 200)]
    done = palio.json("run", "chess", *bots, "--format", "swiss:rounds=3", *SHORT)
    assert done["games"] == {"scheduled": 0, "finished": 24, "aborted": 0}
    assert {line["bot"] for line in done["standings"]} == {bot.partition("=")[0] for bot in bots}
    sane(palio, 24)


def test_engines_that_were_killed_with_the_run_go_on_with_it(palio: Palio, stockfish: str):
    bots = engine(stockfish, "a", "movetime=20"), engine(stockfish, "b", "movetime=20")
    running = palio.start("run", "chess", *bots, "--rounds", "4", "--concurrency", "2", *SHORT)
    running.line_with("Finished game 1 ")
    assert running.end(signal.SIGKILL) == -signal.SIGKILL
    assert palio.json("run", "--resume", "1")["games"] == {"scheduled": 0, "finished": 8, "aborted": 0}
    sane(palio, 8)


def test_engines_play_on_a_cluster(palio: Palio, stockfish: str):
    bots = engine(stockfish, "a", "nodes=50"), engine(stockfish, "b", "nodes=5")
    done = palio.json("run", "chess", *bots, "--rounds", "4", "--cluster", "local:2", *SHORT)
    assert done["games"] == {"scheduled": 0, "finished": 8, "aborted": 0}
    sane(palio, 8)


@pytest.fixture
def url(palio: Palio, stockfish: str) -> str:
    """A server with an engine as a bot of its own, which plays one game at once."""
    line = palio.start("serve", "--port", "0", "--bot", engine(stockfish, "fish", "nodes=100")).line_with("serves on")
    return re.search(r"http://[\w.:]+", line)[0]


@pytest.mark.browser
@pytest.mark.parametrize(
    ("touch", "options"),
    [
        (by_mouse, {"viewport": {"width": 1280, "height": 900}}),
        (by_keys, {"viewport": {"width": 1280, "height": 900}}),
        (by_finger, {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}),
    ],
)
def test_a_person_plays_stockfish_on_the_page(url: str, browser: Browser, touch: Touch, options: dict[str, Any]):
    said: list[str] = []
    page = browser.new_context(**options).new_page()
    page.set_default_timeout(30_000)
    listen(page, said)
    page.goto(f"{url}/play/chess")
    page.get_by_role("button", name="Play fish", exact=True).click()
    player = Player(page, touch)
    for _ in range(4):
        if player.wait_for_turn():
            player.move()
    assert player.moves >= 2  # Stockfish may mate who moves at random
    page.context.close()
    assert said == []
