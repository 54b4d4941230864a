"""The games whose results have been printed, as a text that is short and exact."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import BadRecord
from palio_server.tournament.progress import PrintedResults

numbers = st.lists(st.integers(1, 40))


@given(numbers)
def test_it_has_what_was_added_in_any_order_and_reads_itself_back(added):
    announced = PrintedResults()
    for number in added:
        announced.add(number)
    assert [number for number in range(50) if number in announced] == sorted(set(added))
    assert str(PrintedResults(str(announced))) == str(announced)


@given(numbers)
def test_its_text_has_no_more_ranges_than_there_are_gaps(added):
    announced = PrintedResults()
    for number in added:
        announced.add(number)
    kept = sorted(set(added))
    ranges = sum(number - 1 not in added for number in kept)
    assert len(str(announced).split(",")) == max(ranges, 1)


def test_results_that_a_kill_has_kept_from_being_printed_are_found():
    assert PrintedResults("1,3").missing([4, 1, 2, 3]) == [2, 4]
    assert PrintedResults("1-4").missing([4, 1, 2, 3]) == []


def test_games_that_end_nearly_in_order_are_a_short_text():
    announced = PrintedResults("1-40,43")
    assert 40 in announced
    assert 41 not in announced
    announced.add(42)
    announced.add(41)
    assert str(announced) == "1-43"
    assert str(PrintedResults()) == ""


@pytest.mark.parametrize("text", ["x", "0", "3-2", "5,4", "1-3,4", "1-3,3", "1,,2", "1-", "-1", "1-2-3", "٣", "9" * 40])
def test_what_is_no_text_of_it_is_refused(text):
    with pytest.raises(BadRecord, match="are no numbers of games; write them as in 1-40,43"):
        PrintedResults(text)
