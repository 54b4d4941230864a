"""The load time of the page: Chromium loads it from a real server over a slow line: 150 ms, 1.6 Mbit/s.

First with an empty cache: all received bytes, and the time until the boards of the lobby's matches are drawn. Then a
reload: the requested files. Last the first board of four views, on a processor that Chromium throttles four times
(`--slower`): medians of `--loads` loads, by the page's own clock from the navigation on.

Chromium throttles by waiting for as long as a task has lasted, other programs' time included, so on a busy machine
these times are too long. Beside each stands the CPU time of the page's main thread until the board is drawn, at full
speed and multiplied afterwards, which other programs hardly change. `--beside FOLDER` measures the server of another
checkout in turns with this one. `--chromium` names the browser; needs playwright, which `pip install -e .[dev]` has.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from figures import Figure, keep, table
from playwright.sync_api import Browser, sync_playwright

LATENCY_MS = 150
BYTES_S = 1_600_000 / 8
MOST_KB, MOST_S = 100, 1.5
MOST_BOARD_S = 2.0  # until the first board, on the slower processor
GAMES = ("breakthrough", "dominoes", "end_of_the_track")
PALIO = str(Path(sys.executable).parent / "palio")
PACKAGES = ("palio", "rules", "clients", "db", "server")  # folders of a checkout that Python imports from
RUNNING = "/api/matches?status=running"
ROUNDS = 30  # matches of each game: more than end while the page is measured
PACED = """import time
from palio_clients.agents.random import RandomBot

class Paced(RandomBot):
    quick = False

    def choose(self, state, clock):
        time.sleep(1)  # a bot that thinks would take the processor that is measured
        return super().choose(state, clock)
"""
VIEWS = {"hall": "tv", "match": "match/{match}", "lobby": "", "play": "play/breakthrough"}
FIRST_BOARD = """new MutationObserver((_, self) => {
  if (!document.querySelector("svg.board .mark")) return;
  self.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.firstBoard = performance.now(); }));
}).observe(document, { subtree: true, childList: true })"""
ARGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


@contextmanager
def server(checkout: Path | None = None) -> Iterator[str]:
    """Run a server, of another checkout if one is given, at which two bots play three matches at once, one after the
    other; yield its address.
    """
    code = {} if checkout is None else {"PYTHONPATH": os.pathsep.join(str(checkout / name) for name in PACKAGES)}
    with tempfile.TemporaryDirectory() as folder:
        kept, paced = f"sqlite:///{folder}/palio.db", Path(folder) / "paced.py"
        paced.write_text(PACED)
        serving = subprocess.Popen(
            [PALIO, "serve", "--port", "0", "--db", kept],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, **code},
        )
        processes = [serving]
        try:
            assert serving.stdout is not None
            found = next(match for line in serving.stdout if (match := re.search(r"http://[\w.:]+", line)))[0]
            for name in ("ada", "grace"):
                joining = [PALIO, "join", found, str(paced), "--name", name, "--slots", str(len(GAMES)), "--quiet"]
                processes.append(subprocess.Popen(joining, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            while len(ask(f"{found}/api/bots")) < 2:
                time.sleep(0.1)
            for game in GAMES * ROUNDS:
                ask(f"{found}/api/matches", {"game": game, "bots": ["ada", "grace"], "tc": "600"})
            while len(ask(f"{found}{RUNNING}")) < len(GAMES):
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

    def first_board(self, url: str, slower: float) -> tuple[float, float]:
        """Return seconds from the navigation until the first board is drawn, and the main thread's CPU time until
        then.
        """
        self.client.send("Emulation.setCPUThrottlingRate", {"rate": slower})
        self.client.send("Performance.enable", {"timeDomain": "threadTicks"})
        self.page.add_init_script(FIRST_BOARD)
        self.page.goto(url, wait_until="commit")
        took = self.page.wait_for_function("() => window.firstBoard", timeout=180_000).json_value() / 1000
        found = {line["name"]: line["value"] for line in self.client.send("Performance.getMetrics")["metrics"]}
        return took, found["TaskDuration"]


def first_boards(
    urls: list[str], browser: Browser, loads: int, slower: float
) -> Iterator[tuple[int, str, float, float]]:
    """Yield for each server and view: its index, the view, the median time and the CPU time until the first board, in
    seconds on the slower processor.
    """
    for view, path in VIEWS.items():
        times: list[list[float]] = [[] for _ in urls]
        works: list[list[float]] = [[] for _ in urls]
        for _ in range(loads):
            for index, url in enumerate(urls):
                match = ask(f"{url}{RUNNING}")[0]["id"]
                for rate, kept in ((slower, times), (1, works)):
                    line = Line(browser)
                    kept[index].append(line.first_board(f"{url}/{path.format(match=match)}", rate)[rate == 1])
                    line.context.close()
        for index in range(len(urls)):
            yield index, view, statistics.median(times[index]), slower * statistics.median(works[index])


def measure(url: str, browser: Browser, loads: int) -> tuple[list[float], Line]:
    """Measure several first loads, each of a browser with an empty cache; return also the last one's line."""
    took = []
    for _ in range(loads):
        line = Line(browser)
        took.append(line.load(url))
    return took, line


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loads", type=int, default=7)
    parser.add_argument("--slower", type=float, default=4.0, help="how many times the processor is throttled")
    parser.add_argument("--beside", type=Path, help="another checkout, whose server is measured in turns with this one")
    parser.add_argument("--chromium", default=shutil.which("chromium") or "/usr/bin/chromium")
    asked = parser.parse_args()
    with ExitStack() as stack:
        urls = [stack.enter_context(server(checkout)) for checkout in (None, asked.beside)[: 1 + bool(asked.beside)]]
        driver = stack.enter_context(sync_playwright())
        browser = driver.chromium.launch(executable_path=asked.chromium, args=ARGS)
        took, line = measure(urls[0], browser, asked.loads)
        sizes, sockets = dict(line.sizes), line.sockets
        again = line.load(urls[0], again=True)
        files = [each for each in line.sizes if "/api/" not in each and "/ws/" not in each]
        line.context.close()
        boards = list(first_boards(urls, browser, asked.loads, asked.slower))
        browser.close()
    for address, size in sorted(sizes.items(), key=lambda item: -item[1]):
        print(f"{size / 1000:7.1f} kB  {address.removeprefix(urls[0])}")
    print(f"{sockets / 1000:7.1f} kB  over the WebSocket, 1.5 s of play included")
    figures = [
        Figure("page: first load, all files and answers", sum(sizes.values()) / 1000, "kB", MOST_KB, True),
        Figure("page: first load until the boards are drawn", statistics.median(took), "s", MOST_S, True),
        Figure("page: a reload until the boards are drawn", again, "s", MOST_S, True),
        Figure("page: files that a reload asks for", len(files), "files", 1, True),
    ]
    for index, view, seconds, work in boards:
        what = f"page: {view}, first board, {asked.slower:g} times slower" + (", beside" if index else "")
        figures.append(Figure(what, seconds, "s", None if index else MOST_BOARD_S, True))
        figures.append(Figure(f"{what}: CPU of the main thread", work, "s"))
    keep([figure for figure in figures if "beside" not in figure.what])
    print(table(figures))
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    return 0


if __name__ == "__main__":
    sys.exit(main())
