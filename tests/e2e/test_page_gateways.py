"""The page at two gateways, by nginx and directly, while gateways, PostgreSQL and the broker die under it."""

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from command import Palio, Started
from conftest import Mosquitto, free_port, lacking, wait_until
from nginx_proxy import proxy_before
from playwright.sync_api import Browser, Page, expect
from private_postgres import PrivatePostgres, programs
from sharing import SmallBot, playing

from palio_db.store import Store
from palio_db.work import read
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl

pytestmark = [
    pytest.mark.browser,
    pytest.mark.mosquitto,
    pytest.mark.postgres,
    pytest.mark.slow,
    pytest.mark.timeout(600),
]

PLAYERS, ENTRANTS = ("ann", "bob"), ("cleo", "dan", "eve", "finn")
THINK_S = 0.5
LOST = "connection lost, reconnecting"


class LongBot(SmallBot):
    """Plays the move that stays farthest from the goal, so that a match outlasts a test."""

    async def _hear(self, socket: Any, message: dict[str, Any]) -> None:
        if message["type"] == "turn":
            ahead = 1 if message["ply"] % 2 == 0 else -1
            message["moves"].sort(key=lambda move: ahead * move[1][0])
        await super()._hear(socket, message)


class Hosts:
    """Two gateways and a referee as processes, PostgreSQL and Mosquitto; each may be killed and started again."""

    def __init__(self, palio: Palio, postgres: PrivatePostgres, broker: Mosquitto) -> None:
        self._palio, self.postgres, self.broker = palio, postgres, broker
        self.ports = {"gateway1": free_port(), "gateway2": free_port()}
        self._processes: dict[str, Started] = {}

    def start(self, name: str) -> None:
        words = ["--worker", name, "--db", self.postgres.url, "--mqtt", self.broker.url, "--role", name.rstrip("12")]
        if name in self.ports:
            words += ["--port", str(self.ports[name]), "--no-auth"]
        self._processes[name] = self._palio.start("serve", *words)
        self._processes[name].line_with("serves on")

    def kill(self, name: str) -> None:
        self._processes[name].end(signal.SIGKILL)

    def restart(self, name: str) -> None:
        """End it at once, and start it again."""
        match name:
            case "PostgreSQL":
                self.postgres.stop()
                self.postgres.start()
            case "Mosquitto":
                self.broker.kill()
                self.broker.start()
            case _:
                self.kill(name)
                self.start(name)


@pytest.fixture
def hosts(palio: Palio, mosquitto: Mosquitto) -> Iterator[Hosts]:
    if programs() is None:
        lacking("PostgreSQL's initdb", "install it (apt-get install postgresql)")
    postgres = PrivatePostgres()
    palio.env["PALIO_LEASE_S"] = "3"
    try:
        found = Hosts(palio, postgres, mosquitto)
        for name in ("gateway1", "gateway2", "referee1"):
            found.start(name)
        yield found
    finally:
        palio.close()
        postgres.close()


@contextmanager
def bots_at(url: str) -> Iterator[None]:
    """Have all bots play by that address, in a thread of their own."""
    loop = asyncio.new_event_loop()
    ended = asyncio.Event()

    async def play() -> None:
        async with playing(*(LongBot(name, url, think_s=THINK_S) for name in (*PLAYERS, *ENTRANTS))):
            await ended.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(play()))
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()
        loop.close()


def asked(db: str, match: Setup | str) -> Any:
    """Schedule a match and return its name; or return the plies of its journal."""
    found: list[Any] = []

    async def ask() -> None:
        async with await Store.open(db) as store:
            if isinstance(match, Setup):
                found.append(await store.schedule(match))
            else:
                plies, _ = await store._database.query(lambda connection: read(connection, match))
                found.append(plies)

    thread = threading.Thread(target=lambda: asyncio.run(ask()))  # this one's loop is the browser's
    thread.start()
    thread.join()
    return found[0]


def plies(page: Page) -> list[int]:
    """Return the numbers of the plies in the move list."""
    return page.locator("tr.line").evaluate_all(
        "all => all.map(row => Number(row.dataset.ply ?? row.cells[0].innerText.match(/\\d+/)[0]))"
    )


def opened(browser: Browser, url: str) -> Page:
    page = browser.new_page()
    page.goto(url)
    page.evaluate("window.same = true")
    return page


def test_each_view_comes_back_by_itself_and_shows_each_ply_once(
    browser: Browser, palio: Palio, hosts: Hosts, nginx: str, tmp_path: Path
):
    gateways = [f"127.0.0.1:{port}" for port in hosts.ports.values()]
    with proxy_before(nginx, gateways, tmp_path) as proxy, bots_at(f"http://{proxy}"):
        url, names = f"http://{proxy}", {*PLAYERS, *ENTRANTS}
        connected = f"{url}/api/bots?connected=true"
        wait_until(lambda: names <= {bot["name"] for bot in httpx.get(connected, timeout=20).json()}, "bots", 60)
        match = asked(hosts.postgres.url, Setup("breakthrough", PLAYERS, {"rows": 8}, time=TimeControl.parse("900+5")))
        palio("tournament", "create", "breakthrough", *ENTRANTS, "--tc", "900+5", "--start", "--url", url)
        address = f"/match/{match}"
        matches = [opened(browser, f"{base}{address}") for base in (url, f"http://{gateways[0]}")]
        lobby, event, hall = (opened(browser, f"{url}/{view}") for view in ("", "tournaments/1", "tv"))
        pages = [*matches, lobby, event, hall]
        for killed in ("gateway1", "gateway2", "PostgreSQL", "Mosquitto", "referee1"):
            known = len(plies(matches[0]))
            hosts.restart(killed)
            for page in matches:
                expect(page.locator("tr.line").nth(known + 1)).to_be_visible(timeout=90_000)  # two more than before
                seen = plies(page)
                assert seen == list(range(1, len(seen) + 1)), killed
            for page in pages:
                expect(page.get_by_text(LOST)).to_have_count(0, timeout=60_000)
                expect(page.get_by_text("Connection lost, trying again")).to_have_count(0)
                assert page.evaluate("window.same"), killed  # it was not loaded again
            expect(lobby.locator(f'a[href="{address[1:]}"]').first).to_be_visible()
            expect(event.get_by_text("cleo").first).to_be_visible()
    # the bots are gone: what the journal has by now is what the pages show
    journal = asked(hosts.postgres.url, match)
    for page in matches:
        expect(page.locator("tr.line")).to_have_count(len(journal))
