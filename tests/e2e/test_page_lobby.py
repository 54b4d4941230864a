"""The lobby in a real browser: boards move, matches come and go, a match is started from the form."""

import re

import pytest
from page_checks import complaints, low_contrasts
from page_matches import PlayedMatch, PlayedRace
from page_server import Stage, refusal
from page_story import BOTS, add_matches, answer_positions, bot, described, furnish, quick
from playwright.sync_api import Page, Route, expect

from palio_server.api.play import HouseBot, PlayInfo

pytestmark = pytest.mark.browser


def card(page: Page, match: PlayedMatch):
    return page.locator(f'[data-match="{match.match}"]')


def places(page: Page, match: PlayedMatch) -> list[str]:
    """Return the positions of the pieces on a match's card."""
    marks = card(page, match).locator(".board .mark")
    return sorted(
        marks.evaluate_all("all => all.map(g => `${g.getAttribute('class')} ${g.getAttribute('transform')}`)")
    )


def open_form(open_page) -> Page:
    """The lobby, when its form has a bot for each seat: before, the browser itself refuses to send it."""
    page = open_page()
    expect(page.get_by_label("white", exact=True)).to_have_value("grace")
    return page


def test_every_match_in_progress_has_a_board_that_moves(stage: Stage, open_page):
    matches = add_matches(furnish(stage))
    page = open_page()
    expect(page.locator(".card")).to_have_count(3)
    expect(page.get_by_text("3 matches being played")).to_be_visible()
    for match in matches.values():
        before = places(page, match)
        assert len(before) == len(match.view().scene.marks)
        stage.tell(match, match.play())
        expect(card(page, match)).to_contain_text(f"ply {len(match.lines)}")
        assert places(page, match) != before


def test_a_finished_match_keeps_its_place_while_others_begin(stage: Stage, open_page):
    matches = add_matches(furnish(stage))
    page = open_page()
    first = matches["breakthrough"]
    expect(card(page, first)).to_be_visible()
    stage.tell(first, first.to_the_end() and first.finish(first.result))
    expect(card(page, first)).to_contain_text("wins by rule")
    order = [*(match.match for match in matches.values()), stage.add(quick("new")).match]
    stage.update_lobby(stage.matches["new"])
    expect(page.locator('[data-match="new"]')).to_be_visible()
    assert page.locator(".card").evaluate_all("all => all.map(card => card.dataset.match)") == order


def test_a_visitor_is_led_to_play_at_once(stage: Stage, open_page):
    furnish(stage)
    page = open_page()
    page.get_by_role("link", name="Play a bot").click()
    expect(page).to_have_url(f"{stage.url}/play")


def test_what_is_too_much_is_shown_when_it_is_asked_for(stage: Stage, open_page):
    furnish(stage)
    for number in range(18):
        stage.add(quick(f"m{number}")).start()
    page = open_page()
    expect(page.locator(".card")).to_have_count(16)
    assert stage.wishes == ["boards=16"], "only what is shown is sent"
    expect(page.get_by_text("18 matches being played")).to_be_visible()
    page.get_by_role("button", name="All 18 boards").click()
    expect(page.locator(".card")).to_have_count(18)
    assert stage.wishes == ["boards=16", ""]
    page.get_by_role("button", name="Only the first 16").click()
    expect(page.locator(".card")).to_have_count(16)
    expect(page.get_by_text("18 matches being played")).to_be_visible()


def test_the_form_has_all_of_a_crowd_as_soon_as_somebody_looks_into_it(stage: Stage, open_page):
    furnish(stage).answers["bots"] = [bot(f"bot-{number:04}", 1) for number in range(50)]
    stage.answers["bots?game=breakthrough"] = [bot(f"bot-{number:04}", 1) for number in range(3000)]
    page = open_page()
    white = page.get_by_label("white", exact=True)
    expect(white.locator("option")).to_have_count(50)
    white.focus()
    expect(white.locator("option")).to_have_count(3000)
    white.select_option("bot-2999")
    page.get_by_role("button", name="Start").click()
    expect(page).to_have_url(f"{stage.url}/match/new")
    assert "bot-2999" in stage.posts[0][1]["bots"]


