"""What others write cannot drive a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.plain_text import plain


@given(st.text())
def test_whatever_it_was_it_can_be_printed(text):
    assert plain(text).isprintable()


@given(st.text())
def test_what_can_be_printed_stays_as_it_is_and_nothing_gets_lost(text):
    assert plain(plain(text)) == plain(text)
    assert [c for c in plain(text) if not c.isascii()] == [c for c in text if not c.isascii() and c.isprintable()]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202eb", "a\\u202eb"),
        ("won\r\nlost", "won\\r\\nlost"),
        ("a\ud800", "a\\ud800"),
        ("ça va, 木?", "ça va, 木?"),
    ],
)
def test_what_could_drive_a_terminal_is_shown_instead(text, shown):
    assert plain(text) == shown


def test_a_traceback_keeps_its_lines_but_nothing_else():
    assert plain("a\n\tb\r\x07", lines=True) == "a\n\tb\\r\\x07"
