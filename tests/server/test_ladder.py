"""Pairing: nobody is left out for long, nobody meets itself, near ones meet, and seats alternate."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.ladder import Idle, pair

names = st.lists(st.sampled_from([f"bot{number}" for number in range(12)]), unique=True, max_size=12)
seeds = st.integers(0, 2**32)


@st.composite
def crowds(draw):
    crowd = draw(names)
    return [
        Idle(
            name,
            rating=draw(st.floats(500, 2500)),
            games=draw(st.integers(0, 50)),
            recent=tuple(draw(st.lists(st.sampled_from(crowd), max_size=3))),
            waited=draw(st.integers(0, 3)),
            firsts=draw(st.integers(-5, 5)),
        )
        for name in crowd
    ]


@given(crowds(), seeds)
def test_everybody_plays_once_but_one_of_an_odd_number(crowd, seed):
    pairs = pair(crowd, Random(seed))
    players = [name for two in pairs for name in two]
    assert len(set(players)) == len(players) == len(crowd) // 2 * 2
    assert set(players) <= {bot.name for bot in crowd}


@given(crowds(), seeds)
def test_the_same_seed_gives_the_same_pairs(crowd, seed):
    assert pair(crowd, Random(seed)) == pair(crowd, Random(seed))


@given(crowds(), seeds)
def test_who_has_waited_longest_is_never_left_out(crowd, seed):
    left_out = {bot.name for bot in crowd} - {name for two in pair(crowd, Random(seed)) for name in two}
    longest = max((bot.waited for bot in crowd), default=0)
    waiting = [bot.name for bot in crowd if bot.waited == longest]
    if len(crowd) > 1:
        assert len(left_out & set(waiting)) <= 1
        assert not (left_out & set(waiting)) or len(waiting) > 1


@given(st.integers(2, 9), seeds)
def test_nobody_is_left_out_twice_in_a_row_and_all_meet_many(count, seed):
    rng = Random(seed)
    crowd = {f"bot{number}": Idle(f"bot{number}", rating=1500 + 10 * number) for number in range(count)}
    met = Counter()
    for _ in range(30):
        pairs = pair(list(crowd.values()), rng)
        played = {name for two in pairs for name in two}
        for first, second in pairs:
            met[frozenset((first, second))] += 1
            if count > 3:
                assert crowd[first].recent[-1:] != (second,)
            for name, other, step in ((first, second, 1), (second, first, -1)):
                bot = crowd[name]
                recent = (*bot.recent, other)[-3:]
                crowd[name] = replace(bot, recent=recent, games=bot.games + 1, waited=0, firsts=bot.firsts + step)
        for name in crowd.keys() - played:
            assert crowd[name].waited == 0
            crowd[name] = replace(crowd[name], waited=1)
    games = [bot.games for bot in crowd.values()]
    assert max(games) - min(games) <= 2
    assert all(abs(bot.firsts) <= 3 for bot in crowd.values())
    assert len(met) >= min(count, count * (count - 1) // 2)


def test_near_ratings_meet():
    crowd = [Idle("a", 1000), Idle("b", 2000), Idle("c", 1010), Idle("d", 2020)]
    for seed in range(20):
        assert {frozenset(two) for two in pair(crowd, Random(seed))} == {frozenset("ac"), frozenset("bd")}


def test_few_games_come_first():
    crowd = [
        Idle("old", games=90),
        Idle("older", games=99),
        Idle("new", games=1),
        Idle("newer"),
        Idle("middle", games=50),
    ]
    assert all("older" not in two for two in pair(crowd, Random(1)))


def test_two_who_have_just_met_are_parted_where_it_is_possible():
    crowd = [
        Idle("a", 1000, recent=("b",)),
        Idle("b", 1001, recent=("a",)),
        Idle("c", 2000, recent=("d",)),
        Idle("d", 2001, recent=("c",)),
    ]
    for seed in range(20):
        assert not {frozenset(two) for two in pair(crowd, Random(seed))} & {frozenset("ab"), frozenset("cd")}
    assert {frozenset(two) for two in pair(crowd[:2], Random(0))} == {frozenset("ab")}


def test_who_was_second_is_first():
    assert pair([Idle("a", firsts=1), Idle("b", firsts=-1)], Random(0)) == [("b", "a")]


@pytest.mark.parametrize("crowd", [[], [Idle("alone")]])
def test_nobody_to_pair(crowd):
    assert pair(crowd, Random(0)) == []
