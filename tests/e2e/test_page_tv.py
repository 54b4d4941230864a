"""The hall's screen in a real browser: what is shown and for how long, pins, keys, its address, a restart, no leak."""

import re
from collections.abc import Callable

import pytest
from msgspec.structs import replace
from page_axe import serious
from page_checks import complaints, low_contrasts, overflow
from page_events import CONTRADE, Swiss, detail, item
from page_matches import PlayedMatch, PlayedRace
from page_server import WEB, Stage
from page_story import furnish, leader
from playwright.sync_api import Page, expect

from palio_db.values import Leaderboard
from palio_server import live
from palio_server.api.event_items import EncounterItem, EncounterMatch, RoundItem

pytestmark = pytest.mark.browser

SCREEN = {"width": 1600, "height": 900}
CLOCKED = {"viewport": SCREEN, "reduced_motion": "no-preference"}  # pages of their own: a clock stays in its page


def furnished(stage: Stage) -> Stage:
    furnish(stage).answers |= {"tournaments": [], "matches": []}
    ratings = [leader(place, bot, 2000 - 10 * place, 30) for place, bot in enumerate(CONTRADE, 1)]
    for game in ("breakthrough", "dominoes", "chexers", "tsp"):
        stage.answers[f"leaderboard/{game}"] = Leaderboard(game, ratings)
    return stage


def matches(stage: Stage, count: int, game: str = "dominoes") -> list[PlayedMatch]:
    """So many in progress, in the order in which they began."""
    furnished(stage)
    bots = [CONTRADE[place % len(CONTRADE)] for place in range(2 * count)]
    found = [PlayedMatch(f"m{i}", game, bots[2 * i : 2 * i + 2], seed=2 * i + 2) for i in range(count)]
    for match in found:
        stage.add(match).start()
    return found


def hero(page: Page) -> str | None:
    return page.locator(".fade-in .hero").get_attribute("data-match")


def expect_hero(page: Page, match: str) -> None:
    expect(page.locator(f'.fade-in .hero[data-match="{match}"]')).to_be_visible()


def cards(page: Page) -> list[str]:
    found: list[str] = page.locator(".wall-card").evaluate_all("all => all.map(card => card.dataset.match)")
    return found


def watch_clock(page: Page, url: str) -> None:
    """Open the screen, then stop its clock: from now on time passes only when the test lets it."""
    page.clock.install()
    page.clock.resume()  # another test may have stopped it
    page.goto(url)
    expect(page.locator(".fade-in .hero")).to_be_visible()
    page.clock.pause_at(page.evaluate("Date.now() / 1000") + 600)


def pass_until(page: Page, seen: Callable[[], bool], steps: int = 600) -> int:
    """Let time pass until `seen`; how many milliseconds it took."""
    for step in range(steps):
        if seen():
            return 50 * step
        page.clock.run_for(50)
    raise AssertionError(f"not seen within {50 * steps} ms")


def end(stage: Stage, match: PlayedMatch) -> None:
    while match.result is None:
        delta = match.play()
    stage.tell(match, delta)


def cup(stage: Stage) -> list[PlayedMatch]:
    """The fifth round of a Swiss system: eight boards."""
    found = matches(stage, 8, "breakthrough")
    swiss = Swiss()
    for match in found:
        match.event, match.tournament = "Siena Cup 2026", 3
    stage.answers |= {
        "tournaments": [item(3, "Siena Cup 2026", "swiss", CONTRADE, rounds=7, round=5)],
        "tournaments/3": detail(
            3, "Siena Cup 2026", "swiss", CONTRADE, rounds=7, round=5, standings=swiss.standings(),
        ),
        "tournaments/3/rounds/5": RoundItem(
            5, 7, over=False, encounters=[
                EncounterItem(
                    board, 5, board, list(match.bots), "", "", 1, False, [0, 0], [0, 0], [],
                    [EncounterMatch(match.match, list(match.bots), "running", None)],
                )
                for board, match in enumerate(reversed(found), 1)
            ],
        ),
    }  # fmt: skip
    return found


