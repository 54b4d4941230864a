"""Exits to students: hidden tests, tests told later, and faults of programs, at every exit and at every date.

Marks are put where the staff's eyes only may look, and are looked for in all that leaves the server.
"""

import asyncio
import json
import re
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import httpx
import msgspec
import pytest
from websockets.asyncio.client import connect

from palio_db.course_values import NewSubmission, RosterEntry
from palio_db.values import PALIO
from palio_rules.contract.messages import Error
from palio_rules.records.record import Setup
from palio_server.api.app import OPERATIONS, create_app
from palio_server.cli.course import course as course_verbs
from palio_server.courses import gradescope
from palio_server.courses.checked_json import encode_checked
from palio_server.courses.grade_exports import FORMS, grades_text
from palio_server.courses.gradebook import gradebook, publish, roster_of, seen_gradebook
from palio_server.courses.regrade import before, changes
from palio_server.courses.values import Checked, Part, StaffTests
from palio_server.network.http_server import serving
from palio_server.network.listeners import bind, url_of

HIDDEN, LATER = "mark-of-a-hidden-test", "mark-of-a-later-test"
NOW, DAY = datetime.now(UTC), timedelta(days=1)
NONE, FIVE = Fraction(0), Fraction(5)
OPEN = Part("test_open.py::test_a", Fraction(3), FIVE, "expected 1, got 2", said="own words", seconds=0.25)
SECRET = {"shown": False, "said": f"print {HIDDEN}", "matches": (HIDDEN,), "timed_out": True, "seconds": 7.5}
WHY = f"ValueError: [((0, 1), 2, 6), {HIDDEN}] (bot.py, line 3)"
PARTS = (
    OPEN,
    # as a check has it whose file has another name now
    Part(f"test_gone.py::test_b[{HIDDEN}-((0, 1), 2)]", NONE, FIVE, WHY, **SECRET),
    Part(f"test_gone.py::test_b[{HIDDEN}-second]", FIVE, FIVE, **SECRET),
    # as a check from before its file was hidden has it
    Part(f"test_hidden.py::TestC::test_c[{HIDDEN}]", NONE, FIVE, WHY, said=HIDDEN),
    Part(f"test_late.py::test_d[{LATER}]", Fraction(1), FIVE, f"got {LATER}", "after due", said=f"say {LATER}"),
    Part("against greedy", NONE, FIVE, f"0 points in 2 games: {LATER}", "after due", said=LATER, matches=("g2",)),
)
TESTS = (
    StaffTests("tests/test_open.py"),
    StaffTests("tests/test_hidden.py", shown=False),
    StaffTests("tests/test_late.py", feedback="after due"),
)
PHASES = {  # opens and due, from now; whether all is told
    "before it opens": (DAY, 9 * DAY, False),
    "open": (-9 * DAY, DAY, False),
    "late days": (-9 * DAY, -DAY, False),
    "over": (-9 * DAY, -5 * DAY, True),
}
COURSE = "/courses/{course}"
ASSIGNMENT = COURSE + "/assignments/{assignment}"
STUDENTS = {  # GET operations whose answers students get
    COURSE,
    f"{COURSE}/grades",
    f"{COURSE}/submissions/{{submission}}",
    f"{COURSE}/submissions/{{submission}}/matches/{{match}}",
    f"{COURSE}/matches/{{match}}/faults",
    f"{ASSIGNMENT}/submissions",
    f"{ASSIGNMENT}/leaderboard",
    f"{ASSIGNMENT}/matches",
    f"{ASSIGNMENT}/practice",
}
STAFFS = {f"{COURSE}/roster", f"{ASSIGNMENT}/all", f"{ASSIGNMENT}/points", f"{ASSIGNMENT}/similar"}
ACTS = {  # others, whose answers are submissions as the lists have them, or no check's
    ("POST", f"{ASSIGNMENT}/submissions"),
    ("POST", f"{COURSE}/submissions/{{submission}}/choice"),
    ("PUT", f"{COURSE}/me"),
    ("POST", f"{ASSIGNMENT}/practice"),
    ("POST", f"{COURSE}/practice/{{game}}"),
    ("POST", f"{ASSIGNMENT}/publish"),
}
# Verbs of `palio course`: what they print of a check. The staff runs them, on the staff's own machine.
VERBS = {
    "grades": "what students may see, in every form",
    "gradescope": "the zip, whose results students see",
    "github": "without hidden tests",
    "leaderboard": "kinds of faults; with --names all, for the staff",
    "regrade": "all, for the staff",
    "check-all": "sums, and why nothing runs",
    "submissions": "sums, and why nothing runs",
    **dict.fromkeys(("new", "check", "roster", "links", "forget", "import", "choose"), "nothing"),
    **dict.fromkeys(("override", "extend", "publish", "tournament", "final", "similar"), "nothing"),
}


