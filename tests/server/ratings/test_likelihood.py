"""Ratings by likelihood alone: equal to what is known in closed form, and honest where none is finite."""

from math import log10, sqrt
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_server.ratings.bradley_terry import ELO
from palio_server.ratings.likelihood import rate_likeliest, table_of
from palio_server.ratings.result_files import GameResult


def rated(games, **more):
    found = rate_likeliest(table_of([GameResult(*game) for game in games]), **more)
    return {line.name: line for line in found.lines}, found.reasons


def test_76_per_cent_are_200_elo_which_ordo_calls_202():
    """Ordo's ratings times 0.9913 equal these: its README says 76 % for 202 Elo."""
    lines, reasons = rated([("a", "b", 1)] * 76 + [("a", "b", 0)] * 24)
    apart = lines["a"].rating - lines["b"].rating
    assert apart == pytest.approx(400 * log10(76 / 24), abs=1e-4)
    assert apart == pytest.approx(202 * 0.9913, abs=0.03)
    assert reasons == []


def test_the_error_holds_the_mean_fixed():
    """Of two, each stands half of the difference off the mean: information n p (1 - p) on the difference."""
    lines, _ = rated([("a", "b", 1)] * 30 + [("b", "a", 1)] * 10)
    assert lines["a"].error == pytest.approx(1.96 * ELO / sqrt(40 * 0.75 * 0.25) / 2, rel=1e-4)
    assert (lines["a"].games, lines["a"].score) == (40, 30.0)


def by_zermelo(games):
    """The same by the plainest algorithm: Zermelo, "Die Berechnung der Turnier-Ergebnisse" (1929)."""
    names = sorted({name for game in games for name in game[:2]})
    gamma = dict.fromkeys(names, 1.0)
    for _ in range(20_000):
        new = {}
        for name in names:
            mine = [game for game in games if name in game[:2]]
            points = sum(score if first == name else 1 - score for first, _, score in mine)
            new[name] = points / sum(1 / (gamma[first] + gamma[second]) for first, second, _ in mine)
        scale = np.exp(np.mean(np.log([*new.values()])))
        new = {name: value / scale for name, value in new.items()}
        if max(abs(new[name] / gamma[name] - 1) for name in names) < 1e-13:
            break
        gamma = new
    return {name: 400 * log10(value) for name, value in new.items()}


@pytest.mark.parametrize("seed", range(5))
def test_it_agrees_with_zermelos_iteration(seed):
    random = Random(seed)
    games = [(*random.sample("abcdefg", 2), random.choice([0, 0.5, 1])) for _ in range(120)]
    lines, reasons = rated(games)
    assert reasons == []
    for name, rating in by_zermelo(games).items():
        assert lines[name].rating == pytest.approx(rating, abs=1e-3)
    assert sum(line.rating for line in lines.values()) == pytest.approx(0, abs=1e-6)


def test_the_mean_and_an_anchor_move_all_and_change_no_error():
    games = [("a", "b", 1), ("b", "c", 1), ("c", "a", 0.5), ("b", "a", 0.5)]
    plain, _ = rated(games)
    moved, _ = rated(games, mean=1500)
    held, _ = rated(games, anchors={"c": 2000})
    for name, line in plain.items():
        assert moved[name].rating == pytest.approx(line.rating + 1500)
        assert held[name].rating == pytest.approx(line.rating - plain["c"].rating + 2000)
        assert held[name].error == pytest.approx(line.error)


def test_several_anchors_are_held_fixed():
    games = [("a", "b", 1), ("b", "c", 1), ("c", "a", 1), ("d", "a", 0.5), ("d", "b", 1), ("c", "d", 1)]
    lines, _ = rated(games, anchors={"a": 100, "b": 300})
    assert (lines["a"].rating, lines["b"].rating) == (pytest.approx(100), pytest.approx(300))
    assert (lines["a"].error, lines["b"].error) == (0, 0)
    assert lines["d"].error > 0


def test_an_anchor_without_a_game_is_refused():
    with pytest.raises(BadOption, match="did you mean 'anna'"):
        rated([("anna", "b", 1)], anchors={"ana": 1})


CIRCLE = [("a", "b", 1), ("b", "c", 1), ("c", "a", 1)]


def test_who_has_won_everything_has_no_rating_and_the_others_have():
    lines, reasons = rated([*CIRCLE, ("z", "a", 1), ("b", "y", 1)])
    assert lines["z"].rating is None
    assert lines["y"].rating is None
    assert [lines[name].rating for name in "abc"] == pytest.approx([0, 0, 0], abs=1e-6)
    assert any("z won every game" in reason for reason in reasons)
    assert any("y lost every game" in reason for reason in reasons)


def test_whoever_has_no_rating_is_explained_though_it_has_won_some_and_lost_some():
    lines, reasons = rated([("a", "b", 1), ("b", "c", 1), ("c", "d", 0.5), ("c", "d", 0.4)])
    assert (lines["a"].rating, lines["b"].rating) == (None, None)
    assert [reason.partition(":")[0] for reason in reasons] == [
        "a won every game",
        "the field falls apart into 3 parts (of 1, 1, 2 players), one of which has taken no point from the next",
    ]


def test_many_players_need_no_matrix_of_all_and_that_is_told(monkeypatch):
    random = Random(1)
    games = [(*map(str, random.sample(range(60), 2)), random.choice((0, 0.5, 1))) for _ in range(2000)]
    exact, none = rated(games)
    monkeypatch.setattr("palio_server.ratings.likelihood.EXACT", 50)
    lines, reasons = rated(games)
    assert none == []
    assert reasons == ["of more than 50 players errors are estimates, too small where few games connect them"]
    for name, line in lines.items():
        assert line.rating == exact[name].rating
        assert line.error == pytest.approx(exact[name].error, rel=0.03)


def test_groups_that_have_not_met_have_a_mean_each():
    lines, reasons = rated([*CIRCLE, ("d", "e", 1), ("e", "d", 1)], mean=1000)
    assert [lines[name].rating for name in "abcde"] == pytest.approx([1000] * 5)
    assert (lines["a"].part, lines["d"].part) == (1, 2)
    assert "2 groups that have not met" in reasons[0]


def test_a_part_that_has_taken_no_point_from_another_stands_apart():
    lines, reasons = rated([*CIRCLE, ("d", "e", 1), ("e", "d", 1), ("a", "d", 1), ("b", "e", 1)])
    assert {lines[name].part for name in "abc"} == {1}
    assert {lines[name].part for name in "de"} == {2}
    assert "one of which has taken no point from the next" in reasons[0]


@given(
    st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde"), st.sampled_from([0, 0.5, 1])), min_size=1)
)
def test_ratings_stand_exactly_where_everybody_has_taken_points_from_everybody_through_others(games):
    games = [game for game in games if game[0] != game[1]]
    if not games:
        return
    took = {(first, second) for first, second, score in games if score > 0}
    took |= {(second, first) for first, second, score in games if score < 1}
    names = {name for game in games for name in game[:2]}
    reach = {name: {name} for name in names}
    for _ in names:
        for first, second in took:
            for name in names:
                if first in reach[name]:
                    reach[name].add(second)
    lines, reasons = rated(games)
    for one in names:
        for other in names:
            assert (lines[one].part == lines[other].part) == (other in reach[one] and one in reach[other])
    assert bool(reasons) == (len({line.part for line in lines.values()}) > 1)
