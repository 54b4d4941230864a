"""`--records FILE.pgn` of chess is PGN: each game once and whole, behind the games that others have written."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from palio_rules.contract.messages import Result
from palio_rules.errors import BadOption
from palio_rules.records import Ply, Record, Setup
from palio_rules.records.pgn import PgnGame, read_pgn
from palio_rules.records.pgn_text import record_to_pgn
from palio_rules.records.text import record_to_text
from palio_server.cli.records_file import RecordsFile

THEN = datetime(2026, 11, 20, tzinfo=UTC)
FOREIGN = (
    '[Event "x"]\n[Site "?"]\n[Date "?"]\n[Round "?"]\n[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 {b} 1-0\n'
)


def won(match):
    plies = (Ply(0, "e2e4", 5), Ply(1, "e7e5", 7), Ply(0, "g1f3", 9))
    setup = Setup("chess", ("ann", "bob"))
    return Record(match, setup, plies, Result("resigned", "resigned", [1.0, 0.0], 1), THEN, THEN)


WHOLE = "".join(record_to_pgn(won(match)) for match in ("m1", "m2"))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "games.pgn"


def added(path, *matches):
    file = RecordsFile(path, "chess")
    for match in matches:
        assert file.add(won(match)) == ""
    return file


def test_games_stand_in_the_file_one_behind_the_other(path):
    added(path, "m1", "m2", "m2")
    assert path.read_text() == WHOLE
    assert added(path, "m1", "m2").known == {"m1", "m2"}
    assert path.read_text() == WHOLE


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_they_come_behind_games_of_others(path, end):
    path.write_text(FOREIGN.rstrip() + end)
    added(path, "m1", "m2")
    assert path.read_text() == f"{FOREIGN}\n{WHOLE}"


def test_a_kill_at_any_byte_leaves_whole_games_and_the_rest_is_written_again(path):
    for text, step in ((WHOLE, 1), (f"{FOREIGN}\n{WHOLE}", 11)):
        for size in range(len(text) - len(WHOLE), len(text), step):
            path.write_text(text[:size])
            added(path, "m1", "m2")
            games = list(read_pgn(path.read_text().split("\n")))
            assert all(isinstance(game, PgnGame) for game in games), size
            found = [game.tags.get("Match") for game in games]
            assert found == [None, "m1", "m2"][-len(found) :], size
            assert path.read_text().split() == text.split(), size


def test_an_unfinished_game_of_others_is_not_removed(path):
    text = FOREIGN + FOREIGN.replace(" 1-0\n", " e5 2. Nf3\n")
    path.write_text(text)
    with pytest.raises(BadOption, match=r"games.pgn ends in a game without a result; add one to it, or name another"):
        RecordsFile(path, "chess")
    assert path.read_text() == text


def test_a_file_of_something_else_is_refused_with_the_line(path):
    path.write_text(f"{FOREIGN}\n<html> &\n\n")
    with pytest.raises(BadOption, match=r"--records .*games.pgn line 11: here comes a move, .*; name another file"):
        RecordsFile(path, "chess")


def test_other_games_and_other_endings_are_text(tmp_path):
    record = won("m1")
    for name, game in (("a.txt", "chess"), ("b.pgn", "breakthrough"), ("c.pgn", "")):
        file = RecordsFile(tmp_path / name, game)
        file.add(record)
        assert (tmp_path / name).read_text() == record_to_text(record)


def test_a_record_that_cannot_be_played_is_told_once(path):
    wrong = replace(won("m3"), plies=(Ply(0, "e2e5", 1),))
    file = RecordsFile(path, "chess")
    assert file.add(wrong).startswith(f"match m3 is not in {path}: ")
    assert file.add(wrong) == ""
    assert file.lost == 2
    assert file.add(won("m1")) == ""
    assert path.read_text() == record_to_pgn(won("m1"))
