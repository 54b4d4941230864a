"""The page through real restarts of its server: the same view, the whole position, each ply once."""

import re

import pytest
from command import Palio
from playwright.sync_api import Browser, Page, expect
from restarts import HOW, Restarted

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def numbers(page: Page) -> list[int]:
    """Of the plies in the move list."""
    return [
        int(text)
        for text in page.locator("tr.line").evaluate_all(
            "all => all.map(row => row.dataset.ply ?? row.cells[0].innerText.match(/\\d+/)[0])"
        )
    ]


@pytest.mark.timeout(240)
def test_it_comes_back_to_the_same_match_after_each_of_four_restarts(browser: Browser, palio: Palio):
    server = Restarted(palio)
    page = browser.new_page()
    address = f"{server.url}/match/{server.match}"
    page.goto(address)
    expect(page.locator(".stage .board")).to_be_visible()
    for _ in HOW:
        known = page.locator("tr.line").count()
        page.evaluate("window.same = true")
        server.restart()
        expect(page.locator("tr.line").nth(known)).to_be_visible()  # one more than before
        expect(page.get_by_text("connection lost, reconnecting")).to_have_count(0)
        assert page.url == address
        assert page.evaluate("window.same")  # it was not loaded again
        seen = numbers(page)
        assert seen == list(range(1, len(seen) + 1))
    record = server.finished()
    expect(page.locator(".verdict")).to_contain_text(re.compile("wins|Draw"))
    assert numbers(page) == list(range(1, len(record.plies) + 1))
    page.close()
