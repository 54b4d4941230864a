"""Rosters: which program wrote one is told by its header; faults have lines; encodings of spreadsheets are read."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_server.courses.faults import CourseError
from palio_server.courses.people import first_name, last_name
from palio_server.courses.roster import read_roster, roster_of

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Dominoes (4711),Current Score
,,,,,Manual Posting,
    Points Possible,,,,,40,(read only)
"Lovelace, Ada",11,S100,ada@uni.example,CS 1,38,95
"Škoda, Émile",12,S101,emile,CS 1,,
"Student, Test",13,,b0a1,CS 1,,
"""
MOODLE = """\
First name,Surname,ID number,Institution,Department,Email address,Assignment: Dominoes (Real)
Ada,Lovelace,S100,,,ada@uni.example,38.00
Li,Wei,,,,li@uni.example,-
"""
WORKSHEET = """\
Identifier,Full name,ID number,Email address,Status,Grade,Maximum Grade,Feedback comments
Participant 77,Ada Lovelace,S100,ada@uni.example,No submission,,100.00,
"""
GRADESCOPE = """\
First Name,Last Name,SID,Email,Role,Section
Ada,Lovelace,S100,ada@uni.example,Student,A
Grace,Hopper,,grace@uni.example,Instructor,
Li,Wei,,li@uni.example,Student,B
"""
PLAIN = "name,email,id,team\nAda Lovelace,ada@uni.example,S100,red\nLi Wei,li@uni.example,S101,red\n"
ADA = ("S100", "Ada Lovelace", "ada@uni.example", "")


def plain(student):
    """A student without the columns that the roster had."""
    return student.id, student.name, student.email, student.team


def test_canvas_names_the_family_first_and_has_rows_that_are_no_students():
    ada, emile = roster_of(CANVAS.encode(), "canvas.csv")
    assert plain(ada) == ADA
    assert (emile.id, emile.name, emile.email) == ("S101", "Émile Škoda", "")
    assert (first_name(emile), last_name(emile), emile.columns["ID"]) == ("Émile", "Škoda", "12")


@pytest.mark.parametrize("text", [MOODLE, WORKSHEET, GRADESCOPE])
def test_other_programs_rosters(text):
    first, *rest = roster_of(text.encode(), "roster.csv")
    assert plain(first) == ADA
    assert (first_name(first), last_name(first)) == ("Ada", "Lovelace")
    assert [(each.id, each.name) for each in rest] in ([], [("li@uni.example", "Li Wei")])


GERMAN = "Vorname;Nachname;ID-Nummer;E-Mail-Adresse;Gruppen\nAda;Lovelace;S100;ada@uni.example;red\n"
GERMAN_WORKSHEET = (
    "ID,Vollständiger Name,ID-Nummer,E-Mail-Adresse,Status,Bewertung\n"
    "Teilnehmer/in77,Ada Lovelace,S100,ada@uni.example,Keine Abgabe,\n"
)
FRENCH = "Prénom,Nom,Numéro d\u2019identification,Adresse de courriel,Groupes\nAda,Lovelace,S100,ada@uni.example,red\n"
SPANISH = "Nombre,Apellido(s),Número de ID,Dirección de correo,Grupos\nAda,Lovelace,S100,ada@uni.example,red\n"


@pytest.mark.parametrize("text", [GERMAN, GERMAN_WORKSHEET, FRENCH, SPANISH])
def test_moodle_exports_in_other_languages(text):
    (ada,) = roster_of(text.encode("utf-8-sig"), "roster.csv")
    assert plain(ada)[:3] == ADA[:3]
    assert ada.team == ("" if text == GERMAN_WORKSHEET else "red")
    assert (first_name(ada), last_name(ada)) == ("Ada", "Lovelace")


def test_a_family_name_of_two_words_stays_whole_in_other_languages():
    text = SPANISH.replace("Lovelace", "García Márquez")
    (gabriel,) = roster_of(text.encode(), "roster.csv")
    assert (first_name(gabriel), last_name(gabriel)) == ("Ada", "García Márquez")


def test_a_student_without_a_number_has_the_address_as_id_in_german_too():
    (ada,) = roster_of(GERMAN.replace("S100", "").encode(), "roster.csv")
    assert ada.id == "ada@uni.example"


