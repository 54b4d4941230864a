"""The operator's page, in a real browser: servers, limits and audit; pause and drain, by mouse and by keys."""

import json
import re
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace
from page_axe import serious
from page_checks import complaints, low_contrasts, overflow
from page_server import Stage
from page_story import furnish
from playwright.sync_api import Route, expect

from palio_db.bans import Ban
from palio_server.api.admin import AdminView, AuditItem
from palio_server.operating import LimitFigures, LimitMet, LoggedError, QueueFigures, ServerFigures

pytestmark = pytest.mark.browser

MET = [LimitMet("name hasty-bot", 12, 4.2)]
HELLOS = LimitFigures("hellos of a bot", 0.5, 20.0, MET)
FIRST = ServerFigures(
    *("referee-hall-1", "referee", "1.0.0", "plays", "degraded", "journal: 12,004 plies wait to be written"),
    up_s=200_000.0,
    bots=0,
    playing=2,
    matches=["m-one", "m-two"],
    concurrency=8,
    plies_a_second=41.5,
    matches_a_minute=3.2,
    finished=1874,
    aborted=2,
    errors=1,
    last_error=LoggedError("2026-03-04T05:06:07Z", "match m-zero is left alone"),
    queues=QueueFigures(claims=1, journal_plies=12004, journal_s=6.5, writes=3),
    limits=[HELLOS],
)
GATEWAY = ServerFigures("gateway-hall-1", "gateway", "1.0.0", "plays", up_s=60.0, bots=312, limits=[HELLOS])
SILENT = ServerFigures(
    "referee-hall-2", "referee", "0.9.0", "silent", reason="the server referee-hall-2 does not answer"
)
LINE = AuditItem(
    7, datetime(2026, 3, 4, 5, tzinfo=UTC), "token 3 (palio_ab...)", "::1", "servers paused", "all", "done", ""
)

BAN = Ban(3, "owner", "eve@example.org", "had help, twice", "ops", datetime(2026, 3, 4, tzinfo=UTC), None)


@pytest.fixture
def operated(stage: Stage) -> Stage:
    furnish(stage)
    stage.answers["admin"] = AdminView("gateway-hall-1", paused=False, scheduled=40, servers=[GATEWAY, FIRST, SILENT])
    stage.answers["admin/audit"] = [LINE]
    stage.answers["admin/bans"] = [BAN]
    stage.on_post = lambda _body, _token: (200, {})
    return stage


def test_each_server_shows_its_speed_failures_queues_and_last_error(operated: Stage, open_page):
    page = open_page("admin")
    expect(page.get_by_text("3 servers · 2 in play · 40 scheduled")).to_be_visible()
    server = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="referee-hall-1"))
    for said in ("in service", "41.5", "2 of 8", "12,004 plies wait", "match m-zero is left alone", "up 2 days"):
        expect(server).to_contain_text(said)
    server.get_by_text("2 matches in play").click()
    expect(server.get_by_role("link", name="m-one")).to_have_attribute("href", "match/m-one")
    silent = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="referee-hall-2"))
    expect(silent).to_contain_text("does not answer")
    expect(silent.get_by_text("Drain")).to_have_count(0)
    row = page.get_by_role("row").filter(has_text="hellos of a bot")
    expect(row).to_contain_text("name hasty-bot 12 times, 4 s ago, on gateway-hall-1")
    expect(page.get_by_role("table", name="Who did what")).to_contain_text("servers paused")


def test_all_servers_are_paused_and_resumed_by_one_button(operated: Stage, open_page):
    page = open_page("admin")

    def paused(_body, _token):
        operated.answers["admin"] = replace(operated.answers["admin"], paused=True)
        return 200, {"paused": True, "changed": True}

    operated.on_post = paused
    page.get_by_role("button", name="Pause all servers").click()
    question = page.get_by_role("dialog", name="Pause all servers")
    expect(question).to_contain_text("Pause 3 servers? Matches in play go on, no new match begins.")
    assert serious(page) == []
    question.get_by_role("button", name="Cancel").click()
    expect(question).to_be_hidden()
    assert operated.posts == []
    page.get_by_role("button", name="Pause all servers").click()
    question.get_by_role("button", name="Pause all servers").click()
    expect(page.get_by_role("status").filter(has_text="All servers are paused")).to_be_visible()
    page.get_by_role("button", name="Resume all servers").click()
    expect(page.get_by_role("button", name="Resume all servers")).to_be_enabled()
    assert [path for path, _, _ in operated.posts] == ["admin/pause", "admin/resume"]


def test_all_servers_are_paused_by_keys_alone_and_escape_cancels(operated: Stage, open_page):
    page = open_page("admin")
    button = page.get_by_role("button", name="Pause all servers")
    question = page.get_by_role("dialog", name="Pause all servers")
    button.focus()
    for keys in (("Enter", "Escape"), ("Enter", "Enter")):  # the first button, which has the focus, cancels
        for key in keys:
            page.keyboard.press(key)
        expect(question).to_be_hidden()
        expect(button).to_be_focused()
    assert operated.posts == []
    for key in ("Enter", "Tab", "Enter"):
        page.keyboard.press(key)
    expect(question).to_be_hidden()
    page.wait_for_load_state("networkidle")
    assert [path for path, _, _ in operated.posts] == ["admin/pause"]


