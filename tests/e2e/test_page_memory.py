"""A page that is left open: after two thousand live plies it holds no more than after five hundred."""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from page_events import CONTRADE
from page_matches import PlayedMatch
from page_memory import grows_little, held
from page_server import Stage
from page_story import furnish, leader
from playwright.sync_api import Page, expect

from palio_db.values import Leaderboard

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SCREEN = {"viewport": {"width": 1600, "height": 900}}
GO = "path => { history.pushState({}, '', path); dispatchEvent(new Event('popstate')) }"


class Matches:
    """So many matches at once; whenever one ends, the next one begins."""

    def __init__(self, stage: Stage, boards: int, ended: Callable[[PlayedMatch], None] = lambda _: None) -> None:
        self._stage, self._ended, self._numbers = stage, ended, count()
        self.running = [self._begin() for _ in range(boards)]
        self.plies = 0

    def _begin(self) -> PlayedMatch:
        number = next(self._numbers)
        bots = [CONTRADE[number % 8], CONTRADE[8 + number % 8]]
        match = self._stage.add(PlayedMatch(f"m{number}", "breakthrough", bots, seed=2 * (number % 5)))
        match.start()
        self._stage.update_lobby(match)
        return match

    def play_until(self, page: Page, plies: int) -> None:
        while self.plies < plies:
            for place, match in enumerate(self.running):
                self._stage.tell(match, match.play())
                self.plies += 1
                if match.result is not None:
                    del self._stage.matches[match.match]
                    self.running[place] = self._begin()
                    self._ended(self.running[place])
            page.evaluate("() => new Promise(requestAnimationFrame)")  # each position is drawn


@pytest.fixture
def furnished(stage: Stage) -> Iterator[Stage]:
    furnish(stage).answers |= {"tournaments": [], "matches": []}
    ratings = [leader(place, bot, 2000 - 10 * place, 30) for place, bot in enumerate(CONTRADE, 1)]
    stage.answers["leaderboard/breakthrough"] = Leaderboard("breakthrough", ratings)
    yield stage
    stage.matches.clear()


KEEP_ONE = """async () => {
  const { h, render } = await import("/vendor/preact.js");
  const { memo } = await import("/lib/memo.js");
  const [root, seen] = [document.createElement("div"), []];
  const Keeper = ({ children }) => (window.kept ??= children, h("div", null, children));
  const Even = memo(({ ply }) => h("i", null, ply)); // drawn each second time: its drawing moves to the next tree
  const Odd = memo(({ ply }) => h("i", null, ply));
  const remember = (p) => p && seen.push(new WeakRef(p));
  for (let ply = 0; ply < 200; ply++) {
    const even = ply >> 1;
    const moving = [h(Even, { ply: even }), h(Odd, { ply: ply - even }), h("p", { key: even, ref: remember }, ply)];
    render(h("main", null, h(Keeper, null, h("b", null, "large")), h("section", null, moving)), root);
  }
  window.alive = () => seen.filter((each) => each.deref()).length;
}"""


def test_one_element_that_is_kept_holds_no_later_drawing(stage: Stage, open_page: Any):
    furnish(stage)
    page = open_page()
    expect(page.locator("h1")).to_have_count(1)
    page.evaluate(KEEP_ONE)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    held(session)
    assert page.evaluate("() => window.alive()") <= 2, "of 200 drawn elements the page holds the last, and the one kept"


@pytest.mark.parametrize(("view", "seen"), [("tv", ".hero"), ("", ".card")])
def test_two_thousand_plies_leave_nothing_behind(furnished: Stage, open_page: Any, view: str, seen: str):
    matches = Matches(furnished, 8)
    page = open_page(view, **SCREEN)
    expect(page.locator(seen).first).to_be_visible()
    grows_little(page, lambda plies: matches.play_until(page, plies))


def test_match_after_match_leaves_nothing_behind(furnished: Stage, open_page: Any):
    def follow(match: PlayedMatch) -> None:
        page.evaluate(GO, f"/match/{match.match}")
        expect(page.locator("h1")).to_contain_text(match.bots[0], ignore_case=True)

    def play_until(plies: int) -> None:
        matches.play_until(page, plies)
        last = matches.running[0]
        while matches.running[0] is last:  # what a page holds is compared at the first positions of matches
            matches.play_until(page, matches.plies + 1)

    matches = Matches(furnished, 1, follow)
    page = open_page(f"match/{matches.running[0].match}", **SCREEN)
    expect(page.locator("svg.board").first).to_be_visible()
    grows_little(page, play_until)
