"""Go as people meet it: GNU Go on the page by mouse, keys and finger, in a tournament, on a ladder with an anchor."""

import json
import re
import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from command import Palio
from fork_server import ForkServer
from page_axe import serious
from page_checks import complaints, listen, overflow
from page_player import Touch, by_finger, by_keys, by_mouse
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "engines.md").read_text("utf-8")
AREA = "--chinese-rules --positional-superko --never-resign"
WIDE = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
HANDS = {"mouse": (by_mouse, WIDE), "keys": (by_keys, WIDE), "finger": (by_finger, PHONE)}


def address(line: str) -> str:
    found = re.search(r"http://[\w.:]+", line)
    assert found
    return found[0]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory, fork_server: ForkServer, gnugo: str) -> Iterator[str]:
    """A real server at which GNU Go waits for people."""
    palio = Palio(tmp_path_factory.mktemp("go"), fork_server)
    bot = f"gnugo=gtp:{gnugo} --mode gtp --level 1 {AREA}"
    yield address(palio.start("serve", "--port", "0", "--house-bots", "2", "--bot", bot).line_with("serves on"))
    palio.close()


def sit_down(page: Page, url: str, size: int) -> None:
    page.goto(f"{url}/play/go")
    expect(page.get_by_role("button", name="Play gnugo", exact=True)).to_be_visible()
    page.locator('[name="option size"]').fill(str(size))
    expect(page.locator(".hand-cell")).to_have_count(size * size)
    page.get_by_role("button", name="Play gnugo", exact=True).click()
    my_turn(page)


def my_turn(page: Page) -> None:
    expect(page.locator("[data-turn] .hand-board[data-mine], .play-result").first).to_be_attached()


def made(page: Page) -> int:
    return page.locator(".mark.stone").count()


@pytest.mark.browser
@pytest.mark.parametrize("hand", HANDS)
def test_a_person_plays_gnu_go_until_both_pass(browser: Browser, url: str, hand: str):
    touch, options = HANDS[hand]
    page = browser.new_context(**options).new_page()
    page.set_default_timeout(30_000)
    said: list[str] = []
    listen(page, said)
    sit_down(page, url, 7)
    middle = page.locator('[data-cell="3 3"]')
    touch(page, middle)
    expect(page.locator(".mark.stone")).to_have_count(2)
    my_turn(page)
    touch(page, middle)
    expect(page.get_by_role("alert").filter(has_text="Not a legal move:")).to_contain_text(
        "D4: black has a stone there"
    )
    assert serious(page) == []
    assert complaints(page) == []
    if hand == "finger":
        assert overflow(page) == 0
    pass_on(page, touch)
    expect(page.locator(".play-result h2")).to_have_text("You lose")
    expect(page.locator(".play-result")).to_contain_text(re.compile(r"(Black|White) wins by \d+(\.5)? points?"))
    expect(page.locator(".play-bar small").first).to_contain_text("points")
    assert serious(page) == []
    assert said == []
    page.context.close()


def pass_on(page: Page, touch: Touch) -> None:
    """Pass until GNU Go passes, too."""
    for _ in range(60):
        my_turn(page)
        if page.locator(".play-result").count():
            return
        turn = page.locator("[data-turn]").get_attribute("data-turn")
        if touch is by_keys:
            page.keyboard.press("p")
        else:
            touch(page, page.get_by_role("button", name="Pass p", exact=True))
        page.wait_for_function(
            "(turn) => document.querySelector('.play-result')"
            " || document.querySelector('[data-turn]')?.dataset.turn !== turn",
            arg=turn,
        )
    raise AssertionError("GNU Go does not pass")


@pytest.mark.browser
def test_a_finger_that_slides_places_the_stone_where_it_is_lifted(browser: Browser, url: str):
    page = browser.new_context(**PHONE).new_page()
    page.set_default_timeout(30_000)
    sit_down(page, url, 19)
    first, last = (page.locator(f'[data-cell="{cell}"]').bounding_box() for cell in ("3 3", "2 3"))
    assert first
    assert last
    page.mouse.move(first["x"] + 5, first["y"] + 5)
    page.mouse.down()
    expect(page.locator(".aim")).to_be_attached()
    page.mouse.move(last["x"] + 5, last["y"] + 5)
    expect(page.locator(".mark.stone")).to_have_count(0)
    page.mouse.up()
    expect(page.locator(".moves, .play-moves").first).to_contain_text("D17")
    page.context.close()


