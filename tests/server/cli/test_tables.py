"""Tables of any width line up, and a pipe gets only the columns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.cli.printing import columns, seconds, show_table

words = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=30)


def test_names_stand_left_and_figures_right():
    assert columns([["bot", "games"], ["random", "7"]]).splitlines() == ["bot     games", "random      7"]


@given(st.integers(1, 5).flatmap(lambda width: st.lists(st.lists(words, min_size=width, max_size=width), min_size=1)))
def test_every_cell_is_printed_whole(cells):
    for line, shown in zip(cells, columns(cells).splitlines(), strict=True):
        assert shown.split() == line


def test_a_wide_table_is_not_cut_for_a_pipe(capsys):
    show_table([["bot", "x"], ["b" * 200, "1"]], title="Ranking")
    assert capsys.readouterr().out.splitlines() == ["Ranking", f"bot{' ' * 197}  x", f"{'b' * 200}  1"]


@pytest.mark.parametrize(("ms", "shown"), [(None, "-"), (0, "0.0 s"), (59_940, "59.9 s"), (299_000, "4:59")])
def test_a_clock_is_shown_as_people_read_it(ms, shown):
    assert seconds(ms) == shown


def test_what_others_have_named_cannot_drive_the_terminal():
    assert columns([["event"], ["\x1b[2Jcup\n"]]) == "event\n\\x1b[2Jcup\\n"
