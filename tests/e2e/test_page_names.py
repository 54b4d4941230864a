"""Long names of bots on every view, from phones to large screens: they are shortened, and numbers beside them stay."""

from typing import Any

import msgspec
import pytest
from page_bots import furnish_bots
from page_checks import overflow
from page_events import CONTRADE, add_events
from page_matches import PlayedMatch, PlayedRace
from page_server import Stage
from page_story import BOTS, answer_positions, bot, replay_of
from playwright.sync_api import Locator, expect

from palio_rules.contract.messages import Result

pytestmark = pytest.mark.browser

WIDTHS = (320, 360, 768, 1024, 1280, 1920)
TESTED = ("civetta-2.1", "civetta-2.0")
HEX = "New-" + "3f9c" * 10  # as a test of a commit is called


def long(name: str, length: int) -> str:
    return (name + "-alphaBetaWithKillers_and_MoveOrdering_and_quiescence_search_plus")[:length]


NAMES = {name: long(name, (32, 64)[place % 2]) for place, name in enumerate((*CONTRADE, *BOTS[:2], *TESTED))}
NAMES["torre"], NAMES["emmy"] = long("torre", 64), HEX
EVENTS = ("", "/rounds", "/cross", "/entries", "/rules")
ADDRESSES = [
    *("", "match/duel", "match/three", "match/race", "embed/match/duel", "embed/match/race", "play/breakthrough"),
    *("play/tsp", "try/breakthrough", "tournaments", "tournaments/new", "games", "games/breakthrough", "write", "tv"),
    *("tv?event=7", "bots", f"bots/{NAMES['torre']}", f"bots/{NAMES['torre']}?game=breakthrough", "leaderboards"),
    *("results", "course/ai", "admin"),
    *(f"tournaments/7{part}" for part in EVENTS),
    *(f"tournaments/{number}" for number in (8, 9, 10, 11)),
    "tournaments/7/rounds/5",
]

# What is beside a name: each text with a figure in it, in the same row. It neither lies over the name nor is it cut by
# anything but a frame that scrolls. Of a name at least a few letters are seen.

_FAULTS = """() => {
    const found = new Set();
    const frames = (e) => (e && e !== document.body ? [e, ...frames(e.parentElement)] : []);
    const isScrolled = (e) => ["auto", "scroll"].includes(getComputedStyle(e).overflowX);
    for (const name of document.querySelectorAll(".bot")) {
        if (!name.checkVisibility() || name.closest(".unseen, .fade-out")) continue;
        if (!name.offsetParent?.offsetWidth || name.offsetParent.offsetWidth < 2) continue; // read aloud only
        const box = name.getBoundingClientRect();
        const row = name.closest("li, tr, label, figcaption, dt, p, h2, .bar, .player, .lane");
        const complain = (what) => found.add(`${row?.closest("[class]")?.className} ${row?.tagName}: ${what}`);
        const least = 2 * parseFloat(getComputedStyle(name).fontSize);
        if (name.scrollWidth > name.clientWidth + 1 && box.width < least) complain(`a name of ${box.width} px`);
        const texts = document.createTreeWalker(row ?? name, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
            const text = texts.currentNode;
            const element = text.parentElement;
            if (!/[0-9]/.test(text.data) || element.closest(".bot, .unseen, svg, option")) continue;
            if (!element.checkVisibility()) continue;
            const range = document.createRange();
            range.selectNodeContents(text);
            const over = (figure) =>
                Math.min(figure.right, box.right) - Math.max(figure.left, box.left) > 1
                && Math.min(figure.bottom, box.bottom) - Math.max(figure.top, box.top) > 3;
            if ([...range.getClientRects()].some(over)) complain(`"${text.data}" lies over a name`);
            const figure = range.getBoundingClientRect();
            const around = frames(element);
            const scrolled = around.findIndex(isScrolled);
            const cutting = (scrolled < 0 ? around : around.slice(0, scrolled)).filter((e) => {
                const { left, right } = e.getBoundingClientRect();
                const cuts = getComputedStyle(e).overflowX !== "visible";
                return cuts && (figure.right > right + 1 || figure.left < left - 1);
            });
            if (cutting.length) complain(`"${text.data}" is cut`);
        }
    }
    return [...found];
}"""


def renamed(value: Any) -> Any:
    """Return an answer with the long names in place of the short ones."""
    text = msgspec.json.encode(value).decode()
    for short, whole in NAMES.items():
        text = text.replace(f'"{short}"', f'"{whole}"')
    return msgspec.json.decode(text)


