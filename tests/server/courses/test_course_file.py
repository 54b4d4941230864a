"""A course's files: what they say, and each fault with file, line and remedy."""

import re
import tempfile
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_course import ASSIGNMENT, COURSE, line_of, made_course

from palio_rules import registry
from palio_rules.completing import BOTS
from palio_rules.errors import BadOption
from palio_server.courses import bot_specs
from palio_server.courses.course_file import read_course, read_one_assignment
from palio_server.courses.faults import CourseError
from palio_server.courses.values import GradingRule, LateRule, PlannedTournament, Practice, Reference, StaffTests

ROME = ZoneInfo("Europe/Rome")


def faults_of(folder, collect=None):
    with pytest.raises(CourseError) as told:
        read_course(folder, collect)
    return told.value.faults


def changed(text, *pairs):
    for old, new in pairs:
        assert f"\n{old}\n" in f"\n{text}"
        text = f"\n{text}".replace(f"\n{old}\n", f"\n{new}\n", 1)[1:]
    return text


def test_all_of_a_course_is_read(tmp_path):
    course = read_course(made_course(tmp_path))
    assert (course.name, course.title, course.zone, course.staff) == (
        "ai101",
        "Artificial Intelligence 101",
        ROME,
        ("ann",),
    )
    assert course.late == LateRule(2, Fraction(1, 10), 3)
    [found] = course.assignments
    assert found.folder == course.folder / "assignments" / "dominoes"
    assert (found.name, found.title, found.game) == ("dominoes", "Dominoes", "dominoes")
    assert found.spec == "handout:dominoes:{folder}/adversarial_search.py"
    assert found.files == ("adversarial_search.py",)
    assert (found.optional, found.size, found.submissions_a_day) == (("*.txt",), 1_000_000, 10)
    assert found.opens == datetime(2027, 2, 1, 9, tzinfo=ROME)
    assert found.due == datetime(2027, 2, 15, 22, 59, tzinfo=UTC)
    assert (found.clock, found.time, found.seed) == ("3", timedelta(minutes=10), 20270201)
    assert found.tests == (
        StaffTests("tests/test_examples.py", Fraction(30)),
        StaffTests("tests/test_hidden.py", Fraction(0), "after due", shown=False),
    )
    assert found.against == (Reference("alpha_beta:depth=2", 20, Fraction(1, 2), Fraction(10)),)
    assert found.practice == Practice("on request", 10, rated=False)
    assert found.tournaments == (
        PlannedTournament("daily 03:00", "round-robin", 1, "2", "1"),
        PlannedTournament("2027-02-16T12:00:00+01:00", final=True),
    )
    assert found.grading == GradingRule("last", {1: Fraction(10), 3: Fraction(7), 10: Fraction(3)})
    assert (found.points, found.extra, found.late) == (Fraction(50), 0, course.late)


def test_an_assignment_without_the_keys_that_may_be_left_out(tmp_path):
    text = """\
title = "Mine"
game = "breakthrough"
spec = "exec:python3 {folder}/bot.py"
files = ["bot.py", "net/*.bin"]
opens = 2027-02-01 09:00:00+01:00
due = "2027-02-15T23:59:00"
late = { days = 5 }
[[tests]]
file = "tests/test_examples.py"
"""
    [found] = read_course(made_course(tmp_path, text)).assignments
    assert (found.spec, found.practice, found.tournaments) == ("exec:python3 {folder}/bot.py", None, ())
    assert found.late == LateRule(5, Fraction(1, 10), 3)
    assert found.points is None
    assert found.due == datetime(2027, 2, 15, 23, 59, tzinfo=ROME)


