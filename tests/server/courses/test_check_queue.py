"""The queue of checks: everything is checked once, by the process that has claimed it, and told as it goes."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_db.course_values import NewSubmission, RosterEntry
from palio_db.errors import Unreadable
from palio_db.store import Store
from palio_rules.errors import BadOption
from palio_server.course_server import _confinement
from palio_server.courses import check_queue
from palio_server.courses.check_queue import CheckQueue
from palio_server.courses.checked_json import decode_checked, encode_checked
from palio_server.courses.gradebook import gradebook
from palio_server.courses.revision import revision_of
from palio_server.courses.values import Checked, Course, Part
from palio_server.sandbox import bubblewrap
from palio_server.settings import Settings

NOON = datetime(2026, 1, 20, 12, tzinfo=UTC)


@pytest.fixture
async def store():
    async with await Store.open("sqlite://") as opened:
        await opened.set_roster("ai", [RosterEntry(str(number), f"Student {number}") for number in range(6)])
        yield opened


@pytest.fixture
def course(tmp_path, assignment_with):
    folder = tmp_path / "ai" / "assignments" / "dominoes"
    folder.mkdir(parents=True)
    (folder / "assignment.toml").write_text("x = 1\n")
    return Course("ai", tmp_path / "ai", "AI", ZoneInfo("UTC"), assignments=(assignment_with(folder=folder),))


async def hand_in(store, student, data, minutes=0):
    files = {"src/bot.py": data}
    new = NewSubmission("ai", "dominoes", student, NOON + timedelta(minutes=minutes), data.hex(), files)
    return (await store.keep_submission(new)).submission


class Checker:
    """Gives a point for each byte; notes what it was asked."""

    def __init__(self):
        self.asked, self.at_once, self.most = [], 0, 0

    async def __call__(self, assignment, folder, *, records):
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(0.05)
        data = (folder / "src" / "bot.py").read_bytes()
        self.asked.append(data)
        self.at_once -= 1
        if data == b"bug":
            raise RuntimeError("our own mistake")
        return Checked((Part("size", Fraction(len(data)), Fraction(10)),))


async def test_all_that_is_unchecked_is_checked_once_current_ones_first(store, course):
    await hand_in(store, "0", b"old", -5)
    for number in range(4):
        await hand_in(store, str(number), b"x" * (number + 1), number)
    checker, told = Checker(), []
    queue = CheckQueue(store, course, checker, 2, on_checked=[told.append])
    assert await queue.check_all() == 0
    assert checker.asked[-1] == b"old"
    assert checker.most == 2
    assert [each.left for each in told] == [4, 3, 2, 1, 0]
    assert not queue.running
    assert await queue.check_all() == 0
    assert len(checker.asked) == 5
    book = await gradebook(store, course)
    assert [book[str(number)]["dominoes"].points for number in range(4)] == [1, 2, 3, 4]
    assert book["5"]["dominoes"].status == "missing"


async def test_another_revision_of_the_tests_checks_all_again(store, course):
    await hand_in(store, "0", b"x")
    checker = Checker()
    queue = CheckQueue(store, course, checker)
    await queue.check_all()
    before = revision_of(course.assignments[0])
    (course.assignments[0].folder / "tests").mkdir()
    (course.assignments[0].folder / "tests" / "test_more.py").write_text("x")
    assert revision_of(course.assignments[0]) != before
    await queue.check_all()
    assert checker.asked == [b"x", b"x"]


async def test_a_check_that_fails_by_our_mistake_stops_no_other_and_is_made_again(store, course):
    await hand_in(store, "0", b"bug")
    await hand_in(store, "1", b"good")
    told = []
    queue = CheckQueue(store, course, Checker(), on_checked=[told.append])
    assert await queue.check_all() == 1
    assert sorted(each.failure for each in told) == ["", "RuntimeError: our own mistake"]
    assert len(await queue.unchecked()) == 1
    assert await queue.check_all() == 1


async def test_two_queues_share_the_work(store, course):
    for number in range(6):
        await hand_in(store, str(number), b"x%d" % number)
    checker = Checker()
    await asyncio.gather(*(CheckQueue(store, course, checker).check_all() for _ in range(2)))
    assert sorted(checker.asked) == [b"x%d" % number for number in range(6)]


async def test_what_a_killed_process_has_claimed_is_checked_when_its_lease_is_over(store, course, monkeypatch):
    row = await hand_in(store, "0", b"x")
    monkeypatch.setattr(check_queue, "HELD_S", 0.02)
    revision = revision_of(course.assignments[0])
    assert await store.claim_check(row.id, revision, "killed", timedelta(seconds=0.3))
    checker = Checker()
    assert await CheckQueue(store, course, checker).check_all() == 0
    assert checker.asked == [b"x"]


async def test_a_check_that_ends_three_times_without_a_result_is_a_verdict_and_no_fourth_try(store, course):
    row = await hand_in(store, "0", b"kills")
    revision = revision_of(course.assignments[0])
    for server in ("killed", "killed again", "killed for the third time"):
        assert await store.claim_check(row.id, revision, server, timedelta(seconds=-1))
    asked = []

    async def check(assignment, folder, *, records, broken=""):
        asked.append(broken)
        return Checked((Part("size", Fraction(0), Fraction(10)),), broken=broken)

    assert await CheckQueue(store, course, check).check_all() == 0
    assert asked == [check_queue.GIVEN_UP]
    assert (await gradebook(store, course))["0"]["dominoes"].status == "broken"
    assert await CheckQueue(store, course, check).check_all() == 0
    assert len(asked) == 1


async def test_a_check_that_the_server_gave_up_by_itself_counts_as_no_try(store, course):
    row = await hand_in(store, "0", b"x")
    revision = revision_of(course.assignments[0])
    for _ in range(5):
        assert await store.claim_check(row.id, revision, "stops", timedelta(minutes=1)) == 1
        await store.release_check(row.id, revision, "stops")
    checker = Checker()
    await CheckQueue(store, course, checker).check_all()
    assert checker.asked == [b"x"]


async def test_a_lease_is_renewed_while_the_check_runs(store, course, monkeypatch):
    await hand_in(store, "0", b"x")
    monkeypatch.setattr(check_queue, "LEASE", timedelta(seconds=0.3))
    monkeypatch.setattr(check_queue, "RENEW_S", 0.05)
    began, go = asyncio.Event(), asyncio.Event()

    async def slow(assignment, folder, *, records):
        began.set()
        await go.wait()
        return Checked(())

    task = asyncio.create_task(CheckQueue(store, course, slow).check_all())
    await began.wait()
    await asyncio.sleep(0.6)
    other = Checker()
    await CheckQueue(store, course, other).check_all(wait=False)
    go.set()
    assert await task == 0
    assert other.asked == []


async def test_a_running_queue_takes_what_is_handed_in_later(store, course):
    checker, told = Checker(), asyncio.Queue()
    queue = CheckQueue(store, course, checker, on_checked=[told.put_nowait])
    task = asyncio.create_task(queue.run())
    await hand_in(store, "0", b"x")
    queue.wake()
    async with asyncio.timeout(20):
        assert (await told.get()).checked.points == 1
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_an_endless_check_holds_its_own_slot_only_and_the_line_is_told(store, course):
    """Two slots: when one of two long checks ends, its slot takes the line, the first ones of other students first."""
    began, started, ended = [], asyncio.Queue(), asyncio.Queue()
    go = {b"endless": asyncio.Event(), b"long": asyncio.Event()}

    async def check(assignment, folder, *, records):
        began.append((folder / "src" / "bot.py").read_bytes())
        started.put_nowait(began[-1])
        if (until := go.get(began[-1])) is not None:
            await until.wait()
        return Checked(())

    queue = CheckQueue(store, course, check, 2, on_checked=[ended.put_nowait])
    task = asyncio.create_task(queue.run())
    try:
        async with asyncio.timeout(60):
            await hand_in(store, "0", b"endless")
            await hand_in(store, "2", b"long")
            queue.wake()
            assert {await started.get(), await started.get()} == set(go)
            again = await hand_in(store, "0", b"0 again", 1)
            more = await hand_in(store, "0", b"0 once more", 2)
            one = await hand_in(store, "1", b"1", 3)
            queue.wake()
            line = await queue.places()
            assert [line[each.id].number for each in (one, more, again)] == [1, 2, 3]
            assert 0 < line[one.id].begins_in_s <= line[more.id].begins_in_s
            go[b"long"].set()
            for _ in range(4):
                await ended.get()
            assert began[2:] == [b"1", b"0 once more", b"0 again"]
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_queues_of_several_courses_share_the_slots_of_a_server(store, course):
    await store.set_roster("b", [RosterEntry("0", "Student 0")])
    other = replace(course, name="b")
    for number in range(3):
        await hand_in(store, str(number), b"x%d" % number)
    files = {"src/bot.py": b"y"}
    await store.keep_submission(NewSubmission("b", "dominoes", "0", NOON, "79", files))
    checker, slots = Checker(), asyncio.Semaphore(1)
    queues = [CheckQueue(store, each, checker, 3, slots=slots) for each in (course, other)]
    await asyncio.gather(*(each.check_all() for each in queues))
    assert checker.most == 1
    assert len(checker.asked) == 4
    checker.most = 0
    (course.assignments[0].folder / "more.txt").write_text("x")
    await CheckQueue(store, replace(course, slots=1), checker, 3).check_all()
    assert checker.most == 1


PARTS = st.builds(Part, st.text(), st.fractions(), st.fractions(), st.text(), matches=st.lists(st.text()).map(tuple))


@given(st.builds(Checked, st.lists(PARTS, max_size=3).map(tuple), st.text(), said=st.text()))
def test_a_check_comes_back_from_json_exactly(checked):
    assert decode_checked(encode_checked(checked)) == checked


def test_damaged_json_is_said():
    with pytest.raises(Unreadable, match="run palio verify"):
        decode_checked(b'{"parts": [{"name": "x", "points": "1/0", "max_points": "1"}]}')


@pytest.mark.parametrize(
    ("sandbox", "in_file", "mode"),
    [("auto", True, None), ("require", True, None), ("off", True, "off"), ("auto", False, "off")],
)
def test_a_course_is_served_where_programs_are_confined_or_where_the_staff_takes_the_risk(
    monkeypatch, course, sandbox, in_file, mode
):
    monkeypatch.setattr(bubblewrap, "candidates", list)
    bubblewrap.this_machine.cache_clear()
    try:
        served = replace(course, sandbox=in_file)
        if mode is None:
            with pytest.raises(BadOption, match="bubblewrap is not installed"):
                _confinement(Settings(sandbox=sandbox), served)
        else:
            assert _confinement(Settings(sandbox=sandbox), served).mode == mode
    finally:
        bubblewrap.this_machine.cache_clear()