class Asker:
    def __init__(self, client, tokens, queue, store):
        self.client, self.tokens, self.queue, self.store = client, tokens, queue, store
        self.submission = ""

    @property
    def assignment(self):
        return self.queue.course.assignments[0]

    def set(self, **changes):
        changed = replace(self.assignment, **changes)
        self.queue.course = replace(self.queue.course, assignments=(changed,))

    async def get(self, who, path, method="GET", **more):
        headers = {"Authorization": f"Bearer {self.tokens[who]}"} if who else {}
        return await self.client.request(method, f"/api{path}", headers=headers, **more)

    def path(self, operation, match="g2"):
        names = {"course": "ai", "assignment": "dominoes", "submission": self.submission, "match": match}
        return operation.path.format(**names).removeprefix("/api")


@pytest.fixture
async def ask(guarded_server, serve_course, make_assignment):
    store = guarded_server.store
    await store.set_roster("ai", [RosterEntry("1", "Ann", "a@x"), RosterEntry("2", "Bob", "b@x")])
    queue = serve_course(guarded_server, [make_assignment("dominoes", tests=TESTS)])
    tokens = {row.id: secret for row, secret in await store.issue_links("ai")}
    for name, bot in (("staff", "carla"), ("stranger", "dan")):
        await store.add_bot(bot)
        tokens[name] = await store.issue_token(["watch"], bot=bot)
    listener = bind("127.0.0.1", 0)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(serving(create_app(guarded_server), listener))
        client = await stack.enter_async_context(httpx.AsyncClient(base_url=url_of(listener)))
        asker = Asker(client, tokens, queue, store)
        asker.submission = await submitted(store)
        yield asker


CHECKED = Checked(PARTS, seconds=99.0, said="printed")


async def submitted(store, student="1", at=NOW - 6 * DAY):
    new = NewSubmission("ai", "dominoes", student, at, f"{student}{at}", {"bot.py": b"x = 1"})
    row = (await store.keep_submission(new)).submission
    await store.claim_check(row.id, "r", "w", DAY)
    await store.finish_check(row.id, "r", "w", encode_checked(CHECKED))
    return row.id


def operations():
    return [each for each in OPERATIONS if each.tag == "courses"]


async def exits(ask):
    """Return all that leaves towards students, by where it leaves: and whether the author alone reads it."""
    found = {}
    for operation in operations():
        if operation.method == "GET":
            for who in ("1", "2", "stranger", None):
                answer = await ask.get(who, ask.path(operation))
                assert answer.status_code in (200, 401, 403, 404), (operation.path, answer.text)
                found[who, operation.path.removeprefix("/api")] = answer.text
    course, store = ask.queue.course, ask.store
    book, roster = await seen_gradebook(store, course, datetime.now(UTC)), roster_of(await store.students("ai"))
    for form in FORMS:
        found["1", form] = grades_text(form, course.assignments, roster, book)
    return found


