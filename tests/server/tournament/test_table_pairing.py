"""Tables of a Swiss event: each bot once, few repeated meetings, like against like, seats and byes in turn."""

from collections import Counter
from dataclasses import replace
from itertools import combinations
from random import Random
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.tournament.cards import Card, Cell
from palio_server.tournament.table_pairing import pair_tables


def fresh(size):
    return [Card(number, f"b{number}") for number in range(1, size + 1)]


def after(cards, tables, round_, random):
    """The cards with the round's results: the lower number wins two times of three."""
    cells = {}
    for table in tables:
        if len(table) == 1:
            cells[table[0]] = Cell(round_, "pairing-bye", 1.0)
            continue
        winner = min(table) if random.random() < 2 / 3 else random.choice(table)
        for number in table:
            others = tuple(other for other in table if other != number)
            parts = tuple(1.0 if number == winner else 0.0 if other == winner else 0.5 for other in others)
            cells[number] = Cell(round_, "played", float(number == winner), others, parts)
    return [replace(card, cells=(*card.cells, cells[card.number])) if card.number in cells else card for card in cards]


def played(size, rounds, seats=3, seed=0):
    cards, random, listed = fresh(size), Random(seed), []
    for round_ in range(1, rounds + 1):
        tables = pair_tables(cards, seats, range(1, size + 1))
        listed.append(tables)
        cards = after(cards, tables, round_, random)
    return cards, listed


def meetings(listed):
    return Counter(frozenset(pair) for tables in listed for table in tables for pair in combinations(table, 2))


@given(st.integers(1, 20), st.integers(1, 6), st.integers(3, 4), st.integers(0, 99))
def test_everybody_sits_at_one_table_or_has_a_bye(size, rounds, seats, seed):
    _, listed = played(size, rounds, seats, seed)
    for tables in listed:
        assert sorted(number for table in tables for number in table) == list(range(1, size + 1))
        assert sum(len(table) == 1 for table in tables) == (size % seats if size >= seats else size)
        assert {len(table) for table in tables} <= {seats, 1}


@given(st.integers(4, 20), st.integers(1, 12), st.integers(0, 99))
def test_nobody_has_a_second_bye_before_everybody_has_had_one(size, rounds, seed):
    _, listed = played(size, rounds, seed=seed)
    byes = Counter(dict.fromkeys(range(1, size + 1), 0))
    byes.update(table[0] for tables in listed for table in tables if len(table) == 1)
    assert max(byes.values()) - min(byes.values()) <= 1


@pytest.mark.parametrize(("size", "rounds"), [(9, 3), (12, 4), (15, 4), (18, 6), (30, 7), (60, 9)])
def test_nobody_meets_anybody_twice_where_that_is_easily_had(size, rounds):
    for seed in range(3):
        _, listed = played(size, rounds, seed=seed)
        assert max(meetings(listed).values()) == 1


@pytest.mark.slow
@given(st.integers(6, 15), st.integers(8, 12), st.integers(0, 99))
def test_meetings_that_must_be_repeated_are_spread(size, rounds, seed):
    _, listed = played(size, rounds, seed=seed)
    average = sum(meetings(listed).values()) / (size * (size - 1) / 2)
    assert max(meetings(listed).values()) <= average + 3


@given(st.integers(6, 15), st.integers(1, 8), st.integers(0, 99), st.randoms(use_true_random=False))
def test_the_same_cards_give_the_same_tables_in_whatever_order_they_come(size, rounds, seed, random):
    cards, _ = played(size, rounds, seed=seed)
    active = list(range(1, size + 1))
    expected = pair_tables(cards, 3, active)
    random.shuffle(cards)
    random.shuffle(active)
    assert pair_tables(cards, 3, active) == expected


@pytest.mark.slow
@given(st.integers(2, 6), st.integers(3, 12), st.integers(0, 99))
def test_each_sits_in_each_seat_about_as_often(tables, rounds, seed):
    _, listed = played(3 * tables, rounds, seed=seed)
    sat = Counter((number, seat) for each in listed for table in each for seat, number in enumerate(table))
    for number in range(1, 3 * tables + 1):
        times = [sat[number, seat] for seat in range(3)]
        assert max(times) - min(times) <= 3


def test_in_the_first_round_the_strongest_are_at_different_tables():
    assert pair_tables(fresh(9), 3, range(1, 10)) == [(1, 4, 7), (2, 5, 8), (3, 6, 9)]


def test_winners_meet_winners():
    cards = fresh(9)
    tables = [(1, 4, 7), (2, 5, 8), (3, 6, 9)]
    cards = after(cards, tables, 1, Random(1))
    winners = {card.number for card in cards if card.points == 1}
    assert set(pair_tables(cards, 3, range(1, 10))[0]) == winners


def test_who_is_not_there_is_not_seated():
    assert pair_tables(fresh(9), 3, {2, 3, 5, 7, 8, 9}) == [(2, 5, 8), (3, 7, 9)]
    assert pair_tables(fresh(9), 3, {4, 2}) == [(4,), (2,)]


def test_sixty_bots_are_seated_quickly():
    cards, _ = played(60, 8)
    begin = perf_counter()
    pair_tables(cards, 3, range(1, 61))
    assert perf_counter() - begin < 2
