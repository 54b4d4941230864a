"""Measures of a page's memory, for tests of pages that are left open."""

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import CDPSession, Page

EARLY, LATE = 500, 2000  # plies
GROWTH = 1.1


@dataclass(frozen=True)
class Held:
    """The memory that a page uses after a collection."""

    heap: float  # bytes
    nodes: float  # of documents, detached ones included
    listeners: float


def held(session: CDPSession) -> Held:
    """Return the least of several collections: what a busy browser frees late is not held."""
    return min((_collected(session) for _ in range(5)), key=lambda each: each.heap)


def _collected(session: CDPSession) -> Held:
    session.send("Runtime.evaluate", {"expression": "new Promise(requestAnimationFrame)", "awaitPromise": True})
    for _ in range(2):
        session.send("HeapProfiler.collectGarbage")
    found = {line["name"]: line["value"] for line in session.send("Performance.getMetrics")["metrics"]}
    return Held(found["JSHeapUsedSize"], found["Nodes"], found["JSEventListeners"])


def grows_little(page: Page, play_until: Callable[[int], None]) -> None:
    """Fail if the page holds much more after `LATE` plies than after `EARLY` ones."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    play_until(EARLY)
    early = held(session)
    play_until(LATE)
    late = held(session)
    assert late.heap <= GROWTH * early.heap, (early, late)
    assert late.nodes <= GROWTH * early.nodes, (early, late)
    assert late.listeners <= GROWTH * early.listeners, (early, late)
