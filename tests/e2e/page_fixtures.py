"""Fixtures of the page's tests: a scripted server, and a browser whose every complaint fails the test."""

from collections.abc import Callable, Iterator

import pytest
from page_checks import listen
from page_server import Stage, serving
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

ARGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

PATIENCE_MS = 30_000  # with a browser on a busy machine; what is there at once does not wait

OpenPage = Callable[..., Page]


# A module and no longer: while Playwright is open its event loop counts as running, and no other could.
@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="module")
def browser(playwright: Playwright, chromium: str) -> Iterator[Browser]:
    browser = playwright.chromium.launch(executable_path=chromium, args=ARGS)
    yield browser
    browser.close()


@pytest.fixture
def stage() -> Iterator[Stage]:
    with serving(Stage()) as served:
        yield served


@pytest.fixture
def open_page(browser: Browser, stage: Stage) -> Iterator[OpenPage]:
    """Opens views of the page; whatever the browser complains of in them fails the test in the end."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_page(address: str = "#/", **options: object) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        listen(page, complaints)
        page.goto(f"{stage.url}/{address}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
