"""A private server in a real browser: nothing is shown before one has signed in; a revoked token shows nothing more."""

import re

import pytest
from command import Palio
from page_checks import complaints
from playwright.sync_api import Browser, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_people_sign_in_look_on_and_are_signed_out_with_their_token(palio: Palio, browser: Browser):
    token = palio("bot", "add", "hall", "--scope", "watch").stdout.strip()
    player = palio("bot", "add", "ada").stdout.strip()
    url = re.search(r"http://[\w.:]+", palio.start("serve", "--private", "--port", "0").line_with("serves on"))[0]
    palio.start("join", url, "random", "--name", "ada", "--token", player).line_with("connected")
    page = browser.new_context().new_page()
    page.goto(url)
    field = page.get_by_label("Token")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    assert "ada" not in page.content()
    field.fill("a-wrong-token-at-all")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("this token is unknown or has been revoked")
    assert complaints(page) == []
    field.fill(token)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".bots .bot")).to_have_text(["ada"])  # told by the socket, which has the cookie only
    assert token not in page.evaluate("document.cookie")
    page.reload()
    expect(page.locator(".bots .bot")).to_have_text(["ada"])
    page.context.clear_cookies()  # as after the server was started again: the tab has its token yet
    page.reload()
    expect(page.locator(".bots .bot")).to_have_text(["ada"])
    palio("bot", "revoke", "hall")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    page.context.close()
