"""Leaderboard, practice and similar pairs of a course by HTTP: pseudonyms, and the staff's part for the staff only."""

from datetime import UTC, datetime, timedelta
from fractions import Fraction

import httpx
import msgspec
import pytest

from palio_db.course_values import NewSubmission, RosterEntry
from palio_server.api.app import create_app
from palio_server.courses.evening import LeftOut, TermBody, TermEntry, TermLine
from palio_server.courses.gradebook import gradebook
from palio_server.courses.values import Assignment, GradingRule, Practice
from palio_server.network.http_server import serving
from palio_server.network.listeners import bind, url_of

NOW = datetime.now(UTC)
DAY = timedelta(days=1)
CODE = "\n".join(f"def step_{n}(a, b):\n    return [a * {n} + each for each in b if each > a]\n" for n in range(12))
PATH = "/assignments/dominoes"


class Asker:
    def __init__(self, client, tokens):
        self.client, self.tokens = client, tokens

    async def __call__(self, who, path, method="GET", **more):
        headers = {"Authorization": f"Bearer {self.tokens[who]}"}
        return await self.client.request(method, f"/api/courses/ai{path}", headers=headers, **more)


@pytest.fixture
async def ask(guarded_server, serve_course, tmp_path):
    store = guarded_server.store
    await store.set_roster("ai", [RosterEntry(str(n), f"Student {n}") for n in range(1, 4)])
    assignment = Assignment(
        "dominoes", tmp_path, "Dominoes", "dominoes", "handout:dominoes:{folder}/bot.py", ("bot.py",), NOW - DAY,
        NOW + DAY, practice=Practice(games_an_hour=2), grading=GradingRule(place={1: Fraction(10), 2: Fraction(4)}),
    )  # fmt: skip
    serve_course(guarded_server, [assignment])
    tokens = {row.id: secret for row, secret in await store.issue_links("ai")}
    await store.add_bot("carla")
    tokens["staff"] = await store.issue_token(["watch"], bot="carla")
    listener = bind("127.0.0.1", 0)
    async with serving(create_app(guarded_server), listener), httpx.AsyncClient(base_url=url_of(listener)) as client:
        yield Asker(client, tokens)


async def hand_in(store, student, code=CODE):
    files = {"bot.py": code.encode()}
    new = NewSubmission("ai", "dominoes", student, NOW - timedelta(hours=1), f"{student}{len(code)}", files)
    return (await store.keep_submission(new)).submission.id


async def finished(store, kind, bots, left_out=()):
    """Keep a tournament that `bots` have finished in this order."""
    row = await store.hold_course_tournament("ai", "dominoes", kind, NOW, "a", "w", timedelta(seconds=30))
    entries = tuple(TermEntry(bot, (bot,), f"s-{bot}", "d") for bot in bots)
    lines = tuple(
        TermLine(rank, bot, 3 - rank, 2, 3 - rank, 0, rank - 1, 1500.0, faults=("crashed (1 game)",))
        for rank, bot in enumerate(bots, 1)
    )
    body = TermBody(entries, tuple(left_out), standings=lines)
    await store.finish_course_tournament(row.id, "a", msgspec.json.encode(body))


async def test_the_leaderboard_has_pseudonyms_and_tells_faults_to_their_author_only(ask, guarded_server):
    store = guarded_server.store
    empty = (await ask("1", f"{PATH}/leaderboard")).json()
    assert (empty["kind"], empty["standings"]) == (None, [])
    one, two, three = [row.pseudonym for row in await store.students("ai")]
    await store.set_consent("ai", "2", consent=None, named=True)
    await finished(store, "rehearsal", [three])
    await finished(store, "nightly", [two, one], [LeftOut(three, (three,), "s", "bot.py, line 3: SyntaxError")])
    board = (await ask("1", f"{PATH}/leaderboard")).json()
    assert board["kind"] == "nightly"
    assert [(line["shown_as"], line["me"], len(line["faults"])) for line in board["standings"]] == [
        ("Student 2", False, 0),
        (one, True, 1),
    ]
    assert board["left_out"] == ""
    assert (await ask("3", f"{PATH}/leaderboard")).json()["left_out"] == "bot.py, line 3: SyntaxError"
    assert (await ask("3", f"{PATH}/leaderboard?final=true")).json()["kind"] is None
    assert all(line["faults"] for line in (await ask("staff", f"{PATH}/leaderboard")).json()["standings"])


