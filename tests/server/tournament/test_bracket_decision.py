"""Every pairing of a knockout comes to a decision, by the first thing that makes one, and tells by what."""

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_db.event_values import EventMatch, Plan
from palio_server.tournament.bracket import PairingTerms, decide
from palio_server.tournament.event import Encounter

numbers = count(1)


def encounter(*scores, ms=(5, 5), forfeits=(), bots=("a", "b"), kind="played", games=None, fought=True, aborted=0):
    """Games that have been played, each with the scores of `bots`; the others never were, or were aborted."""
    number = next(numbers)
    played = [
        EventMatch(f"m{number}.{game}", number, game, bots, "finished", each, ms, fought=fought)
        for game, each in enumerate(scores)
    ]
    off = [EventMatch(f"x{number}.{game}", number, len(played) + game, bots, "aborted") for game in range(aborted)]
    plan = Plan(1, 1, bots, games if games is not None else len(scores) + aborted, kind=kind)
    return Encounter(number, plan, (*played, *off), frozenset(forfeits))


WON, LOST, LEVEL = encounter((1, 0)), encounter((0, 1)), encounter((0.5, 0.5))


def verdict(*encounters, best_of=1, extra=2, gone=(), bots=("a", "b")):
    decision = decide(bots, encounters, PairingTerms(best_of, extra), gone)
    return decision.winner, decision.how, decision.again


AGAIN = (None, "", True)


def test_a_bye_needs_nothing():
    assert verdict(bots=("a",)) == ("a", "bye", False)


def test_before_anything_an_encounter_is_to_be_played():
    assert verdict() == AGAIN


def test_nothing_is_planned_while_an_encounter_is_open():
    assert verdict(encounter((1, 0), games=2), best_of=3) == (None, "", False)


def test_two_games_are_scored_as_a_whole():
    assert verdict(encounter((1, 0), (0.5, 0.5))) == ("a", "", False)


def test_best_of_three_ends_as_soon_as_nobody_can_catch_up():
    assert verdict(WON, best_of=3) == AGAIN
    assert verdict(WON, WON, best_of=3) == ("a", "", False)
    assert verdict(WON, LOST, best_of=3) == AGAIN
    assert verdict(WON, LOST, LOST, best_of=3) == ("b", "", False)
    assert verdict(LEVEL, WON, best_of=3) == AGAIN


def test_an_even_number_may_end_level_and_then_extra_encounters_follow():
    assert verdict(WON, LOST, best_of=2) == AGAIN
    assert verdict(WON, LOST, LEVEL, WON, best_of=2) == ("a", "extra encounter 2", False)


def test_after_the_extra_encounters_the_faster_clocks_decide():
    quick = encounter((0.5, 0.5), ms=(30, 20))
    assert verdict(LEVEL, LEVEL, quick) == ("b", "faster clocks", False)
    assert verdict(quick, extra=0) == ("b", "faster clocks", False)


def test_with_equal_clocks_or_none_the_better_seed_goes_on():
    assert verdict(LEVEL, LEVEL, LEVEL) == ("a", "better seed", False)
    assert verdict(encounter((0.5, 0.5), ms=()), extra=0, bots=("b", "a")) == ("b", "better seed", False)


def test_who_gives_up_an_encounter_is_out():
    assert verdict(encounter(games=2, forfeits="a")) == ("b", "forfeit", False)
    assert verdict(WON, encounter(games=2, forfeits="a"), best_of=3) == ("b", "forfeit", False)


def test_a_game_already_won_does_not_save_who_gives_up_the_other():
    assert verdict(encounter((1, 0), games=2, forfeits="a")) == ("b", "forfeit", False)


def test_games_lost_by_absence_are_told_as_forfeits():
    assert verdict(encounter((0, 1), (0, 1), fought=False)) == ("b", "forfeit", False)


def test_of_two_who_give_up_the_better_one_so_far_goes_on():
    both = encounter(games=2, forfeits="ab")
    assert verdict(both) == ("a", "better seed", False)
    assert verdict(LOST, both, best_of=3)[0] == "b"


def test_a_void_encounter_counts_nothing_and_is_not_repeated_for_ever():
    void = encounter(aborted=2)
    assert verdict(void) == AGAIN
    assert verdict(void, void, void) == ("a", "better seed", False)
    assert verdict(void, WON, best_of=2) == ("a", "", False)


def test_who_has_left_loses_what_is_not_decided_and_keeps_what_is():
    assert verdict(gone="a") == ("b", "walkover", False)
    assert verdict(WON, best_of=3, gone="a") == ("b", "walkover", False)
    assert verdict(WON, gone="a") == ("a", "", False)
    assert verdict(LEVEL, LEVEL, LEVEL, gone="a") == ("a", "better seed", False)


def test_a_planned_walkover_stands_whoever_leaves_afterwards():
    given_to_b = encounter(bots=("b",), kind="pairing-bye", games=0)
    assert verdict(given_to_b, gone="ab") == ("b", "walkover", False)


def three(*scores, **more):
    return encounter(scores, bots=("a", "b", "c"), ms=more.pop("ms", (5, 5, 5)), **more)


def test_at_a_table_only_those_who_were_level_stay_in_it():
    tied = three(0.5, 0.5, 0.0)
    bots = ("a", "b", "c")
    assert verdict(tied, bots=bots) == AGAIN
    assert verdict(tied, three(0, 0, 1), bots=bots) == AGAIN, "c was behind, and a and b are level still"
    assert verdict(tied, three(0, 1 / 3, 2 / 3), bots=bots) == ("b", "extra encounter 1", False)
    assert verdict(tied, three(0, 0, 1, ms=(9, 8, 1)), extra=1, bots=bots) == ("b", "faster clocks", False)


def test_a_table_that_somebody_left_is_decided_between_the_others():
    assert verdict(gone="a", bots=("a", "b", "c")) == ("b", "walkover", False)
    away = encounter(games=6, forfeits="c", bots=("a", "b", "c"))
    assert verdict(away, bots=("a", "b", "c")) == ("a", "forfeit", False)


outcomes = st.sampled_from([(1, 0), (0, 1), (0.5, 0.5)])


@given(st.lists(outcomes, min_size=8, max_size=8), st.integers(1, 5), st.integers(0, 3))
def test_there_is_a_decision_after_all_encounters_and_none_is_planned_after_it(results, best_of, extra):
    played = []
    while (decision := decide("ab", played, PairingTerms(best_of, extra))).again:
        played.append(encounter(results[len(played)]))
    assert decision.winner in ("a", "b")
    assert len(played) <= best_of + extra
    for left in range(len(played)):
        assert decide("ab", played[:left], PairingTerms(best_of, extra)).winner is None


@pytest.mark.parametrize("gone", ["", "a", "b", "ab"])
@given(results=st.lists(outcomes, min_size=8, max_size=8))
def test_who_leaves_after_a_decision_changes_nothing(gone, results):
    played = []
    while (decision := decide("ab", played, PairingTerms(3, 1))).again:
        played.append(encounter(results[len(played)]))
    assert decide("ab", played, PairingTerms(3, 1), gone).winner == decision.winner
