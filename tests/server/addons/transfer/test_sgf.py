"""`palio export --format sgf` and `palio import`: matches of Go go out and come back whole, those of others come in."""

import gzip
import sqlite3
import sys

import pytest
from sgfmill import sgf as mill

from palio_server.cli.palio import call

FOREIGN = "(;GM[1]SZ[9]KM[7]PB[Lee Sedol]PW[AlphaGo]RE[B+R];B[ee];W[cc])\n"
ILLEGAL = FOREIGN.replace("W[cc]", "W[ee]")


@pytest.fixture
def run(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.delenv("PALIO_URL", raising=False)
    monkeypatch.setenv("PALIO_DB", f"sqlite:///{tmp_path}/palio.db")
    monkeypatch.chdir(tmp_path)

    def run(*words, code=0):
        assert call([*map(str, words)]) == code
        told = capsysbinary.readouterr()
        return told.out.decode(), told.err.decode()

    return run


def test_games_of_others_come_in_once(run, tmp_path):
    (tmp_path / "games.sgf").write_text(FOREIGN)
    out, told = run("import", "games.sgf")
    assert out.startswith("1 matches are brought into")
    assert "names of players as bots: 'Lee Sedol' is Lee-Sedol" in told
    (tmp_path / "again.sgf.gz").write_bytes(gzip.compress(b"\n" + FOREIGN.encode()))
    assert "0 matches are brought into" in run("import", "again.sgf.gz")[0]


def test_a_player_in_another_script_keeps_the_name_as_the_line_of_the_bot(run, tmp_path):
    (tmp_path / "games.sgf").write_bytes(
        FOREIGN.replace("Lee Sedol", "이세돌").replace("AlphaGo", "조훈현").encode("euc-kr")
    )
    _, told = run("import", "games.sgf")
    assert "'이세돌' is player-" in told
    with sqlite3.connect(tmp_path / "palio.db") as connection:
        lines = dict(connection.execute("SELECT bot, about FROM profiles").fetchall())
        rated = {bot for (bot,) in connection.execute("SELECT bot FROM ratings")}
    assert sorted(lines.values()) == ["이세돌", "조훈현"]
    assert {*lines} == rated


def test_those_that_are_illegal_are_named_and_left_out(run, tmp_path):
    (tmp_path / "games.sgf").write_text(ILLEGAL + FOREIGN)
    out, told = run("import", "games.sgf", code=1)
    assert out.startswith("1 matches are brought into")
    assert "games.sgf, the game Lee Sedol - AlphaGo from line 1 on: line 1: move 2, W[ee]: E5: black has" in told


@pytest.mark.parametrize("before", ["\ufeff", "From: ann\n\nthe game:\n", "x" * 3000 + "\n"])
def test_text_before_the_first_game_is_left_out(run, tmp_path, before):
    (tmp_path / "games.sgf").write_text(before + FOREIGN)
    assert run("import", "games.sgf")[0].startswith("1 matches are brought into")


def test_a_file_without_a_game_is_refused_with_the_remedy(run, tmp_path):
    (tmp_path / "games.sgf").write_text("<html>sign in first</html>")
    _, told = run("import", "games.sgf", code=1)
    assert "games.sgf, the file: no game in SGF begins in it, with `(;`; export it anew" in told


def test_what_went_out_comes_back_the_same(run, tmp_path):
    (tmp_path / "games.sgf").write_text(FOREIGN + FOREIGN.replace("B[ee]", "B[ff]"))
    run("import", "games.sgf")
    run("export", "-o", "before.jsonl")
    _, told = run("export", "--format", "sgf", "-o", "out/")
    assert "2 matches: out (2 rows)" in told
    files = sorted((tmp_path / "out").iterdir())
    assert [each.suffix for each in files] == [".sgf", ".sgf"]
    assert mill.Sgf_game.from_bytes(files[0].read_bytes()).get_player_name("b") == "Lee-Sedol"
    run("import", *files, "--db", "sqlite:///new.db")
    run("export", "sqlite:///new.db", "-o", "after.jsonl")
    assert sorted((tmp_path / "after.jsonl").read_text().splitlines()) == sorted(
        (tmp_path / "before.jsonl").read_text().splitlines()
    )


def test_a_file_may_hold_all_games_and_stays_unless_forced(run, tmp_path):
    (tmp_path / "games.sgf").write_text(FOREIGN)
    run("import", "games.sgf")
    run("export", "--no-records", "-o", "all.sgf")
    text = (tmp_path / "all.sgf").read_text()
    assert "PALIO" not in text
    assert text.count("(;") == 1
    assert "is there already" in run("export", "-o", "all.sgf", code=2)[1]
    run("export", "-o", "all.sgf", "--force")
    assert run("export", "--format", "sgf", "--no-records")[0] == text or sys.platform == "win32"


def test_other_games_and_tables_are_refused(run, tmp_path):
    (tmp_path / "games.sgf").write_text(FOREIGN)
    run("import", "games.sgf")
    assert "--format sgf is for go, not for chess" in run("export", "--format", "sgf", "--game", "chess", code=2)[1]
    assert "--format sgf holds matches only" in run("export", "--format", "sgf", "--what", "plies", code=2)[1]