NIM = """\
from palio_rules.games.dominoes import Dominoes


class Nim(Dominoes):
    name = "course_nim"
"""
FAULTS = {
    'game = "dominos"': "game: unknown game 'dominos'; did you mean 'dominoes'?",
    'handout = "domino"': "handout: there is no handout 'domino'; did you mean 'dominoes'?",
    "files = []": "files: a submission must have one file at least; write its name",
    'files = ["../hw4.py"]': "files: '../hw4.py' is no name of a submission's file; write hw4.py, *.txt or team/*.py",
    'files = "hw4.py"': 'files: \'hw4.py\' is no list of texts; write ["one", "two"]',
    'size = "1 TB"': "size: '1 TB' is no size up to 1 GB; write a number and KB or MB, as in '1 MB'",
    "opens = 2027-02-01": "opens: '2027-02-01' is no date with a time; write 2027-02-01T23:59:00",
    'opens = "2027-02-30T12:00"': "opens: '2027-02-30T12:00' is no date with a time; write 2027-02-15T23:59:00",
    "due = 2027-01-31T23:59:00": "due 2027-01-31 23:59+01:00 is not after opens 2027-02-01 09:00+01:00",
    "due = 2027-03-28T02:30:00": "due: 2027-03-28T02:30:00 does not exist in Europe/Rome: summer time begins; ",
    "due = 2027-10-31T02:30:00": "due: 2027-10-31T02:30:00 comes twice in Europe/Rome: summer time ends; write "
    "2027-10-31T02:30:00+02:00 or 2027-10-31T02:30:00+01:00",
    "due = 2027-02-30T12:00:00": "'due = 2027-02-30T12:00:00' is not TOML: invalid date or datetime; ",
    "due = 9999-12-31T23:59:59": "due: the year 9999 is none of a course; write one from 2000 on",
    "submissions_a_day = 0": "submissions_a_day: 0 is out of range; write a whole number from 1 to 1000000",
    'clock = "ten"': "clock: 'ten' is no time control; write seconds+increment as in 10+0.1, minutes as in 5:00, "
    "moves/seconds as in 40/60, or inf",
    'time = "10 days"': "time: '10 days' is no time up to a day; write a number and s, min or h, as in '10 min'",
    "points = 40": "points: 40 in all, but tests, reference bots, place and rating add up to 50",
    "points = true": "points: True is no number of points from 0 to 1000000",
    "points = nan": "points: Decimal('NaN') is no number of points from 0 to 1000000",
    'bot = "alpha_bta:depth=2"': "bot: no bot called 'alpha_bta' is installed; did you mean 'alpha_beta'?",
    'bot = "alpha_beta:dept=2"': "bot: alpha_beta has no setting 'dept'; did you mean 'depth'?",
    'bot = "alpha_beta:depth=two"': "bot: alpha_beta: depth=two: expected `int`, got `str`",
    'bot = "hill_climbing"': "bot: hill_climbing does not play dominoes; it plays tsp",
    'bot = "staff/best.py"': "bot: there is no file 'staff/best.py' in dominoes; put it there, or correct the path",
    "games = 7": "games: 7 is odd, but each opening is played from both seats; add one",
    "need = 1.5": "need: 1.5 is no share from 0 to 1",
    "need = 0": "need: 0 is no share that a bot must reach; write for instance 0.5",
    'classmates = "al"': "classmates: 'al' is unknown; did you mean 'all'?",
    'at = "nightly 03:00"': "at: 'nightly 03:00' is no time of a tournament; write 'daily 03:00', 'weekly ",
    'at = "weekly sonday 03:00"': "at: 'sonday' is no day of the week; did you mean 'sunday'?",
    'at = "daily 24:00"': "at: '24:00' is no time of the day; write 03:00",
    "at = 2027-01-16T12:00:00": "at: 2027-01-16 12:00+01:00 is before the assignment opens, 2027-02-01 09:00+01:00; "
    "take a later time",
    "at = 2027-02-15T12:00:00": "at: the final, 2027-02-15 12:00+01:00, is before due, 2027-02-15 23:59+01:00; "
    "take a later time",
    'format = "round-robbin"': "format: unknown format 'round-robbin'; did you mean 'round_robin'?",
    'format = "sprt"': "format: ",
    'openings = "bok"': "openings: ",
    "rated = 1": "rated: 1 is neither true nor false",
    'submission = "first"': "submission: 'first' is unknown; known: best, last",
    "place = { 1 = 3, 2 = 7 }": "place: a worse place gives more points than a better one; correct one of them",
    "place = { first = 3 }": "place: 'first' is no place; write a number from 1, as in { 1 = 10, 3 = 7 }",
}


