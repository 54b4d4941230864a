"""`palio import`: what is good comes in once, and of what is not, nothing does."""

import io
import json
import sys
from datetime import timedelta

import made_matches
import msgspec
import pytest
from msgspec.structs import replace

from palio_rules.records.record import Analysis
from palio_server.addons.transfer import import_records
from palio_server.cli.palio import call


@pytest.fixture
def run(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.delenv("PALIO_URL", raising=False)
    monkeypatch.setenv("PALIO_DB", f"sqlite:///{tmp_path}/palio.db")

    def run(*words, code=0):
        assert call([*map(str, words)]) == code
        told = capsysbinary.readouterr()
        return told.out.decode(), told.err.decode()

    return run


@pytest.fixture
def file(tmp_path):
    """Writes matches to a file."""

    def write(*matches, name="matches.jsonl"):
        path = tmp_path / name
        path.write_bytes(b"".join(msgspec.json.encode(kept) + b"\n" for kept in matches))
        return path

    return write


def figures(printed):
    """A leaderboard without its first line, which names the database."""
    return printed[0].partition("\n")[2]


def test_out_and_in_again_is_the_identity_and_twice_is_once(run, file, tmp_path):
    path = file(*made_matches.everything())
    assert run("import", path)[0] == f"4 matches are brought into sqlite:///{tmp_path}/palio.db, 0 were there\n"
    first, _ = run("export")
    for name in ("b.pgn", "b.parquet", "b.jsonl.zst"):
        run("export", "-o", tmp_path / name)
        db = tmp_path / f"{name}.db"
        run("import", tmp_path / name, "--db", db)
        assert run("export", db)[0] == first
        assert figures(run("leaderboard", "--db", db)) == figures(run("leaderboard"))
    assert "0 matches are brought into" in run("import", path, path)[0]
    assert run("export")[0] == first
    assert run("verify")[0] == "4 matches replayed, 0 do not reproduce, 0 sums are wrong\n"


def test_what_language_models_cost_comes_along(run, file, tmp_path):
    run("import", file(*made_matches.everything()))
    board, _ = run("leaderboard", "--game", "chexers")
    assert "$ a game" in board
    assert "912" in board
    for name in ("b.pgn", "b.parquet", "b.jsonl"):
        run("export", "-o", tmp_path / name)
        db = tmp_path / f"{name}.db"
        run("import", tmp_path / name, "--db", db)
        assert figures(run("leaderboard", "--game", "chexers", "--db", db)) == figures((board, ""))
        assert run("verify", "--db", db)[0] == "4 matches replayed, 0 do not reproduce, 0 sums are wrong\n"


def test_text_records_come_in_too(run, file, tmp_path):
    run("import", file(*made_matches.everything()))
    run("match", "export", "m2", "m3", "m4", "-o", tmp_path / "games.txt")
    assert "3 matches are brought" in run("import", tmp_path / "games.txt", "--db", tmp_path / "b.db")[0]
    assert run("verify", "--db", tmp_path / "b.db")[0].startswith("3 matches replayed, 0 do not")


def test_stdin_is_a_file(run, file, monkeypatch):
    class Stdin:
        buffer = io.BytesIO(file(*made_matches.everything()).read_bytes())

    monkeypatch.setattr("sys.stdin", Stdin)
    assert run("import", "-")[0].startswith("4 matches are brought")


RACE = made_matches.race()
WRONG = replace(RACE, match="bad", plies=(replace(RACE.plies[0], move=["a", 9]), *RACE.plies[1:]))
JUDGED = made_matches.duel()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (WRONG, "ply 1 is not legal: "),
        (replace(RACE, event="\0"), "the event '\\x00' has characters that no database keeps"),
        (replace(RACE, setup=replace(RACE.setup, bots=("", "b", "c"))), "the bot is empty"),
        (replace(JUDGED, void=replace(JUDGED.void, by="x" * 1001)), "who has voided it has 1001 characters"),
        (replace(JUDGED, tournament=replace(JUDGED.tournament, name="\0")), "the tournament '\\x00' has characters"),
        (replace(RACE, match="a/b"), "'a/b' is no identity of a match"),
        (replace(RACE, result=replace(RACE.result, scores=[1.0, 0.0, 0.0])), "the costs "),
        (replace(RACE, setup=replace(RACE.setup, game="nim42")), "unknown game 'nim42'"),
        (replace(RACE, started_at=RACE.started_at.replace(tzinfo=None)), "started_at is 2026-11-20T21:00:00; a moment"),
        *(
            (
                replace(RACE, setup=replace(RACE.setup, bots=(name, "b", "c"))),
                "is no name for a bot; use up to 64 letters",
            )
            for name in ("<script>", "a/b", "a\tb", "abc\u202e", "a" * 65)
        ),
        (replace(RACE, setup=replace(RACE.setup, bots=("Guest-7", "b", "c"))), "who play no rated matches"),
        (replace(RACE, finished_at=RACE.started_at - timedelta(seconds=1)), "it ends (2026-11-20T20:59:59+00:00)"),
        (replace(RACE, created_at=RACE.started_at + timedelta(days=2)), "before it was made (2026-11-22T21"),
        (replace(JUDGED, analysis=Analysis("m9", 0.5, (), complete=True)), "its analysis is of match 'm9'"),
        (
            replace(JUDGED, analysis=replace(JUDGED.analysis, plies=JUDGED.analysis.plies[::-1])),
            "the plies of its analysis come in order",
        ),
    ],
)
@pytest.mark.first(8)
def test_of_a_file_with_something_wrong_nothing_comes_unless_it_is_to_go_on(run, file, wrong, sentence, tmp_path):
    path = file(made_matches.table(), wrong, made_matches.tours())
    out, err = run("import", path, code=1)
    assert err.startswith(f"palio: {path}, line 2: ")
    assert sentence in err
    assert out == (
        "2 records are good, 0 of them here already, 1 are wrong; "
        "nothing is brought in; --keep-going brings in what is good\n"
    )
    run("export", code=2)
    out, err = run("import", path, "--keep-going", code=1)
    assert out == f"2 matches are brought into sqlite:///{tmp_path}/palio.db, 0 were there, 1 are wrong\n"
    assert [json.loads(line)["match"] for line in run("export")[0].splitlines()] == ["m3", "m4"]


