"""SGF is read as programs of Go write it; what is no SGF is named with its line, and nesting costs nothing."""

import pytest

from palio_rules.records import sgf
from palio_rules.records.sgf import SgfFault, SgfGame, is_sgf, read_sgf, text_of


def nodes(text):
    (game,) = read_sgf(text)
    return game.nodes


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("(;GM[1];B[aa];W[])", [{"GM": ["1"]}, {"B": ["aa"]}, {"W": [""]}]),
        ("from a mail:\n( ; GM [1]\n;B[aa]\n\n)", [{"GM": ["1"]}, {"B": ["aa"]}]),
        ("(;AB[aa][bb]\n[cc])", [{"AB": ["aa", "bb", "cc"]}]),
        ("(;C[a \\] b \\\\ c \\: d])", [{"C": ["a ] b \\ c : d"]}]),
        ("(;C[one\\\nline])", [{"C": ["oneline"]}]),
        ("(;Black[aa];White[bb])", [{"B": ["aa"]}, {"W": ["bb"]}]),
        ("(;B[aa](;W[bb];B[cc])(;W[dd];B[ee]))", [{"B": ["aa"]}, {"W": ["bb"]}, {"B": ["cc"]}]),
        ("(;B[aa](;W[bb](;B[x])(;B[y](;W[z])))(;W[dd](;B[q])))", [{"B": ["aa"]}, {"W": ["bb"]}, {"B": ["x"]}]),
        ("(;;;)", [{}, {}, {}]),
    ],
)
def test_the_main_line_is_read(text, found):
    assert nodes(text) == found


def test_a_file_may_have_many_games_and_what_is_between_them_is_left_out():
    games = list(read_sgf("(;B[aa])\nnext\n(;B[bb])(;B[cc])"))
    assert [(game.line, game.nodes[0]["B"]) for game in games] == [(1, ["aa"]), (3, ["bb"]), (3, ["cc"])]


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("(;B[aa]\n;W[bb]", 2, "the game is not closed; the file ends before its last `)`"),
        ("(;B[aa]\n;W bb)", 2, "the property W has no value; write W[...]"),
        ("(;B[aa]\n;W[bb", 2, "the value of W has no `]` at its end; the file may be cut off"),
        ("(;B[aa] 17 )", 1, "'17 )' is no part of a game in SGF"),
    ],
)
def test_what_is_no_sgf_is_named_with_its_line(text, line, sentence):
    assert list(read_sgf(text)) == [SgfFault(line, sentence)]


def test_after_a_fault_the_next_game_is_read():
    found = list(read_sgf("(;B aa)\n(;B[bb])"))
    assert isinstance(found[0], SgfFault)
    assert found[1].nodes == [{"B": ["bb"]}]


def test_size_and_nesting_are_bounded(monkeypatch):
    monkeypatch.setattr(sgf, "MOST_NODES", 100)
    monkeypatch.setattr(sgf, "MOST_DEPTH", 100)
    (fault,) = read_sgf("(;" + ";" * 200 + ")")
    assert fault.sentence == "a game has at most 100 nodes"
    (fault,) = read_sgf("(;" * 101 + ")" * 101)
    assert fault.sentence == "variations are nested more than 100 times"


def test_deep_variations_need_no_recursion():
    (game,) = read_sgf("(;B[aa]" * 50_000 + ")" * 50_000)
    assert isinstance(game, SgfGame)
    assert len(game.nodes) == 50_000


def test_a_file_is_known_by_its_beginning():
    assert is_sgf(b"\xef\xbb\xbf(;GM[1]")
    assert is_sgf(b"\n ( ;GM[1]")
    assert is_sgf("\ufeff(;GM[1]".encode("utf-16"))
    assert is_sgf(b"From: ann\n\nour game (it was close; see below):\n\n(;GM[1]SZ[9])")
    assert not is_sgf(b'[Event "?"]')
    assert not is_sgf(b'[Event "?"]\n\n1. e4 (;B[aa])')
    assert not is_sgf(b'{"text": "(;B[aa])"}')
    assert not is_sgf(b"a mail without a game (; but with a face")
    assert not is_sgf(b"")


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ("(;CA[gb2312]PB[吴清源])".encode("gb2312"), "吴清源"),
        ("(;FF[4]CA[Shift_JIS]PB[表ソ])".encode("shift_jis"), "表ソ"),  # second bytes are backslashes
        ("(;CA[UTF-8]PB[吴])".encode("utf-8-sig"), "吴"),
        ("(;PB[André])".encode("latin-1"), "André"),
        ("(;CA[UTF-8]PB[André])".encode("latin-1"), "André"),
        ("(;CA[zip]PB[André])".encode("latin-1"), "André"),
        # those that name none
        ("(;SZ[19]PB[檀啸 七段]RE[黑中盘胜])".encode("gb18030"), "檀啸 七段"),
        ("(;SZ[19]PB[조한승]PW[박승화]RE[백 불계승])".encode("euc-kr"), "조한승"),
        ("(;SZ[19]PB[조한승])".encode("euc-kr"), "조한승"),
        ("(;SZ[19]PB[加藤正夫]PW[表ソ能]RE[白番中押し勝ち])".encode("shift_jis"), "加藤正夫"),
        ("(;PB[Søren Ærø]PW[Günther Weiß])".encode("latin-1"), "Søren Ærø"),
        ("(;CA[gbzip]PB[André])".encode("latin-1"), "André"),
        (b"(;CA[GBK]PB[" + b"\xff\xff])", "��"),
    ],
)
def test_a_file_is_read_in_the_charset_that_it_names(data, name):
    (game,) = read_sgf(text_of(data))
    assert game.said("PB") == name


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_a_mark_of_the_byte_order_says_the_charset(charset):
    mark = "\ufeff" if charset == "utf-16-be" else ""
    assert text_of(f"{mark}(;PB[棋])".encode(charset)).removeprefix("\ufeff") == "(;PB[棋])"


def test_a_property_of_older_files_may_have_digits():
    (game,) = read_sgf("(;GM[1]X1[2];B2[aa]Black[bb])")
    assert game.nodes == [{"GM": ["1"], "X1": ["2"]}, {"B2": ["aa"], "B": ["bb"]}]