def same_key(line):
    """Return the line of the whole assignment that a faulty line stands for, where only one can be meant."""
    key = line.partition(" = ")[0]
    found = [each for each in ASSIGNMENT.splitlines() if each.partition(" = ")[0] == key]
    if key == "at":
        return found[1] if line.startswith("at = 2027") else found[0]
    return found[0]


@pytest.mark.parametrize("line", FAULTS)
def test_a_fault_has_its_line_and_a_remedy(tmp_path, line):
    text = changed(ASSIGNMENT, (same_key(line), line))
    number = line_of(text, line)
    found = [each for each in faults_of(made_course(tmp_path, text)) if f"line {number}:" in each]
    assert len(found) == 1
    assert found[0].startswith(f"assignments/dominoes/assignment.toml, line {number}: {FAULTS[line]}")


def test_all_faults_of_all_files_are_told_at_once(tmp_path):
    text = changed(
        ASSIGNMENT,
        ('title = "Dominoes"', 'titel = "Dominoes"'),
        ("seed = 20270201", "sead = 20270201"),
        ('file = "tests/test_hidden.py"', 'file = "tests/test_hiden.py"'),
        ("games = 20", ""),
        ("final = true", "final = true\n[[tournament]]\nat = 2027-02-17T12:00:00\nfinal=true"),
    )
    folder = made_course(tmp_path, text, changed(COURSE, ("penalty = 0.1", "penalty = 10")))
    other = folder / "assignments" / "no name"
    other.mkdir()
    (other / "assignment.toml").write_text("title = 'x\n")
    empty = folder / "assignments" / "empty"
    empty.mkdir()
    name = "assignments/dominoes/assignment.toml"
    expected = (
        f"{name}, line 1: unknown key 'titel'; did you mean 'title'?",
        f"{name}, line 12: unknown key 'sead'; did you mean 'seed'?",
        f"{name}, line 18: there is no file 'tests/test_hiden.py' in dominoes; write it, or correct the name",
        f"{name}, line 22: [[against]] has no games; write for instance games = 20",
        f"{name}, line 42: there is a final in line 39 already; keep one of them",
        "assignments/empty/assignment.toml: it cannot be read: no such file or directory; each folder of this kind",
        "assignments/no name: 'no name' is no name for a folder of a course; use up to 64 letters a to z, digits,",
        'assignments/no name/assignment.toml, line 1: "title = \'x" is not TOML: ',
        "course.toml, line 7: penalty: 10 is no share from 0 to 1",
    )
    found = faults_of(folder)
    assert [each[: len(start)] for each, start in zip(found, expected, strict=True)] == list(expected)


def test_missing_keys_are_told_with_an_example(tmp_path):
    name = "assignments/dominoes/assignment.toml"
    assert faults_of(made_course(tmp_path, 'title = "x"\n')) == (
        f'{name}: there is neither handout nor spec; write for instance handout = "dominoes"',
        f'{name}: this file has no game; write for instance game = "dominoes"',
        f'{name}: this file has no files; write for instance files = ["adversarial_search.py"]',
        f"{name}: this file has no opens; write for instance opens = 2027-02-01T09:00:00",
        f"{name}: this file has no due; write for instance due = 2027-02-15T23:59:00",
        f"{name}: nothing gives points; write [[tests]], [[against]] or places in [grading]",
    )


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('time_zone = "Europe/Rom"', "line 2: time_zone: 'Europe/Rom' is no time zone; did you mean 'Europe/Rome'?"),
        ('time_zone = "../../etc/passwd"', "line 2: time_zone: '../../etc/passwd' is no time zone; write Europe/Rome"),
        ('staff = ["ann smith"]', "line 3: staff: 'ann smith' is no name of a token; use up to 64 letters"),
        ("days = -1", "line 6: days: -1 is out of range; write a whole number from 0 to 366"),
        ("free_day = 3", "line 5: unknown key 'free_day'; did you mean 'free_days'?"),
        ("[lates]", "line 4: unknown key 'lates'; did you mean 'late'?"),
    ],
)
def test_faults_of_the_course_itself(tmp_path, line, fault):
    old = next(each for each in COURSE.splitlines() if each[:4] == line[:4])
    assert faults_of(made_course(tmp_path, course=changed(COURSE, (old, line))))[0].startswith(f"course.toml, {fault}")


