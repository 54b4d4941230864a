"""The lines that scripts written for cutechess-cli and fastchess look for."""

import re

import pytest

from palio_db.values import Rating
from palio_rules.contract.messages import Finish, Result
from palio_server.ratings.elo import Score
from palio_server.ratings.sprt import SequentialTest
from palio_server.tournament.score_lines import (
    elo_line,
    finished,
    llr_line,
    outcome,
    paid,
    rating_rows,
    score_line,
    started,
    why,
)


def test_the_score_line_is_cutechess_own():
    assert score_line("A", "B", Score(5, 3, 2)) == "Score of A vs B: 5 - 3 - 2  [0.600] 10"


def test_the_elo_line_has_an_error_bar():
    assert elo_line(Score(5, 3, 2)) == "Elo difference: 70.4 +/- 226.8, LOS: 76.0 %, DrawRatio: 20.0 %"
    assert re.match(r"Elo difference: 8\.0 \+/- 8\.1, ", elo_line(Score(1083, 995, 1760)))


def test_a_clean_sheet_prints_inf():
    assert elo_line(Score(0, 4, 0)) == "Elo difference: -inf +/- inf, LOS: 2.3 %, DrawRatio: 0.0 %"


def test_games_are_announced_with_their_number_and_the_total():
    assert started(1, 10, ["A", "B"]) == "Started game 1 of 10 (A vs B)"


def test_a_game_won_by_rule_gives_its_reason():
    result = Result("rule", "reached-far-row", [1.0, 0.0])
    assert finished(1, ["A", "B"], result) == "Finished game 1 (A vs B): 1-0 {reached-far-row}"


def test_a_game_lost_otherwise_says_how():
    result = Result("time", "flag-fell", [0.0, 1.0], seat=0)
    assert finished(7, ["A", "B"], result) == "Finished game 7 (A vs B): 0-1 {time: flag-fell}"


@pytest.mark.parametrize(
    ("scores", "text"),
    [
        ([1, 0], "1-0"),
        ([0.5, 0.5], "1/2-1/2"),
        ([0, 0], "0-0"),
        ([0, 1, 0], "0-1-0"),
        ([1 / 3] * 3, "1/3-1/3-1/3"),
        ([0.25] * 4, "0.25-0.25-0.25-0.25"),
    ],
)
def test_an_outcome_reads_as_in_chess(scores, text):
    assert outcome(scores) == text


def test_three_bots_at_a_table_play_against_each_other():
    assert started(3, 12, ["A", "B", "C"]) == "Started game 3 of 12 (A vs B vs C)"
    result = Result("rule", "four-exits", [1.0, 0.0, 0.0])
    assert finished(3, ["A", "B", "C"], result) == "Finished game 3 (A vs B vs C): 1-0-0 {four-exits}"


def test_a_race_tells_what_each_paid_in_order_of_rank():
    finishes = [Finish("rule", "solved", 14), Finish("time", "flag-fell", None), Finish("rule", "solved", 12)]
    result = Result("rule", "ranked", [0.5, 0.0, 1.0], finishes=finishes)
    assert started(2, 5, ["A", "B", "C"], race=True) == "Started game 2 of 5 (A, B, C)"
    assert finished(2, ["A", "B", "C"], result) == "Finished game 2 (A, B, C): C 12, A 14, B - {ranked}"


def test_equal_costs_stand_in_the_order_that_time_gave_them():
    finishes = [Finish("rule", "solved", 12), Finish("rule", "solved", 12)]
    result = Result("rule", "ranked", [0.0, 1.0], finishes=finishes)
    assert finished(1, ["A", "B"], result) == "Finished game 1 (A, B): B 12, A 12 {ranked}"


@pytest.mark.parametrize(
    ("cost", "text"), [(None, "-"), (12.0, "12"), (0.0, "0"), (7544.3659, "7544.37"), (1e7, "10000000"), (0.5, "0.5")]
)
def test_a_cost_is_as_short_as_it_can_be(cost, text):
    assert paid(cost) == text


def test_the_line_of_a_sequential_test_is_that_of_fastchess():
    assert llr_line(SequentialTest(0, 5), 1.2345) == "LLR: 1.23 (-2.94, 2.94) [0.00, 5.00]"


def test_a_table_of_ratings_has_provisional_ones_last():
    rated = {"a": Rating(1700, 300, True), "b": Rating(1490, 30, False), "c": Rating(1510, 31, False)}
    rows = rating_rows(rated, {"b": Score(3, 1, 1)})
    assert [row[:4] for row in rows[1:]] == [
        ["1", "c", "1510", "31"],
        ["2", "b", "1490", "30"],
        ["-", "a", "1700", "300?"],
    ]
    assert rows[2][4:] == ["5", "70.0%", "20.0%"]


def test_equal_ratings_share_a_place_in_the_table():
    """Ratings are computed step by step: those of bots with the same results differ in the last digits only."""
    rated = {
        "a": Rating(1500, 30, False),
        "b": Rating(1500.00001, 30, False),
        "c": Rating(1600, 30, False),
        "d": Rating(1500, 300, True),
    }
    assert [row[:2] for row in rating_rows(rated, {})[1:]] == [
        ["1", "c"],
        ["2\N{EN DASH}3", "b"],
        ["2\N{EN DASH}3", "a"],
        ["-", "d"],
    ]


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (Result("rule", "score", [1.0, 0.0], detail="Black wins by 3.5 points"), "Black wins by 3.5 points"),
        (Result("rule", "score", [1.0, 0.0]), "score"),
        (Result("rule", "last", [1.0, 0.0, 0.0], detail="red: Traceback"), "last"),
        (Result("time", "flag-fell", [1.0, 0.0], 1, "late"), "time: flag-fell"),
    ],
)
def test_a_duel_tells_the_points_where_its_rules_do(result, words):
    assert why(result) == words