@pytest.fixture
def named(stage: Stage) -> Stage:
    """The whole story with long names: bots, events of each kind, a duel, a table, a race."""
    furnish_bots(stage)
    add_events(stage)
    stage.answers["leaderboard/tsp"] = {"game": "tsp", "leaders": []}
    stage.answers["play"] = {"house": [], "limit": 4, "tables": 0, "guests": True}
    for word in ("report", "history"):
        stage.answers[f"bots/{NAMES['torre']}/{word}"] = stage.answers.pop(f"bots/torre/{word}")
    stage.answers[f"bots/{NAMES['torre']}"] = stage.answers.pop("bots/torre")
    stage.answers = {path: renamed(value) for path, value in stage.answers.items()}
    answer_positions(stage, "breakthrough")
    bots = [NAMES.get(name, name) for name in BOTS]
    duel = stage.add(PlayedMatch("duel", "breakthrough", bots[:2], seed=2, event="Sienese evening"))
    three = stage.add(PlayedMatch("three", "chexers", (*bots[1:3], HEX), seed=2))
    race = stage.add(PlayedRace("race", "tsp", bots, {"size": 200}))
    over = stage.add(PlayedMatch("over", "breakthrough", bots[:2], seed=3))
    for match in (duel, three, race, over):
        match.start()
    for _ in range(9):
        duel.play()
        three.play()
    for seat in range(4):
        race.play(seat)
    over.finish(Result("time", "flag-fell", [1.0, 0.0], seat=1))
    stage.answers["matches/over/replay"] = replay_of(over)
    return stage


@pytest.mark.parametrize("address", ADDRESSES)
def test_long_names_break_no_view_at_any_width(named: Stage, open_page, address):
    page = open_page(address, viewport={"width": WIDTHS[-1], "height": 900})
    expect(page.locator("main h1").first).to_be_attached()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    page.wait_for_load_state("networkidle")
    found = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        found += [f"{width}: scrolls sideways by {wide}" for wide in (overflow(page),) if wide]
        found += [f"{width}: {fault}" for fault in page.evaluate(_FAULTS)]
    assert not found, "\n".join(found)


def ends(place: Locator) -> tuple[float, float]:
    """Return the right and the lower edge of what is shown."""
    found = place.bounding_box()
    assert found is not None
    return found["x"] + found["width"], found["y"] + found["height"]


def test_a_small_projector_shows_the_whole_hall_and_names_to_read(named: Stage, open_page):
    for number in range(8):
        named.add(PlayedMatch(f"m{number}", "breakthrough", [NAMES[name] for name in BOTS[:2]], seed=number)).start()
    page = open_page("tv", viewport={"width": 1024, "height": 600})
    expect(page.locator(".wall-card")).to_have_count(4)
    expect(page.locator(".rail")).to_be_visible()
    for part in (".tv-head", ".hero", ".bar >> nth=1", ".wall-card >> nth=3", ".rail", ".tv-foot"):
        right, bottom = ends(page.locator(part).first)
        assert (right <= 1024, bottom <= 600) == (True, True), part
    cut = page.locator(":is(.bar, .wall-row, .rail-places) .bot").evaluate_all(
        """all => all.filter((e) => e.scrollWidth > e.clientWidth)
            .map((e) => e.clientWidth / parseFloat(getComputedStyle(e).fontSize))"""
    )
    assert min(cut) > 4, "some seven letters are seen"


def test_the_standings_of_an_event_begin_above_the_fold(named: Stage, open_page):
    page = open_page("tournaments/7", viewport={"width": 1280, "height": 720})
    rows = page.locator(".event-table tbody tr")
    expect(rows).to_have_count(len(CONTRADE))
    assert ends(rows.nth(5))[1] <= 720


def test_a_small_phone_shows_the_ratings_of_a_leaderboard(named: Stage, open_page):
    page = open_page("leaderboards", viewport={"width": 360, "height": 740})
    ratings = page.locator(".leaders .rating")
    expect(ratings).to_have_count(4)
    frame = ends(page.locator(".scroll").first)[0]
    assert [each.inner_text() for each in ratings.all() if ends(each)[0] > frame] == []


@pytest.mark.parametrize("size", [(360, 740), (1280, 720)], ids=str)
def test_bots_with_long_names_are_chosen_for_an_event(named: Stage, open_page, size):
    named.answers["bots"] = [bot(NAMES.get(name, name)) for name in (*CONTRADE, *BOTS)]
    page = open_page("tournaments/new", viewport={"width": size[0], "height": size[1]})
    names = page.locator(".entrants .bot")
    expect(names).to_have_count(len(CONTRADE) + len(BOTS))
    heights = names.evaluate_all("all => all.map((e) => e.offsetHeight)")
    assert max(heights) < 30, "one line, so that it lies over no other"
    assert min(names.evaluate_all("all => all.map((e) => e.offsetWidth)")) > 35
    assert ends(names.last)[0] <= size[0]
    page.get_by_label(NAMES["torre"]).check()
    expect(page.get_by_text("1 bot", exact=True)).to_be_visible()