def test_a_plain_roster_has_teams():
    assert [each.team for each in roster_of(PLAIN.encode(), "roster.csv")] == ["red", "red"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_spreadsheets_save_in_many_ways(encoding, separator):
    text = PLAIN.replace("Li Wei", "Zoë Müller").replace(",", separator)
    assert roster_of(text.encode(encoding), "roster.csv")[1].name == "Zoë Müller"


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_headings_in_quotation_marks_may_stand_between_any_separators(separator):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, quoting=csv.QUOTE_ALL).writerows(csv.reader(io.StringIO(MOODLE)))
    assert roster_of(text.getvalue().encode("utf-8-sig"), "moodle.csv") == roster_of(MOODLE.encode(), "moodle.csv")


def test_excels_first_line_is_left_out():
    assert [plain(each) for each in roster_of(b"sep=;\r\nname;id\r\nAda;1\r\n", "roster.csv")] == [("1", "Ada", "", "")]


def test_all_faults_are_told_at_once_with_their_lines():
    text = (
        'name,email,id,team\nAda,ada@x.example,1,\n"Bob\nBob",bob,2,\nCid,,3,\nDee,ADA@x.example,1,\n,e@x.example,5,\n'
    )
    with pytest.raises(CourseError) as told:
        roster_of(text.encode(), "r.csv")
    assert told.value.faults == (
        "r.csv, line 3: 'Bob Bob' has the email address 'bob', without @; write it, or leave the column out for all",
        "r.csv, line 5: 'Cid' has no email address; write it, or leave the column out for all",
        "r.csv, line 6: the id '1' is that of line 2, too; correct one of them",
        "r.csv, line 6: the email 'ADA@x.example' is that of line 2, too; correct one of them",
        "r.csv, line 7: this student has no name; write one",
    )


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "r.csv, line 1: the first line names no columns of a roster; write name,email,id,team"),
        (b"surname,mark\nx,1\n", "r.csv, line 1: the first line names no columns of a roster: it has 'surname'"),
        (b'"Vorname";"ID"\n', "r.csv, line 1: the first line names no columns of a roster: it has 'Vorname', 'ID'"),
        (b'"name,id\nAda,1\n', "r.csv, line 1: this is no CSV: unexpected end of data; is a quotation mark"),
        (b"name,id\nLovelace, Ada,1\n", "r.csv, line 2: this line has 3 cells, 1 more than the first line has; put"),
        (b"name,id\n", "r.csv, line 1: there are no students below the first line"),
        (b'name,id\nAda,1\n"Bob,2\n', "r.csv, line 3: this is no CSV: unexpected end of data; is a quotation mark"),
        (b"name,id\nAda,1\n\x81\x8d\x8f,2\n", "r.csv, line 3: this is no text in UTF-8, UTF-16 or Windows-1252"),
    ],
)
def test_what_is_no_roster_is_told_in_a_sentence(data, sentence):
    with pytest.raises(CourseError) as told:
        roster_of(data, "r.csv")
    assert str(told.value).startswith(sentence)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(BadOption, match="cannot be read: no such file or directory; name a CSV file"):
        read_roster(tmp_path / "none.csv")


words = st.text(st.characters(categories=["L", "Nd"]), min_size=1, max_size=8)
people = st.builds(
    lambda name, number, team: (f"S{number}", name, f"s{number}@x.example", team),
    st.builds(" ".join, st.lists(words, min_size=1, max_size=3)),
    st.integers(0, 10**6),
    words | st.just(""),
)


@given(st.lists(people, min_size=1, unique_by=lambda each: each[0]), st.sampled_from(",;\t|"), st.booleans())
def test_a_roster_is_read_as_it_was_written(roster, separator, marked):
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator)
    writer.writerow(["Name", "Email", "ID", "Team"])
    writer.writerows([name, email, number, team] for number, name, email, team in roster)
    encoding = "utf-8-sig" if marked else "utf-8"
    assert [plain(each) for each in roster_of(text.getvalue().encode(encoding), "r.csv")] == roster


@given(st.binary(max_size=200))
def test_any_bytes_are_a_roster_or_a_sentence(data):
    faults = ()
    try:
        assert roster_of(data, "r.csv")
    except CourseError as error:
        faults = error.faults
    assert all(fault.startswith("r.csv, line ") for fault in faults)
