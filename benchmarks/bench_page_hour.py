"""The page left open for an hour (`--minutes`): the hall's screen, and one match after the other, in Chromium.

Sixteen small boards and a large one are played at random, two moves a second each; whenever a match ends, the next one
begins. The second page follows one board from match to match. Each minute garbage is collected, and the heap, the nodes
and the listeners that each page still holds are written down: after the first quarter they may not grow.
`--csv` and `--svg` keep them, as a table and drawn.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from html import escape
from itertools import count
from pathlib import Path
from random import Random
from statistics import mean
from typing import NamedTuple

from bench_wall import ARGS, CHROMIUM, GAMES, SCREEN, Hall
from figures import Figure, keep, table
from playwright.sync_api import CDPSession, sync_playwright

from palio_rules.contract.messages import Info, Result
from palio_rules.records.record import Ply, Setup
from palio_server.live.feed import Feed
from palio_server.match import events

MOST_GROWTH = 1.1
FOLLOWED = "0"  # the board whose matches the second page shows
GO = "path => { history.pushState({}, '', path); dispatchEvent(new Event('popstate')) }"
WIDTH, HEIGHT, LEFT, TOP, GAP = 860, 140, 90, 40, 46  # of one panel, in pixels; its margin and the room below it
INK = {"hall": "#b2492f", "match": "#2b6398"}
PANELS = (("heap_mb", "heap after a collection, MB"), ("nodes", "nodes"), ("listeners", "listeners"))


class Sample(NamedTuple):
    """The memory that a page uses after a collection."""

    minute: float
    view: str
    heap_mb: float
    nodes: float
    listeners: float
    plies: int  # of all boards since the start


class LongHall(Hall):
    """A hall whose matches end; `now` names the one that is played on the followed board."""

    now = ""

    def stories(self, feed: Feed) -> list[Iterator[None]]:
        stories = [self._story(feed, str(board), GAMES[board % len(GAMES)]) for board in range(self.boards + 1)]
        for story in stories:
            next(story)
        return stories

    def _story(self, feed: Feed, match: str, name: str) -> Iterator[None]:
        """Play one match after the other on a board."""
        for number in count():
            yield from self._match(feed, match, name, number)

    def _match(self, feed: Feed, board: str, game: str, number: int) -> Iterator[None]:
        match = f"m{board}-{number}"
        setup = Setup(game, tuple(f"bot {board}-{seat}" for seat in range(3 if game == "chexers" else 2)))
        rng, rules, clocks = Random(match), setup.rules(), [60_000] * len(setup.bots)
        state = setup.start()
        feed.open(match, setup)
        feed.note(match, events.Started(state, clocks))
        if board == FOLLOWED:
            self.now = match
        yield
        for ply_number in count(1):
            if state.to_move is None:
                break
            move, seat = rng.choice(list(state.legal_moves())), state.to_move
            state = state.play(move)
            ply = Ply(seat, rules.move_to_wire(move), 100, Info(depth=4, score=rng.uniform(-5, 5)))
            feed.note(match, events.Played(ply_number, ply, move, state, clocks))
            yield
        feed.note(match, events.Finished(Result("rule", "over", [0.5] * len(setup.bots)), state, clocks))
        yield


def held(session: CDPSession) -> tuple[float, float, float]:
    """Return MB of heap, nodes of documents (detached ones included) and listeners after a collection."""
    for _ in range(2):
        session.send("HeapProfiler.collectGarbage")
    found = {line["name"]: line["value"] for line in session.send("Performance.getMetrics")["metrics"]}
    return found["JSHeapUsedSize"] / 1e6, found["Nodes"], found["JSEventListeners"]


def watch(asked: argparse.Namespace) -> list[Sample]:
    """Return the samples of both pages, a pair each minute."""
    hall = LongHall(asked.boards, asked.rate)
    hall.start()
    if not hall.ready.wait(30):
        raise SystemExit("the server did not start within 30 s; see what it says above")
    samples = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=asked.chromium, args=ARGS)
        pages = {view: browser.new_context(viewport=SCREEN).new_page() for view in INK}
        pages["hall"].goto(f"{hall.url}/tv?boards={asked.boards}")
        pages["hall"].locator(".wall-card .board").nth(asked.boards - 1).wait_for()
        pages["match"].goto(f"{hall.url}/match/{hall.now}")
        pages["match"].locator(".stage .board").wait_for()
        sessions = {view: page.context.new_cdp_session(page) for view, page in pages.items()}
        for session in sessions.values():
            session.send("Performance.enable")
        began, shown, minute = time.monotonic(), hall.now, 0
        while minute <= asked.minutes:
            if hall.now != shown:
                shown = hall.now
                pages["match"].evaluate(GO, f"/match/{shown}")
            if time.monotonic() - began >= 60 * minute:
                for view, session in sessions.items():
                    passed = (time.monotonic() - began) / 60
                    samples.append(Sample(passed, view, *held(session), hall.played))
                    print(
                        f"{passed:5.1f} min  {view:<6}{samples[-1].heap_mb:7.1f} MB {samples[-1].nodes:8,.0f} nodes",
                        flush=True,
                    )
                minute += 1
            pages["match"].wait_for_timeout(500)
        browser.close()
    hall.over.set()
    return samples


def growth(samples: Sequence[Sample], view: str) -> float:
    """Return the mean heap of the last quarter of the time, as a multiple of that of the second quarter."""
    heaps = [sample.heap_mb for sample in samples if sample.view == view]
    quarter = max(1, len(heaps) // 4)
    return mean(heaps[-quarter:]) / mean(heaps[quarter : 2 * quarter] or heaps[:1])


def picture(samples: Sequence[Sample], title: str) -> str:
    """Draw what both pages hold over time as SVG; `title` gives the date and the load."""
    height, last = TOP + len(PANELS) * (HEIGHT + GAP), max(sample.minute for sample in samples) or 1.0
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 20} {height}" font-family="sans-serif">',
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="10" y="22" font-size="15">{escape(title)}</text>',
    ]
    small = 'font-size="11" fill="#555"'
    for number, (name, words) in enumerate(PANELS):
        top = TOP + number * (HEIGHT + GAP)
        floor, most = top + HEIGHT, max(getattr(sample, name) for sample in samples) or 1.0
        parts += [
            f'<text x="{LEFT}" y="{top + 10}" font-size="12">{words}</text>',
            f'<line x1="{LEFT}" y1="{floor}" x2="{LEFT + WIDTH}" y2="{floor}" stroke="#999"/>',
            f'<text x="{LEFT - 6}" y="{top + 24}" text-anchor="end" {small}>{most:,.3g}</text>',
            f'<text x="{LEFT - 6}" y="{floor}" text-anchor="end" {small}>0</text>',
            f'<text x="{LEFT + WIDTH}" y="{floor + 14}" text-anchor="end" {small}>{last:.0f} min</text>',
        ]
        for index, (view, ink) in enumerate(INK.items()):
            line = " ".join(
                f"{LEFT + WIDTH * each.minute / last:.1f},{floor - (HEIGHT - 18) * getattr(each, name) / most:.1f}"
                for each in samples
                if each.view == view
            )
            parts.append(f'<polyline fill="none" stroke="{ink}" stroke-width="1.5" points="{line}"/>')
            parts.append(
                f'<text x="{LEFT + 400 + 70 * index}" y="{top + 10}" font-size="12" fill="{ink}">{view}</text>'
            )
    return "\n".join([*parts, "</svg>", ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--boards", type=int, default=16)
    parser.add_argument("--rate", type=float, default=2.0, help="moves a second on each board")
    parser.add_argument("--csv", help="write the samples there")
    parser.add_argument("--svg", help="draw the samples there")
    parser.add_argument("--chromium", default=CHROMIUM)
    asked = parser.parse_args()
    samples = watch(asked)
    if asked.csv:
        rows = [
            Sample._fields,
            *((f"{each:.2f}" if isinstance(each, float) else each for each in row) for row in samples),
        ]
        Path(asked.csv).write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    if asked.svg:
        day = time.strftime("%Y-%m-%d")
        told = f"{asked.minutes} minutes, {samples[-1].plies:,} plies, {day}, load {os.getloadavg()[0]:.0f}"
        Path(asked.svg).write_text(picture(samples, f"Pages left open: {told}"))
    figures = [
        Figure(
            f"page: heap of the {view} in the last quarter of {asked.minutes} min, by the second",
            growth(samples, view),
            "times",
            MOST_GROWTH,
            True,
        )
        for view in INK
    ]
    keep(figures)
    print(table(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