async def test_places_of_the_final_are_in_the_grades_and_those_of_a_rehearsal_are_not(ask, guarded_server):
    store = guarded_server.store
    course = guarded_server.courses.courses[0]
    one, two, _ = [row.pseudonym for row in await store.students("ai")]
    from palio_server.courses.checked_json import encode_checked
    from palio_server.courses.values import Checked

    for student in ("1", "2"):
        submission = await hand_in(store, student)
        await store.claim_check(submission, "r", "w", DAY)
        await store.finish_check(submission, "r", "w", encode_checked(Checked(())))
    await finished(store, "rehearsal", [one, two])
    assert [each["dominoes"].points for each in (await gradebook(store, course)).values()] == [0, 0, 0]
    await finished(store, "final", [two, one])
    book = await gradebook(store, course)
    assert [book[student]["dominoes"].points for student in "123"] == [4, 10, 0]
    assert book["2"]["dominoes"].parts[-1].why == "place 1 in the final"


async def test_practice_is_asked_for_answered_and_limited(ask, guarded_server):
    store = guarded_server.store
    two = (await store.student("ai", "2")).pseudonym
    refused = await ask("1", f"{PATH}/practice", "POST", json={"against": "random"})
    assert (refused.status_code, "hand in first" in refused.text) == (409, True)
    await hand_in(store, "1")
    listed = (await ask("1", f"{PATH}/practice")).json()
    assert (listed["left"], listed["games"]) == (2, [])
    assert {"name": two, "shown_as": two, "classmate": True, "asks": True} in listed["opponents"]
    asked = await ask("1", f"{PATH}/practice", "POST", json={"against": two})
    assert (asked.status_code, asked.json()["state"]) == (201, "asked")
    path = f"/practice/{asked.json()['id']}"
    assert (await ask("3", path, "POST", json={"accept": True})).status_code == 404
    assert (await ask("1", path, "POST", json={"accept": True})).status_code == 404  # the asker cannot accept
    assert (await ask("2", path, "POST", json={"accept": False})).json()["state"] == "declined"
    assert (await ask("2", path, "POST", json={"accept": True})).status_code == 409
    for code in (201, 201, 409):  # the declined one has used nothing up
        assert (await ask("1", f"{PATH}/practice", "POST", json={"against": "greedy"})).status_code == code
    assert (await ask("1", f"{PATH}/practice")).json()["said"].startswith("all 2 games of this hour are used up")
    assert (await ask("1", f"{PATH}/practice", "POST", json={"against": "gready"})).status_code == 422


async def test_similar_pairs_are_for_the_staff(ask, guarded_server):
    store = guarded_server.store
    await hand_in(store, "1")
    await hand_in(store, "2", CODE.replace("each", "item"))
    await hand_in(store, "3", "print('something else')\n")
    assert (await ask("1", f"{PATH}/similar")).status_code == 403
    found = (await ask("staff", f"{PATH}/similar")).json()
    [pair] = found["pairs"]
    assert (pair["students"], pair["sources"], found["submissions"]) == (["1", "2"], [], 3)
    assert "never a verdict" in found["hint"]
    [pair] = (await ask("staff", f"{PATH}/similar?sources=true")).json()["pairs"]
    assert pair["sources"][0]["bot.py"] == CODE
    assert pair["lines"][0]["lines"][0] <= pair["lines"][0]["lines"][1]
