"""Pairing on the ladder: no bot is left out for long or meets itself, near ones meet, and seats take turns."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.tournament import ladder_pairing
from palio_server.tournament.ladder_pairing import HEAT, Idle, groups, heats, just_met

names = st.lists(st.sampled_from([f"bot{number}" for number in range(12)]), unique=True, max_size=12)
seeds = st.integers(0, 2**32)
sizes = st.integers(2, 4)


@st.composite
def crowds(draw):
    crowd = draw(names)
    return [
        Idle(
            name,
            rating=draw(st.floats(500, 2500)),
            games=draw(st.integers(0, 50)),
            recent=tuple(draw(st.lists(st.sampled_from(crowd), max_size=6))),
            waited=draw(st.integers(0, 3)),
            sat=tuple(draw(st.lists(st.integers(0, 9), max_size=4))),
        )
        for name in crowd
    ]


def pairs(crowd, seed):
    return [tuple(bot.name for bot in group) for group in groups(crowd, 2, Random(seed))]


def players(found):
    return [bot.name for group in found for bot in group]


@given(crowds(), sizes, seeds)
def test_everybody_plays_once_but_those_who_do_not_fill_a_table(crowd, seats, seed):
    playing = players(groups(crowd, seats, Random(seed)))
    assert len(set(playing)) == len(playing) == len(crowd) // seats * seats
    assert set(playing) <= {bot.name for bot in crowd}


@given(crowds(), sizes, seeds)
def test_the_same_seed_gives_the_same_groups(crowd, seats, seed):
    assert groups(crowd, seats, Random(seed)) == groups(crowd, seats, Random(seed))
    assert heats(crowd, Random(seed)) == heats(crowd, Random(seed))


@given(crowds(), sizes, seeds)
def test_who_has_waited_longest_plays_if_there_is_a_table_at_all(crowd, seats, seed):
    playing = set(players(groups(crowd, seats, Random(seed))))
    left_out = [bot for bot in crowd if bot.name not in playing]
    if len(crowd) >= seats:
        assert len(left_out) < seats
        assert all(bot.waited <= other.waited for bot in left_out for other in crowd if other.name in playing)


@given(sizes, st.integers(0, 7), seeds)
def test_nobody_is_left_out_twice_in_a_row_and_all_meet_many(seats, more, seed):
    rng, count = Random(seed), seats + more
    crowd = {f"bot{number}": Idle(f"bot{number}", rating=1500 + 10 * number) for number in range(count)}
    met = Counter()
    for _ in range(30):
        found = groups(list(crowd.values()), seats, rng)
        for group in found:
            if count > 2 * seats - 1:
                assert not just_met(group)
            for seat, bot in enumerate(group):
                others = [other.name for other in group if other is not bot]
                met.update(frozenset((bot.name, other)) for other in others)
                sat = tuple(bot.times_in(place) + (place == seat) for place in range(seats))
                recent = (*bot.recent, *others)[-3 * (seats - 1) :]
                crowd[bot.name] = replace(bot, recent=recent, games=bot.games + 1, waited=0, sat=sat)
        for name in crowd.keys() - set(players(found)):
            assert crowd[name].waited == 0
            crowd[name] = replace(crowd[name], waited=1)
    games = [bot.games for bot in crowd.values()]
    assert max(games) - min(games) <= 2
    assert all(max(bot.sat) - min(bot.sat) <= 4 for bot in crowd.values())
    assert len(met) >= min(count, count * (count - 1) // 2)


def test_near_ratings_meet():
    crowd = [Idle("a", 1000), Idle("b", 2000), Idle("c", 1010), Idle("d", 2020)]
    for seed in range(20):
        assert {frozenset(two) for two in pairs(crowd, seed)} == {frozenset("ac"), frozenset("bd")}


def test_near_ratings_sit_at_one_table():
    crowd = [Idle(name, rating) for name, rating in zip("abcdef", (1000, 2000, 1010, 2020, 1020, 2010), strict=True)]
    for seed in range(20):
        found = {frozenset(bot.name for bot in group) for group in groups(crowd, 3, Random(seed))}
        assert found == {frozenset("ace"), frozenset("bdf")}


def test_few_games_come_first():
    crowd = [
        Idle("old", games=90),
        Idle("older", games=99),
        Idle("new", games=1),
        Idle("newer"),
        Idle("middle", games=50),
    ]
    assert all("older" not in two for two in pairs(crowd, 1))


def test_two_who_have_just_met_are_parted_where_it_is_possible():
    crowd = [
        Idle("a", 1000, recent=("b",)),
        Idle("b", 1001, recent=("a",)),
        Idle("c", 2000, recent=("d",)),
        Idle("d", 2001, recent=("c",)),
    ]
    for seed in range(20):
        assert not {frozenset(two) for two in pairs(crowd, seed)} & {frozenset("ab"), frozenset("cd")}
    assert {frozenset(two) for two in pairs(crowd[:2], 0)} == {frozenset("ab")}


def test_three_who_have_just_met_are_parted_where_it_is_possible():
    crowd = [Idle(name, 1000, recent=tuple("abc".replace(name, ""))) for name in "abc"]
    crowd += [Idle(name, 2000, recent=tuple("def".replace(name, ""))) for name in "def"]
    for seed in range(20):
        assert not any(map(just_met, groups(crowd, 3, Random(seed))))
    assert all(map(just_met, groups(crowd[:3], 3, Random(0))))


def test_who_was_second_is_first():
    assert pairs([Idle("a", sat=(2, 1)), Idle("b", sat=(1, 2))], 0) == [("b", "a")]


def test_at_a_table_everybody_gets_the_seat_that_it_has_had_least():
    crowd = [Idle("a", sat=(0, 1, 1)), Idle("b", sat=(1, 1, 0)), Idle("c", sat=(1, 0, 1))]
    for seed in range(5):
        [group] = groups(crowd, 3, Random(seed))
        assert [bot.name for bot in group] == ["a", "c", "b"]


@pytest.mark.parametrize("crowd", [[], [Idle("alone")]])
def test_nobody_to_meet(crowd):
    assert groups(crowd, 2, Random(0)) == heats(crowd, Random(0)) == []


@given(crowds(), seeds)
def test_in_a_race_everybody_runs_with_others_and_no_heat_is_too_large(crowd, seed):
    found = heats(crowd, Random(seed))
    if len(crowd) > 1:
        assert sorted(players(found)) == sorted(bot.name for bot in crowd)
        assert all(2 <= len(heat) <= HEAT for heat in found)
        assert max(map(len, found)) - min(map(len, found)) <= 1


def test_where_there_are_two_heats_near_ratings_run_together():
    crowd = [Idle(f"bot{number}", 1000 + 100 * number) for number in range(HEAT + 2)]
    low, high = heats(crowd, Random(0))
    assert max(bot.rating for bot in low) < min(bot.rating for bot in high)


def groups_by_looking_at_everybody(idle, seats, rng):
    """Do the same as `groups`, by comparing every remaining bot each time."""
    order = sorted(idle, key=lambda bot: (-bot.waited, bot.games, rng.random()))
    del order[len(order) // seats * seats :]
    found = []
    while order:
        group = [order.pop(0)]
        while len(group) < seats:
            best = min(order, key=lambda other: ladder_pairing._distance(group, other, seats - 1))
            order.remove(best)
            group.append(best)
        found.append(tuple(group))
    ladder_pairing._swap_repeats(found)
    return [ladder_pairing._seated(group, rng) for group in found]


@given(crowds(), sizes, seeds)
def test_the_groups_are_those_that_looking_at_everybody_finds(crowd, seats, seed):
    assert groups(crowd, seats, Random(seed)) == groups_by_looking_at_everybody(crowd, seats, Random(seed))


@given(seeds, st.integers(2, 4))
def test_so_are_those_of_a_larger_crowd_of_few_ratings(seed, seats):
    rng = Random(seed)
    crowd = [
        Idle(
            f"bot{number}",
            rating=rng.choice((1500.0, 1500.25, rng.uniform(1400, 1600))),
            games=rng.randrange(3),
            recent=tuple(f"bot{rng.randrange(60)}" for _ in range(rng.randrange(6))),
            waited=rng.randrange(2),
        )
        for number in range(60)
    ]
    assert groups(crowd, seats, Random(seed)) == groups_by_looking_at_everybody(crowd, seats, Random(seed))
