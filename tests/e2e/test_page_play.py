"""Play, as the server tells it: full tables, games without gestures, lost connections, refused moves."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from page_axe import serious
from page_checks import complaints, low_contrasts, overflow
from page_matches import PlayedMatch
from page_seat import SeatStage, item, position
from page_server import refusal, serving
from playwright.sync_api import Page, expect

from palio_rules.time_control import TimeControl

pytestmark = pytest.mark.browser

GUEST = "guest-1"
TABLE = {
    "game": "dominoes",
    "name": GUEST,
    "token": "t",
    "table": "T",
    "match": None,
    "seat": 0,
    "invites": [],
    "rated": False,
}
HOUSE = {
    "name": "random",
    "title": "beginner: plays any legal move",
    "level": 1,
    "games": ["dominoes"],
    "ratings": {"dominoes": 612.0},
}


@pytest.fixture(scope="module")
def standing_seat() -> Iterator[SeatStage]:
    with serving(SeatStage()) as served:
        assert isinstance(served, SeatStage)
        yield served


@pytest.fixture
def stage(standing_seat: SeatStage) -> SeatStage:
    standing_seat.clear()
    standing_seat.answers = {
        "games": [item("dominoes"), item("chexers"), item("tsp")],
        "play": {"house": [HOUSE], "limit": 4, "tables": 0, "guests": True},
        "bots": [],
    }
    standing_seat.by_path["games/dominoes/position"] = lambda _: (200, position("dominoes", "list", rows=3, cols=3))
    return standing_seat


def seated(stage: SeatStage) -> PlayedMatch:
    """A match in which the guest is asked, as soon as it is ready."""
    match = stage.add(PlayedMatch("m", "dominoes", [GUEST, "house-random"]))
    match.start()
    stage.by_path["play"] = lambda _: (201, TABLE)
    seats = [{"name": "vertical", "bot": GUEST}, {"name": "horizontal", "bot": "house-random"}]
    time = {"base_ms": None, "increment_ms": 0, "move_ms": None, "margin_ms": 200}
    start = {
        "type": "game",
        "match": "m",
        "game": "dominoes",
        "options": {},
        "setup": "s",
        "seat": 0,
        "seats": seats,
        "time": time,
        "strikes": 100,
    }

    def says(message: dict[str, Any]) -> list[dict[str, Any]]:
        match message["type"]:
            case "hello":
                return [{"type": "welcome", "session": "S", "server": "palio"}, start]
            case "ready":
                return [turn()]
        return []

    stage.says = says
    return match


def turn() -> dict[str, Any]:
    state = position("dominoes", rows=3, cols=3)["state"]
    return {
        "type": "turn",
        "match": "m",
        "id": 1,
        "ply": 0,
        "state": state,
        "moves": None,
        "clocks_ms": [None, None],
        "limit_ms": None,
    }


def sit_down(page: Page) -> None:
    page.get_by_role("button", name="Play random").click()
    expect(page.locator(".play-bar")).to_have_count(2)


def test_whom_one_can_play(open_page, stage: SeatStage):
    page = open_page("play")
    expect(page.locator(".opponents li")).to_have_count(1)
    expect(page.locator(".opponents li")).to_contain_text("beginner: plays any legal move · 612")
    expect(page.locator(".game-tabs a")).to_have_text(["Dominoes", "Chexers", "Travelling Salesman"])
    assert complaints(page) == []
    assert serious(page) == []
    assert low_contrasts(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert overflow(page) == 0
    heights = page.locator(".opponents button, .play-friend, .game-tabs a").evaluate_all(
        "(all) => all.map((e) => e.offsetHeight)"
    )
    assert min(heights) >= 42


def test_a_race_may_be_alone_and_three_seats_are_filled(open_page, stage: SeatStage):
    stage.by_path["play"] = lambda _: (429, refusal("too-many", "all tables are taken"))
    page = open_page("play/tsp")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("alert")).to_have_text("all tables are taken")
    assert stage.posts[-1][1] == {"game": "tsp", "opponents": [], "options": {}}
    page = open_page("play/chexers")
    page.get_by_label("Third seat").select_option("friend")
    page.get_by_role("button", name="A friend, by link").click()
    expect(page.get_by_role("alert")).to_have_text("all tables are taken")
    assert stage.posts[-1][1]["opponents"] == [{"friend": True}, {"friend": True}]


def test_an_opponent_that_a_link_names_is_the_one_to_play(open_page, stage: SeatStage):
    page = open_page("play/dominoes?against=random")
    expect(page.locator('.opponents li[aria-current="true"]')).to_contain_text("Random")


def test_an_unknown_game_is_said(open_page, stage: SeatStage):
    page = open_page("play/ludo")
    expect(page.locator(".empty-title")).to_have_text("There is no game ludo here.")


def test_a_game_without_gestures_is_played_by_names(open_page, stage: SeatStage):
    seated(stage)
    page = open_page("play/dominoes")
    sit_down(page)
    moves = page.locator(".move-list button")
    legal = position("dominoes", rows=3, cols=3)["moves"]
    expect(moves).to_have_text([move["notation"] for move in legal])
    assert serious(page) == []
    moves.nth(1).click()
    expect(moves).to_have_count(0)
    assert stage.said("move")[-1] == {"type": "move", "match": "m", "id": 1, "move": legal[1]["move"]}


def test_a_lost_connection_is_said_and_comes_back(open_page, stage: SeatStage):
    seated(stage)
    page = open_page("play/dominoes")
    sit_down(page)
    expect(page.locator(".move-list button").first).to_be_visible()
    page.locator(".move-list button").first.click()
    expect(page.locator(".move-list button")).to_have_count(0)
    stage.said("move")
    stage.cut_players()
    expect(page.locator(".connection p", has_text="Connection lost, trying again")).to_be_visible()
    expect(page.locator(".connection p", has_text="Connection lost, trying again")).to_have_count(0)
    hello = stage.said("hello", 2)[-1]
    assert (hello["name"], hello["resume"]) == (GUEST, "S")
    first, again = stage.said("move", 2)  # the turn is sent again, for the answer may have been lost
    assert first == again


def test_what_the_referee_refuses_stands_there_in_its_words(open_page, stage: SeatStage):
    seated(stage)
    page = open_page("play/dominoes")
    sit_down(page)
    page.locator(".move-list button").first.click()
    expect(page.locator(".move-list button")).to_have_count(0)
    stage.tell_players(
        {
            "type": "rejected",
            "match": "m",
            "id": 1,
            "code": "taken",
            "reason": "b3 is covered",
            "strikes_left": 99,
            "clocks_ms": [None, None],
        }
    )
    expect(page.get_by_role("alert").filter(has_text="The referee refused it:")).to_contain_text(
        "b3 is covered. 99 more are allowed."
    )
    expect(page.locator(".move-list button").first).to_be_visible()


def test_who_is_not_let_in_reads_why(open_page, stage: SeatStage):
    stage.by_path["play"] = lambda _: (201, TABLE)
    stage.says = lambda _: [{"type": "refused", "code": "bad-token", "reason": "this token is not the guest's"}]
    page = open_page("play/dominoes")
    page.get_by_role("button", name="Play random").click()
    expect(page.get_by_role("alert").filter(has_text="this token is not the guest's")).to_be_visible()
    page.get_by_role("button", name="New match").click()
    expect(page.locator(".opponents li")).to_have_count(1)


def test_who_is_waited_for_is_said_and_a_table_may_be_gone(open_page, stage: SeatStage):
    stage.by_path["play"] = lambda _: (201, {**TABLE, "invites": [{"code": "abc", "seat": 1}]})
    stage.answers["play/T"] = {"table": "T", "game": "dominoes", "match": None, "waiting": ["a friend"]}
    page = open_page("play/dominoes")
    page.get_by_role("button", name="A friend, by link").click()
    expect(page.locator(".play-waiting")).to_contain_text("a friend …")
    expect(page.get_by_label("Send this link to your friend")).to_have_value(re.compile("/play/join/abc$"))
    del stage.answers["play/T"]
    expect(page.locator(".play-waiting h2")).to_have_text("This table is gone")


def test_the_end_offers_what_comes_next(open_page, stage: SeatStage):
    match = seated(stage)
    page = open_page("play/dominoes")
    sit_down(page)
    while match.result is None:
        stage.tell(match, match.play())
    result = page.locator(".play-result")
    expect(result.locator("h2")).to_have_text(re.compile("You (win|lose)"))
    expect(result.get_by_role("link", name="Replay")).to_have_attribute("href", "match/m")
    stage.by_path["play/T/again"] = lambda _: (409, refusal("not-free", "the bot has left"))
    result.get_by_role("button", name="Rematch").click()
    expect(page.get_by_role("alert").filter(has_text="the bot has left")).to_be_visible()
    assert stage.posts[-1] == ("play/T/again", {}, "Bearer t")
    assert serious(page) == []


def timed(stage: SeatStage, left_ms: int) -> PlayedMatch:
    """A match in which both have so much time left; the turn comes when the guest is ready."""
    match = seated(stage)
    match.time = TimeControl(base_ms=60_000)
    match.clocks = [left_ms, 60_000]
    match.views = [match.view()]
    before = stage.says

    def says(message: dict[str, Any]) -> list[dict[str, Any]]:
        replies = before(message)
        clock = {"base_ms": 60_000, "increment_ms": 0, "move_ms": None, "margin_ms": 200}
        return [{**reply, "time": clock} if reply["type"] == "game" else reply for reply in replies]

    stage.says = says
    return match


def test_a_clock_waits_for_start_and_speaks_at_thirty_and_ten_seconds(open_page, stage: SeatStage):
    timed(stage, 50_000)
    page = open_page("play", locale="en-GB")  # a context of its own: its clock stays installed
    page.clock.install()
    page.goto(page.url + "/dominoes")
    page.get_by_role("button", name="Play random").click()
    start = page.get_by_role("button", name="Start", exact=True)
    expect(start).to_be_focused()
    assert serious(page) == []
    assert [message for message in stage.heard if message["type"] == "ready"] == []
    start.click()
    expect(page.locator(".move-list button").first).to_be_visible()
    stage.said("ready")
    voice = page.locator(".play-bar[data-me] [role=status]")
    page.clock.pause_at(page.evaluate("Date.now() / 1000") + 1)
    said = []
    for _ in range(50):
        page.clock.run_for(1_000)
        said.append(voice.inner_text())
    assert list(dict.fromkeys(said)) == ["", "30 seconds left", "10 seconds left"]


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["laptop", "phone"])
def test_seat_and_clock_stand_before_the_opponents_and_all_is_above_the_fold(open_page, stage: SeatStage, size):
    levels = [{**HOUSE, "name": f"bot{level}", "level": level} for level in range(1, 6)]
    stage.answers["play"] = {"house": levels, "limit": 4, "tables": 0, "guests": True}
    page = open_page("play", viewport={"width": size[0], "height": size[1]})
    friend = page.get_by_role("button", name="A friend, by link")
    expect(page.locator(".opponents li")).to_have_count(5)
    seat, clock, asked, first = (
        each.bounding_box()
        for each in (
            page.get_by_label("Your seat"),
            page.get_by_label("Clock", exact=True),
            friend,
            page.locator(".opponents li").first,
        )
    )
    assert seat["y"] == clock["y"]
    assert clock["x"] + clock["width"] < asked["x"] or clock["y"] < asked["y"], "beside them, or above"
    assert asked["y"] < first["y"]
    box = page.locator(".opponents li").last.bounding_box()
    assert box["y"] + box["height"] <= size[1]


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["laptop", "phone"])
def test_whose_turn_it_is_stands_above_the_fold(open_page, stage: SeatStage, size):
    seated(stage)
    page = open_page("play/dominoes", viewport={"width": size[0], "height": size[1]})
    sit_down(page)
    expect(page.locator(".hand-word")).to_have_text("Your turn.")
    for part in (page.locator(".hand-word"), page.locator(".play-bar[data-me]")):
        box = part.bounding_box()
        assert box["y"] + box["height"] <= size[1]
    if size[0] > 1000:
        assert page.locator(".hand-word").bounding_box()["x"] > page.locator(".hand-board").bounding_box()["x"]
    assert overflow(page) == 0


def test_a_name_that_no_guest_can_have_is_answered_before_anything_starts(open_page, stage: SeatStage):
    page = open_page("play/dominoes")
    page.get_by_text("More options").click()
    page.get_by_label("Your name").fill("Прогрессор")
    page.get_by_role("button", name="Play random").click()
    field = page.locator(".field", has=page.get_by_label("Your name"))
    expect(field.get_by_role("alert")).to_contain_text("use 1 to 27 letters a to z, digits and any of . _ -")
    expect(page.get_by_label("Your name")).to_be_focused()
    assert [path for path, *_ in stage.posts if path == "play"] == []


def test_the_board_has_the_focus_after_play(open_page, stage: SeatStage):
    seated(stage)
    page = open_page("play/dominoes")
    page.get_by_role("button", name="Play random").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".play-bar")).to_have_count(2)
    expect(page.locator(".play-stage :focus, .play-stage:focus")).to_have_count(1)


def test_the_focus_stays_on_the_board_when_moves_are_to_be_listed(open_page, stage: SeatStage):
    """Viewers' board comes first, with cells; the position, whose moves no touch makes, takes their place."""
    seated(stage)
    page = open_page("play/dominoes")
    page.route("**/api/games/dominoes/position", lambda _: None)  # not answered yet
    page.get_by_role("button", name="Play random").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".hand-cell:focus")).to_have_count(1)
    page.unroute_all()  # which lets those through that wait
    expect(page.locator(".move-list button").first).to_be_focused()