def test_each_exit_is_known_to_these_tests():
    known = {("GET", path) for path in STUDENTS | STAFFS} | ACTS
    assert {(each.method, each.path.removeprefix("/api")) for each in operations()} == known, "say who reads a new one"
    assert set(course_verbs.commands) == set(VERBS), "say what a new verb tells"


@pytest.mark.parametrize("phase", PHASES)
async def test_no_exit_tells_what_a_hidden_test_holds_nor_what_is_told_later(ask, phase):
    opens, due, over = PHASES[phase]
    ask.set(opens=NOW + opens, due=NOW + due)
    await check_exits(ask, over=over)
    await publish(ask.store, ask.queue.course, ask.assignment, by=PALIO)
    await check_exits(ask, over=over)
    await ask.store.claim_check(ask.submission, "r2", "w", DAY)
    await ask.store.finish_check(
        ask.submission, "r2", "w", encode_checked(Checked(PARTS, seconds=98.0, said="printed"))
    )
    found = await check_exits(ask, over=over)
    (mine,) = json.loads(found["1", f"{COURSE}/grades"])
    assert mine["points"] == 9  # published is published: the parts that are told later are one
    assert sum(part["points"] for part in mine["parts"]) == 9
    assert [part["name"] for part in mine["parts"][:4]] == [name for name, *_ in SEEN]


SEEN = [
    ("test_open.py::test_a", 3, "expected 1, got 2", 0.25, False),
    ("test_gone.py::test_b #1", 0, "", 0, False),
    ("test_gone.py::test_b #2", 5, "", 0, False),
    ("test_hidden.py::TestC::test_c #1", 0, "", 0, False),
]


async def check_exits(ask, *, over):
    found = await exits(ask)
    assert {where for where, text in found.items() if HIDDEN in text} == set()
    assert {who for (who, _), text in found.items() if LATER in text} == ({"1"} if over else set())
    feedback = json.loads(found["1", f"{COURSE}/submissions/{{submission}}"])
    fields = ("name", "points", "why", "seconds", "timed_out")
    assert [tuple(part[name] for name in fields) for part in feedback["parts"]][:4] == SEEN
    assert ("own words" in feedback["said"], "printed" in feedback["said"]) == (True, True)
    assert feedback["seconds"] == 0.25  # the time of hidden tests would tell what they hold to a program that sleeps
    assert feedback["withheld"] == (0 if over else 2)
    return found


async def test_the_staff_sees_everything_at_every_date(ask):
    for opens, due, _ in PHASES.values():
        ask.set(opens=NOW + opens, due=NOW + due)
        whole = (await ask.get("staff", f"/courses/ai/submissions/{ask.submission}")).json()
        assert [(part["name"], part["why"]) for part in whole["parts"]] == [(part.name, part.why) for part in PARTS]
        assert (whole["withheld"], whole["seconds"]) == (0, 99)
        assert all(part.said in whole["said"] for part in PARTS)
    (row,) = (await ask.get("staff", "/courses/ai/assignments/dominoes/all")).json()
    assert any(HIDDEN in name for name in row["failed"])


async def test_gradescope_holds_back_what_is_told_later_and_is_not_given_the_rest(ask):
    text = json.dumps(found := gradescope.results(ask.assignment, Checked(PARTS, seconds=99.0), {}))
    assert HIDDEN not in text
    assert [test["name"] for test in found["tests"] if LATER in json.dumps(test)] == [
        test["name"] for test in found["tests"] if test["visibility"] == "after_due_date"
    ]
    assert LATER not in json.dumps({key: value for key, value in found.items() if key != "tests"})


async def test_published_grades_are_compared_by_the_names_that_the_staff_knows_and_outlive_a_forgotten_student(ask):
    await submitted(ask.store, "2")
    await publish(ask.store, ask.queue.course, ask.assignment, by=PALIO)
    former = await before(ask.store, ask.queue.course, ask.assignment, "r2")
    book = await gradebook(ask.store, ask.queue.course)
    assert not any(each.changed for each in changes(former, book, "dominoes"))
    await ask.store.forget_student("ai", "2")
    (mine,) = (await ask.get("1", "/courses/ai/grades")).json()
    assert mine["points"] == 9