def test_points_by_place_need_a_final(tmp_path):
    text = changed(ASSIGNMENT, ("final = true", "final = false"))
    number = line_of(text, "place = { 1 = 10, 3 = 7, 10 = 3 }")
    [fault] = faults_of(made_course(tmp_path, text))
    assert fault.endswith(f"line {number}: points by place need a final; write [[tournament]] with final = true")


def test_a_final_that_comes_each_night(tmp_path):
    text = changed(ASSIGNMENT, ('clock = "1"', "final = true"), ("final = true\n[grading]", "[grading]"))
    [fault] = faults_of(made_course(tmp_path, text))
    assert "a final is played once; write a date with a time" in fault


@pytest.mark.parametrize(
    ("game", "format_", "fault"),
    [
        ("chexers", "knockout", ""),  # which eight bots cannot play, but nine can
        ("chexers", "sprt", "format: an SPRT tests one bot against one other"),
        ("tsp", "swiss", ""),
        ("rush_hour", "swiss:rounds=0", "format: "),
    ],
)
def test_a_format_is_one_that_some_number_of_students_can_play(tmp_path, game, format_, fault):
    text = changed(
        ASSIGNMENT,
        ('game = "dominoes"', f'game = "{game}"'),
        ('format = "round-robin"', f'format = "{format_}"'),
        ('bot = "alpha_beta:depth=2"', 'bot = "random"'),
        ("rounds = 1", ""),
        ('openings = "2"', ""),
    )
    folder = made_course(tmp_path, text)
    if fault:
        number = line_of(text, f'format = "{format_}"')
        assert f"line {number}: {fault}" in faults_of(folder)[0]
    else:
        assert read_course(folder).assignments[0].tournaments[0].format == format_


def test_rating_needs_two_different_numbers(tmp_path):
    rating = "rating = { points = 10, full = 1000, none = 1800 }"
    text = changed(ASSIGNMENT, ("points = 50", "points = 60")) + rating + "\n"
    [fault] = faults_of(made_course(tmp_path, text))
    assert fault.endswith("full: all points at 1000 and none at 1800; full must be the higher rating")


def test_points_of_markers_are_added_where_they_are_known(tmp_path):
    text = changed(ASSIGNMENT, ("points = 30", ""), ("points = 50", "points = 50\nextra = 5"))
    folder = made_course(tmp_path, text)
    assert read_course(folder).assignments[0].extra == 5
    assert read_course(folder, lambda _: (Fraction(30), Fraction(5))).assignments
    points, extra = faults_of(folder, lambda _: (Fraction(29), Fraction(4)))
    assert points.endswith("line 13: points: 50 in all, but tests, reference bots, place and rating add up to 49")
    assert extra.endswith("line 14: extra: 5, but the tests marked so have 4")


def test_parts_that_are_more_than_all_points_need_no_markers_to_be_told(tmp_path):
    text = changed(ASSIGNMENT, ("points = 30", ""), ("points = 50", "points = 19"))
    [fault] = faults_of(made_course(tmp_path, text))
    assert fault.endswith("line 13: points: 19 in all, but the parts have 20")


def test_a_folder_without_a_course(tmp_path):
    assert faults_of(tmp_path / "ai") == (f"{tmp_path}/ai does not exist; palio course new ai makes a course",)
    assert "has no course.toml" in faults_of(tmp_path)[0]
    folder = made_course(tmp_path)
    (folder / "assignments").rename(folder / "assignment")
    assert "there is no folder with an assignment" in faults_of(folder)[0]


@pytest.mark.parametrize("data", [b"title = '\xff'", b"\xef\xbb\xbftitle = 1", b"x = " + b"[" * 5000, b"\0"])
def test_files_that_are_no_toml(tmp_path, data):
    folder = made_course(tmp_path)
    (folder / "course.toml").write_bytes(data)
    assert all(fault.startswith("course.toml, line 1: ") for fault in faults_of(folder))


