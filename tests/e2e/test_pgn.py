"""Chess comes from other programs' books, is written as their PGN while it is played, and comes in again."""

import gzip
import io
import shlex

import chess.pgn
from command import Palio

BOOK = """[Event "Italian"]
[ECO "C50"]

1. e4 e5 2. Nf3 Nc6 3. Bc4 {best} Bc5 *

[Event "French"]
[SetUp "1"]
[FEN "rnbqkbnr/pppp1ppp/4p3/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"]

2. d4 d5 *
"""


def games_of(text):
    file = io.StringIO(text)
    return list(iter(lambda: chess.pgn.read_game(file), None))


def test_a_match_of_engines_by_their_words(palio: Palio, tmp_path):
    (tmp_path / "book.pgn.gz").write_bytes(gzip.compress(BOOK.encode()))
    words = shlex.split(
        "chess -each tc=10+0.1 -openings file=book.pgn.gz format=pgn plies=5 start=2 -rounds 2 -games 2"
    )
    palio("run", *words, "-pgnout", "games.pgn", "-engine", "conf=random", "name=a", "-engine", "conf=random", "name=b")
    games = games_of((tmp_path / "games.pgn").read_text())
    assert [game.errors for game in games] == [[]] * 4
    assert [game.headers.get("ECO") for game in games].count("C50") == 2
    assert sorted(" ".join(str(move) for move in [*game.mainline_moves()][:2]) for game in games) == [
        "d2d4 d7d5", "d2d4 d7d5", "e2e4 e7e5", "e2e4 e7e5",
    ]  # fmt: skip
    assert all(game.mainline().__iter__().__next__().comment == "book" for game in games)
    there = palio("import", "games.pgn", "--db", "other.db").stdout
    assert there.startswith("4 matches are brought into")
    out = palio("export", "other.db", "--format", "pgn", "--no-records").stdout
    ours, theirs = (
        {game.headers["Match"]: [*game.mainline_moves()] for game in each} for each in (games, games_of(out))
    )
    assert ours == theirs
    again = palio("run", "--resume", "1", "--rounds", "3", "--records", "games.pgn")
    assert again.returncode == 0
    assert len(games_of((tmp_path / "games.pgn").read_text())) == 6