def test_of_a_crowd_the_first_bots_are_listed_and_each_can_be_chosen(stage: Stage, open_page):
    furnish(stage).answers["bots"] = [bot(f"bot-{number:04}", 1) for number in range(3000)]
    page = open_page()
    expect(page.locator(".bots > li")).to_have_count(50)
    assert page.get_by_label("white", exact=True).locator("option").count() == 3000
    page.get_by_role("link", name="All 3000 bots").click()
    expect(page).to_have_url(f"{stage.url}/bots")


def test_a_refusal_stands_at_its_field(stage: Stage, open_page):
    sentence = "tsp option cities='nonsense': expected `array`, got `str`"
    stage.on_post = lambda body, token: (422, refusal("bad-option", sentence))
    furnish(stage).answers["games"] = [described("breakthrough")]
    stage.answers["games"][0]["options"].append(
        {"name": "cities", "type": "str", "default": [], "description": "the cities", "choices": None}
    )
    page = open_form(open_page)
    page.get_by_text("More options").click()
    page.get_by_text("An instance of your own").click()
    cities = page.get_by_label("cities")
    cities.fill("0 0\n3 4\n6 0")
    page.get_by_role("button", name="Start").click()
    expect(cities).to_have_accessible_description(sentence)
    expect(cities).to_have_value("0 0\n3 4\n6 0")
    assert stage.posts[0][1]["options"] == {"cities": "[[0,0],[3,4],[6,0]]"}
    assert (complaints(page), low_contrasts(page)) == ([], [])


def test_a_card_leads_to_its_match(stage: Stage, open_page):
    matches = add_matches(furnish(stage))
    page = open_page()
    page.get_by_role("link", name="Dominoes: sofia against emmy").click()
    expect(page).to_have_url(re.compile(f"match/{matches['dominoes'].match}$"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Dominoes")


def test_an_empty_square_says_what_to_do_next(stage: Stage, open_page):
    furnish(stage).answers["bots"] = []
    page = open_page()
    expect(page.get_by_text("No match is running.")).to_be_visible()
    expect(page.get_by_text(f"palio join {stage.url}")).to_be_visible()


def test_the_form_posts_what_was_chosen_and_goes_to_the_match(stage: Stage, open_page):
    started = stage.add(quick("started"))
    stage.on_post = lambda body, token: (201, {"id": started.match, "match": started.match, "matches": [started.match]})
    furnish(stage)
    page = open_page()
    page.get_by_label("Game").select_option("dominoes")
    page.get_by_label("vertical", exact=True).select_option("sofia")
    page.get_by_label("horizontal", exact=True).select_option("ada")
    page.get_by_label("Clock", exact=True).fill("5+0.1")
    page.get_by_text("More options").click()
    page.get_by_label("rows").fill("6")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Dominoes")
    body = {"game": "dominoes", "bots": ["sofia", "ada"], "options": {"rows": "6"}, "tc": "5+0.1"}
    assert stage.posts == [("matches", body, "")]


def test_the_form_shows_the_servers_own_sentence(stage: Stage, open_page):
    sentence = "'10x' is no time control; write seconds+increment as in 10+0.1"
    stage.on_post = lambda body, token: (422, refusal("bad-option", sentence))
    furnish(stage)
    page = open_form(open_page)
    page.get_by_label("Clock", exact=True).fill("10x")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("alert")).to_have_text(sentence)


def test_a_token_is_asked_for_when_the_server_wants_one_and_kept_for_the_tab(stage: Stage, open_page):
    started = stage.add(quick("started"))

    def on_post(body, token):
        if token != "Bearer secret":
            return 401, refusal("token-missing", "this server wants a token")
        return 201, {"match": started.match}

    stage.on_post = on_post
    furnish(stage)
    page = open_form(open_page)
    expect(page.get_by_label("Token")).to_have_count(0)
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("alert")).to_have_text("this server wants a token")
    page.get_by_label("Token").fill("secret")
    page.get_by_role("button", name="Start").click()
    expect(page).to_have_url(re.compile("match/started$"))
    assert page.evaluate("[sessionStorage.length, localStorage.length]") == [1, 0]
    page.goto(f"{stage.url}/")
    expect(page.get_by_label("Token")).to_have_value("secret")


