"""`/api/courses`: students hand in and see their own work only; the staff sees all; others see nothing."""

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import httpx
import pytest
from msgspec import structs

from palio_db.course_values import NewSubmission, Override, OwnDue, RosterEntry
from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record, Setup
from palio_server.api import courses
from palio_server.api.app import create_app
from palio_server.courses import submitting
from palio_server.courses.checked_json import encode_checked
from palio_server.courses.gradebook import gradebook
from palio_server.courses.revision import revision_of
from palio_server.courses.served_courses import ServedCourses, reread
from palio_server.courses.values import Checked, LateRule, Part
from palio_server.network import http_server
from palio_server.network.http_server import serving
from palio_server.network.listeners import bind, url_of

GOOD = b"x = 1\n"
NOW = datetime.now(UTC)
DAY = timedelta(days=1)
PARTS = (
    Part("test_one", Fraction(3), Fraction(5), "expected 1, got 2"),
    Part("test_hidden", Fraction(0), Fraction(5), "secret why", shown=False),
    Part("test_later", Fraction(1), Fraction(10), "told later", feedback="after due"),
)


async def checks(assignment, folder, *, records):
    data = (folder / "bot.py").read_bytes()
    return Checked((), broken="bot.py, line 1: invalid syntax") if b"broken" in data else Checked(PARTS, said="hello")


ASSIGNMENT = """
title = "Dominoes"
game = "dominoes"
handout = "dominoes"
files = ["adversarial_search.py"]
opens = 2027-02-01T09:00:00
due = 2027-02-15T23:59:00
[[against]]
bot = "random"
games = 2
need = 0.5
points = 10
"""


@pytest.fixture
async def course(guarded_server, serve_course, make_assignment):
    """A course with two students, one of the staff, and a server on a real port; their tokens."""
    server = guarded_server
    store = server.store
    await store.set_roster("ai", [RosterEntry("1", "Ann Lee", "ann@x.edu"), RosterEntry("2", "Bob", "bob@x.edu")])
    assignments = (
        make_assignment("dominoes"),
        make_assignment("past", due=NOW - 5 * DAY, opens=NOW - 9 * DAY),
        make_assignment("future", opens=NOW + DAY, due=NOW + 2 * DAY),
    )
    queue = serve_course(server, assignments, checks)
    links = await store.issue_links("ai")
    await store.add_bot("carla")
    await store.add_bot("dan")
    tokens = {row.id: secret for row, secret in links}
    tokens["staff"] = await store.issue_token(["watch"], bot="carla")
    tokens["stranger"] = await store.issue_token(["watch"], bot="dan")
    listener = bind("127.0.0.1", 0)
    async with serving(create_app(server), listener), httpx.AsyncClient(base_url=url_of(listener)) as client:
        yield Clients(client, tokens, queue, store)


class Clients:
    def __init__(self, client, tokens, queue, store):
        self.client, self.tokens, self.queue, self.store = client, tokens, queue, store

    async def ask(self, who, method, path="", **more):
        headers = {"Authorization": f"Bearer {self.tokens[who]}"} if who else {}
        headers |= more.pop("headers", {})
        return await self.client.request(method, f"/api/courses/ai{path}", headers=headers, **more)

    async def hand_in(self, who, data=GOOD, assignment="dominoes", name="bot.py"):
        path = f"/assignments/{assignment}/submissions"
        return await self.ask(who, "POST", path, files={"files": (name, data)})


