"""The time that a table waits for each kind of player."""

from types import SimpleNamespace

import pytest

from palio_server.arena.table import FRIEND_S, HELLO_S, KEPT_S, why_close


def table(**facts):
    usual = {"over_at": None, "began": False, "waits": True, "house": [], "invites": [], "opened_at": 0.0}
    return SimpleNamespace(**(usual | facts))


@pytest.mark.parametrize(
    ("facts", "patience", "stays", "words"),
    [
        ({}, HELLO_S, False, "has not come"),
        ({"invites": ["code"]}, FRIEND_S, False, "no friend"),
        ({"began": True, "over_at": 0.0}, KEPT_S, True, "another game"),
        ({"began": True, "over_at": 0.0}, HELLO_S, False, "another game"),
    ],
)
def test_a_table_is_kept_until_its_patience_is_over(facts, patience, stays, words):
    assert why_close(table(**facts), patience - 0.1, stays=stays, failed={}) == ""
    assert words in why_close(table(**facts), patience, stays=stays, failed={})


def test_a_match_that_is_played_is_waited_for_without_end():
    assert why_close(table(began=True), 10**9, stays=False, failed={}) == ""


def test_a_bot_of_the_house_that_cannot_be_had_closes_the_table_at_once():
    failed = {"house-deep": "it could not be started"}
    assert why_close(table(house=["house-deep"]), 0.0, stays=True, failed=failed) == "it could not be started"
    assert why_close(table(house=["house-deep"], waits=False), 0.0, stays=True, failed=failed) == ""
