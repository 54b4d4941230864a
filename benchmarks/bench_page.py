"""The load time of the page: Chromium loads it from a real server over a slow line: 150 ms, 1.6 Mbit/s.

First with an empty cache: all received bytes, and the time until the boards of the lobby's matches are drawn. Then a
reload: the requested files. `--chromium` names the browser; needs playwright, which `pip install -e .[dev]` has.
"""

import argparse
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from figures import Figure, keep, table
from playwright.sync_api import Browser, sync_playwright

LATENCY_MS = 150
BYTES_S = 1_600_000 / 8
MOST_KB, MOST_S = 100, 1.5
GAMES = ("breakthrough", "dominoes", "end_of_the_track")
PALIO = str(Path(sys.executable).parent / "palio")
ARGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


@contextmanager
def server() -> Iterator[str]:
    """Run a server at which two bots play three matches slowly; yield its address."""
    with tempfile.TemporaryDirectory() as folder:
        kept = f"sqlite:///{folder}/palio.db"
        serving = subprocess.Popen(
            [PALIO, "serve", "--port", "0", "--db", kept], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        processes = [serving]
        try:
            assert serving.stdout is not None
            found = next(match for line in serving.stdout if (match := re.search(r"http://[\w.:]+", line)))[0]
            for name in ("ada", "grace"):
                joining = [PALIO, "join", found, "alpha_beta:seconds=1", "--name", name, "--slots", "8", "--quiet"]
                processes.append(subprocess.Popen(joining, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            while len(ask(f"{found}/api/bots")) < 2:
                time.sleep(0.1)
            for game in GAMES:
                ask(f"{found}/api/matches", {"game": game, "bots": ["ada", "grace"], "tc": "600"})
            while len([row for row in ask(f"{found}/api/matches") if row["status"] == "running"]) < len(GAMES):
                time.sleep(0.1)
            yield found
        finally:
            for process in reversed(processes):
                process.terminate()
            for process in processes:
                process.wait(10)


def ask(url: str, body: Any = None) -> Any:
    """Return the JSON at `url`."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


class Line:
    """A browser's slow line to the server, with the received data."""

    def __init__(self, browser: Browser) -> None:
        self.context = browser.new_context(viewport={"width": 1280, "height": 900})
        self.page = self.context.new_page()
        self.client = self.context.new_cdp_session(self.page)
        self.client.send("Network.enable")
        slow = {"offline": False, "latency": LATENCY_MS, "downloadThroughput": BYTES_S, "uploadThroughput": BYTES_S}
        self.client.send("Network.emulateNetworkConditions", slow)
        self.client.on("Network.requestWillBeSent", self._asked)
        self.client.on("Network.requestServedFromCache", lambda event: self._urls.pop(event["requestId"], None))
        self.client.on("Network.responseReceived", self._answered)
        self.client.on("Network.loadingFinished", self._finished)
        self.client.on("Network.webSocketFrameReceived", self._framed)
        self.forget()

    def forget(self) -> None:
        self._urls: dict[str, str] = {}
        self.sizes: dict[str, float] = {}
        self.sockets = 0

    def _asked(self, event: Any) -> None:
        self._urls[event["requestId"]] = event["request"]["url"]

    def _answered(self, event: Any) -> None:
        if event["response"].get("fromDiskCache"):
            self._urls.pop(event["requestId"], None)

    def _finished(self, event: Any) -> None:
        if url := self._urls.get(event["requestId"]):
            self.sizes[url] = event["encodedDataLength"]

    def _framed(self, event: Any) -> None:
        self.sockets += len(event["response"]["payloadData"])

    def load(self, url: str, *, again: bool = False) -> float:
        """Return seconds until the boards are drawn."""
        self.forget()
        began = time.perf_counter()
        if again:
            self.page.reload(wait_until="commit")
        else:
            self.page.goto(url, wait_until="commit")
        self.page.wait_for_selector(".card .board .mark", timeout=60_000)
        took = time.perf_counter() - began
        self.page.wait_for_timeout(1500)  # later data counts among the bytes
        return took


def measure(url: str, browser: Browser, loads: int) -> tuple[list[float], Line]:
    """Measure several first loads, each of a browser with an empty cache; return also the last one's line."""
    took = []
    for _ in range(loads):
        line = Line(browser)
        took.append(line.load(url))
    return took, line


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loads", type=int, default=5)
    parser.add_argument("--chromium", default=shutil.which("chromium") or "/usr/bin/chromium")
    asked = parser.parse_args()
    with server() as url, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=asked.chromium, args=ARGS)
        took, line = measure(url, browser, asked.loads)
        sizes, sockets = dict(line.sizes), line.sockets
        again = line.load(url, again=True)
        files = [each for each in line.sizes if "/api/" not in each and "/ws/" not in each]
        browser.close()
    for address, size in sorted(sizes.items(), key=lambda item: -item[1]):
        print(f"{size / 1000:7.1f} kB  {address.removeprefix(url)}")
    print(f"{sockets / 1000:7.1f} kB  over the WebSocket, 1.5 s of play included")
    figures = [
        Figure("page: first load, all files and answers", sum(sizes.values()) / 1000, "kB", MOST_KB, True),
        Figure("page: first load until the boards are drawn", statistics.median(took), "s", MOST_S, True),
        Figure("page: a reload until the boards are drawn", again, "s", MOST_S, True),
        Figure("page: files that a reload asks for", len(files), "files", 1, True),
    ]
    keep(figures)
    print(table(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