async def test_a_student_hands_in_and_sees_what_it_is_worth(course, zipped_bot):
    answer = await course.hand_in("1")
    assert answer.status_code == 201, answer.text
    kept = answer.json()
    assert (kept["again"], kept["files"], kept["left_today"], kept["status"]) == (False, ["bot.py"], 2, "waiting")
    assert (await course.hand_in("1")).status_code == 200  # the same files again use nothing up
    await course.queue.check_all()
    home = (await course.ask("1", "GET")).json()
    me = home["me"]
    assert (me["role"], me["name"], me["named"], me["consent"]) == ("student", "Ann Lee", False, None)
    assert me["shown_as"] != "Ann Lee"
    dominoes, past, future = home["assignments"]
    assert (dominoes["state"], past["state"], future["state"]) == ("open", "closed", "not open")
    assert (dominoes["submission"], dominoes["status"], dominoes["left_today"]) == (kept["id"], "checked", 2)
    assert (dominoes["points"], dominoes["max_points"]) == (3, 10)  # what is told after the due date is not in it
    assert home["free_days_left"] == 3
    feedback = (await course.ask("1", "GET", f"/submissions/{kept['id']}")).json()
    assert [(part["name"], part["why"]) for part in feedback["parts"]] == [
        ("test_one", "expected 1, got 2"),
        ("test_hidden", ""),
    ]
    assert (feedback["withheld"], feedback["said"]) == (1, "hello")
    raw = await course.ask(
        "1",
        "POST",
        "/assignments/dominoes/submissions",
        content=zipped_bot,
        headers={"Content-Type": "application/zip"},
    )
    assert raw.status_code == 201, raw.text
    mine = (await course.ask("1", "GET", "/assignments/dominoes/submissions")).json()
    assert [(each["current"], each["by_me"]) for each in mine] == [(True, True), (False, True)]
    chosen = await course.ask("1", "POST", f"/submissions/{kept['id']}/choice")
    assert (chosen.status_code, chosen.json()["current"]) == (200, True)


async def test_a_student_sees_the_place_in_the_line_until_the_check_begins(course):
    first, again, other = [await course.hand_in(*each) for each in (("1",), ("1", b"y = 2\n"), ("2",))]
    mine = (await course.ask("1", "GET", "/assignments/dominoes/submissions")).json()
    assert [(each["id"], each["place"]) for each in mine] == [(again.json()["id"], 1), (first.json()["id"], 3)]
    theirs = (await course.ask("2", "GET", f"/submissions/{other.json()['id']}")).json()["submission"]
    assert (theirs["status"], theirs["place"]) == ("waiting", 2)
    assert theirs["begins_in_s"] > 0
    await course.queue.check_all()
    mine = (await course.ask("1", "GET", "/assignments/dominoes/submissions")).json()
    assert {(each["status"], each["place"], each["begins_in_s"]) for each in mine} == {("checked", None, None)}


async def test_no_address_gives_a_student_the_solution_or_the_tests(course):
    """A walk through all that a course answers to GET."""
    home = course.queue.course.assignments[0].folder
    for file in ("solution/bot.py", "tests/test_hidden.py", "skeleton/bot.py"):
        (home / file).parent.mkdir(exist_ok=True)
        (home / file).write_text("mark-of-the-staff")
    submission = (await course.hand_in("1")).json()["id"]
    await course.queue.check_all()
    values = {"course": "ai", "assignment": "dominoes", "submission": submission, "match": "1m"}
    paths = (await course.client.get("/api/openapi.json")).json()["paths"]
    walked = [path for path, verbs in paths.items() if path.startswith("/api/courses/{course}") and "get" in verbs]
    assert len(walked) > 5
    for path in walked:
        for who in ("1", "2"):
            answer = await course.ask(who, "GET", path.removeprefix("/api/courses/{course}").format(**values))
            assert b"mark-of-the-staff" not in answer.content, path


@pytest.fixture
def zipped_bot():
    import io
    import zipfile

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("work/bot.py", b"broken")
    return packed.getvalue()


async def test_what_cannot_be_taken_is_said(course):
    assert (
        (await course.hand_in("1", assignment="future"))
        .json()["error"]["reason"]
        .startswith("future takes no submission")
    )
    assert (await course.hand_in("1", assignment="past")).status_code == 409
    unknown = await course.hand_in("1", assignment="domino")
    assert (unknown.status_code, "did you mean 'dominoes'" in unknown.text) == (404, True)
    refused = await course.hand_in("1", b"x" * 1001)
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "refused")
    assert (await course.hand_in("1", b"x" * 600_000)).status_code == 413
    empty = await course.ask("1", "POST", "/assignments/dominoes/submissions")
    assert "nothing was handed in; dominoes asks for bot.py" in empty.text
    form = {"Content-Type": "multipart/form-data; boundary=x"}
    broken = await course.ask("1", "POST", "/assignments/dominoes/submissions", content=b"--x", headers=form)
    assert "did not come whole" in broken.text
    assert await course.store.submissions("ai") == []