async def test_grades_that_were_published_without_saying_which_tests_are_hidden_do_not_tell_them(ask):
    parts = [{"name": part.name, "points": 0, "max_points": 5, "why": part.why} for part in PARTS if part.shown]
    entry = {"student": "1", "submission": None, "points": 9, "max_points": 30, "late_days": 0, "status": "graded"}
    await ask.store.publish_grades("ai", "dominoes", json.dumps([entry | {"parts": parts}]).encode())
    text = (await ask.get("1", "/courses/ai/grades")).text
    assert (HIDDEN in text, f"test_late.py::test_d[{LATER}]" in text, "expected 1, got 2" in text) == (
        False,
        False,
        True,
    )


# Records of matches.

TRACE = f"""\
Traceback (most recent call last):
  File "/home/ann/{HIDDEN}/bot.py", line 7, in choose
    return weights["{HIDDEN}"]
KeyError: '{HIDDEN}'
"""
BREAKTHROUGH = {"rows": 5, "cols": 3}


async def crashed(server, ask, submissions):
    """Let the bot of `submissions[0]` crash in a match; return the match, and what viewers and bots were sent."""
    amber, green = server.join("amber", patient=True), server.join("green", patient=True)
    sent = []
    for player in (amber, green):
        player.post = tapped(player.post, sent)
    setup = Setup("breakthrough", ("amber", "green"), BREAKTHROUGH).with_submissions(submissions)
    match = await server.arena.enqueue_first(setup, "practice")
    await server.until(lambda: asyncio.sleep(0, amber.turns))
    address = str(ask.client.base_url).replace("http", "ws")
    async with connect(f"{address}/ws/live/{match}") as one, connect(f"{address}/ws/live") as lobby:
        sent += [await one.recv(), await lobby.recv()]
        amber.say(match, Error("crashed", TRACE, match=match))
        await server.finished(match)
        async with asyncio.timeout(20):
            while "finished" not in str(sent[-1]):
                sent.append(await one.recv())
    return match, sent


def tapped(post, sent):
    def tap(leaf, envelope):
        sent.append(str(envelope.data if envelope.message is None else envelope.message))
        post(leaf, envelope)

    return tap


async def test_a_course_s_record_says_the_kind_of_a_fault_and_its_author_and_the_staff_read_the_text(
    ask, guarded_server
):
    theirs = await submitted(ask.store, "2")
    match, sent = await crashed(guarded_server, ask, {"amber": ask.submission, "green": theirs})
    public = list(map(str, sent))
    for operation in OPERATIONS:
        of_matches = set(re.findall(r"\{(\w+)\}", operation.path)) <= {"match"}
        if operation.method == "GET" and operation.scope == "watch" and of_matches:
            for kind in ("application/json", *operation.texts):
                path = operation.path.format(match=match).removeprefix("/api")
                public.append((await ask.client.get(f"/api{path}", headers={"Accept": kind})).text)
    record = await ask.store.record(match)
    public.append(msgspec.json.encode(record).decode())
    assert record.result.detail == "KeyError in the bot's own program"
    assert sum("KeyError in the bot's own program" in text for text in public) >= 5
    assert not [text for text in public if HIDDEN in text]
    path = f"/courses/ai/matches/{match}/faults"
    told = [{"submission": ask.submission, "text": TRACE}]
    assert (await ask.get("1", path)).json() == told
    assert (await ask.get("staff", path)).json() == told
    assert (await ask.get("2", path)).json() == []
    assert [(await ask.get(who, path)).status_code for who in ("stranger", None)] == [403, 401]
    await ask.store.forget_student("ai", "1")
    assert (await ask.get("staff", path)).json() == []


async def test_other_records_keep_what_a_bot_said(ask, guarded_server):
    match, _ = await crashed(guarded_server, ask, {})
    assert (await ask.store.record(match)).result.detail == TRACE
