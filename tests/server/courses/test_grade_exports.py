"""Grades as other programs import them."""

import csv
import io
import json
from datetime import timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_course import made_assignment

from palio_db.course_values import RosterEntry
from palio_server.courses.grade_exports import FORMS, grades_text, reasons
from palio_server.courses.grading import Override, Submission, grade, of_points
from palio_server.courses.roster import roster_of
from palio_server.courses.values import Checked, Part
from palio_server.courses.visible import AT_LAST, seen_by_student

DOMINOES = made_assignment()
CHEXERS = made_assignment("chexers", "Chexers")
PARTS = (
    Part("test_a", Fraction(30), Fraction(30)),
    Part("test_b", Fraction(10, 3), Fraction(10), "expected (0, 0),\n got None"),
    Part("test_more", Fraction(0), Fraction(5), "wrong", extra=True),
)
CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Dominoes (4711),Current Score
    Points Possible,,,,,40,(read only)
"Lovelace, Ada",11,S100,ada@uni.example,CS 1,38,95
"Wei, Li",12,S101,li,CS 2,,
"""
PLAIN = "name,email,id,team\nAda Lovelace,ada@uni.example,S100,red\nLi Wei,li@uni.example,S101,\n"
GRADESCOPE = (
    "First Name,Last Name,SID,Email,Sections\nAda,de la Cruz,S100,ada@uni.example,A\nLi,Wei,S101,li@uni.example,\n"
)


def seen(assignment, graded):
    return seen_by_student(graded, assignment, AT_LAST, published=True)


def some_grades(*assignments):
    """Return Ada's grades, who is an hour late, and Li's, who handed in nothing."""
    found = {}
    for student in ("S100", "S101"):
        at = DOMINOES.due + timedelta(hours=1, seconds=5)
        handed_in = [Submission("s7", at, Checked(PARTS))] if student == "S100" else []
        override = Override("moved here", "ann", late_days=0)
        found[student] = {
            each.name: seen(each, grade(each, student, handed_in, override=override)) for each in assignments
        }
    return found


def rows_of(form, roster, *assignments):
    text = grades_text(form, assignments, roster_of(roster.encode(), "r.csv"), some_grades(*assignments))
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def test_extra_points_are_named_in_the_reasons_and_beside_all_points():
    parts = (Part("test_a", Fraction(8), Fraction(8)), Part("test_more", Fraction(5), Fraction(5), extra=True))
    graded = grade(DOMINOES, "S1", [Submission("s1", DOMINOES.opens, Checked(parts))])
    assert reasons(seen(DOMINOES, graded)) == "test_more 5 extra"
    assert of_points(graded.points, Fraction(8), "/") == "8/8 + 5 extra"
    assert of_points(Fraction(20, 3), Fraction(8), " of ", " points") == "6.67 of 8 points"


def test_canvas_gets_its_own_columns_and_heading_back():
    assert rows_of("canvas", CANVAS, DOMINOES, CHEXERS) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Dominoes (4711)", "Chexers"],
        ["    Points Possible", "", "", "", "", "40", "40"],
        ["Lovelace, Ada", "11", "S100", "ada@uni.example", "CS 1", "33.33", "33.33"],
        ["Wei, Li", "12", "S101", "li", "CS 2", "0", "0"],
    ]


def test_canvas_finds_students_of_another_roster_by_their_number():
    assert rows_of("canvas", PLAIN, DOMINOES)[2] == ["Lovelace, Ada", "", "S100", "ada@uni.example", "", "33.33"]


def test_moodle_gets_grade_and_feedback_of_each_assignment():
    head, ada, li = rows_of("moodle", PLAIN, DOMINOES)
    assert head == ["Email address", "ID number", "Dominoes", "Dominoes (Feedback)"]
    why = "test_b 3.33/10: expected (0, 0), got None; override 0: 0 late days by ann: moved here"
    assert ada == ["ada@uni.example", "S100", "33.33", why]
    assert li[2:] == ["0", "submission 0: nothing was handed in; override 0: 0 late days by ann: moved here"]


def test_gradescope_gets_names_points_times_and_lateness():
    head, ada, li = rows_of("gradescope", GRADESCOPE, DOMINOES)
    assert head[:5] == ["First Name", "Last Name", "SID", "Email", "Sections"]
    assert head[5:] == [
        *("Dominoes", "Dominoes - Max Points"),
        *("Dominoes - Submission Time", "Dominoes - Lateness (H:M:S)"),
    ]
    assert ada[:5] == ["Ada", "de la Cruz", "S100", "ada@uni.example", "A"]
    assert ada[5:] == ["33.33", "40", "2027-02-16 00:59:05 +0100", "01:00:05"]
    assert li[5:] == ["0", "40", "", ""]


def test_csv_has_a_line_for_each_student_and_assignment():
    head, *rows = rows_of("csv", PLAIN, DOMINOES, CHEXERS)
    assert head[4:] == ["assignment", "submission", "points", "max_points", "late_days", "status", "why"]
    assert [row[:1] + row[4:6] for row in rows] == [
        ["S100", "dominoes", "s7"],
        ["S101", "dominoes", ""],
        ["S100", "chexers", "s7"],
        ["S101", "chexers", ""],
    ]
    assert rows[0][6:10] == ["33.33", "40", "0", "graded"]
    assert rows[1][9] == "missing"


def test_json_has_the_form_that_programs_read():
    roster = roster_of(PLAIN.encode(), "r.csv")
    ada, li = json.loads(grades_text("json", [DOMINOES], roster, some_grades(DOMINOES)))
    assert list(ada) == ["student", "submission", "points", "max_points", "late_days", "status", "parts"]
    assert ada["parts"][1] == {
        "name": "test_b",
        "points": 3.33,
        "max_points": 10.0,
        "why": "expected (0, 0),\n got None",
    }
    assert (ada["student"], ada["submission"], ada["points"], ada["max_points"]) == ("S100", "s7", 33.33, 40)
    assert (li["submission"], li["max_points"], li["late_days"], li["status"]) == (None, 40, 0, "missing")
    several = json.loads(grades_text("json", [DOMINOES, CHEXERS], roster, some_grades(DOMINOES, CHEXERS)))
    assert [each["assignment"] for each in several] == ["dominoes", "dominoes", "chexers", "chexers"]


def test_what_was_not_checked_has_no_points_yet():
    roster = [RosterEntry("S1", "Ada")]
    grades = {"S1": {"dominoes": seen(DOMINOES, grade(DOMINOES, "S1", [Submission("s1", DOMINOES.opens, None)]))}}
    for form in ("canvas", "moodle", "gradescope"):
        row = list(csv.reader(io.StringIO(grades_text(form, [DOMINOES], roster, grades))))[-1]
        assert row[5 if form != "moodle" else 2] == ""


texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=10).map(str.strip)


@pytest.mark.parametrize("form", [form for form in FORMS if form != "json"])
@given(name=texts, email=texts, why=texts, title=texts.filter(bool))
def test_no_text_of_a_stranger_is_a_formula(form, name, email, why, title):
    roster = [RosterEntry("=1+1", name, email, name, {"Section": why})]
    assignment = made_assignment(title=title)
    part = Part(why, Fraction(-1), Fraction(1), why)
    graded = grade(assignment, "=1+1", [Submission("s1", assignment.opens, Checked((part,)))])
    text = grades_text(form, [assignment], roster, {"=1+1": {"dominoes": seen(assignment, graded)}})
    for row in csv.reader(io.StringIO(text, newline=""), strict=True):
        for cell in row:
            assert not cell.startswith(("=", "+", "@", "\t", "\r"))
            assert not cell.startswith("-") or cell == "-1"
