"""`palio course roster` and `forget`: who was taken out stays out, and is named."""

from pathlib import Path

import pytest
from made_course import made_course

from palio_server.cli.palio import call

ROSTER = "name,email,id\nAda,ada@x.example,S1\nBob,bob@x.example,S2\n"


@pytest.fixture
def course(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("PALIO_DB", f"sqlite:///{tmp_path}/palio.db")
    monkeypatch.chdir(tmp_path)
    folder = made_course(tmp_path)
    (tmp_path / "roster.csv").write_text(ROSTER, "utf-8")
    assert call(["course", "roster", "ai101", "roster.csv"]) == 0
    return folder


def test_the_same_roster_leaves_a_forgotten_student_out_and_says_how_to_add_one_again(course, capsys):
    assert call(["course", "forget", "ai101", "S1", "--yes"]) == 0
    capsys.readouterr()
    assert call(["course", "roster", "ai101", "roster.csv"]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("0 students are new, 0 changed; 2 in roster.csv")
    assert "left out, because they were forgotten: S1; --again ID adds one of them again" in told.err
    assert call(["course", "roster", "ai101", "roster.csv", "--again", "S1"]) == 0
    assert capsys.readouterr().out.startswith("1 student is new")


def test_an_id_that_the_roster_does_not_have_cannot_be_added_again(course, capsys):
    for words in (["roster.csv", "--again", "S3"], ["--again", "S1"]):
        assert call(["course", "roster", "ai101", *words]) == 2
        assert "the roster file has no such ID" in capsys.readouterr().err
