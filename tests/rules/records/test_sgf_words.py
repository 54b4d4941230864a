"""Komi and results as servers and programs of Go write them; what is none is refused with the remedy."""

import pytest

from palio_rules.records.sgf_words import komi_of, result_of


@pytest.mark.parametrize(
    ("text", "rules", "komi"),
    [
        ("", "", 0.0),
        ("0", "Chinese", 0.0),
        ("7.50", "", 7.5),
        ("6,5", "Japanese", 6.5),
        ("-5.5", "", -5.5),
        ("+7", "", 7.0),
        (".5", "", 0.5),
        ("375", "Chinese", 7.5),  # Fox: 3.75 stones
        ("325", "Chinese", 6.5),
        ("350", "chinese", 7.0),
        ("750", "Chinese", 7.5),
        ("650", "Japanese", 6.5),
        ("550", "Korean", 5.5),
        ("375", "", 7.5),
        ("3.75", "Chinese", 7.5),  # older files of GoGoD
        ("2.75", "", 5.5),
        ("3.5", "Chinese", 3.5),
        ("3 3/4", "", 7.5),
        ("3又3/4子", "Chinese", 7.5),
        ("3.5 zi", "Chinese", 7.0),
        ("6 1/2", "", 6.5),
        ("6½", "", 6.5),
        ("6.5目", "Japanese", 6.5),
        ("5.5 points", "", 5.5),
        ("-0", "", 0.0),
        ("7.25", "", 7.25),
        ("150", "", 150.0),
        ("250", "koPOSITIONALscoreAREAtaxNONEsui1", 250.0),
    ],
)
def test_a_komi_is_read_in_points(text, rules, komi):
    assert str(komi_of(text, rules)) == str(komi)


@pytest.mark.parametrize("text", ["7.125", "6.3", "-362", "1001", "380", "99999"])
def test_a_komi_that_is_no_multiple_of_a_quarter_or_too_large_is_refused(text):
    with pytest.raises(ValueError, match=r"write points, as in KM\[6\.5\]$"):
        komi_of(text, "AGA" if text == "380" else "")


@pytest.mark.parametrize("text", ["x", "?", "inf", "nan", "1e2", "-", ".", "reverse 5.5", "\u0663" * 5])
def test_what_is_no_number_is_no_komi(text):
    with pytest.raises(ValueError, match=r"write points, as in KM"):
        komi_of(text, "")


def test_our_own_komi_is_exact():
    assert komi_of("250", "Chinese", exact=True) == 250.0


@pytest.mark.parametrize(
    ("text", "winner", "how"),
    [
        ("B+R", 0, "r"),
        ("W+Resign", 1, "r"),
        ("B + Resignation", 0, "r"),
        ("b+r", 0, "r"),
        ("Black+T", 0, "t"),
        ("W+Time", 1, "t"),
        ("W+Forfeit", 1, "f"),
        ("B+", 0, ""),
        ("B+3.5", 0, ""),
        ("W+0.5 (moves after 240 not known)", 1, ""),
        ("B+R {moves after 160 not known}", 0, "r"),
        ("W+0.25", 1, ""),
        ("B+Illegal", 0, "i"),
        ("0", None, ""),
        ("Draw", None, ""),
        ("Jigo", None, ""),
        ("和棋", None, ""),
        ("White wins by resignation", 1, "r"),
        ("black wins on time", 0, "t"),
        ("B wins", 0, ""),
        ("黑中盘胜", 0, "r"),
        ("白胜3/4子", 1, ""),
        ("黒中押し勝ち", 0, "r"),
        ("白超时负", 0, "t"),
        ("흑 불계승", 0, "r"),
        ("백 시간승", 1, "t"),
    ],
)
def test_a_result_is_read_in_the_words_of_servers(text, winner, how):
    found = result_of(text)
    assert (found.winner, found.how) == (winner, how)


@pytest.mark.parametrize(
    ("text", "points"),
    [("B+24.5", 24.5), ("W+0.5 (moves after 240 not known)", 0.5), ("W+3", 3.0), ("B+", None), ("B+R", None),
     ("白胜3/4子", None), ("黑胜3子", None), ("0", None), ("B+9999", None)],
)  # fmt: skip
def test_points_are_read_where_they_are_points(text, points):
    assert result_of(text).points == points


@pytest.mark.parametrize("text", ["", "?", "Void", "Left unfinished", "black loses on time", "R", "+R", "白", "1-0"])
def test_a_game_without_a_winner_is_not_finished(text):
    assert result_of(text) is None
