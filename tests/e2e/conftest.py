"""The real `palio`, a scripted server for the page, and a browser whose every complaint fails the test."""

import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from command import Palio
from fork_server import ForkServer
from page_checks import listen
from page_server import Stage, serving
from playwright.sync_api import Browser, Page, Playwright, ViewportSize, expect, sync_playwright

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


@pytest.fixture(scope="session")
def fork_server() -> Iterator[ForkServer]:
    server = ForkServer()
    yield server
    server.close()


@pytest.fixture
def palio(tmp_path: Path, fork_server: ForkServer) -> Iterator[Palio]:
    command = Palio(tmp_path, fork_server)
    yield command
    command.close()


@pytest.fixture(scope="session")
def database_of_a_tournament(tmp_path_factory: pytest.TempPathFactory, fork_server: ForkServer) -> Path:
    command = Palio(tmp_path_factory.mktemp("tournament"), fork_server)
    command("run", "dominoes", "random", "greedy")
    return command.folder / "palio.db"


@pytest.fixture
def tournament(palio: Palio, database_of_a_tournament: Path) -> None:
    """In the directory of `palio` two bots have played two games of dominoes."""
    shutil.copy(database_of_a_tournament, palio.folder)


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


@pytest.fixture(scope="module")
def standing_stage() -> Iterator[Stage]:
    with serving(Stage()) as served:
        yield served


@pytest.fixture
def stage(standing_stage: Stage) -> Stage:
    """The scripted server, with nothing on it."""
    standing_stage.clear()
    return standing_stage


class Pages:
    """The pages of a module's tests. A page is used again, because loading all its parts takes most of a second."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._pages: dict[str, list[Page]] = {}  # by the options of their context
        self._open: list[tuple[Page, ViewportSize, list[Page]]] = []  # each with where it belongs
        self.complaints: list[str] = []

    def open(self, url: str, options: dict[str, Any]) -> Page:
        options = {"viewport": {"width": 1280, "height": 900}, **options}
        pages = self._pages.setdefault(repr(sorted(options.items())), [])
        page = pages.pop() if pages else self._new(options)
        self._open.append((page, options["viewport"], pages))
        page.goto(url)
        return page

    def leave(self) -> None:
        """Make all pages as good as new. Fails if the browser has complained of any."""
        while self._open:
            page, viewport, pages = self._open.pop()
            page.unroute_all()
            page.evaluate("() => { sessionStorage.clear(); localStorage.clear(); }")
            page.goto("about:blank")
            page.set_viewport_size(viewport)
            pages.append(page)
        said = self.complaints.copy()
        self.complaints.clear()
        assert said == []

    def _new(self, options: dict[str, Any]) -> Page:
        page = self._browser.new_context(**options).new_page()
        page.set_default_timeout(PATIENCE_MS)
        listen(page, self.complaints)
        return page


@pytest.fixture(scope="module")
def pages(browser: Browser) -> Pages:
    return Pages(browser)


@pytest.fixture
def open_page(pages: Pages, stage: Stage) -> Iterator[OpenPage]:
    """Yield a function that opens views of the page; complaints of the browser in them fail the test at the end."""
    yield lambda address="", **options: pages.open(f"{stage.url}/{address}", options)
    pages.leave()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty database, for a test only."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/palio.db"
        return
    url, name = request.getfixturevalue("postgres_url"), f"palio_test_{secrets.token_hex(6)}"
    with psycopg.connect(f"{url}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield f"{url}/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def shared_database(postgres_url: str) -> Iterator[str]:
    """An empty PostgreSQL database for servers that share the work."""
    name = f"palio_test_{secrets.token_hex(6)}"
    with psycopg.connect(f"{postgres_url}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield f"{postgres_url}/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
