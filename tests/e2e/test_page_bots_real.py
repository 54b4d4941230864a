"""A bot's page on the real server: two programs under one name hear of each other, and a match leaves its traces."""

import json
import re
from urllib.request import Request, urlopen

import pytest
from command import Palio
from page_checks import complaints, listen
from playwright.sync_api import Browser, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_match_is_on_the_pages_of_its_bots_and_a_second_program_is_said(palio: Palio, browser: Browser):
    url = re.search(r"http://[\w.:]+", palio.start("serve", "--port", "0").line_with("serves on"))[0]
    palio.start("join", url, "greedy", "--name", "ada", "--about", "One ply, never two.").line_with("connected")
    palio.start("join", url, "random", "--name", "emmy").line_with("connected")
    body = json.dumps({"game": "breakthrough", "bots": ["ada", "emmy"], "options": {"rows": 5, "cols": 4}}).encode()
    urlopen(Request(f"{url}/api/matches", body, {"Content-Type": "application/json"})).close()

    said: list[str] = []
    page = browser.new_page()
    listen(page, said)
    page.goto(f"{url}/bots")
    page.get_by_role("link", name="ada", exact=True).click()
    expect(page.get_by_text("One ply, never two.")).to_be_visible()
    expect(page.locator(".bot-matches li")).to_have_count(1, timeout=30_000)
    expect(page.locator(".opponents")).to_contain_text("emmy", timeout=60_000)
    expect(page.locator(".outcome-key")).to_contain_text(re.compile("won|lost"))
    assert complaints(page) == []

    second = palio.start("join", url, "alpha_beta:depth=2", "--name", "ada")
    assert "another program plays as ada now: greedy" in second.line_with("warning")
    expect(page.get_by_text("Two programs play under this name now.")).to_be_visible(timeout=20_000)

    page.get_by_role("link", name="Search all").click()
    expect(page.locator(".results-table tbody tr")).to_have_count(1)
    page.get_by_role("link", name="emmy", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("emmy")
    page.close()
    assert said == []
