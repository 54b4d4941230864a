"""The page while a crowd plays: bytes a second and the share of its main thread, in Chromium.

A real server process with a ladder, and the bots of `bench_crowd.py` in another process: of 3,000 bots some 1,450
matches are always being played. Then one page after the other is opened in a headless Chromium, and for `--seconds`
after its first ones is measured:

- the bytes of all messages on its WebSocket, snapshot excluded, and those of the snapshot;
- the bytes of all answers of the API, compressed as they come;
- the share of the time for which its main thread was busy, the heap, and the nodes of the document.

Bytes hardly depend on what else the machine does; the shares do. `--pictures FOLDER` keeps each page as it looked, in
two sizes, light and dark. `--quick` takes below a minute. Linux only; needs playwright, of `pip install -e .[dev]`.
"""

import argparse
import asyncio
import os
import re
import shutil
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import msgspec
from bench_crowd import CROWD, TIME_CONTROL, allow_files, server_on
from figures import Figure, keep, table
from playwright.async_api import Browser, async_playwright

VIEWS = {"lobby": "", "bots": "bots", "leaderboard": "leaderboards/breakthrough", "hall": "tv"}
MOST_KB = {"lobby": 100.0, "bots": 20.0, "leaderboard": 60.0}  # a second, socket and API together
SIZES = {"wide": (1280, 800), "phone": (390, 844)}
ARGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
BEGIN_S = 300.0
FIRST_S = 8.0  # from the navigation until the measured time: the page has loaded, and asked for all that it needs


class Traffic:
    """The data that one page receives."""

    def __init__(self) -> None:
        self.snapshots = self.socket = self.api = 0.0
        self.asked: dict[str, float] = {}  # bytes by address
        self._urls: dict[str, str] = {}

    def begin(self) -> None:
        self.socket = self.api = 0.0
        self.asked.clear()

    def on_request(self, event: Any) -> None:
        self._urls[event["requestId"]] = event["request"]["url"]

    def on_finished(self, event: Any) -> None:
        address = self._urls.pop(event["requestId"], "")
        if "/api/" in address:
            self.api += event["encodedDataLength"]
            path = re.sub(r"^https?://[^/]*", "", address)
            self.asked[path] = self.asked.get(path, 0.0) + event["encodedDataLength"]

    def on_frame(self, event: Any) -> None:
        data = event["response"]["payloadData"]
        if data.startswith('{"type":"lobby"'):
            self.snapshots += len(data)
        else:
            self.socket += len(data)


async def measured(url: str, view: str, browser: Browser, seconds: float) -> list[Figure]:
    """Open a view, and return its figures."""
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    page = await context.new_page()
    session, traffic = await context.new_cdp_session(page), Traffic()
    session.on("Network.requestWillBeSent", traffic.on_request)
    session.on("Network.loadingFinished", traffic.on_finished)
    session.on("Network.webSocketFrameReceived", traffic.on_frame)
    await session.send("Network.enable")
    await session.send("Performance.enable")
    await page.goto(f"{url}/{VIEWS[view]}", wait_until="commit")
    await asyncio.sleep(FIRST_S)
    traffic.begin()
    before, began = await metrics(session), time.monotonic()
    await asyncio.sleep(seconds)
    after, took = await metrics(session), time.monotonic() - began
    most = sorted(traffic.asked.items(), key=lambda item: -item[1])[:3]
    asked = ", ".join(f"{path} {size / took / 1000:.1f} kB/s" for path, size in most)
    await context.close()
    total = (traffic.socket + traffic.api) / took / 1000
    name, first = f"crowd's page, {view}", f"snapshot {traffic.snapshots / 1000:.1f} kB"
    return [
        Figure(f"{name}: socket", traffic.socket / took / 1000, "kB/s", note=first),
        Figure(f"{name}: API", traffic.api / took / 1000, "kB/s", note=asked),
        Figure(f"{name}: both", total, "kB/s", MOST_KB.get(view), True),
        Figure(f"{name}: main thread busy", 100 * (after["TaskDuration"] - before["TaskDuration"]) / took, "%"),
        Figure(f"{name}: heap", after["JSHeapUsedSize"] / 1e6, "MB", note=f"{after['Nodes']:,.0f} nodes"),
    ]


