"""Whole knockouts, with random results and failures: one winner, never stuck, the same after a restart."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_server.tournament.format import format_of

EVENTS = 30  # whole ones that a law is tried on; they are long
seeds = st.integers(0, 2**32)
sizes = st.integers(2, 40)
rules = st.fixed_dictionaries(
    {
        "best_of": st.integers(1, 4),
        "extra": st.integers(0, 2),
        "third_place": st.booleans(),
        "games_per_encounter": st.sampled_from([None, 1]),
    }
)


def check_end(format_, event):
    lines = format_.standings(event)
    assert sorted(line.bot for line in lines) == sorted(entry.bot for entry in event.entries)
    assert [line.rank for line in lines].count(1) == 1, "one winner"
    assert [line.rank for line in lines] == sorted(line.rank for line in lines)
    assert format_.next(event, 100) == [] or all(plan.kind != "played" for plan in format_.next(event, 100))
    for encounter in event.encounters:
        assert all(format_.why(event, encounter))


@pytest.mark.slow
@given(sizes, rules, seeds)
def test_a_knockout_of_any_size_has_one_winner_whatever_happens(director, count, settings, seed):
    format_ = format_of("knockout", settings)
    events = director(format_, count, seed=seed, faults=True)
    format_.check(events.event())
    check_end(format_, events.play_out())


@given(st.integers(1, 9), rules, seeds)
def test_a_knockout_of_tables_of_three_has_one_winner_whatever_happens(director, half, settings, seed):
    format_ = format_of("knockout", settings)
    events = director(format_, 2 * half + 1, "chexers", seed=seed, faults=True)
    format_.check(events.event())
    check_end(format_, events.play_out())


@pytest.mark.slow
@settings(max_examples=EVENTS)
@given(sizes, st.integers(1, 3), seeds)
def test_without_faults_the_total_is_kept_or_passed_by_extra_encounters_only(director, count, best_of, seed):
    format_ = format_of("knockout", {"best_of": best_of, "extra": 0})
    events = director(format_, count, seed=seed)
    before = format_.total(events.event())
    after = format_.total(events.play_out())
    played = len(events.matches)
    assert after == played <= before == 2 * best_of * (count - 1 + (count > 3))


@pytest.mark.slow
@settings(max_examples=15)
@given(sizes)
def test_where_the_stronger_always_wins_the_seeds_are_the_order(director, count):
    format_ = format_of("knockout")
    event = director(format_, count, stronger=True).play_out()
    lines = format_.standings(event)
    assert [line.bot for line in lines] == [f"b{number}" for number in range(1, count + 1)]
    assert [line.rank for line in lines[:4]] == [1, 2, 3, 4][: min(count, 4)]


@given(st.integers(2, 12), seeds)
def test_a_race_is_run_in_heats_of_two(director, count, seed):
    format_ = format_of("knockout")
    events = director(format_, count, "tsp", seed=seed, faults=True)
    check_end(format_, events.play_out())
    assert {len(match.bots) for match in events.matches.values()} <= {2}


@pytest.mark.slow
@pytest.mark.parametrize("count", range(2, 41))
def test_knockouts_of_each_size_end_well(director, count):
    for seed in range(6):
        format_ = format_of("knockout", {"best_of": 1 + seed % 3, "extra": seed % 2})
        check_end(format_, director(format_, count, seed=seed, faults=True).play_out())
