"""The page's footer leads to the documentation of a server that has it."""

import re
from pathlib import Path

import pytest
from command import Palio
from page_checks import listen
from playwright.sync_api import Browser, expect

pytestmark = pytest.mark.browser


def test_the_footer_leads_to_the_guide_and_its_scripts_may_run(palio: Palio, browser: Browser, tmp_path: Path):
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text('<title>Guide</title><p id="said"></p><script src="say.js"></script>')
    (site / "say.js").write_text('document.getElementById("said").textContent = "Tutorials"')
    line = palio.start("serve", "--port", "0", "--docs", str(site)).line_with("serves on")
    url = re.search(r"http://[\w.:]+", line)[0]
    page, said = browser.new_page(), []
    listen(page, said)
    page.goto(url)
    link = page.locator(".foot").get_by_role("link", name="Guide")
    expect(link).to_have_attribute("href", "/guide/")
    link.click()
    expect(page.locator("#said")).to_have_text("Tutorials")
    page.close()
    assert said == []