def test_a_server_is_drained_by_keys_alone(operated: Stage, open_page):
    page = open_page("admin")
    summary = page.get_by_text("Drain referee-hall-1")
    summary.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    with page.expect_request(re.compile("admin/servers/referee-hall-1/drain")):
        page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Drain", exact=True)).to_be_enabled()
    assert operated.posts[-1][:2] == ("admin/servers/referee-hall-1/drain", {"matches": "hand_over", "then": "stop"})


def test_a_drained_server_is_resumed_and_a_refusal_is_shown(operated: Stage, open_page):
    operated.answers["admin"] = replace(operated.answers["admin"], servers=[replace(FIRST, state="drained")])
    operated.on_post = lambda _body, _token: (409, {"error": {"code": "no-answer", "reason": "it does not answer"}})
    page = open_page("admin")
    page.get_by_role("button", name="Resume referee-hall-1").click()
    expect(page.get_by_role("alert")).to_have_text("it does not answer")
    assert operated.posts[-1][0] == "admin/servers/referee-hall-1/resume"


def test_bans_are_listed_lifted_and_made(operated: Stage, open_page):
    page = open_page("admin")
    banned = page.get_by_role("listitem").filter(has_text="owner eve@example.org")
    expect(banned).to_contain_text("is banned for good: had help, twice")
    banned.get_by_role("button", name="Lift").click()
    page.get_by_text("Ban", exact=True).first.click()
    page.get_by_label("Whom").select_option("an address or network")
    page.get_by_label("Name or address").fill("203.0.113.7")
    page.get_by_label("Reason").first.fill("it floods")
    page.get_by_role("button", name="Ban", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="203.0.113.7 is banned.")).to_be_visible()
    made = {"kind": "address", "value": "203.0.113.7", "reason": "it floods", "until": None}
    assert [post[:2] for post in operated.posts] == [("admin/bans/3", "DELETE"), ("admin/bans", made)]


def test_matches_are_voided_group_by_group_after_a_question_that_says_how_many(operated: Stage, open_page):
    answers = [(0, 300), (200, 100), (100, 0)]

    def voided(_body, _token):
        changed, left = answers.pop(0)
        return 200, {"changed": changed, "left": left, "games": []}

    operated.on_post = voided
    page = open_page("admin")
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.accept()))
    page.get_by_text("Void all matches").click()
    page.get_by_label("Of the bot").fill("hasty-bot")
    page.get_by_label("Reason").nth(1).fill("it had help")
    page.get_by_role("button", name="Count the matches").click()
    expect(page.get_by_role("status").filter(has_text="300 matches no longer count.")).to_be_visible()
    assert asked == ["Let 300 matches count for nothing?"]
    assert [(path, body.get("count")) for path, body, _ in operated.posts] == [
        ("admin/void", True),
        ("admin/void", None),
        ("admin/void", None),
    ]


def test_without_a_token_it_asks_for_one_and_then_opens(operated: Stage, open_page):
    def guarded(route: Route) -> None:
        if route.request.headers.get("authorization") == "Bearer palio_good":
            route.fallback()
            return
        wrong = {"error": {"code": "token-missing", "reason": "this server wants a token"}}
        route.fulfill(status=401, content_type="application/json", body=json.dumps(wrong))

    page = open_page("games")
    page.route(re.compile("/api/admin"), guarded)
    page.evaluate("history.pushState(null, '', 'admin'); dispatchEvent(new PopStateEvent('popstate'))")
    expect(page.get_by_text("palio bot add ops --scope admin")).to_be_visible()
    page.get_by_label("Token").fill("palio_bad")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("alert")).to_have_text("this server wants a token")
    page.get_by_label("Token").fill("palio_good")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("heading", name="Servers")).to_be_visible()


def test_old_figures_stay_and_are_called_old_while_no_answer_comes(operated: Stage, open_page):
    page = open_page("admin")
    expect(page.get_by_role("heading", name="referee-hall-1")).to_be_visible()
    page.route(re.compile("/api/admin"), lambda route: route.abort())
    expect(page.get_by_role("alert")).to_contain_text("These figures are old: the server does not answer")
    expect(page.get_by_role("heading", name="referee-hall-1")).to_be_visible()
    page.unroute(re.compile("/api/admin"))
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_it_is_readable_and_nothing_serious_is_found(operated: Stage, open_page, width, scheme):
    paused = replace(operated.answers["admin"], paused=True)
    operated.answers["admin"] = paused
    page = open_page("admin", viewport={"width": width, "height": 844}, color_scheme=scheme)
    expect(page.get_by_role("heading", name="Audit")).to_be_visible()
    page.get_by_text("2 matches in play").click()
    page.get_by_text("Drain referee-hall-1").click()
    page.get_by_text("Void all matches").click()
    assert (complaints(page), low_contrasts(page), serious(page), overflow(page)) == ([], [], [], 0)