def test_only_bots_that_play_the_game_can_be_chosen(stage: Stage, open_page):
    furnish(stage).answers["bots"] = [bot(BOTS[0]), bot(BOTS[1], games=["dominoes"])]
    page = open_page()
    expect(page.get_by_label("black", exact=True).locator("option")).to_have_text(["ada"])
    page.get_by_label("Game").select_option("dominoes")
    expect(page.get_by_label("vertical", exact=True).locator("option")).to_have_text(["ada", "grace"])
    expect(page.get_by_label("horizontal", exact=True)).to_have_value("grace")


def test_a_lost_connection_is_reported_and_mended(stage: Stage, open_page):
    matches = add_matches(furnish(stage))
    page = open_page()
    expect(page.locator(".card")).to_have_count(3)
    stage.drop(stay_closed=True)
    banner = page.get_by_text("connection lost, reconnecting")
    expect(banner).to_be_visible()
    match = matches["dominoes"]
    for _ in range(3):
        match.play()
    stage.closed_to_viewers = False
    expect(banner).to_have_count(0)
    expect(card(page, match)).to_contain_text(f"ply {len(match.lines)}")


def test_a_race_takes_all_bots_that_are_here_unless_some_are_left_out(stage: Stage, open_page):
    started = stage.add(PlayedRace("raced", "tsp", BOTS[:2], {"size": 5}))
    stage.on_post = lambda body, token: (201, {"match": started.match})
    furnish(stage).answers["bots"] = [bot(name, games=["tsp"]) for name in BOTS]
    page = open_page()
    page.get_by_label("Game").select_option("tsp")
    expect(page.get_by_text("4 entrants, all on the same instance")).to_be_visible()
    page.get_by_label("emmy").uncheck()
    page.get_by_label("sofia").uncheck()
    expect(page.get_by_text("2 entrants, all on the same instance")).to_be_visible()
    page.get_by_label("A move").fill("5")
    page.get_by_text("More options").click()
    page.get_by_label("Seed").fill("7")
    page.get_by_label("of equal costs the faster one is ahead").check()
    expect(page.get_by_label("Random opening")).to_have_count(0)
    assert complaints(page) == []
    assert low_contrasts(page) == []
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Travelling Salesman")
    body = {"game": "tsp", "bots": ["ada", "grace"], "options": {}, "st": "5", "seed": 7, "by_time": True}
    assert stage.posts == [("matches", body, "")]


def test_a_table_for_three_waits_for_three_bots_and_says_so(stage: Stage, open_page):
    furnish(stage).answers["bots"] = [bot(name, games=["chexers"]) for name in BOTS[:2]]
    page = open_page()
    page.get_by_label("Game").select_option("chexers")
    start = page.get_by_role("button", name="Start")
    expect(start).to_be_disabled()
    expect(start).to_have_accessible_description("Chexers needs 3 bots; 2 of those here can play it.")
    expect(page.get_by_label("blue", exact=True)).to_have_value("")
    page.get_by_label("Game").select_option("tsp")
    expect(start).to_have_accessible_description("Travelling Salesman needs 1 bot; none of those here can play it.")
    stage.answers["bots"] = [bot(name, games=["chexers"]) for name in BOTS[:3]]
    stage.update_lobby(bots=True)
    page.get_by_label("Game").select_option("chexers")
    expect(start).to_be_enabled(timeout=20_000)  # it has just asked, and does not ask again at once
    expect(page.get_by_label("blue", exact=True)).to_have_value("sofia")


