"""The name of a leaderboard: a game with the settings that make another game of it, in one order, safe in addresses."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_rules.game import Game, Options
from palio_rules.records.record import Setup
from palio_rules.registry import game, games, leaderboard_of, title_of
from palio_rules.time_control import TimeControl

FAST, SLOW = TimeControl(1000), TimeControl(9000)


@pytest.mark.parametrize(
    ("name", "options", "leaderboard"),
    [
        ("go", {}, "go"),
        ("go", {"size": 9, "komi": 6.5, "cleanup": "none"}, "go"),
        ("go", {"cleanup": "final_status_list", "size": "19"}, "go:size=19,cleanup=final_status_list"),
        ("go", {"suicide": True}, "go:suicide=true"),
        ("breakthrough", {"rows": 8, "cols": 8, "first": "white"}, "breakthrough:rows=8,cols=8"),
        ("chess", {"variant": "chess960", "start": 7}, "chess:variant=chess960"),
        ("dominoes", {"rows": 6}, "dominoes:rows=6"),
        ("chexers", {"max_turns": 99}, "chexers"),
        ("a_game_of_elsewhere", {"size": 19}, "a_game_of_elsewhere"),
        ("go", {"no_such_option": 19}, "go"),
    ],
)
def test_a_match_counts_for_its_game_with_the_settings_that_make_another_game(name, options, leaderboard):
    assert Setup(name, ("a", "b"), options).leaderboard == leaderboard


@given(st.sampled_from(games()), st.data())
def test_a_leaderboards_name_is_read_back_and_has_only_characters_that_every_address_and_topic_takes(name, data):
    rules = game(name)
    usual = rules.parse_options({})
    told = {}
    for setting in rules.rating_settings:
        value = getattr(usual, setting)
        told[setting] = data.draw(st.booleans() if isinstance(value, bool) else st.just(value + 1) | st.just(value)
                                  if isinstance(value, int) else st.just(value))  # fmt: skip
    found = rules.leaderboard(rules.parse_options(told))
    assert leaderboard_of(found) == found
    assert re.fullmatch(r"[A-Za-z0-9_.:=,%-]+", found)


def test_any_text_may_be_a_setting_of_a_game_of_elsewhere():
    class WordOptions(Options, frozen=True):
        word: str = ""

    class Words(Game):
        name, options_type, rating_settings = "words", WordOptions, ("word",)

    Words.__abstractmethods__ = frozenset()
    found = Words().leaderboard(WordOptions(word="a/b,c=d #+"))
    assert found == "words:word=a%2Fb%2Cc%3Dd%20%23%2B"
    assert title_of(found) == "words, word a/b,c=d #+"


def test_a_setting_that_makes_no_other_game_has_no_leaderboard():
    with pytest.raises(BadOption, match="ratings of go are by size, cleanup, suicide, not by 'komi'; leave it out"):
        leaderboard_of("go:komi=0.5")
    with pytest.raises(BadOption, match="ratings of chexers are for all its settings together, not by 'max_turns'"):
        leaderboard_of("chexers:max_turns=9")
    with pytest.raises(BadOption, match="go option size='40'"):
        leaderboard_of("go:size=40")


@pytest.mark.parametrize(
    ("setup", "rated"),
    [
        (Setup("go", ("a", "b"), {"size": 19}), True),
        (Setup("go", ("a", "b"), {"handicap": 2}), False),
        (Setup("dominoes", ("a", "b"), {"board": "../.#"}), False),
        (Setup("chess", ("a", "b"), times=(FAST, SLOW)), False),
        (Setup("chess", ("a", "b"), times=(FAST, FAST)), True),
    ],
)
def test_a_match_in_which_a_seat_is_favoured_is_rated_only_if_that_was_said(setup, rated):
    assert setup.with_rated(rated=None).rated is rated
    assert setup.with_rated(rated=True).rated is True
    assert setup.with_rated(rated=False).rated is False
