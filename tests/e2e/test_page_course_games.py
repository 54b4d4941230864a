"""Games of a check on the page: from the feedback each is opened, and replayed step by step; for the staff, too."""

import csv
import io
import re
from collections.abc import Iterator
from typing import Any

import pytest
from command import Palio
from fork_server import ForkServer
from page_axe import serious
from page_checks import complaints, overflow
from page_course import BOT, FILE
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ASSIGNMENT = f"""
title = "Dominoes"
game = "dominoes:rows=4,cols=4"
handout = "dominoes"
files = ["{FILE}"]
opens = 2020-02-01T09:00:00
due = 2090-01-15T23:59:00
clock = "5"
[[against]]
bot = "random"
games = 4
need = 1
points = 10
"""
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, fork_server: ForkServer) -> Iterator[tuple[str, str, str]]:
    """Serve a course of one student whose submission is checked; its address, the student's and the staff's token."""
    palio = Palio(tmp_path_factory.mktemp("course"), fork_server)
    try:
        home = palio.folder / "ai101" / "assignments" / "dominoes"
        home.mkdir(parents=True)
        (palio.folder / "ai101" / "course.toml").write_text('title = "AI"\ntime_zone = "UTC"\nstaff = ["carla"]\n')
        (home / "assignment.toml").write_text(ASSIGNMENT)
        (palio.folder / "roster.csv").write_text("name,email,id\nAnn Lee,ann@x.edu,1\n")
        (palio.folder / FILE).write_text(BOT)
        palio("course", "roster", "ai101", "roster.csv")
        [line] = csv.DictReader(io.StringIO(palio("course", "links", "ai101").stdout))
        link = line["link"].partition("#")[2]
        staff = palio("bot", "add", "carla", "--scope", "watch").stdout.strip()
        palio("submit", "ai101", "dominoes", FILE, "--as", "1")
        palio("course", "check-all", "ai101")
        server = palio.start("serve", "--port", "0", "--course", "ai101")
        url = re.search(r"http://[\d.:]+", server.line_with("serves on"))
        assert url is not None
        yield f"{url[0]}/course/ai101", link, staff
    finally:
        palio.close()


@pytest.mark.parametrize("options", [{}, PHONE], ids=["1280", "phone"])
def test_a_game_of_the_feedback_is_replayed_step_by_step(pages: Any, course: Any, options: dict[str, Any]):
    address, token, _ = course
    page: Page = pages.open(f"{address}/dominoes#{token}", options)
    games = page.get_by_role("link", name=re.compile(r"^game \d, against random"))
    expect(games).to_have_count(4)
    games.first.click()
    expect(page.get_by_role("heading", level=2).first).to_contain_text("submission")
    steps = page.get_by_role("group", name="step through the match")
    steps.get_by_role("button", name="first position").click()
    before = page.locator(".stage svg").first.inner_html()
    steps.get_by_role("button", name="one ply on").click()
    expect(page.locator(".stage svg").first).not_to_have_js_property("innerHTML", before)
    assert (serious(page), complaints(page), overflow(page)) == ([], [], 0)
    page.reload()
    expect(page.get_by_role("heading", level=2).first).to_contain_text("submission")
    page.get_by_role("link", name="Feedback").click()
    expect(games).to_have_count(4)
    pages.leave()


def test_the_staff_opens_the_same_games(pages: Any, course: Any):
    address, _, token = course
    page: Page = pages.open(f"{address}/dominoes#{token}", {})
    page.get_by_role("region", name="submissions").locator("tbody tr a").first.click()
    page.get_by_role("link", name=re.compile(r"^game 2, against random")).click()
    expect(page.get_by_role("heading", level=2).first).to_contain_text("submission")
    expect(page.get_by_role("link", name="Feedback")).to_be_visible()
    pages.leave()
