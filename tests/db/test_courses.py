"""Students, their submissions and checks in the store: nothing is overwritten, and a student can be forgotten."""

import asyncio
import json
import threading
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from palio_db import courses
from palio_db.course_games import packed_games
from palio_db.course_models import Base
from palio_db.course_values import Choice, NewSubmission, Override, RosterEntry, SubmissionRow, current_submissions
from palio_db.courses import new_pseudonym
from palio_db.errors import DayLimit, LeaseLost, NotFound, StoreError
from palio_db.store import Store
from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record, Setup

NOON = datetime(2026, 2, 1, 12, tzinfo=UTC)
ANN, BOB, EVE = RosterEntry("1", "Ann Lee", "ann@x.edu"), RosterEntry("2", "Bob", "bob@x.edu"), RosterEntry("3", "Eve")


@pytest.fixture
async def course(store):
    await store.set_roster("ai", [ANN, BOB, EVE])
    return store


def new(student="1", minutes=0, data=b"x = 1\n", **more):
    files = {"bot.py": data}
    at = NOON + timedelta(minutes=minutes)
    return NewSubmission("ai", "dominoes", student, at, digest=data.hex(), files=files, **more)


async def test_a_roster_adds_and_changes_students_and_removes_none(store):
    assert (await store.set_roster("ai", [ANN, BOB])).added == ("1", "2")
    change = await store.set_roster("ai", [RosterEntry("1", "Ann Li", "ann@x.edu", "owls"), EVE])
    assert (change.added, change.changed, change.missing) == (("3",), ("1",), ("2",))
    rows = await store.students("ai")
    assert [(row.id, row.name, row.team) for row in rows] == [
        ("1", "Ann Li", "owls"),
        ("2", "Bob", ""),
        ("3", "Eve", ""),
    ]
    assert len({row.pseudonym for row in rows}) == 3
    assert await store.students("other") == []
    with pytest.raises(NotFound, match="there is no student '11' in the course ai; did you mean '1'"):
        await store.student("ai", "11")


def test_pseudonyms_are_never_the_same():
    taken = set()
    for _ in range(900):
        name = new_pseudonym(taken)
        assert name not in taken
        taken.add(name)
    assert new_pseudonym({"amber-badger"}, lambda names: names[0]) == "amber-badger-50"


async def test_a_personal_link_is_shown_once_and_opens_one_course(course):
    links = await course.issue_links("ai")
    assert [row.id for row, _ in links] == ["1", "2", "3"]
    secret = links[0][1]
    assert (await course.student_by_link("ai", secret)).id == "1"
    assert await course.student_by_link("other", secret) is None
    assert await course.student_by_link("ai", "course_no") is None
    assert await course.issue_links("ai") == []
    [(_, newer)] = await course.issue_links("ai", ["1"])
    assert await course.student_by_link("ai", secret) is None
    assert (await course.student_by_link("ai", newer)).id == "1"


async def test_a_later_submission_counts_and_the_former_stays(course):
    first = (await course.keep_submission(new())).submission
    second = (await course.keep_submission(new(minutes=5, data=b"x = 2\n"))).submission
    assert second.current
    rows = await course.submissions("ai", "dominoes")
    assert [(row.id, row.current) for row in rows] == [(first.id, False), (second.id, True)]
    assert await course.submitted_files(first.id) == {"bot.py": b"x = 1\n"}
    chosen = await course.choose_submission("ai", "1", first.id)
    assert chosen.current
    assert (await course.submission(first.id)).current
    third = (await course.keep_submission(new(data=b"x = 3\n", minutes=60 * 24 * 365 * 50))).submission
    assert third.current
    with pytest.raises(NotFound, match="no submission"):
        await course.choose_submission("ai", "2", first.id)


async def test_the_same_files_again_are_no_further_submission(course):
    first = await course.keep_submission(new())
    again = await course.keep_submission(new(minutes=9))
    assert (again.again, again.submission.id) == (True, first.submission.id)
    other = await course.keep_submission(new(student="2"))
    assert not other.again
    imported = new(minutes=-5, data=b"old", clock="gradescope")
    assert not (await course.keep_submission(imported)).again
    assert (await course.keep_submission(imported)).again
    assert (await course.submission(first.submission.id)).current  # the older one does not replace it