@pytest.mark.browser
@pytest.mark.parametrize("size", [9, 13, 19])
def test_a_finger_places_a_stone_on_every_usual_board_of_a_phone(browser: Browser, url: str, size: int):
    """A point that is smaller than a finger is touched twice, and the second touch plays."""
    page = browser.new_context(**PHONE).new_page()
    page.set_default_timeout(30_000)
    said: list[str] = []
    listen(page, said)
    page.goto(f"{url}/play/go")
    page.get_by_role("group", name="usual: Size").get_by_role("button", name=str(size), exact=True).tap()
    expect(page.locator(".hand-cell")).to_have_count(size * size)
    page.get_by_role("button", name="Play gnugo", exact=True).tap()
    my_turn(page)
    assert overflow(page) == 0
    wrong, right = (f'[data-cell="3 {col}"]' for col in (3, 2))
    if size == 9:
        page.locator(right).tap()
    else:
        page.locator(wrong).tap()
        expect(page.locator(".hand-word")).to_contain_text(f"Touch D{size - 3} again to play there")
        slide(page, right, wrong, right)
        expect(page.get_by_role("button", name=f"Place C{size - 3}", exact=True)).to_be_visible()
        assert page.locator(".aimed").count() == 1
        assert made(page) == 0
        assert serious(page) == []
        assert complaints(page) == []
        page.locator(right).tap()
    expect(page.locator(".mark.stone")).to_have_count(2)
    expect(page.locator(".aimed")).to_have_count(0)
    expect(page.locator(".moves, .play-moves").first).to_contain_text(f"C{size - 3}")
    my_turn(page)
    if size > 9:
        page.locator('[data-cell="8 8"]').tap()
        page.get_by_role("button", name=f"Place J{size - 8}", exact=True).tap()
        expect(page.locator(".mark.stone")).to_have_count(4)
    my_turn(page)
    for _ in range(2):  # resigns, so that GNU Go is free
        page.locator(".key.danger").tap()
    expect(page.locator(".play-result")).to_be_attached()
    assert said == []
    page.context.close()


def slide(page: Page, *cells: str) -> None:
    """Put a finger on the first cell, slide over the others, and lift it on the last."""
    hand = page.context.new_cdp_session(page)
    for index, cell in enumerate(cells):
        box = page.locator(cell).bounding_box()
        assert box
        at = [{"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}]
        hand.send("Input.dispatchTouchEvent", {"type": "touchMove" if index else "touchStart", "touchPoints": at})
    hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_two_programs_of_go_play_the_book_from_both_sides_while_a_browser_looks(palio: Palio, gnugo: str):
    seen = palio.folder / "seen"
    palio.env["BROWSER"] = f"{sys.executable} -c \"import sys; open('{seen}', 'w').write(sys.argv[1])\" %s"
    one, two = (f"{name}=gtp:{gnugo} --mode gtp --level {level} {AREA}" for name, level in (("one", 1), ("two", 2)))
    running = palio.start("run", "go:size=9", one, two, "--openings", "book", "--sandbox", "off", "--browser")
    running.wait_for(lambda lines: seen.exists() or any("Finished game 2" in line for line in lines))
    assert seen.read_text().startswith("http://127.0.0.1:")
    running.line_with("Finished game 2")
    texts = palio("match", "export").stdout
    boards = re.findall(r'\[Position "([^"]+)"\]', texts) or re.findall(r'\[Opening "([^"]+)"\]', texts)
    assert len(boards) == 2
    assert boards[0] == boards[1]


def test_the_page_s_small_cgos_rates_those_who_join_by_its_anchor(palio: Palio, gnugo: str):
    commands = re.search(r"CGOS\n\n```bash\n(.*?)```", PAGE, re.DOTALL)
    assert commands
    (_, *serve), (_, *compiles), (_, *join) = (shlex.split(line, comments=True) for line in commands[1].splitlines())
    palio(*compiles)
    serve = [word.replace("gtp:gnugo", f"gtp:{gnugo}") for word in serve if word != "--auth"]
    there = address(palio.start(*serve, "--port", "0").line_with("serves on"))
    palio.start(*(word.replace("http://127.0.0.1:8000", there) for word in join), "--quiet")

    def board() -> list[dict[str, Any]]:
        with urlopen(f"{there}/api/leaderboard/go") as answer:
            return list(json.load(answer)["leaders"])

    until = time.monotonic() + 90
    while not (leaders := {each["bot"]: each for each in board()}) and time.monotonic() < until:
        time.sleep(0.2)
    assert leaders["gnugo"]["rating"] == 1800
    joined = leaders["mine-1.0"]
    lead = 2 * joined["points"] - joined["games"]  # wins less losses
    assert lead == 0 or (joined["rating"] > 1800) == (lead > 0), joined