def test_who_waits_is_not_told_that_it_is_missing_itself(open_page, stage: SeatStage):
    stage.by_path["play"] = lambda _: (201, {**TABLE, "invites": [{"code": "abc", "seat": 1}]})
    waiting = [f"{GUEST} is not here", "a friend"]
    stage.answers["play/T"] = {"table": "T", "game": "dominoes", "match": None, "waiting": waiting}
    page = open_page("play/dominoes")
    page.get_by_role("button", name="A friend, by link").click()
    expect(page.locator(".play-waiting [role=status] p")).to_have_text(["a friend …"])
    expect(page.locator(".play-waiting")).to_be_focused()


def test_a_limit_says_its_sentence_and_when_it_is_tried_again(open_page, stage: SeatStage):
    stage.by_path["play"] = lambda _: (201, TABLE)
    stage.answers["play/T"] = {"table": "T", "game": "dominoes", "match": None, "waiting": []}
    reason = f"{GUEST} has come too often without playing a match; try again in 2 s"
    stage.says = lambda _: [{"type": "refused", "code": "too-many-hellos", "reason": reason, "retry_ms": 2000}]
    page = open_page("play/dominoes")
    page.get_by_role("button", name="Play random").click()
    stage.said("hello")
    stage.cut_players()
    words = page.locator(".connection p")
    expect(words).to_have_text(
        re.compile(r"^Guest-1 has come too often without playing a match\. Trying again in [1-3] s\.$")
    )
    stage.said("hello", 2)  # it did


def test_against_a_friend_there_are_no_hints_and_no_best_moves(open_page, stage: SeatStage):
    match = seated(stage)
    stage.by_path["play"] = lambda _: (201, {**TABLE, "match": match.match})
    stage.answers["play/T"] = {"table": "T", "game": "dominoes", "match": match.match, "waiting": []}
    page = open_page("play/dominoes")
    page.get_by_role("button", name="A friend, by link").click()
    expect(page.locator(".move-list button").first).to_be_visible()
    keys = page.locator(".key-box")
    expect(keys.get_by_role("button", name="Hint")).to_have_count(0)
    expect(keys.get_by_role("group", name="Best move at depth")).to_have_count(0)
    expect(keys).to_contain_text("Between people there are no hints")
    page.keyboard.press("h")
    page.keyboard.press("3")
    page.get_by_role("button", name="Random").click()  # a move is made, and not by the search
    stage.said("move")
    assert [path for path, *_ in stage.posts if path.endswith("/hint")] == []
