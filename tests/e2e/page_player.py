"""A person at the page's board, with mouse, keys or a finger: reads what can be touched, and plays to the end."""

import random
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

TOURS = ".tour-grid"
READY = "[data-turn] .hand-cell[data-state], [data-turn] .hand-named button, [data-turn] .move-list button"
STATES = """() => {
    const over = document.querySelector(".play-result");
    const turn = document.querySelector("[data-turn]")?.dataset.turn ?? null;
    return { over: Boolean(over), turn };
}"""

# What the first touch has done: shown targets, or made the move.
_LEADS_ON = """(turn) => {
    if (document.querySelector("[data-turn]")?.dataset.turn !== turn) return "made";
    const goal = '.hand-cell[data-state="target"], .hand-cell[data-state="held leaves"]';
    return document.querySelector(goal) ? "targets" : "";
}"""

Touch = Callable[[Page, Locator], None]


def by_mouse(_: Page, element: Locator) -> None:
    element.scroll_into_view_if_needed()
    box = element.bounding_box()
    assert box
    element.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def by_finger(_: Page, element: Locator) -> None:
    element.tap()


def by_keys(page: Page, element: Locator) -> None:
    """Go there with arrows, rows first, and press Enter; buttons are reached by focus."""
    cell = element.get_attribute("data-cell")
    if cell is None:
        element.focus()
        page.keyboard.press("Enter")
        return
    if not page.evaluate("() => Boolean(document.activeElement?.dataset.cell)"):
        page.locator('.hand-cell[tabindex="0"]').focus()
    row, col = map(int, cell.split())
    down, up, right, left = "ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft"
    if element.evaluate("e => Boolean(e.closest('[data-flipped]'))"):  # turned by half, and arrows too
        down, up, right, left = up, down, left, right
    for _ in range(60):
        here_row, here_col = map(int, page.evaluate("() => document.activeElement.dataset.cell").split())
        if here_row != row:
            page.keyboard.press(down if row > here_row else up)
        elif here_col != col:
            page.keyboard.press(right if col > here_col else left)
        else:
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"arrows do not lead to {cell}")


class Player:
    """Plays legal moves by `touch`; with `advised` those that the page advises."""

    def __init__(self, page: Page, touch: Touch, *, advised: bool = False, seed: int = 1) -> None:
        self.page = page
        self.touch = touch
        self.advised = advised
        self.random = random.Random(seed)
        self.moves = 0

    def play_on(self, most: int = 200) -> None:
        """Until the result is there."""
        for _ in range(most):
            if not self.wait_for_turn():
                return
            self.move()
        raise AssertionError(f"no end after {most} moves")

    def wait_for_turn(self) -> bool:
        """Return True if it is our turn, False if the game is over."""
        expect(self.page.locator(f".play-result, {READY}").first).to_be_attached()
        return not self.page.evaluate(STATES)["over"]

    def move(self) -> None:
        turn = self.page.evaluate(STATES)["turn"]
        if self.advised:
            self._advised()
        else:
            self._any()
        self.moves += 1
        self.page.wait_for_function(
            "(turn) => document.querySelector('.play-result')"
            " || ![turn].includes(document.querySelector('[data-turn]')?.dataset.turn)",
            arg=turn,
        )

    def _any(self) -> None:
        """A source, then a target, and so on as long as the move is not made."""
        sources = self.page.locator('.hand-cell[data-state="source"]')
        if not sources.count():
            self.touch(self.page, self.page.locator(".hand-named button, .move-list button").first)
            return
        turn = self.page.evaluate(STATES)["turn"]
        self.touch(self.page, sources.nth(self.random.randrange(sources.count())))
        self.page.wait_for_function(_LEADS_ON, arg=turn)
        targets = self.page.locator('.hand-cell[data-state="target"], .hand-cell[data-state="held leaves"]')
        if self.page.evaluate(_LEADS_ON, turn) == "targets":
            self.touch(self.page, targets.nth(self.random.randrange(targets.count())))

    def _advised(self) -> None:
        """Check a shown hint: its cells have their order."""
        if self.touch is by_keys:
            self.page.keyboard.press("h")
        else:
            self.touch(self.page, self.page.get_by_role("button", name="Next step"))
        expect(self.page.locator('[data-hint="2"], [data-hint="1"]').first).to_be_attached()
        cells = self.page.locator("[data-hint]").evaluate_all(
            "(all) => all.sort((a, b) => a.dataset.hint - b.dataset.hint).map((e) => e.dataset.cell)"
        )
        for cell in cells if len(cells) > 1 else cells * 2:  # a piece that leaves the board is touched twice
            self.touch(self.page, self.page.locator(f'[data-cell="{cell}"]'))


def tour(page: Page, touch: Touch) -> None:
    """Visit the cities by number, submit the tour, and be done with it unless nothing better is possible."""
    cities = page.locator(".city")
    expect(cities.first).to_be_attached()
    for index in range(cities.count()):
        if touch is by_keys:
            cities.nth(index).focus()
            page.keyboard.press("Enter")
        else:
            box = cities.nth(index).bounding_box()
            assert box
            x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            (page.touchscreen.tap if touch is by_finger else page.mouse.click)(x, y)
    submit = page.get_by_role("button", name="Submit the tour")
    expect(submit).to_be_enabled()
    touch(page, submit)
    expect(page.locator(".play-bar[data-me]", has_text="cost").or_(page.locator(".play-result")).first).to_be_attached()
    if page.locator(".play-result").count() == 0:
        for _ in range(2):
            if touch is by_keys:
                page.keyboard.press("q")
            else:
                touch(page, page.locator(".key.danger"))