def test_one_assignment_is_read_in_its_course_and_alone(tmp_path):
    folder = made_course(tmp_path)
    course, assignment = read_one_assignment(folder / "assignments" / "dominoes")
    assert (course.name, assignment) == ("ai101", read_course(folder).assignments[0])
    alone = tmp_path / "alone"
    (folder / "assignments" / "dominoes").rename(alone)
    course, assignment = read_one_assignment(alone)
    assert (course.zone, assignment.late) == (ZoneInfo("UTC"), LateRule())


def test_a_bot_that_cannot_be_made_is_a_fault_with_its_error(tmp_path, monkeypatch):
    class Lacking:
        games = "dominoes"

        def __init__(self):
            raise ModuleNotFoundError("No module named 'torch'")

    def found(group, name=None):
        return [SimpleNamespace(load=lambda: Lacking)] if name == "lacking" and group == BOTS else []

    monkeypatch.setattr(bot_specs, "entry_points", found)
    with pytest.raises(
        BadOption, match=r"^lacking cannot be made: ModuleNotFoundError: No module named 'torch.; correct"
    ):
        bot_specs.check_bot("lacking", tmp_path, "dominoes")


def test_a_game_and_a_bot_in_files_beside_the_assignment(tmp_path):
    text = changed(
        ASSIGNMENT,
        ('game = "dominoes"', 'game = "./nim.py"'),
        ('bot = "alpha_beta:depth=2"', 'bot = "staff/best.py"'),
        ('handout = "dominoes"', 'spec = "{folder}/bot.py"'),
    )
    folder = made_course(tmp_path, text)
    home = folder / "assignments" / "dominoes"
    (home / "staff").mkdir()
    (home / "staff" / "best.py").write_text("")
    [fault] = faults_of(folder)
    assert "line 2: game: " in fault
    assert "nim.py" in fault
    (home / "nim.py").write_text(NIM)
    try:
        [assignment] = read_course(folder).assignments
        assert (assignment.spec, assignment.against[0].bot) == ("{folder}/bot.py", "staff/best.py")
    finally:
        registry.forget("course_nim")


def test_the_examples_of_the_docs_are_a_course(tmp_path):
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "course.md").read_text("utf-8")
    course, assignment = re.findall(r"^```toml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    [found] = read_course(made_course(tmp_path, assignment, course)).assignments
    assert (found.points, found.final.at) == (60, "2027-02-18T12:00:00+01:00")


lines = st.sampled_from([(text, line) for text in (ASSIGNMENT, COURSE) for line in text.splitlines() if " = " in line])
odd_values = st.sampled_from(
    (
        *(
            "0",
            "-1",
            "1e400",
            "nan",
            "-inf",
            "true",
            "0.1",
            "99999999999999999999",
            '""',
            '"x"',
            '"../.."',
            "'{folder}'",
        ),
        *("[]", "[1]", "[[]]", "{}", "{ a = 1 }", "[{}]", "{ 1 = -1 }", "{ points = 1, full = nan, none = 1 }"),
        *("2027-02-01", "12:30:00", "0001-01-01T00:00:00", "9999-12-31T23:59:59", "9999-12-31T23:59:59-23:59"),
        *(f'"{"y" * 300}.py"', f'"{"y" * 5000}/"', '"daily"'),
        *('"9999-12-31T23:59:59"', '"handout:dominoes:x"', '"exec:./x"', '"random@network"', '"a:b=c"'),
        *('"\\u0000"', '"swiss:rounds=x"', '"file=x,start=1"', '"\\U0001F600"'),
    )
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(lines, odd_values), max_size=3))
def test_odd_values_are_read_or_told_but_nothing_else_happens(tmp_path, changes):
    texts = {ASSIGNMENT: ASSIGNMENT, COURSE: COURSE}
    for (text, line), value in changes:
        texts[text] = texts[text].replace(line, f"{line.partition(' = ')[0]} = {value}", 1)
    above = Path(tempfile.mkdtemp(dir=tmp_path))
    faults = []
    try:
        read_course(made_course(above, texts[ASSIGNMENT], texts[COURSE]))
    except CourseError as error:
        faults = error.faults
    assert all(
        re.match(r"(course|assignments/dominoes/assignment)\.toml(, line [1-9]\d*)?: .", each) for each in faults
    )