async def test_an_upload_without_a_length_is_bounded(course):
    async def endless():
        for _ in range(10_000):
            yield bytes(10_000)

    try:
        answer = await course.ask("1", "POST", "/assignments/dominoes/submissions", content=endless())
    except httpx.HTTPError:  # the server has closed the connection while the client was sending
        return
    assert answer.status_code == 413


def at(monkeypatch, moment):
    """Let all requests from now on come whole at this moment."""
    monkeypatch.setattr(http_server, "wall_time", lambda: moment)


def due_at(course, due, **more):
    """Let `dominoes` be due then."""
    first, *others = course.queue.course.assignments
    changed = replace(first, opens=due - 9 * DAY, due=due, **more)
    course.queue.course = replace(course.queue.course, assignments=(changed, *others))


DUE = datetime(2027, 2, 15, 23, 59, tzinfo=UTC)
TICK = timedelta(microseconds=1)
AT_DUE = "2027-02-15T23:59:00Z"


@pytest.mark.parametrize("grace", [timedelta(), timedelta(minutes=5)])
async def test_the_last_byte_of_a_submission_is_in_time_at_the_very_end_and_late_after_it(course, monkeypatch, grace):
    due_at(course, DUE, late=LateRule(2, grace=grace))
    for number, (after, days) in enumerate([(-TICK, 0), (timedelta(), 0), (TICK, 1), (DAY, 1), (DAY + TICK, 2)]):
        at(monkeypatch, DUE + grace + after)
        path = "/assignments/dominoes/submissions?late=accept"
        kept = await course.ask("1", "POST", path, files={"files": ("bot.py", b"x = %d" % number)})
        assert (kept.status_code, kept.json()["at"]) == (201, (DUE + grace + after).isoformat().replace("+00:00", "Z"))
        assert ("late" in kept.json()["late"]) is (days > 0)
        (newest, *_) = (await course.ask("1", "GET", "/assignments/dominoes/submissions")).json()
        assert (newest["current"], newest["late_days"]) == (True, days)
    at(monkeypatch, DUE + grace + 2 * DAY + TICK)
    assert (await course.hand_in("2")).status_code == 409


