"""Tournaments on the real server, with real bots, from the page: made, watched, changed, played to their ends."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.request import urlopen

import pytest
from command import Palio
from page_checks import complaints, listen, overflow
from playwright.sync_api import Browser, Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# Random play that stands still while there is a file, so that an event can be looked at before it is over.
HELD = """
import asyncio
from pathlib import Path

from palio_clients.agents.random import RandomBot


class Held(RandomBot):
    async def choose(self, state, clock):
        while Path("hold").exists():
            await asyncio.sleep(0.01)
        return super().choose(state, clock)
"""
PLAYERS = ("ada", "emmy", "grace", "sofia")
SMALL = "breakthrough:rows=5,cols=5"


@pytest.fixture
def url(palio: Palio) -> str:
    """The address of a real server at which four bots wait to play."""
    (palio.folder / "held.py").write_text(HELD)
    found = re.search(r"http://[\w.:]+", palio.start("serve", "--port", "0").line_with("serves on"))[0]
    for name in PLAYERS:
        palio.start("join", found, "./held.py", "--name", name, "--slots", "4", "--quiet")
    return found


@contextmanager
def standing_still(palio: Palio) -> Iterator[None]:
    """Stop all moves within the context."""
    hold = palio.folder / "hold"
    hold.touch()
    try:
        yield
    finally:
        hold.unlink()


@pytest.fixture
def page(browser: Browser, url: str) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    said: list[str] = []
    listen(page, said)
    page.goto(url)
    expect(page.locator(".bots .bot")).to_have_count(len(PLAYERS), timeout=60_000)
    yield page
    context.close()
    assert said == []


def check(page: Page) -> None:
    """No complaint on the page as it stands, and no sideways scroll, on a large screen and on a phone."""
    assert complaints(page) == []
    assert overflow(page) == 0
    page.set_viewport_size({"width": 390, "height": 800})
    assert overflow(page) == 0
    page.set_viewport_size({"width": 1280, "height": 900})


def asked(url: str, path: str) -> Any:
    with urlopen(f"{url}/api/{path}") as answer:
        return json.load(answer)


def make(page: Page, format_: str, *, name: str, rounds: int | None = None) -> None:
    """Make and start an event of all who are here, from the form."""
    page.get_by_role("link", name="Tournaments", exact=True).click()
    page.get_by_role("link", name="New tournament").click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Game", exact=True).select_option("breakthrough")
    page.get_by_label("Format", exact=True).select_option(format_)
    if rounds is not None:
        page.get_by_label("Rounds").fill(str(rounds))
    page.get_by_label("Clock").fill("90+0.1")
    page.get_by_role("button", name=re.compile("^All ")).click()
    page.get_by_role("button", name="Make and start").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def until_over(page: Page) -> None:
    expect(page.locator(".event-stage")).to_have_text("finished", timeout=90_000)
    page.wait_for_load_state("networkidle")


def part(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Parts of the event").get_by_role("link", name=name).click()


def test_a_swiss_is_made_paused_left_and_made_longer_in_the_page(page: Page, palio: Palio, url: str):
    with standing_still(palio):
        make(page, "swiss", name="Real cup", rounds=2)
        page.get_by_text("Manage", exact=True).click()
        page.get_by_role("button", name="Pause").click()
        expect(page.locator(".event-stage")).to_have_text("paused")
        page.get_by_role("button", name="Resume").click()
        expect(page.locator(".event-stage")).to_contain_text("running")
    page.get_by_text("Manage", exact=True).click()
    until_over(page)
    check(page)

    lines = asked(url, "tournaments/1")["standings"]
    expect(page.locator(".event-table tbody th .bot")).to_have_text([line["bot"] for line in lines])
    ranks = [line["rank"] for line in lines]
    # equal lines share their places
    spans = [(ranks.index(rank) + 1, ranks.index(rank) + ranks.count(rank)) for rank in ranks]
    places = page.locator(".event-table tbody td.rank").all_inner_texts()
    assert [text.split()[-1] for text in places] == ["\N{EN DASH}".join(map(str, sorted({*span}))) for span in spans]

    part(page, "Bots and entries")
    page.get_by_text("Manage", exact=True).click()
    with standing_still(palio):
        page.get_by_label("Rounds in all").fill("3")
        page.get_by_role("button", name="Change").click()
        expect(page.locator(".event-stage")).to_contain_text("round 3 of 3")
        page.get_by_role("button", name="withdraw sofia").click()
        expect(page.locator(".event-table tr", has_text="sofia")).to_contain_text("withdrawn")
    until_over(page)
    assert asked(url, "tournaments/1")["rounds"] == 3
    part(page, "Standings")
    expect(page.locator(".event-table tr", has_text="sofia")).to_contain_text("withdrawn")


def skipped_hour() -> str:
    """A time that does not come in Rome: 2:30 on the next last Sunday of March, when clocks are put forward."""
    now = datetime.now(UTC)
    for year in (now.year, now.year + 1):
        last = datetime(year, 3, 31, 2, 30, tzinfo=UTC)
        last -= timedelta(days=(last.weekday() + 1) % 7)
        if last > now:
            break
    return last.strftime("%Y-%m-%dT%H:%M")


def test_an_event_cannot_be_made_for_an_hour_that_is_skipped_nor_for_the_past(page: Page, url: str):
    devtools = page.context.new_cdp_session(page)
    devtools.send("Emulation.setTimezoneOverride", {"timezoneId": "Europe/Rome"})
    page.get_by_role("link", name="Tournaments", exact=True).click()
    page.get_by_role("link", name="New tournament").click()
    page.get_by_label("Start at a time").check()
    skipped = skipped_hour()
    for time, sentence in (
        (skipped, f"{skipped.replace('T', ' ')} does not exist here: the clock is put forward over that hour."),
        ("2020-05-01T12:00", "'2020-05-01T10:00:00.000Z' is past; give a moment to come"),
    ):
        page.get_by_label("Starts at").fill(time)
        page.get_by_role("button", name="Make the tournament").click()
        expect(page.get_by_role("alert")).to_contain_text(sentence)
        expect(page.get_by_role("heading", level=1)).to_have_text("New tournament")
        assert asked(url, "tournaments") == []


def test_a_match_leads_to_its_round_and_back_while_it_is_played_and_afterwards(page: Page, palio: Palio, url: str):
    with standing_still(palio):
        make(page, "swiss", name="Real cup", rounds=1)
        part(page, "Rounds")
        page.locator(".encounter .live-word").first.click()
        place = page.locator(".match-event")
        expect(place.get_by_role("link", name="Real cup")).to_have_attribute("href", "tournaments/1")
        place.get_by_role("link", name=re.compile("round 1, board [12]")).click()
    until_over(page)
    encounter = page.locator(".encounter").first
    round_ = asked(url, "tournaments/1/rounds/1")["encounters"][0]
    expect(encounter.locator(".encounter-bots .bot")).to_have_text(round_["bots"])
    made = [
        " \u2013 ".join(f"{match['scores'][match['bots'].index(bot)]:g}" for bot in round_["bots"])
        for match in round_["matches"]
    ]
    expect(encounter.locator(".encounter-games a")).to_have_text(made)
    encounter.get_by_role("button", name="why").click()
    expect(encounter.locator(".encounter-why li").first).to_contain_text("They play a game from each side")
    expect(encounter.get_by_text("By the FIDE Dutch system")).to_be_visible()
    check(page)

    encounter.locator(".encounter-games a").nth(1).click()
    expect(page.locator(".verdict")).to_contain_text("wins")
    expect(place).to_contain_text("round 1, board 1, match 2")
    place.get_by_role("link", name="round 1, board 1").click()
    expect(encounter).to_be_visible()


def test_exports_of_a_swiss_are_files(page: Page):
    make(page, "swiss", name="Real cup", rounds=1)
    until_over(page)
    page.get_by_text("Export", exact=True).click()
    begins = {"JSON": "{", "CSV": "rank", "Markdown": "", "TRF": "012 Real cup", "Text": ""}
    for title, beginning in begins.items():
        with page.expect_download() as download:
            page.locator(".menu a", has_text=title).click()
        assert download.value.suggested_filename.startswith("tournament-1.")
        text = download.value.path().read_text()
        assert text.startswith(beginning)
        assert all(name in text for name in PLAYERS)


def test_a_knockout_is_drawn_to_its_winner(page: Page, palio: Palio, url: str):
    with standing_still(palio):
        make(page, "knockout", name="Real knockout")
        expect(page.locator(".pairing")).to_have_count(4)
        expect(page.locator(".knockout-live .card")).to_contain_text(re.compile("Semi-final [12]"))
        expect(page.locator(".pairing[data-open] .chip").first).to_have_text(re.compile("ply|matches in play|waiting"))
    until_over(page)
    detail = asked(url, "tournaments/1")
    final, third = detail["bracket"]["rounds"][-1]["matches"][0], detail["bracket"]["third_place"]
    expect(page.locator(".pairing[data-final] [data-won] .bot")).to_have_text(final["winner"])
    expect(page.locator("section[aria-label='third place'] [data-won] .bot")).to_have_text(third["winner"])
    expect(page.get_by_role("heading", name=f"The way of {final['winner']}")).to_be_visible()
    check(page)
    page.locator(".bot-way a").last.click()
    expect(page.get_by_role("heading", name="Round 2")).to_be_visible()
    part(page, "Standings")
    expect(page.locator(".event-table tbody th .bot").first).to_have_text(final["winner"])


def test_a_test_ends_by_itself_and_its_line_leaves_the_band(page: Page, palio: Palio, url: str):
    palio.start("join", url, "alpha_beta:depth=2", "--name", "strong", "--slots", "4", "--quiet")
    palio.start("join", url, "random", "--name", "weak", "--slots", "4", "--quiet")
    expect(page.locator(".bots .bot")).to_have_count(len(PLAYERS) + 2, timeout=60_000)
    test = "sprt:elo0=0,elo1=200,model=logistic"
    palio(
        *("tournament", "create", SMALL, "strong", "weak", "--format", test),
        *("--tc", "20+0.1", "--openings", "4", "--name", "Is it stronger", "--start", "--url", url),
    )
    page.get_by_role("link", name="Tournaments", exact=True).click()
    page.get_by_role("link", name="Is it stronger").click()
    until_over(page)
    expect(page.locator(".test-verdict")).to_have_text("Accepted")
    expect(page.get_by_text("strong is stronger than weak: 200 Elo fit the results better than 0")).to_be_visible()
    state = asked(url, "tournaments/1")["sprt"]
    assert state["llr"] >= state["upper"]
    heights = page.evaluate(
        "() => ['.ratio-end', '.upper', '.gain'].map(part => document.querySelector(`.llr-graph ${part}`).getBBox().y)"
    )
    end, bound, top = heights
    assert top <= end + 5 <= bound + 1
    expect(page.locator(".figures")).to_contain_text(f"{state['wins']} won")
    check(page)


def test_a_bot_that_does_not_play_the_game_is_marked(page: Page, palio: Palio, url: str):
    palio.start("join", url, "or_opt:seed=1", "--name", "salesman", "--quiet")
    expect(page.locator(".bots .bot")).to_have_count(len(PLAYERS) + 1, timeout=60_000)
    palio(*("tournament", "create", SMALL, "ada", "salesman", "--name", "Odd pair", "--url", url))
    page.goto(f"{url}/tournaments/1/entries")
    expect(page.locator(".event-table tr", has_text="salesman")).to_contain_text("does not play this game")
    expect(page.locator(".event-table tr", has_text="ada")).to_contain_text("connected")
    check(page)


def test_an_event_is_cancelled_for_good(page: Page, palio: Palio, url: str):
    with standing_still(palio):
        make(page, "round_robin", name="Short league")
        page.get_by_text("Manage", exact=True).click()
        page.get_by_role("button", name="Cancel the event").click()
        page.get_by_role("button", name="Cancel for good?").click()
        expect(page.locator(".event-stage")).to_have_text("cancelled")
    assert asked(url, "tournaments/1")["stage"] == "cancelled"
    check(page)