async def metrics(session: Any) -> dict[str, float]:
    return {line["name"]: line["value"] for line in (await session.send("Performance.getMetrics"))["metrics"]}


async def picture(url: str, view: str, browser: Browser, folder: Path) -> None:
    """Keep how a view looks, in each size and scheme."""
    for size, (width, height) in SIZES.items():
        for scheme in ("light", "dark"):
            context = await browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            page = await context.new_page()
            await page.goto(f"{url}/{VIEWS[view]}", wait_until="commit")
            await asyncio.sleep(FIRST_S / 2)
            await page.screenshot(path=folder / f"{view}-{size}-{scheme}.png")
            await context.close()


def playing(url: str) -> int:
    """Return how many bots are in a match."""
    with urllib.request.urlopen(f"{url}/api/bots", timeout=30) as answer:
        return sum(bot["playing"] > 0 for bot in msgspec.json.decode(answer.read()))


async def crowd(url: str, bots: int) -> None:
    """Wait until nearly all bots are in a match."""
    end = time.monotonic() + BEGIN_S
    while (found := await asyncio.to_thread(playing, url)) < 0.9 * bots:
        if time.monotonic() > end:
            raise SystemExit(f"only {found} of {bots} bots are in a match after {BEGIN_S:.0f} s")
        await asyncio.sleep(1)
    await asyncio.sleep(1)


async def measure(asked: argparse.Namespace) -> list[Figure]:
    cores, figures = sorted(os.sched_getaffinity(0)), []
    with tempfile.TemporaryDirectory() as folder:
        words = ("--ladder", "--tc", TIME_CONTROL, "--concurrency", str(max(8, asked.bots)))
        async with server_on(Path(folder), *words, core=cores[0]) as (port, pid):
            url = f"http://127.0.0.1:{port}"
            load = await asyncio.create_subprocess_exec(
                sys.executable, CROWD, str(port), str(pid), str(asked.bots), "0", "36000", str(cores[-1]),
                stdout=asyncio.subprocess.DEVNULL,
            )  # fmt: skip
            try:
                await crowd(url, asked.bots)
                async with async_playwright() as driver:
                    browser = await driver.chromium.launch(executable_path=asked.chromium, args=ARGS)
                    for view in asked.views.split(","):
                        figures += await measured(url, view, browser, asked.seconds)
                        if asked.pictures:
                            await picture(url, view, browser, asked.pictures)
                    await browser.close()
                if load.returncode is not None:
                    raise SystemExit("the bots' process ended before the pages were measured")
            finally:
                if load.returncode is None:
                    load.terminate()
                    await load.wait()
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", type=int, default=3000)
    parser.add_argument("--seconds", type=float, default=20.0, help="for which each page is measured")
    parser.add_argument("--views", default=",".join(VIEWS), help=f"some of {', '.join(VIEWS)}")
    parser.add_argument("--pictures", type=Path, help="a folder for pictures of each page")
    parser.add_argument("--chromium", default=shutil.which("chromium") or "/usr/bin/chromium")
    parser.add_argument("--quick", action="store_true", help="200 bots, a few seconds, the lobby only")
    asked = parser.parse_args()
    if asked.quick:
        asked.bots, asked.seconds, asked.views = 200, 5.0, "lobby"
    if unknown := set(asked.views.split(",")) - set(VIEWS):
        parser.error(f"--views: no {', '.join(sorted(unknown))}; there are {', '.join(VIEWS)}")
    if asked.pictures:
        asked.pictures.mkdir(parents=True, exist_ok=True)
    allow_files(asked.bots)
    figures = asyncio.run(measure(asked))
    keep(figures)
    print(table(figures))
    print(f"{asked.bots:,} bots; load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    return 0


if __name__ == "__main__":
    sys.exit(main())