async def test_the_time_of_a_submission_does_not_wait_for_those_before_it(course, monkeypatch):
    due_at(course, DUE)
    came, go_on = [], asyncio.Event()

    def now():
        came.append(DUE)
        return DUE

    async def held(*given, **more):
        await go_on.wait()
        return await submitting.hand_in(*given, **more)

    monkeypatch.setattr(http_server, "wall_time", now)
    monkeypatch.setattr(courses, "hand_in", held)
    files = [(who, b"#" * (courses.IN_MEMORY // 100) + b"%d" % number) for who in "12" for number in range(3)]
    waiting = [asyncio.ensure_future(course.hand_in(*each)) for each in files]
    async with asyncio.timeout(20):
        while len(came) < len(files):  # noqa: ASYNC110  # also those that are beyond the uploads that are taken at once
            await asyncio.sleep(0.01)
    at(monkeypatch, DUE + DAY)
    go_on.set()
    answers = await asyncio.gather(*waiting)
    assert len(files) > courses.AT_ONCE
    assert {(each.status_code, each.json()["at"], each.json()["late"]) for each in answers} == {(201, AT_DUE, "")}


async def test_a_late_submission_says_what_it_costs_before_it_replaces_one_in_time(course, monkeypatch):
    due_at(course, DUE, late=LateRule(2, free=1))
    at(monkeypatch, DUE - DAY)
    first = (await course.hand_in("1")).json()
    assert first["late"] == ""
    at(monkeypatch, DUE + DAY + TICK)
    asked = await course.hand_in("1", b"x = 2")
    assert (asked.status_code, asked.json()["error"]["code"]) == (409, "late")
    assert asked.json()["error"]["reason"].startswith(
        "this is 2 days late: 2 free late days are used; it would replace your submission of 2027-02-14 23:59 UTC"
    )
    assert (await course.hand_in("1")).json()["again"]  # the same files change nothing
    (current,) = (await course.ask("1", "GET", "/assignments/dominoes/submissions")).json()
    assert (current["id"], current["late_days"]) == (first["id"], 0)
    path = "/assignments/dominoes/submissions?late=accept"
    taken = await course.ask("1", "POST", path, files={"files": ("bot.py", b"x = 2")})
    assert (taken.status_code, taken.json()["late"].split(":")[0]) == (201, "this is 2 days late")
    again = await course.hand_in("1", b"x = 3")
    assert again.status_code == 201, "it costs no more than the one that it replaces"
    assert (await course.hand_in("2")).status_code == 201, "there is nothing to lose"


async def test_an_own_due_date_holds_in_advance_for_its_student_alone(course, monkeypatch):
    due_at(course, DUE)
    await course.store.set_own_due(OwnDue("ai", "dominoes", "1", DUE + 7 * DAY, "is ill"))
    at(monkeypatch, DUE + 7 * DAY)
    kept = await course.hand_in("1")
    assert (kept.status_code, kept.json()["late"]) == (201, "")
    assert (await course.hand_in("2")).status_code == 409
    home = (await course.ask("1", "GET")).json()["assignments"][0]
    assert (home["due"], home["closes"]) == ("2027-02-22T23:59:00Z", "2027-02-24T23:59:00Z")
    assert (await course.ask("2", "GET")).json()["assignments"][0]["due"] == "2027-02-15T23:59:00Z"
    await course.queue.check_all()
    book = await gradebook(course.store, course.queue.course)
    assert (book["1"]["dominoes"].status, book["1"]["dominoes"].late_days) == ("graded", 0)
    (row,) = (await course.ask("staff", "GET", "/assignments/dominoes/all")).json()
    assert row["late_days"] == 0


async def test_after_the_last_late_day_no_former_submission_can_be_chosen(course):
    due_at(course, NOW + DAY)
    former = (await course.hand_in("1")).json()["id"]
    later = (await course.hand_in("1", b"x = 2")).json()["id"]
    due_at(course, NOW - 3 * DAY)
    refused = await course.ask("1", "POST", f"/submissions/{former}/choice")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "not-now")
    mine = (await course.ask("1", "GET", "/assignments/dominoes/submissions")).json()
    assert [each["id"] for each in mine if each["current"]] == [later]


async def test_the_link_of_a_forgotten_student_opens_nothing(course):
    await course.store.forget_student("ai", "1")
    for path in OWN:
        assert (await course.ask("1", "GET", path)).status_code == 401
    assert (await course.hand_in("1")).status_code == 401


async def test_the_limit_of_the_day_is_told_before_it_bites(course):
    for number in range(3):
        answer = await course.hand_in("1", b"x = %d" % number)
        assert answer.json()["left_today"] == 2 - number
    last = await course.hand_in("1", b"x = 9")
    assert (last.status_code, "3 times today" in last.text) == (409, True)
    assert (await course.hand_in("2")).status_code == 201


async def test_uploads_at_once_do_not_pass_the_limit(course):
    answers = await asyncio.gather(*(course.hand_in("1", b"x = %d" % number) for number in range(6)))
    assert sorted(each.status_code for each in answers) == [201, 201, 201, 409, 409, 409]


async def test_many_uploads_in_a_moment_are_slowed_down(course):
    answers = [await course.hand_in("1", b"\xff") for _ in range(12)]
    assert answers[-1].status_code == 429
    assert "Retry-After" in answers[-1].headers


OWN = ("", "/grades", "/assignments/dominoes/submissions")
STAFFS = ("/roster", "/assignments/dominoes/all", "/assignments/dominoes/points")


async def test_nobody_sees_anothers_work_name_or_points(course):
    theirs = (await course.hand_in("2", b"broken")).json()["id"]
    await course.queue.check_all()
    for path in (f"/submissions/{theirs}", "/assignments/dominoes/submissions", "", "/grades"):
        text = (await course.ask("1", "GET", path)).text
        assert "Bob" not in text
        assert theirs not in text or "there is no submission" in text
    assert (await course.ask("1", "GET", f"/submissions/{theirs}")).status_code == 404
    assert (await course.ask("1", "POST", f"/submissions/{theirs}/choice")).status_code == 404
    for path in STAFFS:
        assert (await course.ask("1", "GET", path)).status_code == 403
    for path in (*OWN, *STAFFS):
        assert (await course.ask(None, "GET", path)).status_code == 401
        assert (await course.ask("stranger", "GET", path)).status_code == 403
    course.tokens["wrong"] = "course_" + "x" * 32
    assert (await course.ask("wrong", "GET")).status_code == 401


def short_game(match):
    """A whole game of dominoes on a board of 2x2: the first move ends it."""
    setup = Setup("dominoes", ("submission", "reference"), {"rows": 2, "cols": 2})
    result = Result("rule", "no-moves-left", [1.0, 0.0])
    return Record(match, setup, (Ply(0, [0, 0], 5),), result, NOW, NOW)


async def test_games_of_a_check_are_replayed_by_the_author_and_the_staff_only(course):
    record = short_game("m1")
    row = (await course.hand_in("1")).json()["id"]
    told = Part("against random", Fraction(1), Fraction(2), matches=("m1", "m9"))
    later = Part("against greedy", Fraction(1), Fraction(2), feedback="after due", matches=("m2",))
    revision = revision_of(course.queue.course.assignments[0])
    await course.store.claim_check(row, revision, "w", DAY)
    games = [record, structs.replace(record, match="m2")]
    await course.store.finish_check(row, revision, "w", encode_checked(Checked((told, later))), games)

    feedback = (await course.ask("1", "GET", f"/submissions/{row}")).json()
    assert [part["matches"] for part in feedback["parts"]] == [["m1"]]  # m9 was not kept
    found = (await course.ask("1", "GET", f"/submissions/{row}/matches/m1")).json()
    assert [seat["bot"] for seat in found["summary"]["seats"]] == ["submission", "reference"]
    assert len(found["views"]) == len(record.plies) + 1
    everybody = await course.client.get(
        "/api/matches/m1", headers={"Authorization": f"Bearer {course.tokens['staff']}"}
    )
    assert everybody.status_code == 404
    for who, match, status in (("2", "m1", 404), ("1", "m2", 404), ("1", "m9", 404), ("staff", "m2", 200)):
        answer = await course.ask(who, "GET", f"/submissions/{row}/matches/{match}")
        assert answer.status_code == status, (who, match)
    assert (await course.ask("stranger", "GET", f"/submissions/{row}/matches/m1")).status_code == 403
    await course.store.forget_student("ai", "1")
    assert (await course.ask("staff", "GET", f"/submissions/{row}/matches/m1")).status_code == 404


async def test_the_staff_sees_who_has_nothing_what_is_broken_and_how_points_are_distributed(course):
    broken = (await course.hand_in("2", b"broken")).json()["id"]
    await course.queue.check_all()
    roster = (await course.ask("staff", "GET", "/roster")).json()
    assert [(each["id"], each["missing"]) for each in roster] == [("1", ["dominoes", "past"]), ("2", ["past"])]
    (row,) = (await course.ask("staff", "GET", "/assignments/dominoes/all")).json()
    assert (row["id"], row["name"], row["status"], row["broken"]) == (
        broken,
        "Bob",
        "broken",
        "bot.py, line 1: invalid syntax",
    )
    points = (await course.ask("staff", "GET", "/assignments/dominoes/points")).json()
    assert (sum(points["counts"]), points["missing"], points["broken"]) == (1, 1, 1)
    assert (await course.ask("staff", "GET")).json()["me"]["role"] == "staff"
    assert (await course.ask("staff", "GET", f"/submissions/{broken}")).json()["broken"]
    mine = (await course.hand_in("1")).json()["id"]
    await course.queue.check_all()
    told = (await course.ask("staff", "GET", f"/submissions/{mine}")).json()
    assert [(part["name"], part["why"]) for part in told["parts"]] == [(part.name, part.why) for part in PARTS]
    assert told["withheld"] == 0
    assert (await course.hand_in("staff")).status_code == 403


async def test_grades_are_seen_when_they_are_published(course):
    assert (await course.ask("1", "GET", "/grades")).json() == []
    entry = {"submission": None, "max_points": 20, "late_days": 0, "status": "graded", "parts": []}
    grades = [entry | {"student": "1", "points": 7}, entry | {"student": "2", "points": 9}]
    await course.store.override_grade(Override("ai", "dominoes", "1", "was ill", points="7"))
    await course.store.publish_grades("ai", "dominoes", json.dumps(grades).encode())
    (mine,) = (await course.ask("1", "GET", "/grades")).json()
    assert (mine["assignment"], mine["points"]) == ("dominoes", 7)


async def test_free_late_days_are_in_the_points_that_a_student_is_told(course):
    late = NewSubmission(
        "ai", "past", "1", NOW - timedelta(days=4, hours=12), "d" * 64, {"bot.py": GOOD}, clock="staff"
    )
    kept = (await course.store.keep_submission(late)).submission
    await course.queue.check_all()
    past = (await course.ask("1", "GET")).json()["assignments"][1]
    (mine,) = (await course.ask("1", "GET", "/assignments/past/submissions")).json()
    feedback = (await course.ask("1", "GET", f"/submissions/{kept.id}")).json()
    assert mine["late_days"] == 1
    assert (past["points"], mine["points"], feedback["submission"]["points"]) == (4, 4, 4)
    assert sum(part["points"] for part in feedback["parts"]) == 4
    assert (await course.ask("1", "GET")).json()["free_days_left"] == 2


async def test_the_staff_publishes_from_the_page_once_all_is_checked(course):
    await course.hand_in("1")
    path = "/assignments/dominoes/publish"
    early = await course.ask("staff", "POST", path)
    assert (early.status_code, "1 submissions to dominoes are not checked" in early.text) == (422, True)
    assert (await course.ask("1", "GET", "/grades")).json() == []
    await course.queue.check_all()
    assert (await course.ask("1", "POST", path)).status_code == 403
    assert (await course.ask(None, "POST", path)).status_code == 401
    published = (await course.ask("staff", "POST", path)).json()
    assert (published["assignment"], published["students"]) == ("dominoes", 2)
    (mine,) = (await course.ask("1", "GET", "/grades")).json()
    assert (mine["points"], mine["status"]) == (4, "graded")
    states = {each["name"]: each["published"] for each in (await course.ask("staff", "GET")).json()["assignments"]}
    assert states == {"dominoes": True, "past": False, "future": False}
    assert [line.act for line in await course.store.audit() if "publish" in line.act] == ["grades published"]


async def test_a_student_lifts_the_pseudonym_and_consents(course):
    body = {"consent": "all", "named": True}
    me = (await course.ask("1", "PUT", "/me", json=body)).json()
    assert (me["shown_as"], me["consent"], me["named"]) == ("Ann Lee", "all", True)
    wrong = await course.ask("1", "PUT", "/me", json={"consent": "some"})
    assert wrong.status_code == 422


async def test_the_audit_has_pseudonyms_only(course):
    await course.hand_in("1")
    lines = [line for line in await course.store.audit() if line.act == "submission kept"]
    assert len(lines) == 1
    assert lines[0].address == ""
    assert "Ann" not in str(lines)


async def test_a_course_is_read_again_when_its_files_change(tmp_path, server):
    folder = tmp_path / "c1"
    home = folder / "assignments" / "dominoes"
    home.mkdir(parents=True)
    (home / "assignment.toml").write_text(ASSIGNMENT)
    (folder / "course.toml").write_text('title = "One"\ntime_zone = "UTC"\n')
    served = ServedCourses.read(server.store, [folder], lambda course: checks).by_name["c1"]
    assert served.course.title == "One"
    (folder / "course.toml").write_text("title = \n")
    served.changed_at = 0.0
    reread(served)
    assert served.course.title == "One"
    (folder / "course.toml").write_text('title = "Two"\ntime_zone = "UTC"\n')
    served.changed_at = 0.0
    reread(served)
    assert served.course.title == "Two"