def test_a_match_that_is_there_otherwise_is_refused_by_its_identity(run, file):
    run("import", file(RACE))
    other = replace(RACE, finished_at=RACE.started_at)
    _, err = run("import", file(made_matches.table(), other), code=1)
    assert "line 2: match m2 is in the database already, with another record; nothing is put in its place" in err
    assert len(run("export")[0].splitlines()) == 1


def test_another_analysis_of_a_match_that_is_there_is_refused(run, file):
    run("import", file(JUDGED))
    other = replace(JUDGED, analysis=Analysis("m1", 2.0, (), complete=True))
    _, err = run("import", file(RACE, other), code=1)
    assert "line 2: match m1 is in the database already, with another analysis; nothing is put in its place" in err
    assert json.loads(run("export")[0])["analysis"]["seconds"] == JUDGED.analysis.seconds


def test_given_twice_with_two_contents_neither_hides_the_other(run, file):
    _, err = run("import", file(RACE, replace(RACE, finished_at=RACE.started_at)), code=1)
    assert "line 2: match m2 is given twice, with different records" in err


def test_to_check_changes_nothing(run, file):
    out, _ = run("import", file(*made_matches.everything()), "--check")
    assert out == "4 records are good, 0 of them here already, 0 are wrong; nothing is brought in\n"
    run("export", code=2)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "there is no file "),
        (b"", "there is no record in "),
        (b"\x1f\x8b\x08", "damaged"),
        (b"hello", "no record begins"),
    ],
)
def test_what_is_no_file_of_records_is_said(run, tmp_path, content, sentence):
    path = tmp_path / "games"
    if content is not None:
        path.write_bytes(content)
    _, err = run("import", path, code=2 if content in (None, b"") else 1)
    assert err.startswith("palio: ")
    assert sentence in err


def test_of_many_faults_the_first_are_shown(run, tmp_path):
    (tmp_path / "games").write_bytes(b"{}\n" * 50)
    _, err = run("import", tmp_path / "games", code=1)
    assert len(err.splitlines()) == import_records.SHOWN + 1
    assert err.endswith("palio: and 30 more\n")


def test_in_however_many_transactions_they_come_the_sums_are_right(run, file, monkeypatch):
    monkeypatch.setattr(import_records, "BATCH", 2)
    matches = [replace(made_matches.table(), match=f"n{number}") for number in range(5)]
    assert run("import", file(*matches))[0].startswith("5 matches are brought")
    assert run("verify")[0] == "5 matches replayed, 0 do not reproduce, 0 sums are wrong\n"
    assert run("audit")[0].count("matches imported") == 3


def test_a_file_that_changes_while_it_is_read_is_not_brought_in(run, file, monkeypatch):
    path = file(RACE)
    states = iter([(1, 1), (2, 2)])
    monkeypatch.setattr(import_records, "_state", lambda _: next(states))
    assert "has changed while it was read" in run("import", path, code=2)[1]


@pytest.mark.parametrize("name", ["a.parquet", "a.jsonl.zst", "a.pgn.zst"])
def test_without_pyarrow_what_needs_it_names_the_extra_and_nothing_comes(run, file, tmp_path, monkeypatch, name):
    run("import", file(*made_matches.everything()))
    run("export", "-o", tmp_path / name)
    (tmp_path / "palio.db").unlink()
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # so that to import it fails, as where it is not installed
    out, err = run("import", tmp_path / name, code=1)
    assert (out, err) == ("", "palio: this needs pyarrow, which is not installed; pip install 'palio[data]'\n")
    run("export", code=2)
    assert run("import", file(*made_matches.everything()))[0].startswith("4 matches are brought")