async def test_the_limit_of_the_day_holds_for_uploads_at_once_from_two_servers(url):
    async with await Store.open(url) as one, await Store.open(url) as two:
        await one.set_roster("ai", [ANN])
        since = datetime.now(UTC) - timedelta(hours=1)
        tasks = [
            store.keep_submission(new(minutes=number, data=b"%d" % number), since=since, most=3)
            for number, store in enumerate((one, two, one, two, one, two))
        ]
        done = await asyncio.gather(*tasks, return_exceptions=True)
        assert sum(isinstance(each, DayLimit) for each in done) == 3
        assert len(await two.submissions("ai")) == 3
        assert await one.count_submissions("ai", "dominoes", "1", since) == 3


async def test_a_team_hands_in_together(store):
    await store.set_roster("ai", [RosterEntry("1", "Ann", team="owls"), RosterEntry("2", "Bob", team="owls"), EVE])
    await store.keep_submission(new("1"))
    second = (await store.keep_submission(new("2", 5, b"two"))).submission
    assert [row.student for row in await store.submissions("ai", student="1")] == ["1", "2"]
    assert [row.id for row in await store.submissions("ai") if row.current] == [second.id]
    assert await store.submissions("ai", student="3") == []


async def test_a_teams_files_stay_while_a_member_is_left(store):
    await store.set_roster("ai", [RosterEntry("1", "Ann", team="Ann+Bob"), RosterEntry("2", "Bob", team="Ann+Bob")])
    row = (await store.keep_submission(new("1"))).submission
    await store.forget_student("ai", "1")
    assert await store.submitted_files(row.id) == {"bot.py": b"x = 1\n"}
    assert [each.current for each in await store.submissions("ai", student="2")] == [True]
    gone = await store.forget_student("ai", "2")
    assert await store.submitted_files(row.id) == {}
    assert [each.team for each in await store.submissions("ai")] == [gone.pseudonym]


async def test_a_check_is_held_by_one_worker_until_its_lease_ends(course):
    row = (await course.keep_submission(new())).submission
    minute = timedelta(minutes=1)
    assert await course.claim_check(row.id, "r1", "a", minute)
    assert not await course.claim_check(row.id, "r1", "b", minute)
    await course.release_check(row.id, "r1", "a")
    assert await course.claim_check(row.id, "r1", "b", timedelta(seconds=-1)) == 1  # what was given up counts not
    assert await course.claim_check(row.id, "r1", "a", minute) == 2
    assert await course.claim_check(row.id, "r1", "a", minute) == 2  # the lease is renewed
    with pytest.raises(LeaseLost):
        await course.finish_check(row.id, "r1", "b", b"{}")
    await course.finish_check(row.id, "r1", "a", b'{"parts":[]}')
    assert not await course.claim_check(row.id, "r1", "a", minute)
    assert (await course.checks("ai", revision="r1"))[row.id].body == b'{"parts":[]}'
    assert await course.count_unchecked("ai", "dominoes", "r1") == 0
    assert await course.count_unchecked("ai", "dominoes", "r2") == 1
    assert await course.claim_check(row.id, "r2", "a", minute)
    assert await course.checks("ai", revision="r2") == {}
    assert (await course.checks("ai"))[row.id].revision == "r1"


def game(match, text="", plies=1):
    setup = Setup("nim", ("submission", "reference"), submissions=("s1", ""))
    result = Result("crashed", "program-ended", [0, 1], 0, text)
    return Record(match, setup, tuple(Ply(ply % 2, [0, 1], 7) for ply in range(plies)), result, NOON, NOON)


async def test_games_of_the_two_newest_checks_are_kept(course):
    row = (await course.keep_submission(new())).submission
    for number in range(3):
        await course.claim_check(row.id, f"r{number}", "w", timedelta(minutes=1))
        games = [game(f"m{number}a"), game(f"m{number}b")]
        await course.finish_check(row.id, f"r{number}", "w", b"{}", games)
    assert await course.reference_games(row.id) == {"m1a", "m1b", "m2a", "m2b"}
    assert await course.reference_game(row.id, "m2a") == game("m2a")
    assert await course.reference_game(row.id, "m0a") is None
    assert await course.reference_game("other", "m2a") is None


