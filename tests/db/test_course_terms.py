"""Tournaments and practice games of courses in the store: held by one, finished once, limited by the hour."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from palio_db.course_values import PracticeRow, RosterEntry
from palio_db.errors import DayLimit, LeaseLost, NotFound

NIGHT = datetime(2027, 2, 3, 2, tzinfo=UTC)
LEASE = timedelta(seconds=30)
LONG_AGO, LATER = datetime(2020, 1, 1, tzinfo=UTC), datetime(2090, 1, 1, tzinfo=UTC)


@pytest.fixture
async def course(store):
    await store.set_roster("ai", [RosterEntry("1", "Ann"), RosterEntry("2", "Bob"), RosterEntry("3", "Eve")])
    return store


async def hold(store, holder, lease=LEASE, kind="nightly"):
    return await store.hold_course_tournament("ai", "dominoes", kind, NIGHT, holder, f"worker-{holder}", lease)


async def test_one_process_at_a_time_holds_a_tournament_and_it_is_finished_once(store):
    row = await hold(store, "a")
    assert (row.kind, row.at, row.worker, row.number, row.finished_at) == ("nightly", NIGHT, "worker-a", None, None)
    assert await hold(store, "b") is None
    assert (await hold(store, "a")).id == row.id  # renewed
    assert (await hold(store, "b", kind="rehearsal")).id != row.id
    with pytest.raises(LeaseLost):
        await store.finish_course_tournament(row.id, "b", b"{}")
    await store.release_course_tournament(row.id, "a")
    taken = await hold(store, "b")
    assert (taken.id, taken.worker) == (row.id, "worker-a")  # so that it goes on with its matches
    await store.begin_course_tournament(row.id, "b", b'{"x":1}')
    await store.finish_course_tournament(row.id, "b", b'{"x":2}')
    assert await hold(store, "b") is None
    [done] = await store.course_tournaments("ai", "dominoes", "nightly")
    assert (done.body, done.finished_at is not None) == (b'{"x":2}', True)
    assert len(await store.course_tournaments("ai")) == 2
    assert await store.course_tournaments("ai", "other") == []


async def test_what_a_killed_process_held_is_free_when_its_lease_is_over(store):
    row = await hold(store, "killed", timedelta(seconds=-1))
    assert (await hold(store, "b")).id == row.id


async def test_a_forgotten_student_leaves_results_without_reasons(course):
    one, two = [row.pseudonym for row in await course.students("ai")][:2]
    row = await hold(course, "a")
    lines = [{"bot": bot, "points": 1, "note": "n", "faults": ["bot.py, line 3"]} for bot in (one, two)]
    body = {"left_out": [{"bot": one, "why": "bot.py, line 1"}], "standings": lines}
    await course.finish_course_tournament(row.id, "a", json.dumps(body).encode())
    game = await course.ask_practice(PracticeRow("", "ai", "dominoes", "1", None, "greedy", "waiting", NIGHT), LATER, 1)
    await course.set_practice(game.id, "failed", only_from="waiting", why="bot.py, line 7")
    await course.forget_student("ai", "1")
    [done] = await course.course_tournaments("ai")
    kept = json.loads(done.body)
    assert kept["left_out"] == [{"bot": one, "why": ""}]
    assert kept["standings"] == [{"bot": one, "points": 1, "note": "", "faults": []}, lines[1]]
    [game] = await course.practice_games("ai")
    assert (game.student, game.why) == (one, "")


async def test_practice_games_are_asked_for_accepted_and_limited(course):
    new = PracticeRow("", "ai", "dominoes", "1", "2", "", "asked", LONG_AGO)
    first = await course.ask_practice(new, LONG_AGO, 2)
    assert (first.student, first.classmate, first.state) == ("1", "2", "asked")
    second = await course.ask_practice(
        PracticeRow("", "ai", "dominoes", "1", None, "greedy", "waiting", LONG_AGO), LONG_AGO, 2
    )
    with pytest.raises(DayLimit, match="begun 2 practice games within an hour"):
        await course.ask_practice(new, LONG_AGO, 2)
    assert await course.ask_practice(new, LATER, 1)  # those of an earlier hour do not count
    assert first.id in [row.id for row in await course.practice_games("ai", "dominoes", "2")]
    assert await course.practice_games("ai", student="3") == []
    done = await course.set_practice(second.id, "over", only_from="waiting", match="m1", submissions=("s1", ""))
    assert (done.match, done.submissions) == ("m1", ("s1", ""))
    with pytest.raises(NotFound, match="is no longer waiting"):
        await course.set_practice(second.id, "failed", only_from="waiting")
    await course.set_practice(first.id, "declined", only_from="asked", why="no time")
    assert await course.count_practice("ai", "dominoes", "1", LONG_AGO) == 2
