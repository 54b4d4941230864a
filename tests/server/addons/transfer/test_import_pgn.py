"""`palio import games.pgn`: games of other programs come in once; those that cannot are named and left out."""

import gzip
import io
from pathlib import Path

import chess.pgn
import pytest

from palio_server.addons.transfer.reading import Fault, Found, read_records
from palio_server.cli.palio import call

ONE = """[Event "Cup"]
[White "Stockfish 16.1"]
[Black "Komodo"]
[Result "1-0"]
[UTCDate "2024.05.01"]
[UTCTime "10:00:00"]
[TimeControl "60+1"]
[Termination "time forfeit"]

1. e4 {+0.31/12 1.2s} e5 {-0.30/11 0.8s
[%clk 0:01:00.2]} 1-0

"""
DRAWN = ONE.replace("1-0", "1/2-1/2").replace("time forfeit", "normal")
ILLEGAL = ONE.replace(" e5 ", " Ke5 ")
UNFINISHED = ONE.replace("1-0", "*")
BROKEN = ONE.replace("0.8s", "}")


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


@pytest.fixture
def file(tmp_path):
    def write(text, name="games.pgn", encoding="utf-8"):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return tmp_path / name

    return write


def test_twice_is_once_and_all_of_it_reproduces(run, file):
    out, told = run("import", file(ONE + DRAWN))
    assert out.startswith("2 matches are brought into")
    assert "names of players as bots: 'Stockfish 16.1' is Stockfish-16.1" in told
    again = file((ONE + DRAWN + ONE).replace("\n", "\r\n"), "again.pgn")
    assert "0 matches are brought into" in run("import", again)[0]
    assert run("verify")[0] == "2 matches replayed, 0 do not reproduce, 0 sums are wrong\n"
    assert "Stockfish-16.1" in run("leaderboard")[0]


def test_games_that_cannot_come_in_are_named_and_others_do(run, file):
    path = file(ILLEGAL + ONE + UNFINISHED + BROKEN + DRAWN)
    out, told = run("import", path, code=1)
    assert out.startswith("2 matches are brought into")
    assert out.endswith("0 were there, 3 are wrong\n")
    lines = told.splitlines()
    assert lines[0].startswith(f"palio: {path}, the game Stockfish 16.1 - Komodo from line 1 on: line 10: 1... Ke5: ")
    assert lines[1].startswith(
        f"palio: {path}, the game Stockfish 16.1 - Komodo from line 25 on: line 25: the game has"
    )
    assert lines[2].startswith(f"palio: {path}, line 47: here comes a move, a comment or a result, got")


def test_with_strict_nothing_is_repaired(run, file):
    run("import", "--strict", file(ONE), code=1)
    _, told = run("import", "--strict", "games.pgn", code=1)
    assert "line 1: the tag [Site ...] is missing" in told


def test_a_wrong_record_of_ours_still_keeps_all_out(run, file):
    out, _ = run("import", file(ONE + '{"match": 7}\n'), code=1)
    assert "nothing is brought in" in out


def test_two_players_who_become_one_bot_are_told(run, file):
    _, told = run("import", file(ONE + DRAWN.replace("Stockfish 16.1", "Stockfish-16.1")))
    assert "players that are one bot from here on: Stockfish-16.1 ('Stockfish 16.1', 'Stockfish-16.1'); rename" in told


def test_out_with_and_without_records_and_in_again(run, file):
    run("import", file(ONE + DRAWN))
    first, _ = run("export")
    run("export", "--format", "pgn", "-o", "b.pgn")
    run("import", "b.pgn", "--db", "b.db")
    assert run("export", "b.db")[0] == first
    run("export", "--format", "pgn", "--no-records", "-o", "c.pgn")
    assert "%palio" not in Path("c.pgn").read_text()
    assert "0 matches are brought into" in run("import", "--strict", "c.pgn")[0]  # by their tag Match


def test_python_chess_reads_what_is_exported(run, file):
    run("import", file(ONE + DRAWN))
    for records in ([], ["--no-records"]):
        file_of_games = io.StringIO(run("export", "--format", "pgn", *records)[0])
        games = list(iter(lambda: chess.pgn.read_game(file_of_games), None))  # noqa: B023
        assert [game.errors for game in games] == [[], []]
        assert {game.headers["Result"] for game in games} == {"1-0", "1/2-1/2"}
        assert all([str(move) for move in game.mainline_moves()] == ["e2e4", "e7e5"] for game in games)


def found(path):
    return [each.match.setup.bots if isinstance(each, Found) else each.sentence for each in read_records(path)]


@pytest.mark.parametrize(
    "data",
    [
        "\ufeff" + ONE,
        "% made by another program\n; a remark\n\n" + ONE,
        ONE.replace("\n\n1.", "\n1."),
        ONE.replace('[White "', '[Annotator "M\u00fcller"]\n[White "').encode("latin-1"),
        gzip.compress(ONE.encode()),
        ONE.rstrip().removesuffix("1-0"),
    ],
)
def test_files_as_programs_write_them(file, data):
    assert found(file(data)) == [("Stockfish-16.1", "Komodo")]


def test_games_with_records_and_those_without_among_each_other(run, file):
    run("import", file(ONE))
    exported, _ = run("export", "--format", "pgn")
    assert exported.startswith("%palio-record ")
    json, _ = run("export")
    data = exported + DRAWN + exported + json + DRAWN + ONE.replace("1-0", "*") + exported
    kinds = [type(each).__name__ for each in read_records(file(data, "mixed.pgn"))]
    assert kinds == ["Found", "Found", "Found", "Found", "Found", "Fault", "Found"]


def test_faults_of_others_are_marked(file):
    faults = [each for each in read_records(file(ILLEGAL + BROKEN)) if isinstance(each, Fault)]
    assert [fault.is_foreign for fault in faults] == [True, True]