def test_the_whole_screen_is_one_large_match_small_ones_and_standings(stage: Stage, open_page):
    cup(stage)
    page = open_page("tv", viewport=SCREEN)
    expect(page.get_by_role("heading", level=1)).to_have_text("Siena Cup 2026")
    expect(page.locator(".masthead, .foot")).to_have_count(0)
    expect_hero(page, "m7")
    expect(page.locator(".fade-in .hero-why")).to_contain_text("Board 1, round 5. Shown because it is the round")
    expect(page.locator(".wall-card")).to_have_count(7)
    assert set(cards(page)) == {f"m{i}" for i in range(7)}, "the large one is not there twice"
    expect(page.locator(".tv-live")).to_have_text("8 of 8 boards in play")
    expect(page.locator(".rail-places li")).to_have_count(16)
    expect(page.locator(".bar-who small").first).to_contain_text("18")
    for locator in (".tv-foot", ".rail", ".wall", ".hero"):
        box = page.locator(f"{locator} >> visible=true").first.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= SCREEN["width"]
        assert box["y"] + box["height"] <= SCREEN["height"]
    assert (complaints(page), serious(page)) == ([], [])


def test_equal_lines_share_their_places_beside_the_boards(stage: Stage, open_page):
    cup(stage)
    event = stage.answers["tournaments/3"]
    ranks = [1, 2, 2, *range(4, len(event.standings) + 1)]
    lines = [replace(line, rank=rank) for line, rank in zip(event.standings, ranks, strict=True)]
    stage.answers["tournaments/3"] = replace(event, standings=lines)
    page = open_page("tv", viewport=SCREEN)
    expect(page.locator(".rail-places li")).to_have_count(16)
    shared = "2\N{EN DASH}3"
    assert page.locator(".rail-rank").all_inner_texts() == ["1", shared, shared, *map(str, range(4, 17))]
    lefts = page.locator(".rail-places .face").evaluate_all("all => all.map((face) => face.getBoundingClientRect().x)")
    assert len(set(lefts)) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_every_text_can_be_read_and_nothing_is_wider_than_the_screen(stage: Stage, open_page, scheme, width):
    cup(stage)
    page = open_page(
        "tv", viewport={"width": width, "height": 844 if width < 400 else width * 9 // 16}, color_scheme=scheme
    )
    expect(page.locator(".wall-card").first).to_be_visible()
    expect(page.locator(".rail-places li").first).to_be_visible()
    assert low_contrasts(page) == []
    assert overflow(page) == 0


def test_boards_move_and_clocks_run(stage: Stage, open_page):
    found = matches(stage, 3)
    page = open_page("tv", viewport=SCREEN)
    expect(page.locator(".wall-card")).to_have_count(2)
    for match in found:
        stage.tell(match, match.play())
        board = page.locator(f'[data-match="{match.match}"] .board')
        expect(board).to_have_attribute("aria-label", re.compile("ply 1;"))
        expect(board.locator(".mark")).to_have_count(1)


def test_quick_matches_stay_long_enough_to_be_seen(stage: Stage, open_page):
    """Twenty-one matches that are over at once, and two places: each card keeps its place for eight seconds."""
    first = matches(stage, 1)[0]
    page = open_page(**CLOCKED)
    watch_clock(page, f"{stage.url}/tv?boards=2")
    expect_hero(page, first.match)
    stage.update_lobby(*(PlayedMatch(f"q{n}", "dominoes", ["ann", "bob"], seed=n).to_the_end() for n in range(21)))
    pass_until(page, lambda: page.locator(".wall-card[data-over]").count() == 2)
    before = cards(page)
    page.clock.run_for(7000)
    assert cards(page) == before
    page.clock.run_for(1500)
    expect(page.locator(f'.wall-card[data-match="{before[0]}"]')).to_have_count(0)
    assert len(cards(page)) == 2
    assert not set(cards(page)) & set(before)


def test_the_large_match_goes_on_when_its_result_has_been_seen_and_is_never_blank(stage: Stage, open_page):
    first, *_ = matches(stage, 3)
    page = open_page(**CLOCKED)
    watch_clock(page, f"{stage.url}/tv")
    expect_hero(page, first.match)
    end(stage, first)
    pass_until(page, lambda: page.locator(".hero-verdict").count() == 1)
    page.evaluate("""() => {
        window.blank = 0;
        new MutationObserver(() => { if (!document.querySelector(".tv-hero .board")) window.blank += 1; })
            .observe(document.querySelector(".tv"), { subtree: true, childList: true });
    }""")
    assert pass_until(page, lambda: hero(page) == "m1") >= 11_500
    assert page.evaluate("window.blank") == 0
    page.clock.run_for(500)
    expect(page.locator(".fade-out")).to_have_count(0)
    assert cards(page)[0] == first.match, "it stands where its successor stood"


def test_pins_boards_and_turns_by_key_all_stand_in_the_address(stage: Stage, open_page):
    matches(stage, 6)
    page = open_page("tv", viewport=SCREEN)
    expect_hero(page, "m0")
    page.keyboard.press("n")
    expect_hero(page, "m1")
    page.keyboard.press("p")
    expect(page).to_have_url(re.compile(r"/tv\?pin=m1$"))
    page.get_by_role("button", name=re.compile("Pin it")).and_(page.locator('[data-match="m4"]')).click()
    expect_hero(page, "m4")
    expect(page).to_have_url(re.compile(r"/tv\?pin=m4,m1$"))
    expect(page.locator(".fade-in .hero-why")).to_contain_text("Pinned by hand.")
    expect(page.locator('.wall-pin[data-match="m1"]')).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("-")
    expect(page).to_have_url(re.compile(r"boards=15"))
    address = page.url
    again = open_page(address.removeprefix(f"{stage.url}/"), viewport=SCREEN)
    expect_hero(again, "m4")
    expect(again.locator('.wall-card[data-pinned][data-match="m1"]')).to_be_visible()
    expect(again.locator(".tv-foot")).to_contain_text("/tv?boards=15&pin=m4,m1")


def test_the_menu_is_there_for_the_pointer_and_for_the_keyboard(stage: Stage, open_page):
    matches(stage, 2)
    page = open_page(**CLOCKED)
    watch_clock(page, f"{stage.url}/tv")
    menu = page.get_by_role("navigation", name="Hall screen")
    expect(menu).to_have_css("opacity", "0")
    page.mouse.move(300, 300)
    expect(menu).to_have_attribute("data-awake", "")
    page.clock.run_for(3500)
    expect(menu).not_to_have_attribute("data-awake", "")
    page.get_by_role("button", name="Next match").focus()
    page.keyboard.press("Enter")
    pass_until(page, lambda: hero(page) == "m1")


def test_an_address_chooses_game_and_bot_and_what_it_cannot_mean_is_told(stage: Stage, open_page):
    dominoes = matches(stage, 3)
    other = stage.add(PlayedMatch("b0", "breakthrough", ["civetta", "zoe"], seed=8))
    page = open_page("tv?game=breakthrough", viewport=SCREEN)
    expect_hero(page, other.match)
    expect(page.locator(".wall-card")).to_have_count(0)
    page = open_page("tv?bot=civetta", viewport=SCREEN)
    expect(page.locator(".wall-card")).to_have_count(1)
    assert {hero(page), *cards(page)} == {other.match, dominoes[0].match}
    page = open_page("tv?game=ludo&event=nowhere&boards=99", viewport=SCREEN)
    for sentence in ("There is no game “ludo”", "There is no event “nowhere”", "“99” is no number of boards"):
        expect(page.locator(".tv-notes")).to_contain_text(sentence)
    expect(page.locator(".wall-card")).to_have_count(3)


def test_a_restart_greys_the_last_picture_and_heals_by_itself(stage: Stage, open_page):
    found = matches(stage, 3)
    page = open_page("tv", viewport=SCREEN)
    expect_hero(page, "m0")
    expect(page.locator(".wall-card")).to_have_count(2)
    stage.drop(stay_closed=True)
    expect(page.get_by_text("Connection lost, trying again")).to_be_visible()
    expect(page.locator(".clock[data-runs]")).to_have_count(0)
    assert [hero(page), len(cards(page))] == ["m0", 2]
    stage.closed_to_viewers = False
    stage.lobby_seq = 0
    expect(page.get_by_text("Connection lost")).to_have_count(0)
    stage.tell(found[1], found[1].play())
    expect(page.locator('[data-match="m1"] .board')).to_have_attribute("aria-label", re.compile("ply 1;"))
    assert hero(page) == "m0"


def test_what_ended_while_the_connection_was_lost_is_shown_with_its_result(stage: Stage, open_page):
    found = matches(stage, 3)
    page = open_page("tv", viewport=SCREEN)
    expect_hero(page, "m0")
    expect(page.locator(".wall-card")).to_have_count(2)
    stage.drop(stay_closed=True)
    expect(page.get_by_text("Connection lost, trying again")).to_be_visible()
    for match in found[:2]:
        match.to_the_end()
    stage.closed_to_viewers = False
    stage.lobby_seq = 0
    expect(page.locator('.hero[data-match="m0"] .hero-verdict')).to_be_visible()
    expect(page.locator('.wall-card[data-match="m1"][data-over]')).to_be_visible()


def test_a_refused_move_shows_at_its_seat_and_who_watches_in_the_foot(stage: Stage, open_page):
    first, second = matches(stage, 2)
    page = open_page("tv", viewport=SCREEN)
    expect_hero(page, first.match)
    refused = page.locator(f'.wall-card[data-match="{second.match}"] .wall-row[data-refused]')
    expect(page.locator(".wall-card")).to_have_count(1)
    expect(refused).to_have_count(0)
    stage.tell(second, second.reject("[9]", "not-a-move", "that is no move"))
    expect(refused).to_contain_text("refused")
    stage.tell(second, second.play())
    expect(refused).to_have_count(0)
    stage.raw(first.match, live.Viewers(first.match, 41))
    expect(page.locator(".tv-foot")).to_contain_text("41 watch the large match")


def test_whoever_moves_up_the_board_is_below_it(stage: Stage, open_page):
    matches(stage, 2, "breakthrough")
    page = open_page("tv", viewport=SCREEN)
    expect_hero(page, "m0")
    expect(page.locator(".fade-in .hero .bar-who small")).to_contain_text(["black", "white"])
    expect(page.locator('.wall-card[data-match="m1"] .bot')).to_have_text(list(CONTRADE[2:4]))
    stage.clear()
    matches(stage, 2, "end_of_the_track")
    page = open_page("tv", viewport=SCREEN)
    expect(page.locator(".fade-in .hero .bar-who small")).to_contain_text(["black", "white"])
    expect(page.locator('.wall-card[data-match="m1"] .bot')).to_have_text([CONTRADE[3], CONTRADE[2]])


def test_a_server_that_is_back_with_another_page_has_it_loaded(stage: Stage, open_page):
    matches(stage, 2)
    page = open_page("tv", viewport=SCREEN)
    expect_hero(page, "m0")
    page.evaluate("() => { window.old = true; }")
    stage.drop()
    stage.update_lobby()  # the connection after a restart with the same page
    expect(page.get_by_text("Connection lost")).to_have_count(0)
    assert page.evaluate("window.old") is True
    newer = (WEB / "index.html").read_text().replace('href="styles/tv.css"', 'href="styles/tv.css?v=2"')
    page.route("**/tv", lambda route: route.fulfill(body=newer, content_type="text/html"))
    stage.drop()
    expect_hero(page, "m0")
    expect(page.locator('link[href="styles/tv.css?v=2"]')).to_have_count(1)
    assert page.evaluate("window.old") is None
    page.unroute("**/tv")


def test_one_match_has_the_screen_to_itself_and_none_says_what_would_be_here(stage: Stage, open_page):
    matches(stage, 1)
    page = open_page("tv", viewport=SCREEN)
    expect_hero(page, "m0")
    expect(page.locator(".wall")).to_have_count(0)
    box = page.locator(".tv-hero").bounding_box()
    assert box is not None
    assert box["width"] > 0.75 * SCREEN["width"]
    stage.clear()
    furnished(stage)
    page = open_page("tv", viewport=SCREEN)
    expect(page.get_by_text("No match is being played.")).to_be_visible()
    expect(page.get_by_role("link", name="Start a match on the page")).to_be_visible()
    expect(open_page("tv?game=dominoes").get_by_role("link", name="Show all matches")).to_be_visible()


def test_races_and_tables_for_three_have_their_places_too(stage: Stage, open_page):
    furnished(stage)
    race = stage.add(PlayedRace("r", "tsp", ["ann", "bob", "cid"], {"size": 5}))
    race.start()
    stage.tell(race, race.play(1))
    table = stage.add(PlayedMatch("t", "chexers", ["red", "green", "blue"], seed=2))
    page = open_page("tv?pin=r", viewport=SCREEN)
    expect_hero(page, "r")
    expect(page.locator(".hero .bar")).to_have_count(3)
    expect(page.locator(".hero .bar").first).to_contain_text("bob")
    expect(page.locator(f'[data-match="{table.match}"] .wall-row')).to_have_count(3)


def test_hundreds_of_matches_leave_nothing_behind(stage: Stage, open_page):
    """A screen that runs for days: after three hundred matches there are no more elements than after thirty."""
    matches(stage, 1)
    page = open_page(**CLOCKED)
    watch_clock(page, f"{stage.url}/tv")
    expect_hero(page, "m0")
    counted = []
    for number in range(300):
        quick = PlayedMatch(f"q{number}", "dominoes", ["ann", "bob"], seed=number % 7)
        stage.update_lobby(quick.to_the_end())
        if number % 30 == 29:
            page.clock.run_for(9000)
            counted.append(page.locator("*").count())
    assert max(counted[3:]) <= 1.1 * max(counted[:3])


def test_a_hash_of_a_former_address_leads_here(stage: Stage, open_page):
    matches(stage, 1)
    page = open_page("#/tv", viewport=SCREEN)
    expect_hero(page, "m0")
    expect(page).to_have_url(re.compile("/tv$"))