def test_a_bot_that_is_given_anothers_seat_changes_places_with_it(stage: Stage, open_page):
    furnish(stage).answers["bots"] = [bot(name, games=["chexers"]) for name in BOTS[:3]]
    page = open_page()
    page.get_by_label("Game").select_option("chexers")
    page.get_by_label("blue", exact=True).select_option("ada")
    for seat, name in {"red": "sofia", "green": "grace", "blue": "ada"}.items():
        expect(page.get_by_label(seat, exact=True)).to_have_value(name)


SHIFTS = """() => new Promise((done) => {
    new PerformanceObserver((list) => done(
        list.getEntries().filter((entry) => !entry.hadRecentInput).reduce((sum, { value }) => sum + value, 0)
    )).observe({ type: "layout-shift", buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => done(0)));  // there was none
})"""


@pytest.mark.parametrize("size", [(390, 844), (1280, 800)], ids=["phone", "laptop"])
def test_nothing_moves_while_the_lobby_is_loaded(stage: Stage, open_page, size):
    add_matches(furnish(stage))
    page = open_page(viewport={"width": size[0], "height": size[1]})
    expect(page.locator(".card")).to_have_count(3)
    expect(page.locator(".lobby[aria-busy]")).to_have_count(0)
    page.wait_for_load_state("networkidle")
    assert page.evaluate(SHIFTS) < 0.05


def test_the_foot_waits_until_the_view_above_it_is_loaded(stage: Stage, open_page):
    add_matches(furnish(stage))
    page = open_page()
    expect(page.locator(".foot")).to_be_visible()
    waiting: list[Route] = []
    page.route("**/components/tournament_list.js", lambda route, _: waiting.append(route))
    with page.expect_request("**/components/tournament_list.js"):
        page.goto(f"{stage.url}/tournaments")
    expect(page.locator(".foot")).to_be_attached()
    expect(page.locator(".foot")).to_be_hidden()
    waiting[0].continue_()
    expect(page.locator(".foot")).to_be_visible()


SLOW = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 100_000}  # ms, bytes/s


@pytest.mark.parametrize("size", [(390, 844), (1280, 800)], ids=["phone", "laptop"])
@pytest.mark.parametrize(
    ("view", "loaded"),
    [
        ("play/breakthrough", ".opponents li .face"),
        ("games/breakthrough", ".leaders tbody tr"),
        ("try/breakthrough", ".trying-best li"),
    ],
)
def test_nothing_moves_while_a_view_is_loaded_over_a_slow_network(stage: Stage, open_page, view, loaded, size):
    """Each answer comes after the one before it was painted."""
    furnish(stage)
    answer_positions(stage, "breakthrough")
    house = [HouseBot(f"house-{level}", f"level {level}", level, ["breakthrough"], {}) for level in range(1, 6)]
    stage.answers |= {"play": PlayInfo(house, 4, 0, guests=True), "bots": []}
    page = open_page("games", viewport={"width": size[0], "height": size[1]}, locale="en-GB")
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Network.emulateNetworkConditions", SLOW)
    page.goto(f"{stage.url}/{view}")
    expect(page.locator(loaded).first).to_be_attached()
    page.wait_for_load_state("networkidle")
    shifted = page.evaluate(SHIFTS)
    network.detach()
    assert shifted < 0.05


def test_a_first_visitor_reads_what_this_is(stage: Stage, open_page):
    furnish(stage)
    page = open_page()
    said = page.get_by_text("Programs play games against each other here: watch them live, play against one, or")
    expect(said).to_be_in_viewport()
    expect(said.get_by_role("link", name="bring your own")).to_have_attribute("href", "write")
