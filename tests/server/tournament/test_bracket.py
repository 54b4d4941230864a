"""Brackets: seeds meet as late as they can, byes go to the best, tables are full, pictures have neighbours meet."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_server.tournament.bracket import THIRD_PLACE, check_size, first_tables, pairings

sizes = st.integers(2, 200)


def reached(found, seats=2):
    """The lowest seeds in each round if the better seed always wins, as sets by round."""
    winners, rounds = {}, {}
    for pairing in found:
        bots = [source if isinstance(source, int) else winners[source] for source in pairing.sources]
        winners[pairing.id] = min(bots)
        rounds.setdefault(pairing.round, set()).update(bots)
    return rounds


def test_sixteen_are_drawn_as_everywhere():
    first = [pairing.sources for pairing in pairings(16) if pairing.round == 1]
    assert first == [(1, 16), (8, 9), (4, 13), (5, 12), (2, 15), (7, 10), (3, 14), (6, 11)]


def test_the_rounds_have_the_names_that_people_use():
    names = [pairing.id for pairing in pairings(16, third_place=True)]
    assert names[0] == "round of 16, match 1"
    assert names[8:] == [
        "quarter-final 1",
        "quarter-final 2",
        "quarter-final 3",
        "quarter-final 4",
        "semi-final 1",
        "semi-final 2",
        "final",
        "third place",
    ]
    assert [pairing.id for pairing in pairings(9, 3)] == ["semi-final 1", "semi-final 2", "semi-final 3", "final"]
    assert pairings(27, 3)[8].id == "round 1, table 9"


@given(sizes)
def test_the_best_seeds_are_kept_apart_until_there_is_room_for_no_others(count):
    rounds = reached(pairings(count))
    last = max(rounds)
    for number, bots in rounds.items():
        if number > 1:
            assert bots == set(range(1, 2 ** (last - number + 1) + 1))
    assert rounds[1] == set(range(1, count + 1))


@given(sizes)
def test_byes_fill_the_bracket_and_go_to_the_best(count):
    byes = [pairing.sources[0] for pairing in pairings(count) if len(pairing.sources) == 1]
    size = 1 << (count - 1).bit_length()
    assert sorted(byes) == list(range(1, size - count + 1))


@given(st.integers(3, 5), st.integers(1, 40))
def test_at_tables_each_is_full_and_one_is_left(seats, tables):
    count = tables * (seats - 1) + 1
    found = pairings(count, seats)
    assert sum(len(pairing.sources) == seats for pairing in found) == tables
    assert {len(pairing.sources) for pairing in found} <= {1, seats}
    assert {pairing.round for pairing in found if len(pairing.sources) == 1} <= {1}
    assert sum(len(pairing.sources) - 1 for pairing in found) == count - 1
    best = reached(found)
    assert best[max(best)] == set(range(1, seats + 1))


@given(sizes)
def test_neighbours_on_the_boards_meet_in_the_next_round(count):
    found = {pairing.id: pairing for pairing in pairings(count)}
    for pairing in found.values():
        boards = [found[source].board for source in pairing.sources if isinstance(source, str)]
        if boards:
            assert sorted(boards) == [2 * pairing.board - 1, 2 * pairing.board]


@given(sizes)
def test_each_place_is_drawn_once_and_each_winner_goes_to_one_place(count):
    found = pairings(count)
    sources = [source for pairing in found for source in pairing.sources]
    assert len(set(sources)) == len(sources) == count + len(found) - 1
    assert len({(pairing.round, pairing.board) for pairing in found}) == len(found)


def test_a_third_place_needs_two_losers_of_semi_finals():
    assert pairings(3, third_place=True)[-1].id == "final"
    third = pairings(4, third_place=True)[-1]
    assert (third.id, third.round, third.board, third.losers) == (THIRD_PLACE, 2, 2, True)
    assert pairings(9, 3, third_place=True)[-1].id == "final"


def test_one_bot_needs_no_pairing():
    assert pairings(1) == []


def test_nine_at_tables_of_three_are_dealt_in_a_snake():
    assert first_tables(9, 3) == [[1, 6, 7], [2, 5, 8], [3, 4, 9]]
    assert first_tables(7, 3) == [[1], [2, 5, 6], [3, 4, 7]]


@pytest.mark.parametrize(("bots", "seats"), [(2, 2), (3, 2), (40, 2), (3, 3), (9, 3), (11, 3), (4, 4), (7, 4)])
def test_a_size_that_fills_the_tables_is_taken(bots, seats):
    check_size(bots, seats)


def test_a_size_that_does_not_is_refused_with_those_that_do():
    with pytest.raises(BadOption, match=r"at tables of 3 cannot have 8 bots.*take 7 or 9"):
        check_size(8, 3)
    with pytest.raises(BadOption, match="take 7 or 10"):
        check_size(8, 4)
    with pytest.raises(BadOption, match="needs 2 bots at least, 1 can play"):
        check_size(1, 2)