def test_of_very_many_games_the_first_ones_are_kept():
    records = [game(f"m{number}", plies=50) for number in range(20)]
    size = len(packed_games(records[:1])["m0"])
    assert list(packed_games(records, 3 * size + size // 2)) == ["m0", "m1", "m2"]


async def test_a_check_that_ends_after_its_student_was_forgotten_keeps_no_games(course):
    row = (await course.keep_submission(new())).submission
    await course.claim_check(row.id, "r", "w", timedelta(minutes=1))
    await course.forget_student("ai", "1")
    await course.finish_check(row.id, "r", "w", b"{}", [game("m1", "Ann's words")])
    assert await course.reference_games(row.id) == frozenset()


async def test_the_newest_override_holds_and_needs_a_reason(course):
    with pytest.raises(StoreError, match="needs a reason"):
        await course.override_grade(Override("ai", "dominoes", "1", " ", points="3"))
    with pytest.raises(StoreError, match="points, late days, or both"):
        await course.override_grade(Override("ai", "dominoes", "1", "ill"))
    await course.override_grade(Override("ai", "dominoes", "1", "ill", late_days=0))
    await course.override_grade(Override("ai", "dominoes", "1", "typing error", points="7"))
    found = await course.overrides("ai", "dominoes")
    assert [(each.student, each.points, each.late_days) for each in found.values()] == [("1", "7", None)]


async def test_published_grades_are_the_newest(course):
    assert await course.published_grades("ai", "dominoes") is None
    for points in (1, 2):
        await course.publish_grades("ai", "dominoes", json.dumps([{"student": "1", "points": points}]).encode())
    assert json.loads((await course.published_grades("ai", "dominoes")).body)[0]["points"] == 2


async def test_a_forgotten_student_leaves_points_under_the_pseudonym_and_nothing_else(course):
    secret = "Ann's secret words"
    row = (await course.keep_submission(new(data=secret.encode(), note=secret, who=secret))).submission
    shared = (await course.keep_submission(new("2", data=b"shared"))).submission
    await course.keep_submission(new("1", 9, b"shared"))
    links = await course.issue_links("ai")
    await course.choose_submission("ai", "1", row.id)
    await course.claim_check(row.id, "r", "w", timedelta(minutes=1))
    part = {"name": "test_one", "points": "3", "max_points": "5", "why": secret}
    body = json.dumps({"parts": [part], "said": secret, "broken": secret}).encode()
    await course.finish_check(row.id, "r", "w", body, [game("m1", secret)])
    assert (await course.reference_game(row.id, "m1")).result.detail == secret
    await course.override_grade(Override("ai", "dominoes", "1", secret, points="3"))
    grades = [{"student": "1", "points": 3, "parts": [part], "status": secret}, {"student": "2", "points": 4}]
    await course.publish_grades("ai", "dominoes", json.dumps(grades).encode())

    gone = await course.forget_student("ai", "1")
    assert (gone.id, gone.name, gone.email) == (gone.pseudonym, "", "")
    async with course._database.read() as connection:
        for table in (*Base.metadata.sorted_tables,):
            for line in await connection.execute(text(f"SELECT * FROM {table.name}")):
                assert not any(word in str(line) for word in (secret, "Ann", "ann@x.edu")), table.name
    assert await course.submitted_files(row.id) == {}
    assert await course.reference_games(row.id) == frozenset()
    assert await course.submitted_files(shared.id) == {"bot.py": b"shared"}
    assert await course.student_by_link("ai", links[0][1]) is None
    check = json.loads((await course.checks("ai"))[row.id].body)
    assert (check["parts"][0]["points"], check["broken"]) == ("3", "broken")
    published = json.loads((await course.published_grades("ai", "dominoes")).body)
    assert [(each["student"], each["points"]) for each in published] == [(gone.pseudonym, 3), ("2", 4)]
    acts = [line.act for line in await course.audit()]
    assert acts[0] == "roster read"
    assert acts[-1] == "student forgotten"
    assert not any("Ann" in f"{line.what}{line.detail}" for line in await course.audit())


async def test_the_same_roster_does_not_bring_a_forgotten_student_back(course):
    gone = await course.forget_student("ai", "1")
    await course.forget_student("ai", "3")
    change = await course.set_roster("ai", [ANN, BOB, EVE, RosterEntry("4", "Dee")])
    assert (change.added, change.forgotten, change.missing) == (("4",), ("1", "3"), ())
    assert {row.id for row in await course.students("ai") if row.forgotten_at is None} == {"2", "4"}
    assert next(row.columns for row in await course.students("ai") if row.id == gone.id) == {}
    [*_, act] = [line for line in await course.audit() if line.act == "roster read"]
    assert act.detail == "1 added, 0 changed, 0 not in it, 2 left out as forgotten"
    assert (await course.set_roster("other", [ANN])).added == ("1",), "another course knows nothing of it"


async def test_a_forgotten_student_who_is_wanted_again_begins_anew_and_can_be_forgotten_again(course):
    gone = await course.forget_student("ai", "1")
    assert (await course.set_roster("ai", [ANN, BOB], again=["1"])).added == ("1",)
    assert (await course.student("ai", "1")).pseudonym != gone.pseudonym
    assert (await course.set_roster("ai", [ANN, BOB])).forgotten == ()
    await course.forget_student("ai", "1")
    assert (await course.set_roster("ai", [ANN, BOB])).forgotten == ("1",)


async def test_nothing_waits_for_the_database_while_a_roster_is_compared_with_forgotten_students(course, monkeypatch):
    await course.forget_student("ai", "1")
    begun, written, slow = asyncio.Event(), threading.Event(), courses._slow_digest
    loop = asyncio.get_running_loop()

    def hashed(salt, id_):
        loop.call_soon_threadsafe(begun.set)
        assert written.wait(30), "another write had to wait"
        return slow(salt, id_)

    monkeypatch.setattr(courses, "_slow_digest", hashed)
    reading = asyncio.ensure_future(course.set_roster("ai", [ANN, RosterEntry("4", "Dee")]))
    await begun.wait()
    await course.set_roster("other", [BOB])
    written.set()
    change = await reading
    assert (change.added, change.forgotten) == (("4",), ("1",))


async def test_what_stays_of_a_forgotten_id_is_a_salted_digest(course):
    await course.set_roster("ai", [RosterEntry("S4711-0815", "Dee")])
    await course.set_roster("b", [RosterEntry("S4711-0815", "Dee")])
    kept = []
    for name in ("ai", "b"):
        gone = await course.forget_student(name, "S4711-0815")
        async with course._database.read() as connection:
            wanted = text("SELECT columns FROM students WHERE id = :id AND course = :course")
            kept.append(await connection.scalar(wanted, {"id": gone.id, "course": name}))
    assert kept[0] != kept[1], "the same ID in two courses cannot be recognised"
    assert not any(b"4711" in each or b"Dee" in each for each in kept)


MOMENTS = st.integers(0, 5)


@given(st.lists(MOMENTS, min_size=1, max_size=5), st.lists(st.tuples(st.integers(0, 4), MOMENTS), max_size=4))
def test_one_submission_counts_and_it_is_that_of_the_last_act(handed_in, chosen):
    rows = [
        SubmissionRow(f"s{number}", "ai", "d", "1", "", NOON + timedelta(minutes=at), "", NOON, "", 0, "", "")
        for number, at in enumerate(handed_in)
    ]
    choices = [
        Choice("d", "1", "", f"s{number}", NOON + timedelta(minutes=at)) for number, at in chosen if number < len(rows)
    ]
    (current,) = current_submissions(rows, choices)
    last = max([row.at for row in rows] + [choice.at for choice in choices])
    assert any(row.at == last and row.id == current for row in rows) or any(
        choice.at == last and choice.submission == current for choice in choices
    )
