"""The hall's screen in Chromium with a slow processor: sixteen boards at ten moves a second each, and one large one.

The browser's processor is throttled four times. A local server sends, as the real one does, the newest positions of all
matches four times a second, and each move of the large match at once. A frame is the time from one picture to the next,
from the page's own animation frames: on a busy machine it is longer. So the tasks of the page's main thread are
measured, too, from Chromium's trace and in CPU time, which other programs hardly change: at the processor's full speed,
multiplied afterwards, because Chromium throttles by waiting for as long as a task has lasted, other programs' time
included. A frame cannot be shorter than its longest task.
"""

import argparse
import asyncio
import json
import os
import random
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

from figures import Figure, keep
from playwright.sync_api import Page, sync_playwright

from palio_db.store import Store
from palio_rules.contract.messages import Info
from palio_rules.records.record import Ply, Setup
from palio_server.api.app import create_app
from palio_server.arena.arena import Arena
from palio_server.bus.local import LocalBus
from palio_server.live.feed import Feed
from palio_server.lobby.access import Access
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.other_servers import ALONE
from palio_server.match import events
from palio_server.network.http_server import serving
from palio_server.network.listeners import bind
from palio_server.settings import Settings

GOAL_MS = 100.0
TASK_GOAL_MS = 50.0  # half of a frame is left for work outside the main thread
CHROMIUM = os.environ.get("PALIO_TEST_CHROMIUM", "/usr/bin/chromium")
ARGS = ["--headless", "--no-sandbox", "--disable-gpu"]
GAMES = ("breakthrough", "end_of_the_track", "dominoes", "chexers")
SCREEN = {"width": 1920, "height": 1080}

WATCH_FRAMES = """() => {
    window.frames_seen = [];
    let last = performance.now();
    const note = (now) => { window.frames_seen.push(now - last); last = now; requestAnimationFrame(note); };
    requestAnimationFrame(note);
}"""

WATCH_MOVES = """() => {
    window.drawn = 0;
    new MutationObserver(() => { window.drawn += 1; })
        .observe(document.querySelector(".wall"), { subtree: true, childList: true, attributes: true });
}"""


def moves(match: str, name: str):
    """Yield a match's random moves without end: after a game the next one begins, in the same match."""
    setup = Setup(name, tuple(f"{match}-{seat}" for seat in range(3 if name == "chexers" else 2)))
    rng, rules, number = random.Random(match), setup.rules(), 0
    yield setup
    while True:
        state = setup.start()
        while state.to_move is not None:
            move, seat, number = rng.choice(list(state.legal_moves())), state.to_move, number + 1
            state = state.play(move)
            ply = Ply(seat, rules.move_to_wire(move), 100, Info(depth=4, score=rng.uniform(-5, 5)))
            yield events.Played(number, ply, move, state, [60_000] * len(setup.bots))


class Hall(threading.Thread):
    """A server in a thread, in which `boards` + 1 matches are played at `rate` moves a second each."""

    def __init__(self, boards: int, rate: float) -> None:
        super().__init__(name="hall", daemon=True)
        self.boards, self.rate, self.url = boards, rate, ""
        self.ready, self.over = threading.Event(), threading.Event()
        self.played = 0

    def run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        async with await Store.open("sqlite://") as store:
            bus = LocalBus()
            lobby, feed = Lobby(bus), Feed(bus)
            arena = Arena(store, bus, lobby, feed, worker="bench", concurrency=1)
            parts = SimpleNamespace(
                settings=Settings(), store=store, bus=bus, lobby=lobby, feed=feed, arena=arena, others=ALONE,
                access=Access(store, "open"),
            )  # fmt: skip
            listener = bind("127.0.0.1", 0)
            async with serving(create_app(parts), listener):
                self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
                await self._play(feed)

    async def _play(self, feed: Feed) -> None:
        """Play every match one ply after the other, evenly spread over the time of a ply."""
        played = self.stories(feed)
        self.ready.set()
        began, beat = time.monotonic(), 1 / (self.rate * len(played))
        while not self.over.is_set():
            for story in played:
                next(story)
                self.played += 1
                await asyncio.sleep(max(0.0, began + self.played * beat - time.monotonic()))

    def stories(self, feed: Feed) -> list[Iterator[None]]:
        """Return what happens on each board: a step is one ply, without end."""
        stories = [self._story(feed, f"m{number}", GAMES[number % len(GAMES)]) for number in range(self.boards + 1)]
        for story in stories:
            next(story)
        return stories

    def _story(self, feed: Feed, match: str, name: str) -> Iterator[None]:
        played = moves(match, name)
        feed.open(match, setup := next(played))
        feed.note(match, events.Started(setup.start(), [60_000] * len(setup.bots)))
        yield
        for event in played:
            feed.note(match, event)
            yield


