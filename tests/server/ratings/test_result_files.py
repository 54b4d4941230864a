"""Results are read from CSV, PGN and our records, and what is wrong is refused with its line."""

import json

import pytest

from palio_rules.errors import BadRecord
from palio_server.ratings.result_files import GameResult, read_results


def read(name, text):
    return [(game.first, game.second, game.score) for game in read_results(name, text.encode()).games]


def test_csv_may_have_quotes_a_mark_at_its_start_blank_lines_and_other_line_ends():
    text = '\ufefffirst,second,score\r\na,b,1\r\n\r\n"b, x",a,0.5\r\n"say ""hi""",b,1/2\r\nb,a,0.75\r\n,,\r\n'
    assert read("games.csv", text) == [("a", "b", 1.0), ("b, x", "a", 0.5), ('say "hi"', "b", 0.5), ("b", "a", 0.75)]


def test_columns_of_csv_may_stand_in_any_order_among_others():
    assert read("games", "round,Score,Second,First\n1,1,b,a\n") == [("a", "b", 1.0)]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "games.csv: there is nothing in it"),
        ("a,b,1\n", "games.csv:1: the header must be first,second,score; first, second, score is missing"),
        ("first,second,score\na,b,1\na,b\n", "games.csv:3: a row has first, second and score, got 'a,b'"),
        ("first,second,score\na,b,2\n", "games.csv:2: a score is the first one's points from 0 to 1, got '2'"),
        ("first,second,score\na,b,won\n", "games.csv:2: .*got 'won'"),
        ("first,second,score\na,b,nan\n", "games.csv:2: .*got 'nan'"),
        ("first,second,score\na,b,1/0\n", "games.csv:2: .*got '1/0'"),
        ("first,second,score\n\na,a,1\n", "games.csv:3: 'a' plays against itself"),
        ("first,second,score\n,a,1\n", "games.csv:2: a player has no name"),
        ('first,second,score\n"a,b,1\n', "games.csv:.*quote names"),
    ],
)
def test_csv_that_cannot_be_read_is_refused_with_its_line(text, sentence):
    with pytest.raises(BadRecord, match=sentence):
        read("games.csv", text)


PGN = r"""
[Event "x"]
[White "Ann \"the\" One"]
[Black "Bob"]
[Result "1-0"]

1. e4 {a comment [White "nobody"] } e5 (1... c5 {[Result "0-1"]}) 2. Nf3 ; [Black "nobody"]
% [White "nobody"]
1-0

[White "Bob"]
[Black "Cid"]
[Result "1/2-1/2"]

1/2-1/2
[White "Cid"] [Black "Bob"]
[Result "*"]
*

[White "Cid"]
[Black "Bob"]
[Result "0-1"]
[White "Bob"]
[Black "Cid"]
[Result "0-1"]
"""


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_of_pgn_the_tags_count_and_comments_confuse_nobody(ends):
    found = read_results("games.pgn", PGN.replace("\n", ends).encode())
    assert found.games == [
        GameResult('Ann "the" One', "Bob", 1.0),
        GameResult("Bob", "Cid", 0.5),
        GameResult("Cid", "Bob", 0.0),
        GameResult("Bob", "Cid", 0.0),
    ]
    assert found.unfinished == 1


def test_pgn_may_be_in_latin_1():
    data = '[White "J\xf6rg"]\n[Black "b"]\n[Result "1-0"]\n\n1-0\n'.encode("latin-1")
    assert read_results("x.pgn", data).games == [GameResult("J\xf6rg", "b", 1.0)]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1. e4 e5 1-0\n", "x.pgn: there is no game in it"),
        ('\n[Event "x"]\n\n1. e4 1-0\n', "x.pgn:2: the game has no tags White and Black"),
        ('[White "a"]\n[Black "b"]\n[Result "2-0"]\n', "x.pgn:1: the result is 1-0, 0-1, 1/2-1/2 or"),
        ('[White "a"]\n[Result "1-0"]\n', "x.pgn:1: a player has no name"),
    ],
)
def test_pgn_that_cannot_be_read_is_refused_with_its_line(text, sentence):
    with pytest.raises(BadRecord, match=sentence):
        read("x.pgn", text)


RECORD = """[Match "m1"]
[Game "chexers"]
[Seat.red "ann"]
[Seat.green "bob"]
[Seat.blue "cid"]
[Result "1 1/2 0"]

1. a {0.1s note="[Seat.red"}
1 1/2 0
"""


def test_a_table_of_three_is_three_pairs():
    expected = [("ann", "bob", 1.0), ("ann", "cid", 1.0), ("bob", "cid", 1.0)]
    assert read("games.txt", RECORD.replace("1 1/2 0", "1.0 0.5 0.0")) == expected
    record = {"match": "m", "setup": {"bots": ["ann", "bob", "cid"]}, "result": {"scores": [1, 0.5, 0]}}
    assert read("games.json", json.dumps(record)) == expected
    assert read("games.jsonl", f"{json.dumps(record)}\n\n{json.dumps(record)}\n") == expected * 2
    assert read("games", json.dumps([record])) == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"match": 1}\n', "g.json: record 1: not a record"),
        ('{"a": 1}\n{"a"\n', "g.json:1: not a record"),
        ('{"setup": {"bots": ["a", "b"]}, "result": {"scores": [1]}}', "2 bots have 1 scores"),
    ],
)
def test_json_that_is_no_record_is_refused(text, sentence):
    with pytest.raises(BadRecord, match=sentence):
        read("g.json", text)


def test_matches_that_are_void_are_left_out():
    tags = '[White "ann"]\n[Black "bob"]\n[Result "1-0"]\n'
    assert len(read_results("a.pgn", f'{tags}[Void "rigged"]\n\n1-0\n\n{tags}\n1-0\n'.encode()).games) == 1
    record = {"setup": {"bots": ["ann", "bob"]}, "result": {"scores": [1, 0]}}
    void = {"void": {"reason": "rigged", "by": "eve", "at": "2026-05-01T12:00:00Z"}}
    assert len(read_results("a.json", json.dumps([record | void, record]).encode()).games) == 1
    absent = {"absent": [1]}
    assert len(read_results("a.json", json.dumps([record | absent, record]).encode()).games) == 1


def test_matches_that_are_not_rated_are_left_out():
    tags = '[White "ann"]\n[Black "bob"]\n[Result "1-0"]\n'
    unrated = '[Unrated "yes"]\n'
    assert len(read_results("a.pgn", f"{tags}{unrated}\n1-0\n\n{tags}\n1-0\n".encode()).games) == 1
    records = [
        {"setup": {"bots": ["ann", "bob"], "rated": rated}, "result": {"scores": [1, 0]}} for rated in (True, False)
    ]
    assert len(read_results("a.json", json.dumps(records).encode()).games) == 1