def trace(page: Page, seconds: float) -> list[float]:
    """Return the CPU time of each task of the page's main thread in so many seconds, in milliseconds."""
    session = page.context.new_cdp_session(page)
    found: list[dict] = []
    ended: list[bool] = []
    session.on("Tracing.dataCollected", lambda data: found.extend(data["value"]))
    session.on("Tracing.tracingComplete", lambda _: ended.append(True))
    session.send("Tracing.start", {"traceConfig": {"includedCategories": ["toplevel", "devtools.timeline"]}})
    page.wait_for_timeout(1000 * seconds)
    session.send("Tracing.end")
    while not ended:
        page.wait_for_timeout(50)
    main = {
        (event["pid"], event["tid"])
        for event in found
        if event.get("name") == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    names = {"RunTask", "ThreadControllerImpl::RunTask"}
    return [
        event["tdur"] / 1000
        for event in found
        if event["name"] in names and "tdur" in event and (event["pid"], event["tid"]) in main
    ]


def measure(args: argparse.Namespace) -> dict:
    hall = Hall(args.boards, args.rate)
    hall.start()
    if not hall.ready.wait(30):
        raise SystemExit("the server did not start within 30 s; see what it says above")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=args.chromium, args=ARGS)
        page = browser.new_context(viewport=SCREEN).new_page()
        page.goto(f"{hall.url}/tv?boards={args.boards}")
        page.locator(".wall-card .board").nth(args.boards - 1).wait_for()
        page.wait_for_selector(".hero .board")
        page.wait_for_timeout(2000)  # the compilation at the first draw is not measured
        tasks = [args.slower * task for task in trace(page, args.seconds / 2)]
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": args.slower})
        page.wait_for_timeout(1000)
        page.evaluate(WATCH_MOVES)
        page.evaluate(WATCH_FRAMES)
        before = hall.played
        page.wait_for_timeout(1000 * args.seconds)
        frames, drawn = page.evaluate("() => [window.frames_seen, window.drawn]")
        played = hall.played - before
        if args.picture:
            page.screenshot(path=args.picture)
        browser.close()
    hall.over.set()
    return {"frames": sorted(frames), "tasks": sorted(tasks), "drawn": drawn, "played": played}


def quantile(values: list[float], share: float) -> float:
    return values[min(len(values) - 1, int(share * len(values)))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=16, help="small ones")
    parser.add_argument("--rate", type=float, default=10.0, help="moves a second of each match")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--slower", type=float, default=4.0, help="how many times the processor is throttled")
    parser.add_argument("--chromium", default=CHROMIUM)
    parser.add_argument("--picture", type=Path, help="keep a picture of the screen here")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    found = measure(args)
    frames, tasks = found["frames"], found["tasks"]
    what = f"hall's screen: {args.boards} boards at {args.rate:g} moves/s, {args.slower:g} times slower"
    figures = [
        Figure(f"{what}, longest frame", frames[-1], "ms", GOAL_MS, less_is_better=True),
        Figure(f"{what}, p99 of frames", quantile(frames, 0.99), "ms", GOAL_MS, less_is_better=True),
        Figure(f"{what}, longest task (CPU)", tasks[-1] if tasks else 0.0, "ms", TASK_GOAL_MS, less_is_better=True),
        Figure("main thread's share of the time (CPU)", 100 * sum(tasks) / (500 * args.seconds), "%"),
        Figure("frames a second", len(frames) / args.seconds, ""),
    ]
    keep(figures)
    if args.json:
        print(json.dumps({"frames": frames, "tasks": tasks[-50:], "drawn": found["drawn"], "played": found["played"]}))
        return 0
    width = max(len(figure.what) for figure in figures)
    print("\n".join(figure.line(width) for figure in figures))
    print(f"{found['played']:,} moves played, {found['drawn']:,} batches of changes drawn; {len(tasks):,} tasks traced")
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores (ours is about 2)")
    return int(not tasks or not found["drawn"])


if __name__ == "__main__":
    sys.exit(main())
